"""How sure a study can be before it is run, and which windows and repeats make it as sure as is wished."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dbdyno.plan._adaptive_length import shortest_window_ns
from dbdyno.stats import Variation
from dbdyno.study import Study

MOST_REPEATS = 20
SHORTEST_WINDOW_S = 60  # below it steadiness can't be judged
_STEP_S = 10


@dataclass(frozen=True, slots=True)
class Design:
    """Repeats and windows for all cells of a study, and what they give.

    Parameters
    ----------
    half_width : of a cell's level at 95 %, as a share
    smallest_difference : of two cells that is found with power 0.8, as a share
    runs_ns : time of all runs
    """

    repeats: int
    window_s: float
    half_width: float
    smallest_difference: float
    runs_ns: int


def planned_design(study: Study, variation: Variation, overhead_ns: int) -> Design:
    """What the study as it is written will give; with windows left open, at the shortest they may be.

    Parameters
    ----------
    overhead_ns : what surrounds the window of one run, on average
    """
    return _design(study, variation, study.repeats, shortest_window_ns(study) / 1e9, overhead_ns)


def designs_for(study: Study, variation: Variation, half_width: float, overhead_ns: int) -> list[Design]:
    """For each number of repeats the shortest window that gives a cell's level so well; none where no window does.

    Parameters
    ----------
    half_width : wished, as a share
    overhead_ns : as above
    """
    found = []
    for repeats in range(2, MOST_REPEATS + 1):
        window_s = variation.needed_window_s(half_width, repeats, _cells(study))
        if window_s is not None:
            rounded = max(SHORTEST_WINDOW_S, math.ceil(window_s / _STEP_S) * _STEP_S)
            found.append(_design(study, variation, repeats, rounded, overhead_ns))
    return found


def cheapest_design(designs: list[Design]) -> Design | None:
    """The one that takes the least time."""
    return min(designs, key=lambda design: design.runs_ns, default=None)


def best_within(study: Study, variation: Variation, time_ns: int, overhead_ns: int) -> Design | None:
    """The repeats and windows that make a cell's level surest within a time; None when no two runs of 60 s fit."""
    found = []
    for repeats in range(2, MOST_REPEATS + 1):
        window_s = (time_ns / (_cells(study) * repeats) - overhead_ns) / 1e9
        if window_s >= SHORTEST_WINDOW_S:
            window = math.floor(window_s / _STEP_S) * _STEP_S
            found.append(_design(study, variation, repeats, window, overhead_ns))
    return min(found, key=lambda design: design.half_width, default=None)


def _design(study: Study, variation: Variation, repeats: int, window_s: float, overhead_ns: int) -> Design:
    cells = _cells(study)
    time_ns = round(cells * repeats * (overhead_ns + window_s * 1e9))
    half_width = variation.half_width(repeats, window_s, cells)
    return Design(repeats, window_s, half_width, variation.smallest_difference(repeats, window_s, cells), time_ns)


def _cells(study: Study) -> int:
    places = len(study.workloads) * len(study.tiers_bytes) * len(study.concurrencies) * len(study.routes)
    return places * len(study.targets)
