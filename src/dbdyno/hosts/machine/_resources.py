"""Reads processors, memory, limits and the load of other processes from /proc and /sys."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from pathlib import PurePath

from dbdyno.core import UNLIMITED, BusyProcess, Limits, Load, Memory, Processors
from dbdyno.hosts._facts import cpu_model, read_meminfo
from dbdyno.hosts._process_facts import TICKS_PER_SECOND
from dbdyno.hosts._system import System
from dbdyno.hosts._tree import Tree, processor_list


def read_limits(tree: Tree, system: System, group_processes: int | None) -> Limits:
    """Return limits of our processes and of the kernel; `group_processes`: its control group's limit, None: none."""
    threads = tree.number("/proc/sys/kernel/threads-max")
    processes = [_plain_limit(system.processes), threads, group_processes]
    return Limits(
        open_files=_plain_limit(system.open_files),
        processes=min(count for count in processes if count is not None),
        backlog=tree.number("/proc/sys/net/core/somaxconn"),
        ports=_port_count(tree.text("/proc/sys/net/ipv4/ip_local_port_range")),
    )


def _plain_limit(limit: int | None) -> int:
    return UNLIMITED if limit is None else limit


def _port_count(text: str) -> int | None:
    ends = text.split()
    return int(ends[1]) - int(ends[0]) + 1 if len(ends) == 2 else None


_NAMED = 3
_LOADER_OPTIONS_WITH_VALUE = frozenset({"--library-path", "--preload", "--argv0", "--audit"})
_WORTH_NAMING = 0.02  # processors


def read_load(tree: Tree, seconds: float, pause: Callable[[float], None] = time.sleep) -> Load:
    """Look twice, `seconds` apart."""
    ticks_before, began_s = (_machine_ticks(tree), _process_ticks(tree)), time.monotonic()
    pause(seconds)
    ticks_after, elapsed = (_machine_ticks(tree), _process_ticks(tree)), time.monotonic() - began_s
    spent_ticks = [end - start for start, end in zip(ticks_before[0], ticks_after[0], strict=False)]
    if not spent_ticks or not any(spent_ticks):
        return Load()
    names = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
    share = dict(zip(names, (ticks / sum(spent_ticks) for ticks in spent_ticks), strict=False))
    elapsed_ticks = TICKS_PER_SECOND * max(elapsed, 1e-3)
    own_pid = int((tree.text("/proc/self/stat").split() or ["0"])[0])
    use_by_pid = {
        pid: (ticks - ticks_before[1].get(pid, ("", ticks))[1]) / elapsed_ticks
        for pid, (_, ticks) in ticks_after[1].items()
        if pid != own_pid
    }
    busiest = sorted(
        (pid for pid, count in use_by_pid.items() if count >= _WORTH_NAMING), key=lambda pid: -use_by_pid[pid]
    )
    processors = len(re.findall(r"^cpu\d+ ", tree.text("/proc/stat"), re.MULTILINE)) or 1
    own_use = (ticks_after[1].get(own_pid, ("", 0))[1] - ticks_before[1].get(own_pid, ("", 0))[1]) / elapsed_ticks
    at_work = sum(share.get(name, 0.0) for name in ("user", "nice", "system", "irq", "softirq")) * processors
    return Load(
        seconds=round(elapsed, 2),
        used=round(max(at_work - own_use, 0.0), 2),
        stolen_share=round(share.get("steal", 0.0), 3),
        waiting_share=round(share.get("iowait", 0.0), 3),
        busiest=tuple(
            BusyProcess(pid, _program_name(tree, pid, ticks_after[1][pid][0]), round(use_by_pid[pid], 2))
            for pid in busiest[:_NAMED]
        ),
        processors=processors,
    )


def _program_name(tree: Tree, pid: int, name: str) -> str:
    """Return the name of a process; of one that a loader of its own started, as our servers are, the program's."""
    if not name.startswith("ld-linux"):
        return name
    words = tree.text(f"/proc/{pid}/cmdline").split("\0")[1:]
    while words and words[0].startswith("--"):
        words = words[2 if words[0] in _LOADER_OPTIONS_WITH_VALUE else 1 :]
    return PurePath(words[0]).name if words and words[0] else name


