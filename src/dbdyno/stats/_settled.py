"""Finds the settled part of a run's window: its level, its stalls, and whether a finding may rest on it.

This is the one place where a window becomes a level. It is worked out once, when the run is stored, and kept with it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dbdyno.core import SettledPart
from dbdyno.stats._series import FloatArray, checked_series
from dbdyno.stats._stalls import COARSE_GROUP_S, Stalls, stalls
from dbdyno.stats._steady import SteadyState, steady_state

SHORTEST_JUDGED_S = 180


def settled_part(tps: ArrayLike) -> SettledPart | None:
    """Judge the window of a run, one value a second; None below three minutes.

    Parameters
    ----------
    tps : committed transactions per second of the window, no gaps

    Raises
    ------
    AnalysisError : a value is not a finite number

    Notes
    -----
    Below three minutes a window can hold no start that is not settled next to a level of two minutes and what shows
    that it lasts, so nothing could be disowned there but by chance.

    >>> settled = settled_part([45.0] * 300 + [103.0] * 600)
    >>> settled.status, settled.start_s, settled.tps_mean, settled.stalled_s
    ('steady', 300, 103.0, 0)
    >>> settled_part([100.0] * 179) is None
    True
    """
    if np.size(tps) < SHORTEST_JUDGED_S:
        return None
    values = checked_series(tps)
    state = steady_state(values)
    return _settled_part_of(state, values, _stalls_after_start(state, values))


def _settled_part_of(state: SteadyState, values: FloatArray, window_stalls: Stalls | None) -> SettledPart:
    window, wave = state.window, state.period
    return SettledPart(
        status=state.status,
        seconds=len(values),
        start_s=None if window is None else len(values) - window.n,
        tps_mean=None if window is None else window.mean,
        tps_half_width=None if window is None else window.half_width,
        change=0.0 if state.drift is None else state.drift.change,
        period_s=None if wave is None else wave.period_s,
        period_share=None if wave is None else wave.share,
        is_wave=wave is not None and wave.is_wave,
        bounds_s=() if state.levels is None else tuple(int(bound) for bound in state.levels.bounds_s[1:-1]),
        stalled_s=0 if window_stalls is None else _stalled_seconds_count(window_stalls, window.n if window else 0),
        stall_count=0 if window_stalls is None else window_stalls.count,
        stall_longest_s=0 if window_stalls is None else window_stalls.longest_s,
        stall_median=None if window_stalls is None else window_stalls.median,
        stalls_are_coarse=window_stalls is not None and window_stalls.coarse,
    )


def _stalls_after_start(state: SteadyState, values: FloatArray) -> Stalls | None:
    """Return stalls of the seconds behind the level: what comes before them is warm-up."""
    window = state.seconds_of_window(values)
    return stalls(window) if len(window) and float(np.median(window)) > 0 else None


def _stalled_seconds_count(window_stalls: Stalls, seconds: int) -> int:
    """Return whole seconds; where groups of ten were judged, an incomplete last group is in none."""
    return round(
        window_stalls.share * (seconds // COARSE_GROUP_S * COARSE_GROUP_S if window_stalls.coarse else seconds)
    )
