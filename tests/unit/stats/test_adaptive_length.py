"""The course of a run: the same second by second and afterwards, ended by state and certainty, or at its caps."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from dbdyno.stats import AdaptiveLengthRule, Course, StoppingRule, advanced, followed, run_course
from planted_series import jump, noisy
from public_series import RUNS, public_series

OPEN = AdaptiveLengthRule(1800, 900, by_state=True, stopping=StoppingRule(cap_s=None))


def played(series: np.ndarray, rule: AdaptiveLengthRule) -> Course:
    """The course of a run that is told of each second as it comes, and of nothing after it."""
    course = Course()
    for second in range(1, len(series) + 1):
        course = advanced(course, series[:second], rule)
    return course


@pytest.fixture(scope="module")
def series() -> dict[str, np.ndarray]:
    return public_series()


@pytest.mark.parametrize("run", RUNS)
def test_a_real_run_played_second_by_second_takes_the_course_that_its_stored_seconds_give(
    run: str, series: dict[str, np.ndarray]
) -> None:
    seconds = series[run][:3000]
    assert played(seconds, OPEN) == followed(seconds, OPEN)


def test_windows_of_settled_real_runs_stand_for_the_level_that_follows(series: dict[str, np.ndarray]) -> None:
    """Not of those that shift later: throughput alone can't see that, and here no server could be asked."""
    for run in ("RO-Ma11_4-bp32-t128", "RO-Ma12_1-bp32-t128", "RW-My8_0-bp2-t1", "RWn-My8_0-bp2-t256"):
        course = followed(series[run], OPEN)
        window = series[run][course.window_first_s : course.window_end_s]
        assert course.window_end == "certainty"
        assert window.mean() == pytest.approx(series[run][-300:].mean(), rel=0.02)


def test_what_comes_after_the_window_changes_nothing() -> None:
    level = noisy(1000.0)
    course = followed(level, OPEN)
    later = np.concatenate([level[: course.window_end_s + 2], np.zeros(200)])
    assert followed(later, OPEN) == course


def test_the_warm_up_lasts_until_a_jump_lies_two_minutes_back() -> None:
    course = followed(noisy(jump(100, 700, 1000)), OPEN)
    assert course.warm_up_end == "state"
    assert course.warm_up_s is not None and course.warm_up_s >= 220


def test_a_jump_after_the_warm_up_is_left_out_of_the_window() -> None:
    course = followed(noisy(jump(300, 700, 1000)), OPEN)
    assert course.warm_up_s == 142
    assert course.window_first_s is not None and course.window_first_s >= 300


def test_a_run_that_never_settles_is_judged_after_its_cap_and_says_what_moved() -> None:
    rule = AdaptiveLengthRule(200, 120, by_state=True, stopping=StoppingRule(first_s=60, cap_s=None))
    course = followed(np.linspace(100, 1000, 400), rule)
    assert (course.warm_up_s, course.warm_up_end, course.unsettled) == (200, "cap", ("throughput drifting",))
    assert (course.window_end_s, course.window_end) == (320, "cap")


def test_a_server_that_has_not_settled_keeps_the_warm_up_going() -> None:
    def gates(first_s: int, end_s: int) -> Mapping[str, bool | None]:
        return {"redo": end_s >= 400, "history": None}

    course = followed(noisy(1000.0), OPEN, gates)
    assert course.warm_up_s == 422  # three checks in a row from 400 s on, two seconds late
    assert course.server is not None and course.server.unread == ("history",)


def test_after_a_fixed_warm_up_checks_count_only_once_the_server_has_settled() -> None:
    rule = AdaptiveLengthRule(30, 900, stopping=StoppingRule(first_s=60, cap_s=None))
    asked = followed(noisy(1000.0), rule, lambda first_s, end_s: {"cache": end_s >= 300})
    free = followed(noisy(1000.0), rule)
    assert free.window_end_s == 150
    assert asked.window_end_s is not None and asked.window_end_s > 300


def test_a_fixed_window_after_an_open_warm_up_has_its_length() -> None:
    found = run_course(
        followed(noisy(1000.0), AdaptiveLengthRule(600, 100, by_state=True)),
        AdaptiveLengthRule(600, 100, by_state=True),
    )
    assert found is not None
    assert (found.window_end_s - found.window_first_s, found.window_end) == (100, "fixed")
    assert found.saved_s == 700 - found.window_end_s


def test_a_run_cut_short_has_no_course_to_keep() -> None:
    assert run_course(followed(noisy(1000.0)[:150], OPEN), OPEN) is None


def test_a_dead_run_reaches_its_caps() -> None:
    rule = AdaptiveLengthRule(150, 90, by_state=True, stopping=StoppingRule(first_s=60, cap_s=None))
    course = followed(np.zeros(300), rule)
    assert (course.warm_up_end, course.window_end) == ("cap", "cap")


@pytest.mark.parametrize(
    ("rule", "longest_s"),
    [
        (AdaptiveLengthRule(100, 200), 300),
        (AdaptiveLengthRule(100, 200, by_state=True), 302),  # checks lag behind by two seconds
        (AdaptiveLengthRule(100, 200, stopping=StoppingRule()), 302),
    ],
)
def test_a_run_is_driven_no_longer_than_both_caps_and_the_lag_of_the_last_check(
    rule: AdaptiveLengthRule, longest_s: int
) -> None:
    assert rule.longest_s == longest_s
    assert followed(np.linspace(100, 1000, longest_s - 1), rule).window_end is None
    assert followed(np.linspace(100, 1000, longest_s), rule).window_end_s == 300


def test_a_window_too_short_for_a_check_is_all_that_was_driven() -> None:
    course = followed(noisy(1000.0), AdaptiveLengthRule(10, 1, stopping=StoppingRule(cap_s=None)))
    assert (course.window_first_s, course.window_end_s, course.window_end) == (10, 11, "cap")
    assert course.last_check is None
