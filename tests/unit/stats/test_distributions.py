"""Distributions and polygamma functions: held against SciPy over the range that studies use, and far beyond it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

from dbdyno.stats._distributions import (
    chi2_sf,
    digamma,
    f_sf,
    normal_cdf,
    t_cdf,
    t_quantile,
    tetragamma,
    trigamma,
)

RNG = np.random.default_rng(20)
DEGREES = np.exp(RNG.uniform(math.log(0.5), math.log(1e5), 400)).tolist()
NEAR = 1e-11


@pytest.mark.parametrize("scale", [1e-3, 0.3, 2.0, 30.0])
def test_students_t_below_a_value(scale: float) -> None:
    for df in DEGREES:
        t = float(RNG.normal() * scale)
        assert t_cdf(df, t) == pytest.approx(special.stdtr(df, t), rel=NEAR)


@pytest.mark.parametrize("least", [1e-12, 1e-6, 0.01, 0.4])
def test_quantiles_of_students_t_on_both_sides(least: float) -> None:
    for df in DEGREES:
        tail = float(RNG.uniform(least, min(2 * least, 0.499)))
        assert t_quantile(tail, df) == pytest.approx(special.stdtrit(df, tail), rel=NEAR)
        assert t_quantile(1 - tail, df) == pytest.approx(-t_quantile(1 - (1 - tail), df), rel=NEAR)


def test_the_normal_distribution_stands_at_infinite_degrees() -> None:
    for z in RNG.normal(0, 8, 200):
        assert t_cdf(math.inf, float(z)) == normal_cdf(float(z)) == pytest.approx(special.ndtr(z), rel=NEAR)
    assert t_quantile(0.975, math.inf) == pytest.approx(special.ndtri(0.975), rel=NEAR)
    assert t_cdf(3.0, math.inf) == 1.0
    assert t_cdf(3.0, -math.inf) == 0.0


def test_upper_tails_of_chi_squared_and_f() -> None:
    for df, other in zip(DEGREES[:200], DEGREES[200:], strict=True):
        x, f = df * math.exp(RNG.normal() / 2), math.exp(RNG.normal())
        assert chi2_sf(df, x) == pytest.approx(special.chdtrc(df, x), rel=1e-9, abs=1e-250)
        assert f_sf(df, other, f) == pytest.approx(special.fdtrc(df, other, f), rel=1e-9, abs=1e-250)
    assert f_sf(3.0, math.inf, 2.0) == pytest.approx(special.chdtrc(3.0, 6.0), rel=NEAR)
    assert chi2_sf(3.0, 0.0) == f_sf(3.0, 4.0, -1.0) == 1.0


def test_polygamma_functions() -> None:
    for x in np.exp(RNG.uniform(math.log(1e-4), math.log(1e6), 500)).tolist():
        assert digamma(x) == pytest.approx(special.digamma(x), rel=NEAR)
        assert trigamma(x) == pytest.approx(float(special.polygamma(1, x)), rel=NEAR)
        assert tetragamma(x) == pytest.approx(float(special.polygamma(2, x)), rel=NEAR)
