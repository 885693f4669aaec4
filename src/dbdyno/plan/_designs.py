"""Finds windows and repeats that give a wished half-width, and the rule by which a run's length adapts."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dbdyno.stats import SHORTEST_WARM_UP_S, AdaptiveLengthRule, StoppingRule, Variation
from dbdyno.study import Study


def adaptive_length_rule(study: Study, *, is_step: bool = False) -> AdaptiveLengthRule:
    r"""Return the rule of a study's runs.

    Parameters
    ----------
    is_step : of a run that goes on with the server of the one before it: its warm-up is the short one, whose length is
        fixed; what still moves then keeps the window's checks from counting

    >>> from dbdyno.study import parse_study
    >>> text = 'targets = ["mysql:9.7"]\nworkload.name = "oltp_read_only"\naxes = {tier = "64MB", concurrency = 4}\n'
    >>> rule = adaptive_length_rule(parse_study(text + 'measure = {warm_up = "auto", window = "auto"}', "example.toml"))
    >>> rule.warm_up_s, rule.window_s, rule.stopping.precision
    (1800, 900, 0.02)
    """
    ends, least_ns = study.adaptive_length, study.adaptive_length.window_least_ns
    stopping = None if least_ns is None else StoppingRule(ends.target_half_width, first_s=least_ns // 10**9, cap_s=None)
    if is_step:
        return AdaptiveLengthRule(study.step_warm_up_ns // 10**9, study.window_ns // 10**9, stopping=stopping)
    return AdaptiveLengthRule(
        study.warm_up_ns // 10**9, study.window_ns // 10**9, by_state=ends.warm_up, stopping=stopping
    )


def shortest_window_ns(study: Study) -> int:
    """Return the window of a run, at the least where it ends by its half-width."""
    least_ns = study.adaptive_length.window_least_ns
    if least_ns is None:
        return study.window_ns
    rule = StoppingRule(first_s=least_ns // 10**9)
    return (rule.first_s + (rule.passes - 1) * rule.every_s) * 10**9


def shortest_warm_up_ns(study: Study) -> int:
    """Return the warm-up of a run, at the least where it ends by state."""
    return SHORTEST_WARM_UP_S * 10**9 if study.adaptive_length.warm_up else study.warm_up_ns


MOST_REPEATS = 20
SHORTEST_WINDOW_S = 60  # shorter windows can't be checked for steady state
_STEP_S = 10


@dataclass(frozen=True, slots=True)
class Design:
    """Holds repeats and windows for all cells of a study, and what they give.

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
    """Return what the study as it is written will give; with windows left open, at the shortest they may be.

    Parameters
    ----------
    overhead_ns : what surrounds the window of one run, on average
    """
    return _design(study, variation, study.repeats, shortest_window_ns(study) / 1e9, overhead_ns)


def designs_for(study: Study, variation: Variation, half_width: float, overhead_ns: int) -> list[Design]:
    """Return for each number of repeats the shortest window that gives a cell's level so well; none if none does.

    Parameters
    ----------
    half_width : wished, as a share
    overhead_ns : as above
    """
    designs = []
    for repeats in range(2, MOST_REPEATS + 1):
        window_s = variation.needed_window_s(half_width, repeats, _cell_count(study))
        if window_s is not None:
            rounded_window_s = max(SHORTEST_WINDOW_S, math.ceil(window_s / _STEP_S) * _STEP_S)
            designs.append(_design(study, variation, repeats, rounded_window_s, overhead_ns))
    return designs


def cheapest_design(designs: list[Design]) -> Design | None:
    """Return the one that takes the least time."""
    return min(designs, key=lambda design: design.runs_ns, default=None)


def best_within(study: Study, variation: Variation, time_ns: int, overhead_ns: int) -> Design | None:
    """Return the repeats and windows that make a cell's level surest within a time; None if no two runs of 60 s fit."""
    designs = []
    for repeats in range(2, MOST_REPEATS + 1):
        window_s = (time_ns / (_cell_count(study) * repeats) - overhead_ns) / 1e9
        if window_s >= SHORTEST_WINDOW_S:
            window = math.floor(window_s / _STEP_S) * _STEP_S
            designs.append(_design(study, variation, repeats, window, overhead_ns))
    return min(designs, key=lambda design: design.half_width, default=None)


def _design(study: Study, variation: Variation, repeats: int, window_s: float, overhead_ns: int) -> Design:
    cells = _cell_count(study)
    time_ns = round(cells * repeats * (overhead_ns + window_s * 1e9))
    half_width = variation.half_width(repeats, window_s, cells)
    return Design(repeats, window_s, half_width, variation.smallest_difference(repeats, window_s, cells), time_ns)


def _cell_count(study: Study) -> int:
    places = len(study.workloads) * len(study.tiers_bytes) * len(study.concurrencies) * len(study.routes)
    return places * len(study.targets)
