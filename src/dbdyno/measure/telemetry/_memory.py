"""The machine's memory, from /proc/meminfo."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dbdyno.measure.telemetry._reading import Reading

_NAMES = {
    "MemFree": "free",
    "MemAvailable": "available",
    "Cached": "page_cache",
    "Dirty": "dirty",
    "Writeback": "writeback",
    "AnonPages": "anonymous",
    "SwapFree": "swap_free",
}


class MemorySource:
    """``memory.*`` in bytes."""

    name = "memory"

    def __init__(self, path: Path = Path("/proc/meminfo")) -> None:
        self._path = path

    def read(self) -> Sequence[Reading]:
        """Read /proc/meminfo."""
        return parse_meminfo(self._path.read_text())


def parse_meminfo(text: str) -> list[Reading]:
    """Readings of the text of /proc/meminfo.

    >>> parse_meminfo("Dirty:   4 kB")
    [Reading(metric='memory.dirty', value=4096, unit='bytes', kind='gauge')]
    """
    rows = (line.partition(":") for line in text.splitlines())
    return [
        Reading(f"memory.{_NAMES[key]}", int(rest.split()[0]) * 1024, "bytes", "gauge")
        for key, _, rest in rows
        if key in _NAMES
    ]
