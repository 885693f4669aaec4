"""Fits throughput over concurrency: a law where it fits, else joined points; finds peak and collapse.

The law is Gunther's Universal Scalability Law, ``X(N) = rate N / (1 + contention (N-1) + coherence N (N-1))``. Real
servers often miss it by tens of percent, so it is shown only where it comes within ten, and a peak is never read off
it: the peak is the set of concurrencies that can't be told from the best one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dbdyno.core import AnalysisError
from dbdyno.stats._compare import compare, verdict_of
from dbdyno.stats._families import holm
from dbdyno.stats._series import FloatArray
from dbdyno.stats._spread import LogLevel

FIT_FROM_POINTS = 6
FIT_WITHIN = 0.10
_SE_FLOOR = 0.01
_MOST_STEPS = 200
_GAIN_SHARE = 1e-10
"""Of the cost: once no step of any set changes it by more, all have arrived."""


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
    fitted = _fitted(n, logs[None, :], errors, np.array([np.exp((logs - np.log(n)).max()), 0.05, 1e-4]))[0]
    generator = np.random.default_rng(seed)
    drawn = _fitted(n, generator.normal(logs, errors, (draws, len(n))), errors, fitted)
    residual = float(np.abs(np.exp(logs) / _law(n, fitted) - 1).max())
    rate, contention, coherence = (float(each) for each in fitted)
    return ScalabilityFit(rate, contention, coherence, residual, drawn)


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
    """Least squares over ln(rate), contention and coherence, of many sets of levels at once.

    Levenberg and Marquardt's method, its steps projected onto the bounds. scipy solves one set in 5 ms of interpreter
    time, and a band needs thousands; here all sets take each step together.

    Parameters
    ----------
    logs : shape (sets, concurrencies)
    errors : shape (concurrencies,), standard errors of all sets alike
    start : shape (3,), rate, contention and coherence to begin with

    Returns
    -------
    shape (sets, 3), rate, contention and coherence
    """
    contention_and_coherence = np.clip(start[1:], 1e-9, 1 - 1e-9)
    at = np.tile([np.log(start[0]), *contention_and_coherence], (len(logs), 1))
    off, cost = _residuals(n, logs, errors, at)
    damping = np.full(len(logs), 1e-3)
    for _ in range(_MOST_STEPS):
        slopes = _slopes(n, errors, at)
        gradient = np.einsum("smp,sm->sp", slopes, off)
        tried = _inside(at + _steps(slopes, gradient, at, damping))
        tried_off, tried_cost = _residuals(n, logs, errors, tried)
        is_better = tried_cost <= cost
        has_arrived = np.abs(cost - tried_cost) <= _GAIN_SHARE * (cost + 1e-9)
        at[is_better], off[is_better], cost[is_better] = tried[is_better], tried_off[is_better], tried_cost[is_better]
        damping = np.clip(np.where(is_better, damping / 5, damping * 4), 1e-12, 1e12)
        if has_arrived.all():
            break
    return np.stack([np.exp(at[:, 0]), at[:, 1], at[:, 2]], axis=1)


def _residuals(n: FloatArray, logs: FloatArray, errors: FloatArray, at: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Weighted residuals of each set, shape (sets, concurrencies), and the sum of their squares."""
    off: FloatArray = (at[:, :1] + np.log(n) - np.log(_divisor(n, at)) - logs) / errors
    return off, np.square(off).sum(axis=1)


def _slopes(n: FloatArray, errors: FloatArray, at: FloatArray) -> FloatArray:
    """Derivatives of the residuals, shape (sets, concurrencies, 3)."""
    share = -1 / _divisor(n, at)
    return np.stack([np.ones_like(share), share * (n - 1), share * n * (n - 1)], axis=2) / errors[:, None]


def _steps(slopes: FloatArray, gradient: FloatArray, at: FloatArray, damping: FloatArray) -> FloatArray:
    """One damped Gauss-Newton step of each set; a parameter that its bound holds back stays where it is."""
    is_held = np.zeros(at.shape, dtype=np.bool_)
    is_held[:, 1:] = ((at[:, 1:] <= 0) & (gradient[:, 1:] > 0)) | ((at[:, 1:] >= 1) & (gradient[:, 1:] < 0))
    free = slopes * ~is_held[:, None, :]
    normal = np.einsum("smp,smq->spq", free, free)
    scale = np.where(is_held, 1.0, np.einsum("spp->sp", normal))
    normal[:, range(3), range(3)] = scale * (1 + damping[:, None])
    steps: FloatArray = np.linalg.solve(normal, -np.where(is_held, 0.0, gradient)[:, :, None])[:, :, 0]
    return steps


def _inside(at: FloatArray) -> FloatArray:
    at[:, 1:] = np.clip(at[:, 1:], 0.0, 1.0)
    return at


def _divisor(n: FloatArray, at: FloatArray) -> FloatArray:
    """By how much the law falls behind proportional growth, shape (sets, concurrencies)."""
    divisor: FloatArray = 1 + at[:, 1:2] * (n - 1) + at[:, 2:3] * n * (n - 1)
    return divisor
