"""The stopping rule: asked second by second it says what it says of the stored series."""

from __future__ import annotations

import numpy as np
import pytest

from dbdyno.stats import StopCheck, StopChecks, StoppingRule, stop_check, stopping_point
from planted_series import jump, may_stop, noisy, ramp


def asked_live(series: np.ndarray, rule: StoppingRule) -> int | None:
    """The second at which a run that is asked each second would be stopped."""
    checks: list[StopCheck] = []
    for second in range(1, len(series) + 1):
        if rule.is_due(second):
            checks.append(stop_check(series[:second]))
            if may_stop(checks, rule):
                return second
    return None


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("precision", [0.001, 0.002, 0.02])
@pytest.mark.parametrize("level", [np.full(900, 1000.0), jump(100, 600, 1000), ramp(0.06)])
def test_live_and_afterwards_it_stops_at_the_same_second(level: np.ndarray, precision: float, seed: int) -> None:
    series, rule = noisy(level, seed), StoppingRule(precision=precision, cap_s=None)
    point = stopping_point(series, rule)
    assert (point.at_s if point else None) == asked_live(series, rule)


def test_a_quiet_run_stops_at_the_third_check() -> None:
    point = stopping_point(noisy(1000.0))
    assert (point.at_s, point.reason) == (240, "precision")
    assert point.half_width <= 0.02 * point.mean


def test_what_comes_after_the_stop_changes_nothing() -> None:
    series = noisy(1000.0)
    assert stopping_point(np.concatenate([series[:300], 5 * series[300:]])) == stopping_point(series[:300])


def test_a_ramp_is_driven_to_the_cap_and_the_cap_is_a_result() -> None:
    point = stopping_point(noisy(ramp(1.0)))
    assert (point.at_s, point.reason) == (900, "cap")
    assert stopping_point(noisy(ramp(1.0))[:899]) is None


def test_one_failed_check_begins_the_count_anew() -> None:
    rule, series = StoppingRule(cap_s=None), [1000.0] * 600
    good = StopCheck(180, 0, 1000.0, 10.0, 50.0, 0.0)
    wide = StopCheck(210, 0, 1000.0, 30.0, 50.0, 0.0)
    assert stopping_point(series, rule, [good] * 3) is not None
    assert stopping_point(series, rule, [good, good, wide, good, good]) is None
    assert stopping_point(series, rule, [wide, good, good, good]) is not None


@pytest.mark.parametrize(
    "check",
    [
        StopCheck(180, 0, 1000.0, 20.1, 50.0, 0.0),
        StopCheck(180, 0, 1000.0, 10.0, 9.9, 0.0),
        StopCheck(180, 0, 1000.0, 10.0, 50.0, -0.041),
        StopCheck(180, 0, 0.0, 0.0, 50.0, 0.0),
    ],
)
def test_a_check_fails_on_width_correlation_drift_or_a_dead_server(check: StopCheck) -> None:
    assert not StoppingRule(precision=0.02).passed(check)


def test_a_dead_server_is_never_done() -> None:
    assert stopping_point(np.zeros(600)) is None
    assert len(StopChecks(np.zeros(600))) == 15
