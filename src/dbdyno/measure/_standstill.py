"""Tells a host that stood still from a server that stalled: its agent read nothing in those seconds either."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dbdyno.measure._collect import AFTER, WARM_UP
from dbdyno.store import SecondRow, TelemetryRow

_READ_METRIC = "sampler.cpu.lateness"
"""Written with each reading of the host."""


@dataclass(frozen=True, slots=True)
class Standstill:
    """Describes how long a host stood still while it was driven.

    Parameters
    ----------
    seconds : that had neither a transaction nor a reading of the host
    judged_seconds : those of them that the run's figures are of, or its search
    """

    seconds: int = 0
    judged_seconds: int = 0


def standstill(seconds: Iterable[SecondRow], telemetry: Iterable[TelemetryRow]) -> Standstill:
    """Return how long the host stood still.

    Seconds after the last reading count: a host may stand still until the end of the load. Without any reading
    nothing is known, and none counts.
    """
    read_seconds = {row.second for row in telemetry if row.metric == _READ_METRIC}
    if not read_seconds:
        return Standstill()
    phases = [row.phase for row in seconds if row.tps == 0 and row.second not in read_seconds]
    return Standstill(len(phases), sum(phase not in (WARM_UP, AFTER) for phase in phases))
