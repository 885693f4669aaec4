"""Tells a host that stood still from a server that stalled: its agent read nothing in those seconds either."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from dbdyno.measure._collect import AFTER, WARM_UP
from dbdyno.store import SecondRow, TelemetryRow

_READ_METRIC = "sampler.cpu.lateness"
"""Written with each reading of the host: by how much it was late, in nanoseconds."""
_GAP_S = 1.75
"""Readings are a second apart. A standstill of a whole second leaves two, unless it begins right after a reading."""
_COVERED_S = 0.5

Gap = tuple[float, float]
"""Two readings one after the other, in seconds of the load, between which there should have been others."""


@dataclass(frozen=True, slots=True)
class Standstill:
    """Describes how long a host stood still while it was driven.

    Parameters
    ----------
    seconds : without a transaction, and for the most part between two readings of the host that are too far apart
    judged_seconds : those of them that the run's figures are of, or its search
    """

    seconds: int = 0
    judged_seconds: int = 0


def standstill(
    seconds: Sequence[SecondRow], telemetry: Iterable[TelemetryRow], *, was_out_of_reach: bool = False
) -> Standstill:
    """Return how long the host stood still.

    Seconds after the last reading count: a host may stand still until the end of the load. Without any reading
    nothing is known, and none counts, unless the host was out of reach meanwhile: it may have stood still from the
    first second on.
    """
    read_s = sorted(row.second + 1 + row.value / 1e9 for row in telemetry if row.metric == _READ_METRIC)
    if not read_s and not was_out_of_reach:
        return Standstill()
    instants_s = [0.0, *read_s]
    instants_s.append(max(instants_s[-1], seconds[-1].second + 1.0 if seconds else 0.0))
    gaps = [gap for gap in pairwise(instants_s) if gap[1] - gap[0] > _GAP_S]
    phases = [row.phase for row in seconds if row.tps == 0 and any(_is_covered(row.second, gap) for gap in gaps)]
    return Standstill(len(phases), sum(phase not in (WARM_UP, AFTER) for phase in phases))


def _is_covered(second: int, gap: Gap) -> bool:
    return min(gap[1], second + 1) - max(gap[0], second) > _COVERED_S
