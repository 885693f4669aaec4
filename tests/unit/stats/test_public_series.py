"""Every figure of the 32 public runs, against answers that were computed elsewhere."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dbdyno.stats import (
    StopChecks,
    StoppingRule,
    drift,
    mser5,
    noise_interval,
    period,
    stalls,
    steady_state,
    stopping_point,
    t_quantile,
)
from public_series import EXPECTED, RUNS, close, public_series

pytestmark = pytest.mark.parametrize("run", RUNS)


@pytest.fixture(scope="module")
def series() -> dict[str, np.ndarray]:
    return public_series()


def test_the_whole_run_has_the_expected_noise_drift_and_period(run: str, series: dict[str, np.ndarray]) -> None:
    x, expected = series[run], EXPECTED[run]
    noise, moved, wave = noise_interval(x), drift(x), period(x)
    assert noise.n == expected["n"]
    fields = {"mean": noise.mean, "sd": noise.sd, "iat": noise.iat, "ess": noise.ess, "half": noise.half_width}
    fields |= {"half_iat": noise.half_iat, "half_bm5": noise.half_bm5}
    fields |= {"iid_half": t_quantile(0.975, math.inf) * noise.sd / math.sqrt(noise.n)}
    fields |= {"drift": moved.change, "drift_half": moved.half_width}
    assert wave is not None
    fields |= {"whole_period_s": wave.period_s, "whole_period_share": wave.share, "whole_period_acf": wave.correlation}
    assert fields == {name: close(expected[name]) for name in fields}
    assert mser5(x) == expected["mser5"]


def test_segments_status_and_window_are_the_expected_ones(run: str, series: dict[str, np.ndarray]) -> None:
    expected, found = EXPECTED[run], steady_state(series[run])
    assert found.levels is not None
    assert found.window is not None
    assert list(found.levels.bounds_s) == expected["segments"]
    assert list(found.levels.means) == pytest.approx(expected["segment_means"], abs=5.1e-4)
    assert (found.status, found.start_s, found.window.n) == (
        expected["status"],
        expected["steady_start"],
        expected["steady_n"],
    )
    assert (found.window.mean, found.window.half_width, found.window.iat) == (
        close(expected["steady_mean"]),
        close(expected["steady_half"]),
        close(expected["steady_iat"]),
    )


def test_the_judged_part_has_the_expected_drift_quarters_and_period(run: str, series: dict[str, np.ndarray]) -> None:
    expected, found = EXPECTED[run], steady_state(series[run])
    assert found.drift is not None
    assert found.period is not None
    assert found.drift.change == close(expected["steady_drift"])
    assert found.drift.half_width == close(expected["steady_drift_half"])
    assert found.quarters == close(expected["quarters"])
    assert found.period.period_s == close(expected["period_s"])
    assert found.period.share == close(expected["period_share"])
    assert found.period.correlation == close(expected["period_acf"])


def test_stalls_of_window_and_run_are_the_expected_ones(run: str, series: dict[str, np.ndarray]) -> None:
    x, expected = series[run], EXPECTED[run]
    window, whole = stalls(steady_state(x).seconds_of_window(x)), stalls(x)
    assert (window.count, window.longest_s) == (expected["stall_count"], expected["stall_longest"])
    assert (window.median, window.share, window.lost) == (
        close(expected["stall_median"]),
        close(expected["stall_share"]),
        close(expected["stall_lost"]),
    )
    assert (whole.count, whole.longest_s) == (expected["whole_stall_count"], expected["whole_stall_longest"])
    assert whole.share == close(expected["whole_stall_share"])


def test_the_stopping_rules_stop_where_expected(run: str, series: dict[str, np.ndarray]) -> None:
    x, expected = series[run], EXPECTED[run]
    checks = StopChecks(x)
    for percent in (1, 2, 5):
        point = stopping_point(x, StoppingRule(precision=percent / 100, cap_s=None), checks)
        assert (point.at_s if point else None) == expected[f"stop_{percent}pct_s"]
        assert (point.mean if point else None) == close(expected[f"stop_{percent}pct_mean"])
