"""Computes Student's t, normal, chi-squared and F distributions and quantiles, and polygamma functions.

Five scalar functions are all that the comparisons need, and a library for them would take 140 MB and most of a second
of each command; `tests/unit/stats/test_distributions.py` holds each to SciPy's value within 1e-11.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

_PRECISION = 1e-16
_MOST_TERMS = 10_000
_TINY = 1e-300
_ASYMPTOTIC_FROM = 12.0
# Bernoulli numbers B2, B4, … of the asymptotic series.
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def normal_cdf(x: float) -> float:
    """Return the probability that a standard normal variable is below `x`; exact in the far tail, too.

    >>> normal_cdf(0.0), round(normal_cdf(-10.0) * 1e24, 6)
    (0.5, 7.619853)
    """
    return 0.5 * math.erfc(-x / math.sqrt(2))


def t_cdf(df: float, t: float) -> float:
    """Return the probability that Student's t with `df` degrees of freedom is below `t`; normal when `df` is infinite.

    >>> round(t_cdf(4, 2.7764451), 9), t_cdf(math.inf, 0.0)
    (0.975, 0.5)
    """
    if math.isinf(df):
        return normal_cdf(t)
    if math.isinf(t):
        return float(t > 0)
    square = t * t
    tail = 0.5 * _incomplete_beta(0.5 * df, 0.5, df / (df + square), square / (df + square))
    return 1 - tail if t > 0 else tail


@lru_cache(maxsize=4096)
def t_quantile(probability: float, df: float) -> float:
    """Return the quantile of Student's t; of the normal distribution when `df` is infinite.

    Parameters
    ----------
    probability : between 0 and 1, both excluded
    df : degrees of freedom, above 0

    >>> round(t_quantile(0.975, 4), 4), round(t_quantile(0.975, math.inf), 4)
    (2.7764, 1.96)
    """
    if math.isinf(df):
        return NormalDist().inv_cdf(probability)
    if probability == 0.5:
        return 0.0
    is_upper = probability > 0.5
    tail = 1 - probability if is_upper else probability
    size = _t_quantile_of_tail(tail, df)
    return size if is_upper else -size


def chi2_sf(df: float, x: float) -> float:
    """Return the probability that a chi-squared variable with `df` degrees of freedom exceeds `x`.

    >>> round(chi2_sf(2, 5.991464547), 9)
    0.05
    """
    return _upper_gamma(0.5 * df, 0.5 * x) if x > 0 else 1.0


def f_sf(df_numerator: float, df_denominator: float, f: float) -> float:
    """Return the probability that an F variable exceeds `f`; from chi-squared if the denominator has infinite degrees.

    >>> round(f_sf(3, 10, 3.708265), 6)
    0.05
    """
    if f <= 0:
        return 1.0
    if math.isinf(df_denominator):
        return chi2_sf(df_numerator, f * df_numerator)
    total = df_denominator + df_numerator * f
    share, complement = df_denominator / total, df_numerator * f / total
    return _incomplete_beta(0.5 * df_denominator, 0.5 * df_numerator, share, complement)


def digamma(x: float) -> float:
    """Return the derivative of the logarithm of the gamma function, `x` above 0.

    >>> round(digamma(1.0), 12)
    -0.577215664902
    """
    shift = 0.0
    while x < _ASYMPTOTIC_FROM:
        shift -= 1 / x
        x += 1
    series = sum(b / (2 * k * x ** (2 * k)) for k, b in enumerate(_BERNOULLI, 1))
    return shift + math.log(x) - 0.5 / x - series


def trigamma(x: float) -> float:
    """Return the second derivative of the logarithm of the gamma function, `x` above 0.

    >>> round(trigamma(1.0) - math.pi**2 / 6, 12)
    0.0
    """
    shift = 0.0
    while x < _ASYMPTOTIC_FROM:
        shift += 1 / x**2
        x += 1
    return shift + 1 / x + 0.5 / x**2 + sum(b / x ** (2 * k + 1) for k, b in enumerate(_BERNOULLI, 1))


def tetragamma(x: float) -> float:
    """Return the third derivative of the logarithm of the gamma function, `x` above 0.

    >>> round(tetragamma(1.0), 9)
    -2.404113806
    """
    shift = 0.0
    while x < _ASYMPTOTIC_FROM:
        shift -= 2 / x**3
        x += 1
    series = sum((2 * k + 1) * b / x ** (2 * k + 2) for k, b in enumerate(_BERNOULLI, 1))
    return shift - 1 / x**2 - 1 / x**3 - series


def _t_quantile_of_tail(tail: float, df: float) -> float:
    """Return where the upper tail of Student's t is `tail`, below 1/2: bracketed Newton's method on its logarithm."""
    log_scale = -0.5 * math.log(df) - _log_beta(0.5, df / 2)
    low, high = 0.0, math.inf
    t = _first_guess(tail, df)
    for _ in range(200):
        probability = t_cdf(df, -t)
        low, high = (t, high) if probability > tail else (low, t)
        density = math.exp(log_scale - (df + 1) / 2 * math.log1p(t * t / df))
        step = probability * math.log(probability / tail) / density if probability > 0 and density > 0 else math.inf
        next_t = t + step
        if not low <= next_t <= high:
            next_t = 2 * t if math.isinf(high) else (low + high) / 2
        if abs(next_t - t) <= 1e-8 * t:  # the error of the step itself is about its square
            return next_t
        t = next_t
    return t


def _first_guess(tail: float, df: float) -> float:
    """Return Cornish and Fisher's expansion about the normal quantile, or the power law of a heavy tail."""
    z = -NormalDist().inv_cdf(max(tail, _TINY))
    if df < 3:
        return float(max((tail * df) ** (-1 / df) if tail < 0.2 else z, 1e-6))
    return z + (z**3 + z) / (4 * df) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * df**2)


