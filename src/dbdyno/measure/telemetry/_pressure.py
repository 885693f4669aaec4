"""Pressure stall information: time in which tasks waited for CPU, disk or memory, from /proc/pressure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dbdyno.measure.telemetry._reading import Reading


class PressureSource:
    """``pressure.RESOURCE.some`` (a task waited) and ``.full`` (all waited), seconds per second."""

    name = "pressure"

    def __init__(self, folder: Path = Path("/proc/pressure")) -> None:
        self._folder = folder

    def read(self) -> Sequence[Reading]:
        """Read the three files."""
        readings: list[Reading] = []
        for resource in ("cpu", "io", "memory"):
            readings += parse_pressure(resource, (self._folder / resource).read_text())
        return readings


def parse_pressure(resource: str, text: str) -> list[Reading]:
    """Readings of one file's text.

    >>> parse_pressure("io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1500000")
    [Reading(metric='pressure.io.some', value=1.5, unit='s/s', kind='counter')]
    """
    readings = []
    for line in text.splitlines():
        kind, *fields = line.split()
        total = next(field.removeprefix("total=") for field in fields if field.startswith("total="))
        readings.append(Reading(f"pressure.{resource}.{kind}", int(total) / 1e6, "s/s"))
    return readings
