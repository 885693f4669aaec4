"""Processors: which, at what clock, on which nodes, sharing which cores."""

from __future__ import annotations

import re

from dbdyno.core import Processors
from dbdyno.hosts.machine._files import Tree, processor_list


def read_processors(tree: Tree, usable: tuple[int, ...]) -> Processors:
    """The processors of a machine; `usable` are those that this process may use."""
    model = re.search(r"^(?:model name|Model|Processor)\s*:\s*(.+)$", tree.text("/proc/cpuinfo"), re.MULTILINE)
    governors = {
        tree.text(path.relative_to(tree.root))
        for path in tree.matching("/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor")
    }
    nodes = tree.matching("/sys/devices/system/node/node[0-9]*")
    return Processors(
        model=model[1].strip() if model else "",
        usable=usable,
        governors=tuple(sorted(filter(None, governors))),
        turbo=_turbo(tree),
        on_battery=_on_battery(tree),
        nodes=tuple(processor_list(tree.text(node.relative_to(tree.root) / "cpulist")) for node in nodes),
        numa_balancing=tree.flag("/proc/sys/kernel/numa_balancing"),
        zone_reclaim=tree.flag("/proc/sys/vm/zone_reclaim_mode"),
        siblings=_siblings(tree),
    )


def _turbo(tree: Tree) -> bool | None:
    """Intel's driver says whether it is off, the others whether it is on."""
    off = tree.flag("/sys/devices/system/cpu/intel_pstate/no_turbo")
    return tree.flag("/sys/devices/system/cpu/cpufreq/boost") if off is None else not off


def _on_battery(tree: Tree) -> bool | None:
    """Machines without a battery have no such thing to be on."""
    supplies = tree.matching("/sys/class/power_supply/*")
    kinds = {path: tree.text(path.relative_to(tree.root) / "type") for path in supplies}
    if "Battery" not in kinds.values():
        return None
    mains = [path for path, kind in kinds.items() if kind in ("Mains", "USB")]
    told = [tree.number(path.relative_to(tree.root) / "online") for path in mains]
    return None if not told else all(value == 0 for value in told)


def _siblings(tree: Tree) -> tuple[tuple[int, ...], ...]:
    paths = tree.matching("/sys/devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list")
    groups = {processor_list(tree.text(path.relative_to(tree.root))) for path in paths}
    return tuple(sorted(group for group in groups if len(group) > 1))
