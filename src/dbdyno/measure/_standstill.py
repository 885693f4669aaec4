"""Tells a host that stood still from a server that stalled: its agent read nothing in those seconds either."""

from __future__ import annotations

from collections.abc import Iterable

from dbdyno.store import SecondRow, TelemetryRow

_READ_METRIC = "sampler.cpu.lateness"
"""Written with each reading of the host."""


def standstill_seconds(seconds: Iterable[SecondRow], telemetry: Iterable[TelemetryRow]) -> int:
    """Return how many seconds had neither a transaction nor a reading of the host.

    Seconds after the last reading count: a host may stand still until the end of the load. Without any reading
    nothing is known, and none counts.
    """
    read_seconds = {row.second for row in telemetry if row.metric == _READ_METRIC}
    if not read_seconds:
        return 0
    return sum(row.tps == 0 and row.second not in read_seconds for row in seconds)
