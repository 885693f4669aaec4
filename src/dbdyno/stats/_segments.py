"""Segments a series where its level jumps.

Groups of five seconds are cut into pieces of constant level by exact least squares with a penalty for each piece
(Killick, Fearnhead and Eckley 2012). Two things would mislead it and are taken care of first: short spikes and stalls,
which are no change of level, and noise that is correlated, which looks like many small changes and so raises the
penalty. Neighbours that differ by less than 2 % are one level to a reader of the result.

>>> parts = segments(np.repeat([700.0, 1000.0], 100))
>>> parts.bounds_s, parts.means
((0, 100, 200), (700.0, 1000.0))
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbdyno.stats._series import FloatArray, checked_series, group_means

GROUP_S = 5
LEAST_GROUPS = 6
ALIKE = 0.02
_PENALTY = 3.0
_MEDIAN_GROUPS = 25
_SPIKE_SCALES = 4.0
_SETTLED_FROM_GROUP = 12
_MOST_CORRELATION = 0.9
_SCALE_FLOOR = 1e-9
_BLOCK_GROUPS = 128  # segment ends between two prunings of the candidate starts
_MOST_PAIRS = 1 << 17  # number of starts compared at once; bounds the memory
_ROUNDINGS = 64 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True)
class Segments:
    """Holds pieces of constant level.

    Parameters
    ----------
    bounds_s : seconds where pieces begin and end, one more than there are pieces; the last is the end of the last
        whole group of five seconds
    means : level of each piece, with spikes and stalls taken out
    """

    bounds_s: tuple[int, ...]
    means: tuple[float, ...]


def segments(x: ArrayLike) -> Segments:
    """Return pieces of constant level of a series of one value per second, none shorter than 30 s.

    Parameters
    ----------
    x : one value per second, no gaps. Below 65 s it is one piece

    Raises
    ------
    AnalysisError : empty, or a value is not a finite number
    """
    values = checked_series(x)
    groups = group_means(values, GROUP_S)
    if len(groups) < 2 * LEAST_GROUPS + 1:
        return Segments((0, len(groups) * GROUP_S), (float((groups if len(groups) else values).mean()),))
    scale = noise_scale(groups)
    if scale == 0.0:
        return Segments((0, len(groups) * GROUP_S), (0.0,))
    calm, residual = _remove_spikes(groups, scale)
    bounds = _least_squares_bounds(calm, scale**2 * _noise_inflation(residual))
    return _merge_similar_segments(calm, bounds)


def noise_scale(groups: FloatArray) -> float:
    """Return the standard deviation of one group, from its neighbours, which no change of level can inflate.

    Notes
    -----
    A constant gets a scale of a billionth of its level, so that it is a scale one can divide by.
    """
    steps = np.diff(groups)
    scale = 1.4826 * float(np.median(np.abs(steps - np.median(steps)))) / math.sqrt(2)
    return max(scale, _SCALE_FLOOR * abs(float(groups.mean())))


def _remove_spikes(groups: FloatArray, scale: float) -> tuple[FloatArray, FloatArray]:
    """Return groups with spikes put back to the running median, and what is left around that median.

    The first minute keeps its spikes: a short transient at the start must stay visible.
    """
    count = len(groups)
    size = _MEDIAN_GROUPS if count >= _MEDIAN_GROUPS else count - 1 + count % 2
    padded = np.pad(groups, size // 2, mode="symmetric")
    median = np.median(np.lib.stride_tricks.sliding_window_view(padded, size), axis=1)
    residual = groups - median
    spikes = np.abs(residual) > _SPIKE_SCALES * scale
    spikes[:_SETTLED_FROM_GROUP] = False
    return np.where(spikes, median, groups), np.where(spikes, 0.0, residual)


def _noise_inflation(residual: FloatArray) -> float:
    """Return how much more a level of correlated noise wanders than one of independent noise."""
    centred = residual - residual.mean()
    total = float(centred @ centred)
    lag_one = float(centred[:-1] @ centred[1:]) / total if total > 0 else 0.0
    correlation = min(max(lag_one, 0.0), _MOST_CORRELATION)
    return (1 + correlation) / (1 - correlation)


def _least_squares_bounds(calm: FloatArray, variance: float) -> list[int]:
    """Return bounds in groups, from 0 to the number of groups: the cheapest division, by dynamic programming.

    A division costs the squares that its pieces leave, and a penalty for each piece.
    """
    count = len(calm)
    penalty = _PENALTY * variance * math.log(count)
    centred = calm - calm.mean()
    sums, squares = (np.concatenate([[0.0], np.cumsum(values)]) for values in (centred, centred**2))
    cheapest = np.full(count + 1, np.inf)  # of the groups before each bound
    cheapest[0] = 0.0
    last_start = np.zeros(count + 1, dtype=np.intp)
    rounding = _ROUNDINGS * (float(squares[-1]) + penalty * count)
    earlier_starts = np.zeros(0, dtype=np.intp)
    for first_end in range(LEAST_GROUPS, count + 1, _BLOCK_GROUPS):
        ends = range(first_end, min(first_end + _BLOCK_GROUPS, count + 1))
        starts = np.concatenate([earlier_starts, np.arange(ends.start, ends.stop) - LEAST_GROUPS])
        for end in ends:
            start = starts[: len(earlier_starts) + 1 + end - first_end]
            residual_squares = squares[end] - squares[start] - (sums[end] - sums[start]) ** 2 / (end - start)
            costs = cheapest[start] + residual_squares
            best = costs.argmin()
            last_start[end] = start[best]
            cheapest[end] = costs[best] + penalty
        earlier_starts = _promising_starts(starts, sums, squares, cheapest, rounding)
    bounds = [count]
    while bounds[0] > 0:
        bounds.insert(0, int(last_start[bounds[0]]))
    return bounds


def _promising_starts(
    starts: NDArray[np.intp], sums: FloatArray, squares: FloatArray, cheapest: FloatArray, rounding: float
) -> NDArray[np.intp]:
    """Return the starts from which a cheapest piece may still begin, whatever values follow.

    Parameters
    ----------
    sums, squares, cheapest : of all groups before each bound
    rounding : by which a computed cost may be off

    Notes
    -----
    What two starts cost differs by the groups between them, at any end. So at each level of a piece one of the two is
    cheaper: the earlier one at levels near the mean of those groups, the later one at all others. A start with a
    cheaper one at every level is never chosen (functional pruning, Maidstone and others 2017). It must be cheaper by
    more than rounding, so that the division is the same as without this search among the starts.
    """
    starts = starts[np.isfinite(cheapest[starts])]
    rivals = starts[:: 1 + len(starts) ** 2 // _MOST_PAIRS]
    apart = rivals[None, :] - starts[:, None]
    is_later, groups = apart > 0, np.where(apart == 0, 1, apart)
    mean, mean_square, mean_cost = (
        (of[rivals][None, :] - of[starts][:, None]) / groups for of in (sums, squares, cheapest)
    )
    # Squared distance from the mean within which the earlier start is the cheaper one.
    square = mean_cost - (mean_square - mean**2) + np.where(is_later, rounding, -rounding) / np.abs(groups)
    distance = np.sqrt(np.maximum(square, 0.0))
    slack = _ROUNDINGS * (np.abs(mean) + distance)
    low = np.where(is_later, mean - distance - slack, -np.inf).max(axis=1)
    high = np.where(is_later, mean + distance + slack, np.inf).min(axis=1)
    is_beaten = is_later & (square < 0)
    is_covered = ~is_later & (mean - distance + slack < low[:, None]) & (high[:, None] < mean + distance - slack)
    promising: NDArray[np.intp] = starts[(low <= high) & ~(is_beaten | is_covered).any(axis=1)]
    return promising


def _merge_similar_segments(calm: FloatArray, bounds: list[int]) -> Segments:
    """Return neighbours joined, the most alike first, while any two differ by less than 2 %."""
    means = _segment_means(calm, bounds)
    while len(means) > 1:
        apart = _relative_differences(means)
        closest = int(apart.argmin())
        if apart[closest] >= ALIKE:
            break
        bounds = bounds[: closest + 1] + bounds[closest + 2 :]
        means = _segment_means(calm, bounds)
    return Segments(tuple(GROUP_S * bound for bound in bounds), tuple(means.tolist()))


def _segment_means(calm: FloatArray, bounds: list[int]) -> NDArray[np.float64]:
    return np.array([calm[start:end].mean() for start, end in itertools.pairwise(bounds)])


def _relative_differences(means: FloatArray) -> FloatArray:
    """Return the relative difference of each piece to the next."""
    larger = np.maximum(np.abs(means[:-1]), np.abs(means[1:]))
    apart: FloatArray = np.abs(np.diff(means)) / np.where(larger > 0, larger, 1.0)
    return apart
