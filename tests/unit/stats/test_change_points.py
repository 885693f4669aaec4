"""Moves of levels over a history: planted ones are found, noise is left alone, and others' answers are ours."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from dbdyno.core import AnalysisError
from dbdyno.stats import change_points, smallest_new_change, spread_between

ANSWERS = Path(__file__).parent / "otava_answers.json"


def _noise(count: int, seed: int, spread: float = 0.01) -> np.ndarray:
    return np.random.default_rng(seed).normal(7.0, spread, count)


def test_a_planted_move_is_found_with_its_place_and_size() -> None:
    logs = _noise(30, 1)
    logs[18:] -= 0.08
    (move,) = change_points(np.exp(logs))
    assert move.index == 18
    assert move.low < math.exp(-0.08) < move.high
    assert move.p < 1e-6


def test_a_level_that_came_back_is_two_moves() -> None:
    logs = _noise(40, 2)
    logs[15:25] += 0.1
    assert [move.index for move in change_points(np.exp(logs))] == [15, 25]


def test_the_newest_study_alone_can_be_a_move() -> None:
    logs = _noise(20, 3, 0.005)
    logs[-1] -= 0.1
    assert [move.index for move in change_points(np.exp(logs))] == [19]


def test_moves_far_apart_are_found_over_several_windows() -> None:
    logs = _noise(200, 4)
    logs[60:] += 0.06
    logs[140:] += 0.06
    assert [move.index for move in change_points(np.exp(logs))] == [60, 140]


@pytest.mark.parametrize("count", [5, 20, 60])
def test_noise_seldom_moves(count: int) -> None:
    found = sum(bool(change_points(np.exp(_noise(count, seed)))) for seed in range(200))
    assert found <= 6


def test_small_moves_are_not_told_however_sure() -> None:
    logs = _noise(60, 5, 0.0005)
    logs[30:] += 0.015
    assert change_points(np.exp(logs)) == []
    assert [move.index for move in change_points(np.exp(logs), least_move=0.01)] == [30]


def test_a_clean_step_is_certain_and_a_constant_does_not_move() -> None:
    (move,) = change_points([100.0] * 5 + [90.0] * 5)
    assert move.index == 5
    assert (move.ratio, move.low, move.high) == pytest.approx((0.9, 0.9, 0.9), rel=2e-4)
    assert move.low < 0.9 < move.high
    assert 0 < move.p < 1e-6
    assert change_points([100.0] * 10) == []
    assert change_points([100.0, 50.0]) == []
    assert change_points([]) == []


def test_values_that_are_equal_by_rounding_are_not_without_spread() -> None:
    step = 0.018 / math.sqrt(12)
    assert change_points([10.27, 10.27, 10.27, 10.65], least_spread=step) == []
    assert smallest_new_change([10.27, 10.27], [], least_spread=step) > 1.03
    (move,) = change_points([10.27] * 20 + [10.65] * 5, least_spread=step)
    assert move.high - move.low > 0.009
    assert move.p > 1e-20


def test_intervals_are_never_narrower_than_the_studies_own() -> None:
    values = [100.0] * 5 + [90.0] * 5
    (move,) = change_points(values, [0.02] * 10)
    assert math.log(move.high / move.low) / 2 == pytest.approx(1.96 * 0.02 * math.sqrt(2 / 5))


def test_values_that_are_no_throughput_are_refused() -> None:
    for values in ([1.0, 0.0, 1.0], [1.0, float("nan"), 2.0], [[1.0], [2.0]]):
        with pytest.raises(AnalysisError):
            change_points(values)


def test_the_spread_is_around_the_levels_not_across_them() -> None:
    logs = _noise(60, 6)
    logs[30:] += 0.3
    moves = change_points(np.exp(logs))
    spread, df = spread_between(np.exp(logs), moves)
    assert df == 58
    assert 0.008 < spread < 0.012
    assert 1.03 < smallest_new_change(np.exp(logs), moves) < 1.05
    assert smallest_new_change([5.0], []) == math.inf


def test_apache_otava_finds_the_same_points() -> None:
    """Answers of apache-otava 0.8.0 (p 0.001, 2 %, windows of 50) to histories drawn at random with up to two moves."""
    cases = json.loads(ANSWERS.read_text())
    same = sum([move.index for move in change_points(case["values"])] == case["change_points"] for case in cases)
    assert len(cases) == 40
    assert same >= 37  # its t-test divides by n, ours by n - 1: ours is the stricter one where points are few
