"""Reads machine-wide sources from /proc: processors, memory, disk, network, pressure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from dbdyno.hosts import TICKS_PER_SECOND, Reader
from dbdyno.measure.telemetry._sampler import Reading

_MODES = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")


class CpuSource:
    """Reads ``host.cpu.MODE``, ``host.cpu.CORE.MODE``, switches, and how many tasks run or wait for the disk."""

    name = "cpu"

    def __init__(self, read: Reader, path: Path = Path("/proc/stat")) -> None:
        self._read, self._path = read, path

    def read(self) -> Sequence[Reading]:
        """Read /proc/stat."""
        return parse_stat(self._read(self._path).decode())


def parse_stat(text: str) -> list[Reading]:
    """Return readings of the text of /proc/stat.

    >>> parse_stat("cpu0 200 0 100 0 0 0 0 0 0 0")[0]
    Reading(metric='host.cpu.0.user', value=2.0, unit='cpus', kind='counter')
    """
    readings: list[Reading] = []
    for line in text.splitlines():
        label, *fields = line.split()
        if label.startswith("cpu"):
            core = label.removeprefix("cpu")
            prefix = f"host.cpu.{core}." if core else "host.cpu."
            pairs = zip(_MODES, fields, strict=False)
            readings += [Reading(prefix + mode, int(value) / TICKS_PER_SECOND, "cpus") for mode, value in pairs]
        elif label == "ctxt":
            readings.append(Reading("host.context_switches", int(fields[0]), "ops/s"))
        elif label in ("procs_running", "procs_blocked"):
            readings.append(Reading(f"host.{label}", int(fields[0]), "count", "gauge"))
    return readings


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
    """Reads ``disk.*``: operations, bytes and times of one device, by its ``MAJOR:MINOR``."""

    name = "disk"

    def __init__(self, read: Reader, device: str, path: Path = Path("/proc/diskstats")) -> None:
        self._read, self._device, self._path = read, device, path

    def read(self) -> Sequence[Reading]:
        """Read /proc/diskstats.

        Raises
        ------
        ValueError : the device has no line, as with overlay, tmpfs or network file systems
        """
        return parse_diskstats(self._read(self._path).decode(), self._device)


def parse_diskstats(text: str, device: str) -> list[Reading]:
    """Return readings of one device's line.

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
    """Reads ``memory.*`` in bytes."""

    name = "memory"

    def __init__(self, read: Reader, path: Path = Path("/proc/meminfo")) -> None:
        self._read, self._path = read, path

    def read(self) -> Sequence[Reading]:
        """Read /proc/meminfo."""
        return parse_meminfo(self._read(self._path).decode())


def parse_meminfo(text: str) -> list[Reading]:
    """Return readings of the text of /proc/meminfo.

    >>> parse_meminfo("Dirty:   4 kB")
    [Reading(metric='memory.dirty', value=4096, unit='bytes', kind='gauge')]
    """
    rows = (line.partition(":") for line in text.splitlines())
    return [
        Reading(f"memory.{_NAMES[key]}", int(amount.split()[0]) * 1024, "bytes", "gauge")
        for key, _, amount in rows
        if key in _NAMES
    ]


_FIELDS = {0: ("received_bytes", "bytes/s"), 1: ("received_packets", "ops/s")}
_FIELDS |= {8: ("sent_bytes", "bytes/s"), 9: ("sent_packets", "ops/s")}


class NetworkSource:
    """Reads ``network.loopback.*``, ``network.other.*`` and ``network.tcp.*``. A socket file's traffic is in none."""

    name = "network"

    def __init__(self, read: Reader, folder: Path = Path("/proc/net")) -> None:
        self._read, self._folder = read, folder

    def read(self) -> Sequence[Reading]:
        """Read /proc/net/dev and /proc/net/snmp."""
        devices = parse_net_dev(self._read(self._folder / "dev").decode())
        return devices + parse_tcp(self._read(self._folder / "snmp").decode())


def parse_net_dev(text: str) -> list[Reading]:
    """Return readings of the text of /proc/net/dev; its first two lines are headings."""
    totals: Counter[tuple[str, str, str]] = Counter()
    for line in text.splitlines()[2:]:
        interface, _, fields_text = line.partition(":")
        place = "loopback" if interface.strip() == "lo" else "other"
        fields = fields_text.split()
        for index, (name, unit) in _FIELDS.items():
            totals[place, name, unit] += int(fields[index])
    return [Reading(f"network.{place}.{name}", value, unit) for (place, name, unit), value in totals.items()]


def parse_tcp(text: str) -> list[Reading]:
    r"""Return how many segments the machine had to send again.

    >>> parse_tcp("Tcp: InSegs OutSegs RetransSegs\nTcp: 9 7 2")
    [Reading(metric='network.tcp.retransmitted', value=2, unit='ops/s', kind='counter')]
    """
    names, numbers = (line.split() for line in text.splitlines() if line.startswith("Tcp:"))
    segments = dict(zip(names, numbers, strict=True))["RetransSegs"]
    return [Reading("network.tcp.retransmitted", int(segments), "ops/s")]


class PressureSource:
    """Reads ``pressure.RESOURCE.some`` (a task waited) and ``.full`` (all waited), seconds per second."""

    name = "pressure"

    def __init__(self, read: Reader, folder: Path = Path("/proc/pressure")) -> None:
        self._read, self._folder = read, folder

    def read(self) -> Sequence[Reading]:
        """Read the three files."""
        readings: list[Reading] = []
        for resource in ("cpu", "io", "memory"):
            readings += parse_pressure(resource, self._read(self._folder / resource).decode())
        return readings


def parse_pressure(resource: str, text: str) -> list[Reading]:
    """Return readings of one file's text.

    >>> parse_pressure("io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1500000")
    [Reading(metric='pressure.io.some', value=1.5, unit='s/s', kind='counter')]
    """
    readings = []
    for line in text.splitlines():
        kind, *fields = line.split()
        total = next(field.removeprefix("total=") for field in fields if field.startswith("total="))
        readings.append(Reading(f"pressure.{resource}.{kind}", int(total) / 1e6, "s/s"))
    return readings
