"""Runs of days: searches for pieces and for the stop leave out what can't matter, and find what full ones find."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from dbdyno.analyse import judge_series
from dbdyno.stats import StopCheck, StopChecks, StoppingRule, stop_check, stopping_point
from dbdyno.stats._segments import LEAST_GROUPS, _least_squares_bounds
from planted_series import may_stop

FloatArray = NDArray[np.float64]
GROUPS = 1500


def bounds_of_full_search(calm: FloatArray, variance: float) -> list[int]:
    """As `_least_squares_bounds`, with each start tried for each end."""
    count = len(calm)
    penalty = 3 * variance * math.log(count)
    centred = calm - calm.mean()
    sums, squares = (np.concatenate([[0.0], np.cumsum(values)]) for values in (centred, centred**2))
    cheapest, last_start = np.full(count + 1, np.inf), np.zeros(count + 1, dtype=np.intp)
    cheapest[0] = 0.0
    for end in range(LEAST_GROUPS, count + 1):
        start = np.arange(end - LEAST_GROUPS + 1)
        residual_squares = squares[end] - squares[start] - (sums[end] - sums[start]) ** 2 / (end - start)
        costs = cheapest[start] + residual_squares
        last_start[end] = costs.argmin()
        cheapest[end] = costs[last_start[end]] + penalty
    bounds = [count]
    while bounds[0] > 0:
        bounds.insert(0, int(last_start[bounds[0]]))
    return bounds


def levels(random: np.random.Generator) -> FloatArray:
    lengths = random.integers(1, 200, 40)
    return np.repeat(random.normal(1000, 60, 40), lengths)[:GROUPS]


SHAPES: dict[str, Callable[[np.random.Generator], FloatArray]] = {
    "one level": lambda random: np.full(GROUPS, 1000.0),
    "levels": levels,
    "a ramp": lambda random: np.linspace(500, 1500, GROUPS),
    "a wave": lambda random: 1000 + 100 * np.sin(np.arange(GROUPS) / random.uniform(5, 100)),
    "a walk": lambda random: 1000 + random.normal(0, 3, GROUPS).cumsum(),
    "whole numbers": lambda random: np.round(1000 + random.normal(0, 1, GROUPS)),
    "zeros": lambda random: np.where(random.random(GROUPS) < 0.5, 0.0, 1000.0),
}


@pytest.mark.parametrize("noise", [0.0, 1e-6, 1.0, 30.0])
@pytest.mark.parametrize("penalised", [1e-12, 0.1, 1.0, 100.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_pieces_are_those_of_a_full_search_for_any_course_noise_and_penalty(
    shape: str, noise: float, penalised: float
) -> None:
    for seed in range(3):
        random = np.random.default_rng(seed)
        calm = SHAPES[shape](random)
        calm = calm + noise * random.normal(size=len(calm))
        assert _least_squares_bounds(calm, penalised) == bounds_of_full_search(calm, penalised), seed


@pytest.mark.parametrize("length", [13, 127, 128, 129, 134, 135, 262, 263])
def test_pieces_are_those_of_a_full_search_for_any_length(length: int) -> None:
    for seed in range(10):
        random = np.random.default_rng(seed)
        calm = 1000 + 50 * (random.random(length) < 0.5).cumsum() % 3 + random.normal(0, 10, length)
        assert _least_squares_bounds(calm, 100.0) == bounds_of_full_search(calm, 100.0), seed


@pytest.mark.parametrize("seed", range(30))
def test_a_run_is_stopped_where_the_first_row_of_checks_passes(seed: int) -> None:
    random = np.random.default_rng(seed)
    series = 1000 + 200 * np.sin(np.arange(3000) / random.uniform(20, 400)) + random.normal(0, 50, 3000)
    for precision in (0.005, 0.01, 0.02, 0.05):
        rule = StoppingRule(precision=precision, cap_s=None, passes=int(random.integers(1, 5)))
        made: list[StopCheck] = []
        expected = None
        for second in range(180, 3001, 30):
            made.append(stop_check(series[:second]))
            if may_stop(made, rule):
                expected = made[-1]
                break
        point = stopping_point(series, rule)
        assert (point and (point.at_s, point.mean, point.half_width)) == (
            expected and (expected.at_s, expected.mean, expected.half_width)
        )


def test_checks_after_the_stop_are_not_made() -> None:
    checks = StopChecks(1000 + np.random.default_rng(1).normal(0, 10, 100_000))
    assert stopping_point([1000.0] * 100_000, StoppingRule(), checks) is not None
    assert len(checks._checks) < 10 < len(checks)


@pytest.mark.parametrize("course", ["level", "drifting", "waves"])
def test_a_day_is_judged_in_seconds(course: str) -> None:
    """The drifting one took minutes when each check was made and each start of a piece was tried."""
    second = np.arange(86_400)
    level = {"level": 1000.0, "drifting": 1000 + second / 100, "waves": 1000 + 200 * np.sin(second / 5000)}[course]
    series = level + np.random.default_rng(1).normal(0, 50, len(second))
    began_s = time.process_time()
    judge_series(series)
    assert time.process_time() - began_s < 30
