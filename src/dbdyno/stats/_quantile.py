"""Computes quantiles of response times with their noise interval, from one histogram per second.

Transactions of one second share its fate (a flush delays them all), so they are not drawn anew one by one: whole
blocks of seconds are (moving-block bootstrap, Künsch 1989), and their histograms added.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbdyno.core import AnalysisError
from dbdyno.stats._noise import autocorrelation_time
from dbdyno.stats._series import FloatArray

_LEAST_BLOCK_S = 10
_KEPT_WEIGHTS = 4


@dataclass(frozen=True, slots=True)
class QuantileInterval:
    """Describes a quantile of a window, in the unit of the values.

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


def quantile_interval(
    counts: ArrayLike, values: ArrayLike, quantile: float, *, draws: int = 1000, seed: int = 1, confidence: float = 0.95
) -> QuantileInterval:
    """Return a quantile of the merged histogram of a window.

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
    >>> interval = quantile_interval(counts, [1.0, 5.0, 20.0], 0.95)
    >>> interval.value, interval.low, interval.high, round(interval.exceedances)
    (5.0, 5.0, 5.0, 300)
    """
    (interval,) = quantile_intervals(counts, values, (quantile,), draws=draws, seed=seed, confidence=confidence)
    return interval


def quantile_intervals(
    counts: ArrayLike,
    values: ArrayLike,
    quantiles: Sequence[float],
    *,
    draws: int = 1000,
    seed: int = 1,
    confidence: float = 0.95,
) -> tuple[QuantileInterval, ...]:
    """Return several quantiles of one window, in the order asked for; otherwise as `quantile_interval`."""
    upto, bins = _cumulative_counts(counts, values, quantiles)
    merged, tail = upto.sum(axis=0), (1 - confidence) / 2
    intervals = []
    for quantile in quantiles:
        index, correlation = _quantile_bin(upto, merged, quantile)
        block = min(max(_LEAST_BLOCK_S, math.ceil(2 * correlation)), len(upto))
        drawn_values = bins[_quantile_bin_of_draws(upto, quantile, _block_weights(len(upto), block, draws, seed))]
        low, high = np.quantile(drawn_values, [tail, 1 - tail], method="inverted_cdf")
        beyond = float(merged[-1]) * (1 - quantile) / correlation
        intervals.append(QuantileInterval(quantile, float(bins[index]), float(low), float(high), beyond))
    return tuple(intervals)


def exceedances_at(counts: ArrayLike, values: ArrayLike, quantiles: Sequence[float]) -> Callable[[float], float]:
    """Return a function that gives `QuantileInterval.exceedances` at one of the quantiles, with nothing drawn.

    >>> beyond_at = exceedances_at(np.tile([90, 9, 1], (60, 1)), [1.0, 5.0, 20.0], [0.5, 0.95])
    >>> round(beyond_at(0.5)), round(beyond_at(0.95))
    (3000, 300)
    """
    upto, _ = _cumulative_counts(counts, values, quantiles)
    merged = upto.sum(axis=0)
    return lambda quantile: float(merged[-1]) * (1 - quantile) / _quantile_bin(upto, merged, quantile)[1]


def _cumulative_counts(
    counts: ArrayLike, values: ArrayLike, quantiles: Sequence[float]
) -> tuple[FloatArray, FloatArray]:
    """Return for each second how many transactions lie up to each bin, and the bins that hold any."""
    table, bins = np.asarray(counts), np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or bins.ndim != 1 or table.shape[1] != len(bins):
        raise AnalysisError("no quantile of these histograms", f"counts {table.shape} and values {bins.shape}")
    has_counts = table.any(axis=0)
    if not has_counts.any() or not all(0 < quantile < 1 for quantile in quantiles):
        quantile_words = ", ".join(map(str, quantiles))
        why = f"quantile {quantile_words} of {table.sum():.0f} transactions in {len(table)} seconds"
        raise AnalysisError("no quantile of these histograms", why)
    return np.cumsum(table[:, has_counts], axis=1, dtype=np.float64), bins[has_counts]


def _quantile_bin(upto: FloatArray, merged: FloatArray, quantile: float) -> tuple[int, float]:
    """Return the bin of a quantile of the whole window, and how many seconds what lies above it hangs together."""
    index = int(np.searchsorted(merged, _quantile_ranks(merged[-1:], quantile)[0]))
    above_shares = (upto[:, -1] - upto[:, index]) / np.maximum(upto[:, -1], 1.0)
    return index, autocorrelation_time(above_shares) if len(above_shares) > 1 else 1.0


def _quantile_ranks(totals: FloatArray, quantile: float) -> FloatArray:
    """Return which transaction, in order of time taken, is the quantile of so many."""
    ranks: FloatArray = np.maximum(np.floor(quantile * totals + 0.5), 1.0)
    return ranks


@lru_cache(maxsize=_KEPT_WEIGHTS)
def _block_weights(seconds: int, block: int, draws: int, seed: int) -> FloatArray:
    """Return how often each draw takes each second, shape (draws, seconds).

    Blocks are laid end to end and the last one is cut where the window is full. Kept from call to call, because the
    windows of a study are mostly of one length.
    """
    starts = np.random.default_rng(seed).integers(0, seconds - block + 1, (draws, math.ceil(seconds / block)))
    ends = starts + block
    ends[:, -1] -= starts.shape[1] * block - seconds
    width = seconds + 1
    rows = np.arange(draws)[:, None] * width
    begin_counts, end_counts = (
        np.bincount((rows + places).ravel(), minlength=draws * width) for places in (starts, ends)
    )
    weights = np.cumsum((begin_counts - end_counts).reshape(draws, width)[:, :seconds], axis=1).astype(np.float64)
    weights.flags.writeable = False
    return weights


def _quantile_bin_of_draws(upto: FloatArray, quantile: float, weights: FloatArray) -> NDArray[np.int64]:
    """Return the quantile's bin in each draw; a draw that met no transaction is left out.

    A draw's histogram is asked for at few bins only: first at widely spaced ones, then at those between the two where
    its rank lies, which are the same few for most draws. Counts are whole numbers, so sums are exact in any order.
    """
    totals = weights @ upto[:, -1]
    if not totals.all():
        weights, totals = weights[totals > 0], totals[totals > 0]
    ranks = _quantile_ranks(totals, quantile)
    bins = upto.shape[1]
    step = math.isqrt(bins - 1) + 1
    spaced_bins = np.minimum(np.arange(step - 1, bins + step - 1, step), bins - 1)
    coarse_index = _first_reaching(weights @ upto[:, spaced_bins], ranks)
    bin_index = np.empty(len(weights), dtype=np.int64)
    for step_index in np.unique(coarse_index):
        rows = coarse_index == step_index
        columns = slice(step_index * step, int(spaced_bins[step_index]) + 1)
        bin_index[rows] = step_index * step + _first_reaching(weights[rows] @ upto[:, columns], ranks[rows])
    return bin_index


def _first_reaching(sums: FloatArray, ranks: FloatArray) -> NDArray[np.int64]:
    """Return per row the first column that comes to its rank."""
    return np.asarray((sums >= ranks[:, None]).argmax(axis=1), dtype=np.int64)
