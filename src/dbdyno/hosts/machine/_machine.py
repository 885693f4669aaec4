"""Reads the whole state of the machine."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from dbdyno.core import HostError, Machine, Profiler
from dbdyno.hosts._facts import virtualisation
from dbdyno.hosts._protocol import Host
from dbdyno.hosts._tree import Tree
from dbdyno.hosts.machine._containment import read_control_group, read_docker
from dbdyno.hosts.machine._resources import read_limits, read_load, read_memory, read_processors
from dbdyno.hosts.machine._storage import read_asynchronous, read_disk

_LOOK_S = 1.0
_CAP_NET_ADMIN = 12
_PERF_S = 10.0


def read_machine(
    host: Host,
    data_path: Path,
    *,
    look_s: float = _LOOK_S,
    pause: Callable[[float], None] = time.sleep,
    root: Path = Path("/"),
    environ: Mapping[str, str] | None = os.environ,
) -> Machine:
    """Return the state of a machine, with the disk under `data_path`. Nothing is changed.

    Parameters
    ----------
    look_s : how long it is watched for what else it does, seconds
    root : where /proc and /sys are looked for
    environ : names the socket of a container engine of this machine; None: none is looked for
    """
    tree, system = Tree(host.files, root), host.system()
    group, group_processes = read_control_group(tree)
    return Machine(
        kernel=system.kernel,
        clock_source=tree.text("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        virtualisation=virtualisation(tree),
        delays_network=_delays_network(tree, system.kernel),
        processors=read_processors(tree, system.usable_cpus),
        memory=read_memory(tree),
        limits=read_limits(tree, system, group_processes),
        disk=read_disk(tree, data_path),
        asynchronous=read_asynchronous(tree, *host.async_io_errors()),
        load=read_load(tree, look_s, pause),
        control_group=group,
        docker=None if environ is None else read_docker(environ),
        profiler=read_profiler(host, root),
    )


def read_profiler(host: Host, root: Path = Path("/")) -> Profiler:
    """Return whether perf is there, and what the kernel lets it do."""
    try:
        result = host.run(["perf", "--version"], timeout_s=_PERF_S, check=False)
    except HostError:
        version = ""
    else:
        version = result.stdout.strip().removeprefix("perf version ") if result.exit_code == 0 else ""
    paranoid = Tree(host.files, root).text("/proc/sys/kernel/perf_event_paranoid").strip()
    is_root = host.system().server_user is not None
    return Profiler(version, int(paranoid) if paranoid.lstrip("-").isdigit() else None, is_root)


def _delays_network(tree: Tree, kernel: str) -> bool | None:
    """Return whether the kernel has it, also as a module, with the right to use it; None if that can't be looked up."""
    rights = next((line for line in tree.text("/proc/self/status").splitlines() if line.startswith("CapEff:")), "")
    if rights and not int(rights.split()[1], 16) >> _CAP_NET_ADMIN & 1:
        return False
    if tree.facts("/sys/module/sch_netem"):
        return True
    modules = Path("/lib/modules") / kernel
    module_names = tree.text(modules / "modules.builtin") + tree.text(modules / "modules.dep")
    if module_names:
        return "sch_netem" in module_names
    symbols = tree.text("/proc/kallsyms")
    return " netem_" in symbols or None if symbols else None
