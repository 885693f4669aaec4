"""What is being measured on, and how quiet it is."""

from __future__ import annotations

import os
import platform
import time
from dataclasses import dataclass
from pathlib import Path

QUIET_LOAD = 0.3


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine and what went on there before the first run."""

    processor: str
    processors: int
    memory_gib: float
    kernel: str
    load_before: float
    busy_share_before: float
    """Share of all processors in use by others, during one second before the first run."""

    @classmethod
    def now(cls) -> Machine:
        """Look around for a second."""
        processors = os.cpu_count() or 1
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return cls(
            processor=_processor(),
            processors=processors,
            memory_gib=memory / 2**30,
            kernel=platform.release(),
            load_before=os.getloadavg()[0],
            busy_share_before=_busy_share(),
        )

    @property
    def is_quiet(self) -> bool:
        """Whether figures taken now are worth quoting."""
        return self.busy_share_before < 0.05 and self.load_before < QUIET_LOAD * self.processors

    def line(self) -> str:
        """One line for the screen."""
        quiet = "" if self.is_quiet else "; NOT QUIET: ratios hold roughly, microseconds do not"
        return (
            f"{self.processors} x {self.processor}, {self.memory_gib:.0f} GiB, Linux {self.kernel}; before the start "
            f"load average {self.load_before:.2f}, {self.busy_share_before:.0%} busy with other work{quiet}"
        )


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _busy_share() -> float:
    before = _ticks()
    time.sleep(1.0)
    busy, whole = (after - earlier for after, earlier in zip(_ticks(), before, strict=True))
    return busy / whole if whole else 0.0


def _ticks() -> tuple[int, int]:
    """Ticks in use, stolen ones included, and all ticks, over all processors."""
    fields = [int(field) for field in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    return sum(fields) - fields[3] - fields[4], sum(fields)
