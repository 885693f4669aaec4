"""Finds moves of a level over a history: one independent value per study, seldom more than some hundred.

Where the level moves is found by the energy statistic (E-divisive: Matteson and James 2014) in windows, as Hunter
does it (Fleming et al. 2023): many candidates are accepted at ten times the error, and the weakest is then taken away
again and again until all that are left hold at the asked one and are large enough. It is not for the seconds of a run,
which depend on each other: those have `segments`.

>>> [move.index for move in change_points([100, 101, 99, 100, 101, 90, 91, 90, 89, 90])]
[5]
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbdyno.core import AnalysisError
from dbdyno.stats._distributions import t_cdf, t_quantile
from dbdyno.stats._spread import LEAST_SPREAD, bounded_exp

MOST_P = 0.001
LEAST_MOVE = 0.02
_WINDOW = 50
_FIRST_PASS = 10.0
_LEAST_POINTS = 3

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """Describes a move from one level to the next.

    Parameters
    ----------
    index : of the first value of the new level
    before, after : geometric means of the values from the last move to this, and from this to the next
    ratio, low, high : after over before with its 95 % interval
    p : two-sided, of Student's t between the two levels
    """

    index: int
    before: float
    after: float
    ratio: float
    low: float
    high: float
    p: float


def change_points(
    values: ArrayLike,
    standard_errors: ArrayLike | None = None,
    *,
    most_p: float = MOST_P,
    least_move: float = LEAST_MOVE,
    least_spread: float = LEAST_SPREAD,
) -> list[ChangePoint]:
    """Return where the level of a series of independent values moves, in order.

    Parameters
    ----------
    values : positive, in order; below three nothing can be decided
    standard_errors : of ln(value) of each, by what was measured; intervals are never narrower than these give
    most_p : a move is kept below it
    least_move : a move is kept from this relative size on, 0 to 1
    least_spread : standard deviation of ln(value) around a level that rounding alone gives: equal values are luck

    Raises
    ------
    AnalysisError : a value is not positive or not finite
    """
    series = np.asarray(values, dtype=np.float64)
    if series.ndim != 1 or not np.isfinite(series).all() or (series <= 0).any():
        raise AnalysisError("no history to judge", "it needs one positive value a study")
    errors = np.zeros(len(series)) if standard_errors is None else np.asarray(standard_errors, dtype=np.float64)
    logs = np.log(series)
    if len(logs) < _LEAST_POINTS:
        return []
    candidates = _candidate_bounds(logs, min(most_p * _FIRST_PASS, 1.0), least_spread)
    bounds = _merge_weak_bounds(logs, candidates, most_p, math.log1p(least_move), least_spread)
    return [_change_point(logs, errors, least_spread, *around) for around in _neighbouring_levels(bounds, len(logs))]


def spread_between(
    values: ArrayLike, moves: Sequence[ChangePoint], least_spread: float = LEAST_SPREAD
) -> tuple[float, int]:
    """Return the standard deviation of ln(value) around the levels, and its degrees of freedom; NaN without any.

    Parameters
    ----------
    least_spread : as of `change_points`
    """
    logs = np.log(np.asarray(values, dtype=np.float64))
    pieces = np.split(logs, [move.index for move in moves])
    df = len(logs) - len(pieces)
    if df < 1:
        return math.nan, 0
    sd = math.sqrt(sum(float(((piece - piece.mean()) ** 2).sum()) for piece in pieces) / df)
    return max(sd, least_spread), df


def smallest_new_change(
    values: ArrayLike,
    moves: Sequence[ChangePoint],
    most_p: float = MOST_P,
    *,
    least_move: float = LEAST_MOVE,
    least_spread: float = LEAST_SPREAD,
) -> float:
    """Return by which ratio, above 1, one more study would have to differ from the last level to be a move.

    Infinite where the spread between studies is not known.
    """
    sd, df = spread_between(values, moves, least_spread)
    if df < 1:
        return math.inf
    count = len(np.asarray(values)) - (moves[-1].index if moves else 0)
    return max(bounded_exp(t_quantile(1 - most_p / 2, df) * sd * math.sqrt(1 + 1 / count)), 1 + least_move)


def _candidate_bounds(logs: FloatArray, most_p: float, least_spread: float) -> list[int]:
    """Return bounds that windows, each half over the next, give."""
    bounds: set[int] = set()
    for start in range(0, max(len(logs) - _WINDOW // 2, 1), _WINDOW // 2):
        window = logs[start : start + _WINDOW]
        bounds |= {start + bound for bound in _divide_window(window, most_p, least_spread)}
    return sorted(bounds)


def _divide_window(logs: FloatArray, most_p: float, least_spread: float) -> list[int]:
    """Return bounds inside one window, the clearest first, until the clearest is no longer significant."""
    sums = np.zeros((len(logs) + 1, len(logs) + 1))
    sums[1:, 1:] = np.abs(logs[:, None] - logs[None, :]).cumsum(axis=0).cumsum(axis=1)
    bounds: list[int] = []
    while True:
        ends = [0, *sorted(bounds), len(logs)]
        candidates = [
            (*_clearest_bound(sums, start, end), start, end)
            for start, end in itertools.pairwise(ends)
            if end - start > 1
        ]
        if not candidates:
            return bounds
        _, bound, start, end = max(candidates)
        if _p_value(logs[start:bound], logs[bound:end], least_spread) > most_p:
            return bounds
        bounds.append(bound)


def _clearest_bound(sums: FloatArray, start: int, end: int) -> tuple[float, int]:
    """Return the largest energy statistic of a piece and the bound that has it.

    What follows a bound is looked at up to any later end, so that a level that lasts for a while shows, too.
    """
    at, to = np.meshgrid(np.arange(start + 1, end), np.arange(start + 2, end + 1), indexing="ij")
    left, right = at - start, to - at
    usable = right > 0
    across = sums[at, to] - sums[start, to] - sums[at, at] + sums[start, at]
    inside_left = (sums[at, at] - 2 * sums[start, at] + sums[start, start]) / 2
    inside_right = (sums[to, to] - 2 * sums[at, to] + sums[at, at]) / 2
    pairs = [np.maximum(count * (count - 1), 1) for count in (left, right)]
    products = np.maximum(left * right, 1)
    energy = 2 * across / products - 2 * inside_left / pairs[0] - 2 * inside_right / pairs[1]
    statistic = np.where(usable, energy * left * right / np.maximum(left + right, 1), -np.inf)
    best = int(statistic.argmax())
    return float(statistic.flat[best]), int(at.flat[best])


def _merge_weak_bounds(
    logs: FloatArray, bounds: list[int], most_p: float, least: float, least_spread: float
) -> list[int]:
    """Return bounds without those that do not hold between the levels that are left."""
    remaining = list(bounds)
    while remaining:
        level_bounds = _neighbouring_levels(remaining, len(logs))
        p_values = [_p_value(logs[start:bound], logs[bound:end], least_spread) for start, bound, end in level_bounds]
        moves = [abs(float(logs[bound:end].mean() - logs[start:bound].mean())) for start, bound, end in level_bounds]
        weakest = int(np.argmax(p_values))
        if p_values[weakest] < most_p:
            weakest = int(np.argmin(moves))
            if moves[weakest] >= least:
                break
        del remaining[weakest]
    return remaining


def _neighbouring_levels(bounds: Sequence[int], count: int) -> list[tuple[int, int, int]]:
    """Return the start of the level before, the bound, and the end of the level after."""
    ends = [0, *bounds, count]
    return list(zip(ends, ends[1:], ends[2:], strict=False))


def _p_value(left: FloatArray, right: FloatArray, least_spread: float) -> float:
    se, df = _pooled_se(left, right, least_spread)
    difference = abs(float(right.mean() - left.mean()))
    if df < 1 or difference == 0:
        return 1.0
    return 2 * t_cdf(df, -difference / se)


def _pooled_se(left: FloatArray, right: FloatArray, least_spread: float) -> tuple[float, int]:
    df = len(left) + len(right) - 2
    if df < 1:
        return math.nan, 0
    squares = sum(float(((piece - piece.mean()) ** 2).sum()) for piece in (left, right))
    return max(math.sqrt(squares / df), least_spread) * math.sqrt(1 / len(left) + 1 / len(right)), df


def _change_point(
    logs: FloatArray, errors: FloatArray, least_spread: float, start: int, bound: int, end: int
) -> ChangePoint:
    left, right = logs[start:bound], logs[bound:end]
    se, df = _pooled_se(left, right, least_spread)
    side_errors = [
        math.sqrt(float((piece**2).sum())) / len(piece) for piece in (errors[start:bound], errors[bound:end])
    ]
    difference = float(right.mean() - left.mean())
    half = max(t_quantile(0.975, df) * se, 1.96 * math.hypot(*side_errors))
    return ChangePoint(
        index=bound,
        before=math.exp(float(left.mean())),
        after=math.exp(float(right.mean())),
        ratio=math.exp(difference),
        low=math.exp(difference - half),
        high=bounded_exp(difference + half),
        p=_p_value(left, right, least_spread),
    )
