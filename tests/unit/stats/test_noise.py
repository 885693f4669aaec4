"""The noise interval against public series with known answers, and by its coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.signal import lfilter

from dbdyno.core import AnalysisError
from dbdyno.stats import autocorrelation_time, noise_interval
from public_series import EXPECTED, RUNS, public_series


@pytest.fixture(scope="module")
def series() -> dict[str, np.ndarray]:
    return public_series()


@pytest.mark.parametrize("run", RUNS)
def test_public_series_give_the_expected_interval(run: str, series: dict[str, np.ndarray]) -> None:
    expected = EXPECTED[run]
    interval = noise_interval(series[run])
    assert interval.n == expected["n"]
    fields = {"mean": "mean", "sd": "sd", "iat": "iat", "ess": "ess", "half_iat": "half_iat", "half_bm5": "half_bm5"}
    for field, name in {**fields, "half_width": "half"}.items():
        assert getattr(interval, field) == pytest.approx(expected[name], rel=1e-5, abs=2e-6), name
    independent = 1.959963984540054 * interval.sd / math.sqrt(interval.n)
    assert independent == pytest.approx(expected["iid_half"], rel=2e-3)


@pytest.mark.parametrize(("phi", "coverage"), [(0.0, 0.98), (0.5, 0.98), (0.9, 0.97), (0.97, 0.95)])
def test_interval_covers_the_true_mean_of_correlated_noise(phi: float, coverage: float) -> None:
    generator = np.random.default_rng(2026)
    shocks = generator.normal(0, 20 * math.sqrt(1 - phi**2), (400, 1900))
    windows = 1000 + lfilter([1.0], [1.0, -phi], shocks, axis=1)[:, 1000:]
    intervals = [noise_interval(window) for window in windows]
    covered = float(np.mean([abs(interval.mean - 1000) <= interval.half_width for interval in intervals]))
    assert covered == pytest.approx(coverage, abs=0.03)


def test_white_noise_has_an_autocorrelation_time_near_one() -> None:
    generator = np.random.default_rng(7)
    times = [autocorrelation_time(generator.normal(1000, 20, 900)) for _ in range(50)]
    assert np.mean(times) == pytest.approx(1.0, abs=0.2)


def test_correlation_widens_the_interval() -> None:
    generator = np.random.default_rng(3)
    white = generator.normal(1000, 20, 900)
    assert noise_interval(np.repeat(white[:180], 5)).half_iat > 1.8 * noise_interval(white).half_iat


@given(st.lists(st.floats(0, 1e6), min_size=2, max_size=60))
def test_short_windows_give_a_finite_interval_without_warning(values: list[float]) -> None:
    interval = noise_interval(values)
    assert math.isfinite(interval.half_width)
    assert interval.half_width >= 0
    assert interval.iat >= 1
    assert math.isnan(interval.half_bm5) == (len(values) < 5)


@pytest.mark.parametrize("value", [0.0, 0.1, 1000.0])
@pytest.mark.parametrize("n", [2, 12, 900])
def test_a_constant_has_no_noise(value: float, n: int) -> None:
    interval = noise_interval([value] * n)
    assert (interval.mean, interval.half_width, interval.iat) == (value, 0.0, 1.0)


def test_leftover_seconds_are_dropped_from_the_batches_at_the_start_only() -> None:
    series = np.array([900.0, *np.tile([100.0, 104.0], 5)])
    assert noise_interval(series).half_bm5 == pytest.approx(0.0)
    assert noise_interval(series).mean == pytest.approx(series.mean())


def test_a_lower_confidence_gives_a_narrower_interval() -> None:
    series = np.random.default_rng(1).normal(100, 5, 60)
    assert noise_interval(series, confidence=0.8).half_width < noise_interval(series).half_width


@pytest.mark.parametrize("bad", [[], [1.0], [1.0, float("nan")], [1.0, float("inf")], [[1.0, 2.0], [3.0, 4.0]]])
def test_a_window_that_is_no_series_is_refused(bad: list[float]) -> None:
    with pytest.raises(AnalysisError, match="no interval"):
        noise_interval(bad)
