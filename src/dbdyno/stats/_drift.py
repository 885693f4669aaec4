"""Measures drift: how far the level of a window moves from its beginning to its end."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dbdyno.core import AnalysisError
from dbdyno.stats._distributions import t_quantile
from dbdyno.stats._noise import autocorrelation_time
from dbdyno.stats._series import checked_series, group_means, is_constant

GROUP_S = 10
_LEAST_GROUPS = 3
_QUARTERS = 4


@dataclass(frozen=True, slots=True)
class Drift:
    """Holds the change of the level over a window, as a share of its mean: 0.02 is two percent more at the end.

    Parameters
    ----------
    half_width : at 95 %, with the correlation of the seconds counted in
    """

    change: float
    half_width: float


def drift(x: ArrayLike) -> Drift:
    """Return the drift of a window of one value per second: a straight line through means of ten seconds.

    Parameters
    ----------
    x : one value per second, no gaps, at least 30

    Raises
    ------
    AnalysisError : fewer than 30 values, one that is not a finite number, or a mean of zero

    >>> trend = drift(np.linspace(990.0, 1010.0, 300))
    >>> round(trend.change, 3), round(trend.half_width, 3)
    (0.02, 0.0)
    """
    groups = group_means(checked_series(x), GROUP_S)
    count = len(groups)
    mean = float(groups.mean()) if count else 0.0
    if count < _LEAST_GROUPS or mean == 0:
        raise AnalysisError("no drift of this window", f"{count} groups of ten seconds with a mean of {mean}")
    if is_constant(groups):
        return Drift(0.0, 0.0)
    time = np.arange(count) - (count - 1) / 2
    squares = float(time @ time)
    slope = float(time @ (groups - mean)) / squares
    residuals = groups - mean - slope * time
    correlation = autocorrelation_time(residuals)
    error = math.sqrt(float(residuals @ residuals) / (count - 2) / squares)
    quantile = t_quantile(0.975, max(count / correlation - 2, 1.0))
    return Drift(count * slope / mean, count * quantile * error * math.sqrt(correlation) / abs(mean))


def quarter_deviation(x: ArrayLike) -> float:
    """Return how far the farthest quarter of a window is off its mean, as a share of it. Leftover seconds are dropped.

    Raises
    ------
    AnalysisError : fewer than four values, one that is not a finite number, or a mean of zero

    >>> quarter_deviation([100.0] * 300 + [108.0] * 100)
    0.0588...
    """
    values = checked_series(x)
    size, mean = len(values) // _QUARTERS, float(values.mean())
    if size == 0 or mean == 0:
        raise AnalysisError("no quarters of this window", f"{len(values)} seconds with a mean of {mean}")
    if is_constant(values):
        return 0.0
    quarters = values[: _QUARTERS * size].reshape(_QUARTERS, size).mean(axis=1)
    return float(np.abs(quarters / mean - 1).max())
