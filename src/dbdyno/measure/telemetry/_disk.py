"""The device under the data directory, from /proc/diskstats."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from dbdyno.measure.telemetry._reading import Reading

_SECTOR_BYTES = 512
# Field numbers as in the kernel's Documentation/admin-guide/iostats.rst, counted from 0 after the device name.
_COUNTERS = (
    (0, "reads", "ops/s", 1.0),
    (2, "read_bytes", "bytes/s", _SECTOR_BYTES),
    (3, "read_time", "ms/s", 1.0),
    (4, "writes", "ops/s", 1.0),
    (6, "written_bytes", "bytes/s", _SECTOR_BYTES),
    (7, "write_time", "ms/s", 1.0),
    (9, "busy_time", "ms/s", 1.0),
    (10, "queue_time", "ms/s", 1.0),
    (15, "flushes", "ops/s", 1.0),
    (16, "flush_time", "ms/s", 1.0),
)


class DiskSource:
    """``disk.*``: operations, bytes and times of one device."""

    name = "disk"

    def __init__(self, device: str, path: Path = Path("/proc/diskstats")) -> None:
        self._device = device
        self._path = path

    def read(self) -> Sequence[Reading]:
        """Read /proc/diskstats.

        Raises
        ------
        ValueError : the device has no line, as with overlay, tmpfs or network file systems
        """
        return parse_diskstats(self._path.read_text(), self._device)


def device_number(path: Path) -> str:
    """``MAJOR:MINOR`` of the device that holds a path."""
    device = path.stat().st_dev
    return f"{os.major(device)}:{os.minor(device)}"


def parse_diskstats(text: str, device: str) -> list[Reading]:
    """Readings of one device's line.

    >>> parse_diskstats("254 0 vda 5 0 16 1 0 0 0 0 2 0 0", "254:0")[1]
    Reading(metric='disk.read_bytes', value=8192.0, unit='bytes/s', kind='counter')
    """
    for line in text.splitlines():
        major, minor, _, *fields = line.split()
        if f"{major}:{minor}" == device:
            readings = [
                Reading(f"disk.{name}", int(fields[index]) * float(scale), unit)
                for index, name, unit, scale in _COUNTERS
                if index < len(fields)  # flushes came with Linux 5.5
            ]
            return [*readings, Reading("disk.in_flight", int(fields[8]), "count", "gauge")]
    raise ValueError(f"device {device} has no line in /proc/diskstats")
