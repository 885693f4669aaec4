"""Throughput over concurrency: a law where it fits, else the points joined; where the peak is, and a collapse.

The law is Gunther's Universal Scalability Law, ``X(N) = rate N / (1 + contention (N-1) + coherence N (N-1))``. Real
servers often miss it by tens of percent, so it is shown only where it comes within ten, and a peak is never read off
it: the peak is the set of concurrencies that can't be told from the best one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import interpolate, optimize

from dbdyno.core import AnalysisError
from dbdyno.stats._compare import compare, verdict_of
from dbdyno.stats._families import holm
from dbdyno.stats._series import FloatArray
from dbdyno.stats._spread import LogLevel

FIT_FROM_POINTS = 6
FIT_WITHIN = 0.10
_SE_FLOOR = 0.01


@dataclass(frozen=True, slots=True)
class ScalabilityFit:
    """The law fitted to a target's concurrencies.

    Parameters
    ----------
    rate : transactions per second that one connection alone would do
    contention : share of the work that is done one after another, 0 to 1
    coherence : cost of each pair of connections keeping in step, 0 to 1
    largest_residual : how far the farthest point is off the law, as a share
    draws : shape (draws, 3), fits to levels drawn within their standard errors; what the band comes from
    """

    rate: float
    contention: float
    coherence: float
    largest_residual: float
    draws: FloatArray

    @property
    def is_shown(self) -> bool:
        """Whether the law comes close enough to every point to be drawn."""
        return self.largest_residual <= FIT_WITHIN

    def at(self, concurrency: ArrayLike) -> FloatArray:
        """Transactions per second by the law."""
        return _law(np.asarray(concurrency, dtype=np.float64), np.array([self.rate, self.contention, self.coherence]))

    def band(self, concurrency: ArrayLike, confidence: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """Lower and upper end of the law, pointwise."""
        n = np.asarray(concurrency, dtype=np.float64)
        curves = np.array([_law(n, draw) for draw in self.draws])
        tail = (1 - confidence) / 2
        low, high = np.quantile(curves, [tail, 1 - tail], axis=0)
        return low, high


@dataclass(frozen=True, slots=True)
class Peak:
    """Where a target does most.

    Parameters
    ----------
    best : concurrency of the highest level
    concurrencies : those not significantly below it, ascending
    collapsed : higher concurrencies than the best at which it clearly does less, ascending
    """

    best: int
    concurrencies: tuple[int, ...]
    collapsed: tuple[int, ...]


def fit_scalability(levels: Mapping[int, LogLevel], *, draws: int = 2000, seed: int = 1) -> ScalabilityFit | None:
    """The law fitted on the scale ln(TPS); None below six concurrencies.

    Parameters
    ----------
    levels : by concurrency; their standard errors, not below 1 %, are the weights
    draws, seed : of the band

    >>> truth = {n: 100 * n / (1 + 0.05 * (n - 1) + 0.001 * n * (n - 1)) for n in (1, 2, 4, 8, 16, 32)}
    >>> fit = fit_scalability({n: LogLevel(np.log(x), 0.01, 20.0, 3, 0.02) for n, x in truth.items()}, draws=20)
    >>> round(fit.rate, 2), round(fit.contention, 4), round(fit.coherence, 5), fit.is_shown
    (100.0, 0.05, 0.001, True)
    """
    if len(levels) < FIT_FROM_POINTS:
        return None
    n = np.array(sorted(levels), dtype=np.float64)
    logs = np.array([levels[int(each)].mean for each in n])
    errors = np.maximum([levels[int(each)].se for each in n], _SE_FLOOR)
    fitted = _fitted(n, logs, errors, np.array([np.exp((logs - np.log(n)).max()), 0.05, 1e-4]))
    generator = np.random.default_rng(seed)
    drawn = [_fitted(n, generator.normal(logs, errors), errors, fitted) for _ in range(draws)]
    residual = float(np.abs(np.exp(logs) / _law(n, fitted) - 1).max())
    rate, contention, coherence = (float(each) for each in fitted)
    return ScalabilityFit(rate, contention, coherence, residual, np.array(drawn).reshape(draws, 3))


def joined_curve(levels: Mapping[int, LogLevel], at: Sequence[float]) -> FloatArray:
    """Points joined by a monotone cubic over ln(concurrency): no bump that was not measured.

    Parameters
    ----------
    at : concurrencies within those measured

    Raises
    ------
    AnalysisError : fewer than two points, or a concurrency outside of those measured

    >>> levels = {n: LogLevel(np.log(x), 0.01, 20.0, 3, 0.02) for n, x in ((1, 100.0), (4, 300.0), (16, 300.0))}
    >>> [round(float(x)) for x in joined_curve(levels, [1, 4, 8, 16])]
    [100, 300, 300, 300]
    """
    n = sorted(levels)
    if len(n) < 2 or min(at) < n[0] or max(at) > n[-1]:
        raise AnalysisError("no curve through these points", f"measured at {n}, asked for {list(at)}")
    joined = interpolate.PchipInterpolator(np.log(n), [np.exp(levels[each].mean) for each in n])
    return np.asarray(joined(np.log(np.asarray(at, dtype=np.float64))), dtype=np.float64)


def peak(levels: Mapping[int, LogLevel], alpha: float = 0.05) -> Peak:
    """Where a target does most, and where it collapses; p-values adjusted over its concurrencies.

    Raises
    ------
    AnalysisError : no concurrency

    >>> seen = {1: 90.0, 8: 400.0, 16: 404.0, 64: 300.0}
    >>> peak({n: LogLevel(np.log(x), 0.01, 20.0, 3, 0.02) for n, x in seen.items()})
    Peak(best=16, concurrencies=(8, 16), collapsed=(64,))
    """
    if not levels:
        raise AnalysisError("no peak", "no concurrency was measured")
    best = max(sorted(levels), key=lambda n: levels[n].mean)
    others = [n for n in sorted(levels) if n != best]
    differences = [compare(levels[best], levels[n]) for n in others]
    adjusted = dict(zip(others, holm([found.p for found in differences]), strict=True))
    verdicts = {n: verdict_of(found, adjusted[n]) for n, found in zip(others, differences, strict=True)}
    near = [best, *(n for n in others if adjusted[n] >= alpha)]
    collapsed = [n for n in others if n > best and verdicts[n] == "different"]
    return Peak(best, tuple(sorted(near)), tuple(collapsed))


def _law(n: FloatArray, parameters: FloatArray) -> FloatArray:
    rate, contention, coherence = parameters
    curve: FloatArray = rate * n / (1 + contention * (n - 1) + coherence * n * (n - 1))
    return curve


def _fitted(n: FloatArray, logs: FloatArray, errors: FloatArray, start: FloatArray) -> FloatArray:
    """Least squares over ln(rate), contention and coherence; the logarithm keeps the rate above zero."""

    def residuals(parameters: FloatArray) -> FloatArray:
        off: FloatArray = (parameters[0] + np.log(_shape(n, parameters)) - logs) / errors
        return off

    def slopes(parameters: FloatArray) -> FloatArray:
        damping = -_shape(n, parameters) / n
        return np.stack([np.ones_like(n), damping * (n - 1), damping * n * (n - 1)], axis=1) / errors[:, None]

    inside = np.array([np.log(start[0]), np.clip(start[1], 1e-9, 1 - 1e-9), np.clip(start[2], 1e-9, 1 - 1e-9)])
    bounds = ([-np.inf, 0.0, 0.0], [np.inf, 1.0, 1.0])
    found = optimize.least_squares(residuals, inside, jac=slopes, bounds=bounds, x_scale="jac")
    fitted: FloatArray = np.array([np.exp(found.x[0]), found.x[1], found.x[2]])
    return fitted


def _shape(n: FloatArray, parameters: FloatArray) -> FloatArray:
    """The law for a rate of one."""
    return _law(n, np.array([1.0, parameters[1], parameters[2]]))
