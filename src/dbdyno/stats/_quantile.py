"""Quantiles of response times with their noise interval, from one histogram a second.

Transactions of one second share its fate (a flush delays them all), so they are not drawn anew one by one: whole
blocks of seconds are (moving-block bootstrap, Künsch 1989), and their histograms added.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbdyno.core import AnalysisError
from dbdyno.stats._noise import autocorrelation_time
from dbdyno.stats._series import FloatArray

ENOUGH_EXCEEDANCES = 20.0
_LEAST_BLOCK_S = 10
_DRAWS_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class QuantileInterval:
    """A quantile of a window, in the unit of the values.

    Parameters
    ----------
    quantile : asked for, 0 to 1
    low, high : 95 % interval from noise alone
    exceedances : independent transactions worth as much as those above the quantile; below 20 it rests on too few
    """

    quantile: float
    value: float
    low: float
    high: float
    exceedances: float

    @property
    def is_supported(self) -> bool:
        """Whether enough lies beyond the quantile to tell it."""
        return self.exceedances >= ENOUGH_EXCEEDANCES


def quantile_interval(
    counts: ArrayLike, values: ArrayLike, quantile: float, *, draws: int = 1000, seed: int = 1, confidence: float = 0.95
) -> QuantileInterval:
    """A quantile of the merged histogram of a window.

    Parameters
    ----------
    counts : shape (seconds, bins), transactions of each second by response time
    values : shape (bins,), ascending, what each bin stands for
    quantile : above 0 and below 1
    draws, seed : of the bootstrap

    Raises
    ------
    AnalysisError : shapes that don't fit, no second, no transaction, or a quantile outside of 0 to 1

    >>> counts = np.tile([90, 9, 1], (60, 1))
    >>> found = quantile_interval(counts, [1.0, 5.0, 20.0], 0.95)
    >>> found.value, found.low, found.high, round(found.exceedances)
    (5.0, 5.0, 5.0, 300)
    """
    table, bins = _checked(counts, values, quantile)
    merged = table.sum(axis=0)
    index = int(_index_of(merged[None, :], quantile)[0])
    above = _share_above(table, index)
    correlation = autocorrelation_time(above) if len(above) > 1 else 1.0
    block = min(max(_LEAST_BLOCK_S, math.ceil(2 * correlation)), len(table))
    drawn = _drawn(table, bins, quantile, _block_weights(len(table), block, draws, seed))
    tail = (1 - confidence) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail], method="inverted_cdf")
    exceedances = float(merged.sum()) * (1 - quantile) / correlation
    return QuantileInterval(quantile, float(bins[index]), float(low), float(high), exceedances)


def supported_quantiles(found: Sequence[QuantileInterval]) -> tuple[QuantileInterval, ...]:
    """Those of several quantiles with enough beyond them; the last is the highest that can be shown."""
    return tuple(sorted((each for each in found if each.is_supported), key=lambda each: each.quantile))


def _checked(counts: ArrayLike, values: ArrayLike, quantile: float) -> tuple[FloatArray, FloatArray]:
    table, bins = np.asarray(counts, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or bins.ndim != 1 or table.shape[1] != len(bins):
        raise AnalysisError("no quantile of these histograms", f"counts {table.shape} and values {bins.shape}")
    if not 0 < quantile < 1 or not table.sum() > 0:
        why = f"quantile {quantile} of {table.sum():.0f} transactions in {len(table)} seconds"
        raise AnalysisError("no quantile of these histograms", why)
    used = table.any(axis=0)
    return table[:, used], bins[used]


def _index_of(counts: FloatArray, quantile: float) -> NDArray[np.int64]:
    """Per row the first bin that takes the count to the quantile's rank."""
    sums = np.cumsum(counts, axis=1)
    ranks = np.maximum(np.floor(quantile * sums[:, -1] + 0.5), 1.0)
    return np.asarray((sums >= ranks[:, None]).argmax(axis=1), dtype=np.int64)


def _share_above(table: FloatArray, index: int) -> FloatArray:
    """Of each second's transactions the share above the quantile; 0 in a second without any."""
    totals = table.sum(axis=1)
    shares: FloatArray = table[:, index + 1 :].sum(axis=1) / np.maximum(totals, 1.0)
    return shares


def _block_weights(seconds: int, block: int, draws: int, seed: int) -> NDArray[np.int64]:
    """How often each draw takes each second, shape (draws, seconds)."""
    starts = np.random.default_rng(seed).integers(0, seconds - block + 1, (draws, math.ceil(seconds / block)))
    taken = (starts[:, :, None] + np.arange(block)).reshape(draws, -1)[:, :seconds]
    rows = np.repeat(np.arange(draws), taken.shape[1]) * seconds
    return np.bincount(rows + taken.ravel(), minlength=draws * seconds).reshape(draws, seconds)


def _drawn(table: FloatArray, bins: FloatArray, quantile: float, weights: NDArray[np.int64]) -> FloatArray:
    """The quantile of each draw; a draw that met no transaction is left out."""
    parts = []
    for first in range(0, len(weights), _DRAWS_AT_ONCE):
        merged = weights[first : first + _DRAWS_AT_ONCE].astype(np.float64) @ table
        merged = merged[merged.sum(axis=1) > 0]
        parts.append(bins[_index_of(merged, quantile)])
    return np.concatenate(parts)
