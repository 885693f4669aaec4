"""Checks series of one value per second, and averages them over groups of seconds."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbdyno.core import AnalysisError

FloatArray = NDArray[np.float64]


def checked_series(x: ArrayLike) -> FloatArray:
    """Return the series as an array of floats.

    Raises
    ------
    AnalysisError : not one row of values, empty, or with a value that is not a finite number
    """
    values = np.asarray(x, dtype=np.float64)
    if values.ndim != 1 or len(values) == 0:
        raise AnalysisError("no series to judge", f"shape {values.shape}: one value per second, at least one")
    if not np.isfinite(values).all():
        raise AnalysisError("no series to judge", "it holds a value that is not a finite number")
    return values


def group_means(values: FloatArray, seconds: int) -> FloatArray:
    """Return means of consecutive groups of seconds from the start; an incomplete last group is cut.

    >>> group_means(np.array([1.0, 3.0, 5.0, 7.0, 9.0]), 2).tolist()
    [2.0, 6.0]
    """
    groups = len(values) // seconds
    means: FloatArray = values[: groups * seconds].reshape(groups, seconds).mean(axis=1)
    return means


def is_constant(values: FloatArray) -> bool:
    """Return whether all values are the same, or there are none."""
    return len(values) == 0 or float(np.ptp(values)) == 0.0
