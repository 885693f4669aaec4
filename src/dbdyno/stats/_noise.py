"""Estimates noise: how far the mean of one window may be off because its seconds vary.

Seconds of a server are not independent (flushes and checkpoints last longer than a second), so ``s/sqrt(n)`` is far
too narrow. Two half-widths are computed and the larger kept: one from the autocorrelation time, which protects
windows with few slow waves, and one from five batch means, which sees slow waves that lags miss. Spread between
repeats is another matter: see `moderated_spread`.

>>> interval = noise_interval(np.array([100.0, 104.0, 98.0, 101.0, 97.0, 103.0, 99.0, 102.0, 100.0, 96.0]))
>>> round(interval.mean, 1), round(interval.half_width, 2)
(100.0, 1.85)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbdyno.core import AnalysisError
from dbdyno.stats._distributions import t_quantile

FloatArray = NDArray[np.float64]
BATCHES = 5


@dataclass(frozen=True, slots=True)
class NoiseInterval:
    """Holds the mean of a window with its noise half-width. Unit: that of the series, except `n`, `iat` and `ess`.

    Parameters
    ----------
    half_width : the larger of `half_iat` and `half_bm5`
    sd : sample standard deviation of the seconds
    n : seconds
    iat : autocorrelation time, seconds; 1 for independent seconds
    ess : number of independent seconds worth as much, n / iat
    half_iat : half-width by the autocorrelation time
    half_bm5 : half-width by five batch means; NaN below five seconds, where there are no five batches
    """

    mean: float
    half_width: float
    sd: float
    n: int
    iat: float
    ess: float
    half_iat: float
    half_bm5: float


def noise_interval(x: ArrayLike, confidence: float = 0.95) -> NoiseInterval:
    """Return the mean and noise interval of a window of one value per second.

    Parameters
    ----------
    x : one value per second, no gaps, at least two
    confidence : of the two-sided interval

    Raises
    ------
    AnalysisError : fewer than two values, or one that is not a finite number

    Notes
    -----
    Below 600 s the interval is optimistic (covers 0.76 of 120-s windows, 0.89 of 600-s windows of real runs): it may
    steer a run, but a finding needs repeats.

    >>> noise_interval([250.0] * 12).half_width
    0.0
    """
    values = _check_window(x)
    n = len(values)
    mean, sd = float(values.mean()), float(values.std(ddof=1))
    if np.ptp(values) == 0:
        return NoiseInterval(float(values[0]), 0.0, 0.0, n, 1.0, float(n), 0.0, 0.0 if n >= BATCHES else math.nan)
    iat = autocorrelation_time(values)
    ess = n / iat
    quantile = 0.5 + confidence / 2
    half_iat = t_quantile(quantile, max(ess - 1, 1.0)) * sd * math.sqrt(iat / n)
    half_bm5 = _batch_means_half_width(values, quantile)
    half = half_iat if math.isnan(half_bm5) else max(half_iat, half_bm5)
    return NoiseInterval(mean, half, sd, n, iat, ess, half_iat, half_bm5)


def autocorrelation_time(x: ArrayLike) -> float:
    """Return the seconds after which a second adds information, at least 1 (Geyer's initial monotone sequence).

    >>> autocorrelation_time([1.0, -1.0] * 20)
    1.0
    """
    values = _check_window(x)
    if np.ptp(values) == 0:
        return 1.0
    correlation = _autocorrelation(values)
    pairs = len(values) // 2
    sums = correlation[0 : 2 * pairs : 2] + correlation[1 : 2 * pairs : 2]
    ends = np.flatnonzero(sums <= 0)
    positive_sums = sums[: ends[0]] if len(ends) else sums
    return max(1.0, 2 * float(np.minimum.accumulate(positive_sums).sum()) - 1)


def _autocorrelation(values: FloatArray) -> FloatArray:
    n = len(values)
    size = 1 << (2 * n - 1).bit_length()
    scaled = (values - values.mean()) / np.ptp(values)  # squares of very small rates would underflow
    spectrum = np.fft.rfft(scaled, size)
    covariance = np.fft.irfft(np.abs(spectrum) ** 2, size)[:n]
    correlation: FloatArray = covariance / covariance[0]
    return correlation


def _batch_means_half_width(values: FloatArray, quantile: float) -> float:
    size = len(values) // BATCHES
    if size == 0:
        return math.nan
    means = values[-BATCHES * size :].reshape(BATCHES, size).mean(axis=1)
    return t_quantile(quantile, BATCHES - 1) * float(means.std(ddof=1)) / math.sqrt(BATCHES)


def _check_window(x: ArrayLike) -> FloatArray:
    values = np.asarray(x, dtype=np.float64)
    if values.ndim != 1 or len(values) < 2:
        raise AnalysisError("no interval for this window", f"shape {values.shape}: one value per second, at least two")
    if not np.isfinite(values).all():
        raise AnalysisError("no interval for this window", "it holds a value that is not a finite number")
    return values
