"""Judges a run's throughput: whether its level is settled, since when, and what it is.

The series is one of two witnesses. It can't see a change to come (a log that is still filling, a cache not yet warm):
that takes the server's own state, see `_gates`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dbdyno.core import ACCEPTED, Steadiness
from dbdyno.stats._drift import Drift, drift, quarter_deviation
from dbdyno.stats._noise import NoiseInterval, noise_interval
from dbdyno.stats._period import Period, period
from dbdyno.stats._segments import Segments, segments
from dbdyno.stats._series import FloatArray, checked_series
from dbdyno.stats._start import WITHIN, steady_start

SHORTEST_RUN_S = 60
SHORTEST_WINDOW_S = 60
_SHORTEST_LONG_TAIL_S = 120


@dataclass(frozen=True, slots=True)
class SteadyState:
    """Holds the verdict on a series with everything it rests on.

    Parameters
    ----------
    start_s : second from which the window runs to the end; None without a window
    window : mean and noise of the window; of the last 60 s where it is shorter; None without a window
    levels : segments of the whole series
    drift, quarters, period : of the judged part: the tail after the start where that is long enough, else the last two
        thirds of the series; None where there is none
    """

    status: Steadiness
    start_s: int | None
    window: NoiseInterval | None
    levels: Segments | None
    drift: Drift | None
    quarters: float | None
    period: Period | None

    @property
    def is_accepted(self) -> bool:
        """Return whether a finding may rest on the window's mean."""
        return self.status in ACCEPTED

    def seconds_of_window(self, x: FloatArray) -> FloatArray:
        """Return the seconds behind `window`."""
        return x[len(x) - (self.window.n if self.window else 0) :]


def steady_state(x: ArrayLike) -> SteadyState:
    """Judge the throughput of a run, one value per second from the start of the driven time.

    Parameters
    ----------
    x : committed transactions per second, no gaps

    Raises
    ------
    AnalysisError : empty, or a value is not a finite number

    >>> state = steady_state([700.0, 702.0] * 100 + [1000.0, 1002.0] * 300)
    >>> state.status, state.start_s, state.window.mean
    ('steady', 200, 1001.0)
    """
    values = checked_series(x)
    if len(values) < SHORTEST_RUN_S:
        return SteadyState("too-short", None, None, None, None, None, None)
    levels = segments(values)
    if float(np.median(values[-(len(values) // 3) :])) <= 0:
        return SteadyState("dead", None, None, levels, None, None, None)
    start = steady_start(values, levels)
    is_long = len(values) - start >= max(len(values) / 3, _SHORTEST_LONG_TAIL_S)
    judged_part = values[start:] if is_long else values[-2 * (len(values) // 3) :]
    trend, quarters, wave = drift(judged_part), quarter_deviation(judged_part), period(judged_part)
    cycles_s = whole_cycles(judged_part, wave)
    status = _steadiness(trend, quarters, is_long=is_long, is_cyclic=cycles_s is not None)
    if status == "cyclic" and cycles_s is not None:
        start = len(values) - cycles_s
    window = noise_interval(values[min(start, len(values) - SHORTEST_WINDOW_S) :])
    return SteadyState(status, start, window, levels, trend, quarters, wave)


def whole_cycles(x: ArrayLike, wave: Period | None) -> int | None:
    """Return seconds at the end of a window that hold whole cycles at one level; None when the window is not cyclic.

    Notes
    -----
    Thirds of whole cycles are compared, because a straight line through a few cycles of a clean wave is not level.
    """
    values = checked_series(x)
    if wave is None or not wave.is_wave:
        return None
    cycles = wave.fits(len(values)) // 3
    if cycles < 1:
        return None
    tail = values[-wave.seconds_of(3 * cycles) :]
    third = len(tail) // 3
    means = tail[: 3 * third].reshape(3, third).mean(axis=1)
    level = float(tail.mean())
    return len(tail) if bool((np.abs(means - level) <= WITHIN * level).all()) else None


def _steadiness(trend: Drift, quarters: float, *, is_long: bool, is_cyclic: bool) -> Steadiness:
    change = abs(trend.change)
    if is_long and change <= WITHIN and change + trend.half_width <= 2 * WITHIN and quarters <= WITHIN:
        return "steady"
    if is_cyclic:
        return "cyclic"
    if change > WITHIN and change > trend.half_width:
        return "drifting"
    return "noisy" if is_long else "not-reached"
