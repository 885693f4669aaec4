"""Reads what a machine is from /proc and /sys, so it costs nothing and needs no rights."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dbdyno.hosts._tree import Tree

if TYPE_CHECKING:
    from dbdyno.hosts._protocol import Host

UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class HostFacts:
    """Describes a machine, as far as it matters to a measurement. What can't be read says ``unknown`` or None.

    Parameters
    ----------
    data_device, rotational, filesystem : of the disk that holds the data directories; virtual disks often claim
        to rotate, so `rotational` is what the kernel says and no more
    governor, transparent_huge_pages, clock_source : the kernel's active choice
    """

    hostname: str
    cpu_model: str
    logical_cpu_count: int
    memory_bytes: int
    swap_bytes: int
    kernel: str
    architecture: str
    distribution: str
    virtualisation: str
    data_device: str
    rotational: bool | None
    filesystem: str
    mount_options: str
    governor: str
    transparent_huge_pages: str
    clock_source: str
    boot_id: str
    numa_node_count: int


def read_facts(host: Host, data_path: Path) -> HostFacts:
    """Return the facts of a machine, with the disk under `data_path`, or under its nearest parent that is there."""
    tree, system = Tree(host.files), host.system()
    memory = read_meminfo(tree)
    mount = mount_of(host.files.resolve(data_path), tree.text("/proc/self/mountinfo"))
    return HostFacts(
        hostname=system.hostname,
        cpu_model=cpu_model(tree) or UNKNOWN,
        logical_cpu_count=len(system.usable_cpus),
        memory_bytes=memory.get("MemTotal", 0),
        swap_bytes=memory.get("SwapTotal", 0),
        kernel=system.kernel,
        architecture=system.architecture,
        distribution=_first_match(r'^PRETTY_NAME="?([^"\n]+)', tree.text("/etc/os-release")),
        virtualisation=virtualisation(tree),
        data_device=mount.source,
        rotational=_is_rotational(mount, tree),
        filesystem=mount.filesystem,
        mount_options=mount.options,
        governor=tree.text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") or "none available",
        transparent_huge_pages=_first_match(r"\[(\w+)\]", tree.text("/sys/kernel/mm/transparent_hugepage/enabled")),
        clock_source=tree.text("/sys/devices/system/clocksource/clocksource0/current_clocksource") or UNKNOWN,
        boot_id=tree.text("/proc/sys/kernel/random/boot_id") or UNKNOWN,
        numa_node_count=max(len(tree.matching("/sys/devices/system/node", "node[0-9]*")), 1),
    )


def read_meminfo(tree: Tree) -> dict[str, int]:
    """Return sizes of /proc/meminfo in bytes."""
    rows = re.findall(r"^(\w+):\s+(\d+) kB$", tree.text("/proc/meminfo"), re.MULTILINE)
    return {name: int(kib) * 1024 for name, kib in rows}


def cpu_model(tree: Tree) -> str:
    """Return the name of the processors; empty where the machine tells none."""
    match = re.search(r"^(?:model name|Model|Processor)\s*:\s*(.+)$", tree.text("/proc/cpuinfo"), re.MULTILINE)
    return match[1].strip() if match else ""


@dataclass(frozen=True, slots=True)
class Mount:
    """Describes one line of mountinfo; `super_options` are those of the filesystem itself."""

    device_number: str
    point: str
    filesystem: str
    source: str
    options: str
    super_options: str = ""


def mount_of(path: Path, mountinfo: str) -> Mount:
    """Return the mount that holds a path without links: the last of the longest mount points above it."""
    best = Mount("", "/", UNKNOWN, UNKNOWN, "")
    for line in mountinfo.splitlines():
        mount_part, _, source_part = line.partition(" - ")
        device_number, point, options = (
            mount_part.split()[2],
            mount_part.split()[4].replace("\\040", " "),
            mount_part.split()[5],
        )
        filesystem, source, *super_options = source_part.split()
        if path.is_relative_to(point) and len(point) >= len(best.point):
            best = Mount(device_number, point, filesystem, source, options, super_options[0] if super_options else "")
    return best


def _is_rotational(mount: Mount, tree: Tree) -> bool | None:
    device_by_number = Path(f"/sys/dev/block/{mount.device_number}")
    device_by_name = Path("/sys/class/block") / Path(mount.source).name
    for device in (device_by_number, device_by_name):  # btrfs and overlay have no own device number
        for folder in (device, tree.resolved(device).parent):  # a partition's queue is its disk's
            text = tree.text(folder / "queue/rotational")
            if text:
                return text == "1"
    return None


def virtualisation(tree: Tree) -> str:
    """Return what the machine runs in, by its marks."""
    if tree.facts("/.dockerenv") or tree.facts("/run/.containerenv"):
        return "container"
    product = " ".join(filter(None, tree.texts(["/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/product_name"])))
    if re.search(r"^flags\s*:.*\bhypervisor\b", tree.text("/proc/cpuinfo"), re.MULTILINE):
        return f"virtual machine ({product})" if product else "virtual machine"
    return "none seen"


def _first_match(pattern: str, text: str) -> str:
    match = re.search(pattern, text, re.MULTILINE)
    return match[1].strip() if match else UNKNOWN
