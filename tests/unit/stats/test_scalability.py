"""Concurrency curves: the law recovered where it holds, refused where it does not; peak and collapse."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dbdyno.core import AnalysisError
from dbdyno.stats import LogLevel, fit_scalability, peak

CONCURRENCIES = (1, 4, 16, 32, 64, 128, 256, 512)


def law(n: int, rate: float = 120.0, contention: float = 0.03, coherence: float = 0.0002) -> float:
    return rate * n / (1 + contention * (n - 1) + coherence * n * (n - 1))


def levels(tps: dict[int, float], se: float = 0.01) -> dict[int, LogLevel]:
    return {n: LogLevel(math.log(x), se, 20.0, 3, se * math.sqrt(3)) for n, x in tps.items()}


def test_the_law_is_recovered_from_its_own_points() -> None:
    fit = fit_scalability(levels({n: law(n) for n in CONCURRENCIES}), draws=10)
    assert (fit.rate, fit.contention, fit.coherence) == pytest.approx((120.0, 0.03, 0.0002), rel=1e-4)
    assert fit.is_shown
    assert fit.at([1])[0] == pytest.approx(120.0, rel=1e-4)


@pytest.mark.parametrize(("contention", "coherence"), [(0.0, 0.0), (1.0, 0.0), (0.2, 0.0)])
def test_the_law_is_found_at_the_edge_of_what_is_allowed(contention: float, coherence: float) -> None:
    fit = fit_scalability(levels({n: law(n, 50.0, contention, coherence) for n in CONCURRENCIES}), draws=5)
    assert (fit.contention, fit.coherence) == pytest.approx((contention, coherence), abs=2e-3)


def test_the_band_holds_the_truth_and_narrows_with_the_errors() -> None:
    generator = np.random.default_rng(12)
    inside = []
    for _ in range(40):
        seen = {n: law(n) * math.exp(generator.normal(0, 0.02)) for n in CONCURRENCIES}
        low, high = fit_scalability(levels(seen, 0.02), draws=100).band([64])
        inside.append(low[0] <= law(64) <= high[0])
    assert np.mean(inside) >= 0.85
    wide = fit_scalability(levels({n: law(n) for n in CONCURRENCIES}, 0.05), draws=100).band([64])
    narrow = fit_scalability(levels({n: law(n) for n in CONCURRENCIES}, 0.01), draws=100).band([64])
    assert wide[1] - wide[0] > 2 * (narrow[1] - narrow[0])


def test_a_curve_that_misses_the_law_is_not_shown_as_one() -> None:
    fit = fit_scalability(
        levels(dict(zip(CONCURRENCIES, [100, 900, 300, 2000, 500, 2500, 700, 100], strict=True))), draws=5
    )
    assert not fit.is_shown


def test_five_concurrencies_are_too_few_for_a_law() -> None:
    assert fit_scalability(levels({n: law(n) for n in CONCURRENCIES[:5]})) is None


def test_the_peak_is_a_set_and_a_collapse_needs_to_be_clear() -> None:
    seen = {16: 800.0, 32: 990.0, 64: 1000.0, 128: 985.0, 256: 700.0}
    found = peak(levels(seen))
    assert (found.best, found.concurrencies, found.falls) == (64, (32, 64, 128), (256,))
    assert peak(levels({1: 5.0})).concurrencies == (1,)
    with pytest.raises(AnalysisError, match="no peak"):
        peak({})
