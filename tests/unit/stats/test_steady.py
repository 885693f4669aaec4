"""The verdict on series with a planted truth; pytest turns any warning of a numeric library into a failure."""

from __future__ import annotations

import math

import numpy as np
import pytest
import ruptures
from hypothesis import given, settings
from hypothesis import strategies as st

from dbdyno.core import AnalysisError
from dbdyno.stats import Period, autocorrelation_time, segments, stalls, steady_state, whole_cycles
from dbdyno.stats._segments import _least_squares_bounds, noise_scale
from planted_series import jump, noisy, ramp, slow_start, stalled, wave


def test_white_noise_is_steady_from_the_first_second_on() -> None:
    series = noisy(1000.0)
    found = steady_state(series)
    assert (found.status, found.start_s, found.levels.means) == ("steady", 0, (pytest.approx(1000, rel=0.002),))
    assert autocorrelation_time(series) == pytest.approx(1.0, abs=0.2)


@pytest.mark.parametrize("seed", range(5))
def test_a_jump_at_360_s_is_where_the_window_begins(seed: int) -> None:
    found = steady_state(noisy(jump(360, 700, 1000), seed))
    assert found.status == "steady"
    assert found.start_s == pytest.approx(360, abs=5)
    assert found.window.mean == pytest.approx(1000, rel=0.005)


@pytest.mark.parametrize("level", [jump(700, 1000, 1200), jump(700, 1000, 800), ramp(0.08), ramp(0.20)])
def test_a_late_jump_and_a_ramp_are_drifting(level: np.ndarray) -> None:
    found = steady_state(noisy(level))
    assert found.status == "drifting"
    assert not found.is_accepted


def test_a_ramp_of_two_percent_is_small_enough_to_be_steady() -> None:
    assert steady_state(noisy(ramp(0.02))).status == "steady"


@pytest.mark.parametrize("period_s", [60, 120, 200])
@pytest.mark.parametrize("amplitude", [0.1, 0.3])
@pytest.mark.parametrize("noise", [0.0, 0.02])
def test_a_sine_is_cyclic_with_its_period(period_s: int, amplitude: float, noise: float) -> None:
    found = steady_state(noisy(wave(period_s, amplitude), noise=noise))
    assert found.status == "cyclic"
    assert found.period.period_s == pytest.approx(period_s, abs=1)
    assert found.window.mean == pytest.approx(1000, rel=0.01)


def test_a_slow_start_is_cut_where_it_has_come_close() -> None:
    """Where exactly is noise's choice (5 to 95 % of seeds: 250 to 405 s), so the middle of many is held."""
    found = [steady_state(noisy(slow_start(), seed)) for seed in range(40)]
    assert {each.status for each in found} == {"steady"}
    assert np.median([each.start_s for each in found]) == pytest.approx(320, abs=30)
    assert [each.window.mean for each in found] == pytest.approx([1000] * 40, rel=0.012)


@pytest.mark.parametrize("noise", [0.0, 0.02])
def test_regular_stalls_are_no_change_of_level(noise: float) -> None:
    series = noisy(stalled(), noise=noise)
    found = steady_state(series)
    assert found.status == "noisy"
    assert len(found.levels.means) <= 3
    counted = stalls(series)
    assert (counted.count, counted.longest_s, counted.share) == (10, 5, pytest.approx(50 / 900))


@pytest.mark.parametrize("level", [0.1, 1000.0, 1e9])
def test_a_constant_is_steady_without_noise_or_period(level: float) -> None:
    found = steady_state(np.full(900, level))
    assert (found.status, found.start_s, found.window.half_width, found.period) == ("steady", 0, 0.0, None)
    assert found.levels.bounds_s == (0, 900)


def test_a_run_that_did_nothing_is_dead() -> None:
    assert steady_state(np.zeros(900)).status == "dead"


def test_a_run_that_died_in_its_last_third_is_dead() -> None:
    found = steady_state(noisy(jump(500, 1000, 0)))
    assert (found.status, found.window) == ("dead", None)


def test_59_seconds_are_too_short_and_60_are_not() -> None:
    assert steady_state(noisy(1000.0)[:59]).status == "too-short"
    assert steady_state(noisy(1000.0)[:60]).status != "too-short"


def test_a_window_below_a_minute_takes_the_last_minute_for_its_mean() -> None:
    found = steady_state(noisy(jump(860, 1000, 2000)))
    assert found.start_s > 840
    assert found.window.n == 60


def test_a_short_transient_at_the_start_stays_visible() -> None:
    found = segments(noisy(jump(30, 400, 1000)))
    assert found.bounds_s == (0, 30, 900)


@pytest.mark.parametrize("bad", [[], [1.0, float("nan")], [[1.0], [2.0]]])
def test_what_is_no_series_is_refused(bad: list[float]) -> None:
    with pytest.raises(AnalysisError, match="no series"):
        steady_state(bad)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from([0.0, 1e-9, 0.5, 3.0, 19.0, 1000.0, 1e6, 1e12]), min_size=1, max_size=12),
    st.integers(60, 400),
    st.sampled_from([0.0, 0.02, 2.0]),
)
def test_no_series_breaks_the_verdict_or_makes_a_library_warn(levels: list[float], n: int, noise: float) -> None:
    shape = np.resize(np.repeat(levels, 23), n)
    found = steady_state(np.abs(shape * (1 + noise * np.random.default_rng(n).normal(size=n))))
    if found.window is not None:
        assert 0 <= found.start_s < n
        assert np.isfinite([found.window.mean, found.window.half_width, found.drift.half_width]).all()


def test_whole_periods_are_counted_in_whole_numbers() -> None:
    """995 s hold exactly 27 periods of 8 · 995 / 216 s, which divided as decimals come to a little less than 27."""
    found = Period(span_s=8 * 995, index=216, share=1.0, correlation=1.0)
    assert int(995 / found.period_s) == 26
    assert (found.fits(995), found.fits(994)) == (27, 26)
    assert whole_cycles(np.full(995, 100.0), found) == 995


@pytest.mark.parametrize(("periods", "seconds"), [(1, 12), (3, 38), (2, 25)])
def test_half_a_second_of_a_period_goes_to_the_even_neighbour(periods: int, seconds: int) -> None:
    assert Period(span_s=25, index=2, share=1.0, correlation=1.0).seconds_of(periods) == seconds


@pytest.mark.parametrize("seed", range(20))
def test_pieces_are_those_of_an_exact_search(seed: int) -> None:
    """`ruptures` finds the cheapest division, too; it is a dependency of the tests alone."""
    generator = np.random.default_rng(seed)
    lengths, levels = generator.integers(7, 60, 4), generator.normal(1000, 60, 4)
    groups = np.repeat(levels, lengths) + generator.normal(0, generator.uniform(1, 30), lengths.sum())
    variance = noise_scale(groups) ** 2
    search = ruptures.KernelCPD(kernel="linear", min_size=6).fit(groups[:, None])
    expected = search.predict(pen=3 * variance * math.log(len(groups)))
    assert _least_squares_bounds(groups, variance) == [0, *expected]
