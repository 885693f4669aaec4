"""What a process runs under: limits, control group, allocator, memory policy. Read from /proc and /sys."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from dbdyno.hosts._group_place import place_of

_CGROUP_FILES = ("memory.max", "memory.high", "cpu.max", "cpu.weight", "io.max", "pids.max")
_NO_LIMIT = 1 << 62  # what version 1 writes where nothing bounds a group
_ALLOCATORS = ("jemalloc", "tcmalloc", "mimalloc")


ProcessFacts = Mapping[str, str | dict[str, str]]


def process_facts(pid: int, proc: Path = Path("/proc"), cgroups: Path = Path("/sys/fs/cgroup")) -> ProcessFacts:
    """The facts of a process, as far as it can be seen; what can't be read is left out.

    ``proc_limits``: name -> soft limit; ``cgroup``: file -> text; ``allocator``: the library that serves malloc;
    ``numa_policy``: ``interleave`` or ``default``.
    """
    facts: dict[str, str | dict[str, str]] = {}
    if limits := _text(proc / str(pid) / "limits"):
        facts["proc_limits"] = parse_limits(limits)
    if group := re.search(r"^0::/?(.*)$", _text(proc / str(pid) / "cgroup"), re.MULTILINE):
        found = {name: _text(cgroups / group[1] / name) for name in _CGROUP_FILES}
        facts["cgroup"] = {name: text for name, text in found.items() if text} | _bounds_of_version_1(pid, proc)
    if maps := _text(proc / str(pid) / "maps"):
        facts["allocator"] = next((name for name in _ALLOCATORS if name in maps), "libc")
    if policies := _text(proc / str(pid) / "numa_maps"):
        facts["numa_policy"] = "interleave" if " interleave" in policies else "default"
    return facts


def _bounds_of_version_1(pid: int, proc: Path) -> dict[str, str]:
    """The memory bound of a group of version 1, under the name that version 2 has for it."""
    try:
        place = place_of(pid, proc)
    except ValueError:
        return {}
    limit = _text(place[1] / "memory.limit_in_bytes") if place is not None and place[0] == 1 else ""
    return {"memory.max": limit} if limit.isdigit() and int(limit) < _NO_LIMIT else {}


def parse_limits(text: str) -> dict[str, str]:
    r"""Soft limits by name.

    >>> parse_limits("Limit   Soft Limit  Hard Limit  Units\nMax open files    1024   4096    files")
    {'Max open files': '1024'}
    """
    rows = (re.split(r"\s{2,}", line.strip()) for line in text.splitlines()[1:])
    return {row[0]: row[1] for row in rows if len(row) > 1}


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""