def _machine_ticks(tree: Tree) -> list[int]:
    """Return the first eight counts: guest time is in user time already."""
    line = re.search(r"^cpu\s+(.+)$", tree.text("/proc/stat"), re.MULTILINE)
    return [int(word) for word in line[1].split()[:8]] if line else []


def _process_ticks(tree: Tree) -> Mapping[int, tuple[str, int]]:
    """Name and ticks of user and system time of every process."""
    ticks = {}
    folders = tree.matching("/proc", "[0-9]*")
    for folder, text in zip(folders, tree.texts([folder / "stat" for folder in folders]), strict=True):
        name, _, fields_text = text.partition("(")[2].rpartition(")")
        fields = fields_text.split()
        if len(fields) > 12:
            ticks[int(folder.name)] = (name, int(fields[11]) + int(fields[12]))
    return ticks


def read_memory(tree: Tree) -> Memory:
    """Return the memory of a machine."""
    sizes = read_meminfo(tree)
    swap, swap_free = sizes.get("SwapTotal"), sizes.get("SwapFree")
    devices = [line.split()[0] for line in tree.text("/proc/swaps").splitlines()[1:]]
    return Memory(
        total_bytes=sizes.get("MemTotal"),
        available_bytes=sizes.get("MemAvailable"),
        swap_bytes=swap,
        swap_used_bytes=None if swap is None or swap_free is None else swap - swap_free,
        swap_is_ram=all("zram" in device for device in devices) if devices else None,
        swappiness=tree.number("/proc/sys/vm/swappiness"),
        huge_pages=tree.chosen("/sys/kernel/mm/transparent_hugepage/enabled"),
        overcommit=tree.number("/proc/sys/vm/overcommit_memory"),
    )


def read_processors(tree: Tree, usable: tuple[int, ...]) -> Processors:
    """Return the processors of a machine; `usable` are those that this process may use."""
    governors = {
        tree.text(folder / "cpufreq/scaling_governor")
        for folder in tree.matching("/sys/devices/system/cpu", "cpu[0-9]*")
    }
    nodes = tree.matching("/sys/devices/system/node", "node[0-9]*")
    return Processors(
        model=cpu_model(tree),
        usable=usable,
        governors=tuple(sorted(filter(None, governors))),
        turbo=_is_turbo_on(tree),
        on_battery=_is_on_battery(tree),
        nodes=tuple(processor_list(tree.text(node / "cpulist")) for node in nodes),
        numa_balancing=tree.flag("/proc/sys/kernel/numa_balancing"),
        zone_reclaim=tree.flag("/proc/sys/vm/zone_reclaim_mode"),
        siblings=_siblings(tree),
    )


def _is_turbo_on(tree: Tree) -> bool | None:
    """Return whether turbo is on: Intel's driver says whether it is off, the others whether it is on."""
    off = tree.flag("/sys/devices/system/cpu/intel_pstate/no_turbo")
    return tree.flag("/sys/devices/system/cpu/cpufreq/boost") if off is None else not off


def _is_on_battery(tree: Tree) -> bool | None:
    """Return whether it runs on battery; None without a battery."""
    supplies = [
        path
        for path in tree.matching("/sys/class/power_supply", "*")
        if tree.text(path / "scope") != "Device"  # the battery of a mouse or keyboard powers no machine
    ]
    kinds = {path: tree.text(path / "type") for path in supplies}
    if "Battery" not in kinds.values():
        return None
    mains = [path for path, kind in kinds.items() if kind in ("Mains", "USB")]
    online = [tree.number(path / "online") for path in mains]
    return None if not online else all(value == 0 for value in online)


def _siblings(tree: Tree) -> tuple[tuple[int, ...], ...]:
    folders = tree.matching("/sys/devices/system/cpu", "cpu[0-9]*")
    groups = {processor_list(tree.text(folder / "topology/thread_siblings_list")) for folder in folders}
    return tuple(sorted(group for group in groups if len(group) > 1))
