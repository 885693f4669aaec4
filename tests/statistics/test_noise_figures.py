"""How often noise intervals hold the truth, on noise whose truth and correlation are known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from figures_page import publish
from scipy.signal import lfilter

from dbdyno.stats import NoiseInterval, noise_interval, quantile_interval, t_quantile

pytestmark = pytest.mark.slow
SERIES = 2000
CORRELATIONS = (0.0, 0.5, 0.9, 0.97)
WINDOWS_S = (120, 300, 600, 900, 1800)


def correlated(generator: np.random.Generator, series: int, seconds: int, phi: float, sd: float = 20.0) -> np.ndarray:
    """Series around 1000 in which each second keeps the share phi of the deviation before it."""
    shocks = generator.normal(0, sd * math.sqrt(1 - phi**2), (series, seconds + 1000))
    return 1000 + lfilter([1.0], [1.0, -phi], shocks, axis=1)[:, 1000:]


def covered(intervals: list[NoiseInterval], half: str) -> float:
    return float(np.mean([abs(each.mean - 1000) <= getattr(each, half) for each in intervals]))


def test_the_interval_of_a_window_covers_as_often_as_it_says() -> None:
    generator = np.random.default_rng(2026)
    rows, shares = [], {}
    for seconds in WINDOWS_S:
        cells = []
        for phi in CORRELATIONS:
            found = [noise_interval(series) for series in correlated(generator, SERIES, seconds, phi)]
            shares[seconds, phi] = covered(found, "half_width")
            cells.append(f"{shares[seconds, phi]:.3f}")
        rows.append([f"{seconds} s", *cells])
    publish("coverage by window", ["window", *(f"phi {phi:g}" for phi in CORRELATIONS)], rows)
    expected = {0.0: 0.98, 0.5: 0.98, 0.9: 0.97, 0.97: 0.95}
    assert {phi: shares[900, phi] for phi in CORRELATIONS} == pytest.approx(expected, abs=0.03)


def test_each_half_width_misses_something_that_the_larger_does_not() -> None:
    generator = np.random.default_rng(31)
    t = t_quantile(0.975, math.inf)
    rows = []
    for phi in CORRELATIONS:
        found = [noise_interval(series) for series in correlated(generator, SERIES, 900, phi)]
        naive = float(np.mean([abs(each.mean - 1000) <= t * each.sd / math.sqrt(each.n) for each in found]))
        halves = [covered(found, half) for half in ("half_iat", "half_bm5", "half_width")]
        rows.append([f"{phi:g}", *(f"{share:.3f}" for share in (naive, *halves))])
        assert halves[2] >= max(halves[:2])
    publish("coverage by method", ["phi", "s/√n", "by autocorrelation time", "by five batches", "the larger"], rows)
    assert [float(row[1]) for row in rows] == pytest.approx([0.95, 0.75, 0.35, 0.19], abs=0.03)


def test_quantile_intervals_cover_most_of_the_time_and_less_where_seconds_hang_together() -> None:
    bins = np.geomspace(0.8, 60.0, 800)
    edges = bins[1:] ** 0.5 * bins[:-1] ** 0.5

    def histograms(generator: np.random.Generator, seconds: int, phi: float) -> np.ndarray:
        level = correlated(generator, 1, seconds, phi, 0.2)[0] - 1000
        times = np.exp(np.log(5) + level[:, None] + generator.normal(0, 0.5, (seconds, 150)))
        index = np.searchsorted(edges, times)
        return np.stack([np.bincount(row, minlength=len(bins)) for row in index])

    generator = np.random.default_rng(5)
    rows = []
    for phi in (0.0, 0.5, 0.9):
        shares = []
        for quantile in (0.5, 0.95, 0.99):
            truth = np.exp(np.log(5) + math.hypot(0.2, 0.5) * t_quantile(quantile, math.inf))
            cell = bins[np.searchsorted(edges, truth)]
            found = [quantile_interval(histograms(generator, 900, phi), bins, quantile, draws=300) for _ in range(100)]
            shares.append(float(np.mean([each.low <= cell <= each.high for each in found])))
        rows.append([f"{phi:g}", *(f"{share:.2f}" for share in shares)])
        assert min(shares) >= 0.80
    publish("coverage of quantiles", ["phi", "median", "p95", "p99"], rows)
