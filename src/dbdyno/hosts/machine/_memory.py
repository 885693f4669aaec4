"""Memory and swap."""

from __future__ import annotations

import re

from dbdyno.core import Memory
from dbdyno.hosts.machine._files import Tree


def read_memory(tree: Tree) -> Memory:
    """The memory of a machine."""
    rows = re.findall(r"^(\w+):\s+(\d+) kB$", tree.text("/proc/meminfo"), re.MULTILINE)
    sizes = {name: int(kib) * 1024 for name, kib in rows}
    swap, free = sizes.get("SwapTotal"), sizes.get("SwapFree")
    devices = [line.split()[0] for line in tree.text("/proc/swaps").splitlines()[1:]]
    return Memory(
        total_bytes=sizes.get("MemTotal"),
        available_bytes=sizes.get("MemAvailable"),
        swap_bytes=swap,
        swap_used_bytes=None if swap is None or free is None else swap - free,
        swap_is_ram=all("zram" in device for device in devices) if devices else None,
        swappiness=tree.number("/proc/sys/vm/swappiness"),
        huge_pages=tree.chosen("/sys/kernel/mm/transparent_hugepage/enabled"),
        overcommit=tree.number("/proc/sys/vm/overcommit_memory"),
    )
