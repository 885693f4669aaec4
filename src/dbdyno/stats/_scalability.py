"""Fits throughput over concurrency: a law where it fits, else joined points; finds the peak and the falls beyond it.

The law is Gunther's Universal Scalability Law, ``X(N) = rate N / (1 + contention (N-1) + coherence N (N-1))``. Real
servers often miss it by tens of percent, so it is shown only where it comes within ten, and a peak is never read off
it: the peak is the set of concurrencies that can't be told apart from the best one.
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
"""Share of the cost: once no step of any set changes it by more, all have arrived."""


@dataclass(frozen=True, slots=True)
class ScalabilityFit:
    """Describes the law fitted to a target's concurrencies.

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
        """Return whether the law comes close enough to every point to be drawn."""
        return self.largest_residual <= FIT_WITHIN

    def at(self, concurrency: ArrayLike) -> FloatArray:
        """Return transactions per second by the law."""
        return _predicted_rates(
            np.asarray(concurrency, dtype=np.float64), np.array([self.rate, self.contention, self.coherence])
        )

    def band(self, concurrency: ArrayLike, confidence: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """Return the lower and upper end of the law, pointwise."""
        n = np.asarray(concurrency, dtype=np.float64)
        curves = _predicted_rates(n, self.draws.T[:, :, None])
        tail = (1 - confidence) / 2
        low, high = np.quantile(curves, [tail, 1 - tail], axis=0)
        return low, high


@dataclass(frozen=True, slots=True)
class Peak:
    """Describes where a target is fastest.

    Parameters
    ----------
    best : concurrency of the highest level
    concurrencies : those not significantly below it, ascending
    falls : higher concurrencies than the best at which it clearly does less, ascending
    """

    best: int
    concurrencies: tuple[int, ...]
    falls: tuple[int, ...]


def fit_scalability(levels: Mapping[int, LogLevel], *, draws: int = 2000, seed: int = 1) -> ScalabilityFit | None:
    """Return the law fitted on the scale ln(TPS); None below six concurrencies.

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
    logs = np.array([levels[int(concurrency)].mean for concurrency in n])
    errors = np.maximum([levels[int(concurrency)].se for concurrency in n], _SE_FLOOR)
    fitted = _fit_levels(n, logs[None, :], errors, np.array([np.exp((logs - np.log(n)).max()), 0.05, 1e-4]))[0]
    generator = np.random.default_rng(seed)
    drawn_fits = _fit_levels(n, generator.normal(logs, errors, (draws, len(n))), errors, fitted)
    residual = float(np.abs(np.exp(logs) / _predicted_rates(n, fitted) - 1).max())
    rate, contention, coherence = (float(parameter) for parameter in fitted)
    return ScalabilityFit(rate, contention, coherence, residual, drawn_fits)


def peak(levels: Mapping[int, LogLevel], alpha: float = 0.05) -> Peak:
    """Return where a target is fastest, and where it falls; p-values adjusted over its concurrencies.

    Raises
    ------
    AnalysisError : no concurrency

    >>> seen = {1: 90.0, 8: 400.0, 16: 404.0, 64: 300.0}
    >>> peak({n: LogLevel(np.log(x), 0.01, 20.0, 3, 0.02) for n, x in seen.items()})
    Peak(best=16, concurrencies=(8, 16), falls=(64,))
    """
    if not levels:
        raise AnalysisError("no peak", "no concurrency was measured")
    best = max(sorted(levels), key=lambda n: levels[n].mean)
    other_concurrencies = [n for n in sorted(levels) if n != best]
    differences = [compare(levels[best], levels[n]) for n in other_concurrencies]
    adjusted = dict(zip(other_concurrencies, holm([difference.p for difference in differences]), strict=True))
    verdicts = {
        n: verdict_of(difference, adjusted[n]) for n, difference in zip(other_concurrencies, differences, strict=True)
    }
    near = [best, *(n for n in other_concurrencies if adjusted[n] >= alpha)]
    falls = [n for n in other_concurrencies if n > best and verdicts[n] == "different"]
    return Peak(best, tuple(sorted(near)), tuple(falls))


def _predicted_rates(n: FloatArray, parameters: FloatArray) -> FloatArray:
    rate, contention, coherence = parameters
    curve: FloatArray = rate * n / (1 + contention * (n - 1) + coherence * n * (n - 1))
    return curve


def _fit_levels(n: FloatArray, logs: FloatArray, errors: FloatArray, start: FloatArray) -> FloatArray:
    """Fit ln(rate), contention and coherence by least squares, of many sets of levels at once.

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
    parameters = np.tile([np.log(start[0]), *contention_and_coherence], (len(logs), 1))
    residuals, cost = _residuals(n, logs, errors, parameters)
    damping = np.full(len(logs), 1e-3)
    for _ in range(_MOST_STEPS):
        slopes = _residual_derivatives(n, errors, parameters)
        gradient = np.einsum("smp,sm->sp", slopes, residuals)
        candidates = _clip_to_bounds(parameters + _damped_steps(slopes, gradient, parameters, damping))
        candidate_residuals, candidate_cost = _residuals(n, logs, errors, candidates)
        is_better = candidate_cost <= cost
        has_arrived = np.abs(cost - candidate_cost) <= _GAIN_SHARE * (cost + 1e-9)
        parameters[is_better], residuals[is_better], cost[is_better] = (
            candidates[is_better],
            candidate_residuals[is_better],
            candidate_cost[is_better],
        )
        damping = np.clip(np.where(is_better, damping / 5, damping * 4), 1e-12, 1e12)
        if has_arrived.all():
            break
    return np.stack([np.exp(parameters[:, 0]), parameters[:, 1], parameters[:, 2]], axis=1)


def _residuals(
    n: FloatArray, logs: FloatArray, errors: FloatArray, parameters: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return weighted residuals of each set, shape (sets, concurrencies), and the sum of their squares."""
    residuals: FloatArray = (parameters[:, :1] + np.log(n) - np.log(_divisor(n, parameters)) - logs) / errors
    return residuals, np.square(residuals).sum(axis=1)


def _residual_derivatives(n: FloatArray, errors: FloatArray, parameters: FloatArray) -> FloatArray:
    """Return derivatives of the residuals, shape (sets, concurrencies, 3)."""
    share = -1 / _divisor(n, parameters)
    return np.stack([np.ones_like(share), share * (n - 1), share * n * (n - 1)], axis=2) / errors[:, None]


def _damped_steps(slopes: FloatArray, gradient: FloatArray, parameters: FloatArray, damping: FloatArray) -> FloatArray:
    """Return one damped Gauss-Newton step of each set; a parameter that its bound holds back stays where it is."""
    is_held = np.zeros(parameters.shape, dtype=np.bool_)
    is_held[:, 1:] = ((parameters[:, 1:] <= 0) & (gradient[:, 1:] > 0)) | (
        (parameters[:, 1:] >= 1) & (gradient[:, 1:] < 0)
    )
    free = slopes * ~is_held[:, None, :]
    normal = np.einsum("smp,smq->spq", free, free)
    scale = np.where(is_held, 1.0, np.einsum("spp->sp", normal))
    normal[:, range(3), range(3)] = scale * (1 + damping[:, None])
    steps: FloatArray = np.linalg.solve(normal, -np.where(is_held, 0.0, gradient)[:, :, None])[:, :, 0]
    return steps


def _clip_to_bounds(parameters: FloatArray) -> FloatArray:
    parameters[:, 1:] = np.clip(parameters[:, 1:], 0.0, 1.0)
    return parameters


def _divisor(n: FloatArray, parameters: FloatArray) -> FloatArray:
    """Return by how much the law falls behind proportional growth, shape (sets, concurrencies)."""
    divisor: FloatArray = 1 + parameters[:, 1:2] * (n - 1) + parameters[:, 2:3] * n * (n - 1)
    return divisor
