"""Answers whether the level of one run is settled, since when, what it is, and what limits that.

Everything is worked out from throughput alone, one value a second. That is one of two witnesses: a level can stand
still because a log is still filling, and only the server's own state shows it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbdyno.analyse._series_caveats import series_caveats
from dbdyno.core import Caveat
from dbdyno.stats import (
    Drift,
    NoiseInterval,
    Period,
    Stalls,
    SteadyState,
    StopChecks,
    StoppingPoint,
    StoppingRule,
    drift,
    mser5,
    noise_interval,
    period,
    stalled_seconds,
    stalls,
    steady_state,
    stopping_point,
)

PRECISIONS = (0.01, 0.02, 0.05)
LONG_RUN_S = 1800
WAVE_WINDOW_S = 4000
WAVE_STEP_S = 1000
_SHORTEST_RUN_S = 60


@dataclass(frozen=True, slots=True)
class SeriesJudgement:
    """Holds the judgement of one run from its seconds. Figures are None where a run is too short or did nothing.

    Parameters
    ----------
    tps : shape (seconds,), as judged: seconds without a report are 0
    median, minimum, maximum : of the whole run, transactions per second
    whole, whole_drift, whole_period, whole_stalls : of the whole run
    mser5_s : what MSER-5 would cut off the whole run
    state : the verdict, with the window's mean and noise
    window_stalls : of the window
    stops : where the stopping rule stops, by precision; None where it does not
    waves : the period in windows of 4000 s, by their first second; empty for runs of up to 1800 s
    """

    tps: NDArray[np.float64]
    median: float
    minimum: float
    maximum: float
    whole: NoiseInterval | None
    whole_drift: Drift | None
    whole_period: Period | None
    whole_stalls: Stalls | None
    mser5_s: int | None
    state: SteadyState
    window_stalls: Stalls | None
    stops: Mapping[float, StoppingPoint | None]
    waves: Mapping[int, Period | None]
    caveats: tuple[Caveat, ...]

    @property
    def window_from_s(self) -> int | None:
        """Return the seconds before the window's mean begins; less than its start where that leaves no minute."""
        return None if self.state.window is None else len(self.tps) - self.state.window.n

    @property
    def stalled_s(self) -> tuple[int, ...]:
        """Return stalled seconds of the window, counted from the start of the run."""
        if self.window_stalls is None or self.window_from_s is None:
            return ()
        is_stalled = stalled_seconds(self.tps[self.window_from_s :])
        return tuple((np.flatnonzero(is_stalled) + self.window_from_s).tolist())


def judge_series(tps: ArrayLike, missing_s: Sequence[int] = (), *, is_cut: bool = False) -> SeriesJudgement:
    """Judge one run.

    Parameters
    ----------
    tps : committed transactions per second, one value a second from the start of the driven time
    missing_s : seconds without a report, counted from 1; their values are 0
    is_cut : whether a last interval shorter than a second was left out

    Raises
    ------
    AnalysisError : no seconds, or a value that is not a finite number

    >>> judgement = judge_series([700.0, 702.0] * 100 + [1000.0, 1002.0] * 300)
    >>> judgement.state.status, judgement.state.start_s, judgement.stops[0.02].at_s
    ('steady', 200, 480)
    """
    state = steady_state(tps)
    values = np.asarray(tps, dtype=np.float64)
    is_judged = len(values) >= _SHORTEST_RUN_S
    window = state.seconds_of_window(values)
    window_stalls = _stalls(window) if state.window is not None else None
    waves = _waves(values) if len(values) > LONG_RUN_S else {}
    return SeriesJudgement(
        tps=values,
        median=float(np.median(values)),
        minimum=float(values.min()),
        maximum=float(values.max()),
        whole=noise_interval(values) if len(values) > 1 else None,
        whole_drift=_drift(values) if is_judged else None,
        whole_period=period(values) if is_judged else None,
        whole_stalls=_stalls(values) if is_judged else None,
        mser5_s=mser5(values) if is_judged else None,
        state=state,
        window_stalls=window_stalls,
        stops=_stops(values),
        waves=waves,
        caveats=series_caveats(state, len(values), window_stalls, missing_s, is_cut=is_cut, waves=waves),
    )


def _drift(values: NDArray[np.float64]) -> Drift | None:
    """Return the drift of the run; None where its whole groups of ten seconds hold nothing."""
    return drift(values) if values[: len(values) // 10 * 10].any() else None


def _stalls(values: NDArray[np.float64]) -> Stalls | None:
    return stalls(values) if float(np.median(values)) > 0 else None


def _stops(values: NDArray[np.float64]) -> dict[float, StoppingPoint | None]:
    checks = StopChecks(values)
    rules = {precision: StoppingRule(precision=precision, cap_s=None) for precision in PRECISIONS}
    return {precision: stopping_point(values, rule, checks) for precision, rule in rules.items()}


def _waves(values: NDArray[np.float64]) -> dict[int, Period | None]:
    """Return the period in sliding windows; the whole run where it is shorter than one."""
    last = max(len(values) - WAVE_WINDOW_S, 0)
    starts = range(0, WAVE_STEP_S * math.floor(last / WAVE_STEP_S) + 1, WAVE_STEP_S)
    return {start: period(values[start : start + WAVE_WINDOW_S]) for start in starts}
