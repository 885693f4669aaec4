"""CPU, memory and device bytes of one process, from /proc/PID."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from dbdyno.measure.telemetry._reading import Reading

_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
_LEVELS = {"VmRSS": "resident", "VmSwap": "swapped", "Threads": "threads"}
_IO = {"read_bytes": "device_read", "write_bytes": "device_written", "syscr": "read_calls", "syscw": "write_calls"}


class ProcessSource:
    """``server.*`` or ``client.*``: user and system CPU, resident and swapped memory, threads, device bytes."""

    def __init__(self, name: str, pid: int, proc: Path = Path("/proc")) -> None:
        self.name = name
        self._folder = proc / str(pid)

    def read(self) -> Sequence[Reading]:
        """Read stat, status and, where it may be read, io."""
        readings = parse_process_stat(self.name, (self._folder / "stat").read_text())
        readings += parse_process_status(self.name, (self._folder / "status").read_text())
        try:
            io = (self._folder / "io").read_text()
        except PermissionError:  # another user's process: CPU and memory can still be seen
            return readings
        return readings + parse_process_io(self.name, io)


def parse_process_stat(name: str, text: str) -> list[Reading]:
    """CPU time and major page faults.

    >>> text = "7 (my sqld) S 0 0 0 0 0 0 0 0 3 0 250 50"
    >>> [reading.value for reading in parse_process_stat("server", text)]
    [2.5, 0.5, 3]
    """
    fields = text[text.rindex(")") + 2 :].split()  # the name may hold spaces and parentheses
    return [
        Reading(f"{name}.cpu.user", int(fields[11]) / _TICKS_PER_SECOND, "cpus"),
        Reading(f"{name}.cpu.system", int(fields[12]) / _TICKS_PER_SECOND, "cpus"),
        Reading(f"{name}.major_faults", int(fields[9]), "ops/s"),
    ]


def parse_process_status(name: str, text: str) -> list[Reading]:
    """Memory and threads."""
    readings = []
    for line in text.splitlines():
        key, _, rest = line.partition(":")
        if key in _LEVELS:
            number, *kib = rest.split()
            value, unit = (int(number) * 1024, "bytes") if kib else (int(number), "count")
            readings.append(Reading(f"{name}.{_LEVELS[key]}", value, unit, "gauge"))
    return readings


def parse_process_io(name: str, text: str) -> list[Reading]:
    """Bytes that reached the device, and calls."""
    rows = (line.partition(": ") for line in text.splitlines())
    return [
        Reading(f"{name}.{_IO[key]}", int(value), "ops/s" if key.startswith("sysc") else "bytes/s")
        for key, _, value in rows
        if key in _IO
    ]
