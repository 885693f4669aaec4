"""CPU time by mode, whole machine and core by core, from /proc/stat. Unit: cpus (CPU seconds per second)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from dbdyno.measure.telemetry._reading import Reading

_MODES = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


class CpuSource:
    """``host.cpu.MODE``, ``host.cpu.CORE.MODE``, switches, and how many tasks run or wait for the disk."""

    name = "cpu"

    def __init__(self, path: Path = Path("/proc/stat")) -> None:
        self._path = path

    def read(self) -> Sequence[Reading]:
        """Read /proc/stat."""
        return parse_stat(self._path.read_text())


def parse_stat(text: str) -> list[Reading]:
    """Readings of the text of /proc/stat.

    >>> parse_stat("cpu0 200 0 100 0 0 0 0 0 0 0")[0]
    Reading(metric='host.cpu.0.user', value=2.0, unit='cpus', kind='counter')
    """
    readings: list[Reading] = []
    for line in text.splitlines():
        head, *fields = line.split()
        if head.startswith("cpu"):
            core = head.removeprefix("cpu")
            prefix = f"host.cpu.{core}." if core else "host.cpu."
            pairs = zip(_MODES, fields, strict=False)
            readings += [Reading(prefix + mode, int(value) / _TICKS_PER_SECOND, "cpus") for mode, value in pairs]
        elif head == "ctxt":
            readings.append(Reading("host.context_switches", int(fields[0]), "ops/s"))
        elif head in ("procs_running", "procs_blocked"):
            readings.append(Reading(f"host.{head}", int(fields[0]), "count", "gauge"))
    return readings