def _incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """Return the regularised incomplete beta function at `x`; `rest` is 1 − x, given so that neither loses digits."""
    if x <= 0 or rest <= 0:
        return float(rest <= 0)
    if x > (a + 1) / (a + b + 2):  # the fraction converges quickly on the other side
        return 1 - _incomplete_beta(b, a, rest, x)
    log_front = a * _log_of_share(x, rest) + b * _log_of_share(rest, x) - _log_beta(a, b)
    return math.exp(log_front) / (a * _beta_fraction(a, b, x))


def _log_of_share(x: float, rest: float) -> float:
    return math.log(x) if x < 0.5 else math.log1p(-rest)


def _log_beta(a: float, b: float) -> float:
    """Return the logarithm of the beta function; for a large argument, without the difference of two large numbers."""
    small, large = sorted((a, b))
    if large < _ASYMPTOTIC_FROM:
        return math.lgamma(small) + math.lgamma(large) - math.lgamma(a + b)
    growth = (large - 0.5) * math.log1p(small / large) + small * math.log(a + b) - small
    return math.lgamma(small) - growth - _stirling_remainder(a + b) + _stirling_remainder(large)


def _stirling_remainder(x: float) -> float:
    """Return what Stirling's formula leaves of the logarithm of the gamma function."""
    return sum(b / (2 * k * (2 * k - 1) * x ** (2 * k - 1)) for k, b in enumerate(_BERNOULLI, 1))


def _beta_fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method."""
    value, c, d = 1.0, 1.0, 0.0
    for term in range(1, _MOST_TERMS):
        m, odd = divmod(term, 2)
        if odd:
            factor = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            factor = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1 / _nonzero(1 + factor * d)
        c = _nonzero(1 + factor / c)
        value *= c * d
        if abs(c * d - 1) < _PRECISION:
            break
    return value


def _upper_gamma(a: float, x: float) -> float:
    """Return the regularised upper incomplete gamma function."""
    front = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        for n in range(1, _MOST_TERMS):
            term *= x / (a + n)
            total += term
            if term < total * _PRECISION:
                break
        return 1 - front * total
    c, d = _nonzero(x + 1 - a), 0.0
    value = c
    for n in range(1, _MOST_TERMS):
        numerator, denominator = -n * (n - a), x + 2 * n + 1 - a
        d = 1 / _nonzero(denominator + numerator * d)
        c = _nonzero(denominator + numerator / c)
        value *= c * d
        if abs(c * d - 1) < _PRECISION:
            break
    return front / value


def _nonzero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
