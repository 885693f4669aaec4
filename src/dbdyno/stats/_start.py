"""Finds where the steady part of a run begins: leaves out what comes before only if it matters."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dbdyno.stats._segments import Segments
from dbdyno.stats._series import FloatArray, checked_series, group_means

GROUP_S = 5
WITHIN = 0.03
_ALLOWED_OUT = 10  # one group in this many
_WORTH_CUTTING = 0.02
_ROUNDING = 1e-12


def mser5(x: ArrayLike) -> int:
    """Return seconds to leave out at the start so that the mean of the rest is surest (MSER-5, White 1997).

    Parameters
    ----------
    x : one value per second, no gaps

    Returns
    -------
    A multiple of five, at most half of the series; 0 for a series below ten seconds

    >>> mser5([0.0] * 20 + [100.0, 101.0] * 50)
    20
    """
    groups = group_means(checked_series(x), GROUP_S)
    count = len(groups)
    most = count // 2
    if most == 0:
        return 0
    centred = groups - groups.mean()
    tail_counts = count - np.arange(most + 1)
    sums = _tail_sums(centred)[: most + 1]
    squares = _tail_sums(centred**2)[: most + 1]
    spread = squares - sums**2 / tail_counts
    spread[spread < _ROUNDING * squares[0]] = 0.0
    return GROUP_S * int(np.argmin(spread / tail_counts**2))


def steady_start(x: ArrayLike, levels: Segments) -> int:
    """Return the second from which the level lasts to the end.

    Parameters
    ----------
    x : one value per second, no gaps
    levels : its segments

    Notes
    -----
    First by level: the tail may hold at most a tenth of its time in segments more than 3 % off its mean, and must not
    begin in one. Then by MSER-5 inside that tail, but only if the part cut off is more than 2 % off the rest.
    """
    values = checked_series(x)
    start = _start_by_level(levels)
    cut_s = mser5(values[start:]) if start < len(values) else 0
    if cut_s == 0:
        return start
    removed_mean, rest_mean = float(values[start : start + cut_s].mean()), float(values[start + cut_s :].mean())
    return start + cut_s if abs(removed_mean - rest_mean) > _WORTH_CUTTING * abs(rest_mean) else start


def _tail_sums(values: FloatArray) -> FloatArray:
    """Return the sum of the values from each index to the end."""
    sums: FloatArray = np.cumsum(values[::-1])[::-1]
    return sums


def _start_by_level(levels: Segments) -> int:
    bounds, means = np.array(levels.bounds_s), np.array(levels.means)
    lengths = np.diff(bounds)
    for index in range(len(means) - 1):
        seconds = lengths[index:]
        level = float(seconds @ means[index:]) / int(seconds.sum())
        is_out = np.abs(means[index:] - level) > WITHIN * abs(level)
        if not is_out[0] and _ALLOWED_OUT * int(seconds[is_out].sum()) <= int(seconds.sum()):
            return int(bounds[index])
    return int(bounds[-2])
