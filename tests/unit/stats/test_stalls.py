"""Stalls on planted series and on public ones."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from dbdyno.core import AnalysisError
from dbdyno.stats import stalled_seconds, stalls
from public_series import EXPECTED, public_series


def test_ten_planted_stalls_of_five_seconds_are_counted_exactly() -> None:
    tps = np.random.default_rng(4).normal(1000, 20, 900)
    for start in range(45, 900, 90):
        tps[start : start + 5] = 100.0
    found = stalls(tps)
    assert (found.count, found.longest_s, found.share) == (10, 5, pytest.approx(50 / 900))
    assert found.lost == pytest.approx(0.9 * 50 / 900, rel=0.01)


def test_a_stall_at_either_end_is_counted() -> None:
    assert stalls([0.0, 9.0, 9.0, 9.0, 0.0]).count == 2


@pytest.mark.parametrize(
    ("tps", "expected"),
    [
        # Seconds of 0 are no stall where ten of them together do as much as others: groups of ten are judged.
        ([10.0, 0.0] * 15, (0.0, 0, 0, 0.0, True, 5.0, 15)),
        # Four groups of 10, 2, 2 and 10 per second, median 6: two are below 3, one stall of 20 s; 4 + 4 of 4 x 6 lost.
        ([10.0] * 10 + [2.0] * 20 + [10.0] * 10, (0.5, 1, 20, 8 / 24, True, 6.0, 0)),
        # Of 39 seconds the last nine are in no group.
        ([10.0] * 30 + [0.0] * 9, (0.0, 0, 0, 0.0, True, 10.0, 9)),
        # The median second does 19, groups of ten 23.4: what was judged are the groups.
        (([19.0] * 6 + [30.0] * 4) * 3, (0.0, 0, 0, 0.0, True, 23.4, 0)),
        # The median second does 20: single seconds are judged, and so are windows too short for groups.
        ([20.0] * 29 + [9.0], (1 / 30, 1, 1, 11 / 600, False, 20.0, 0)),
        ([10.0, 11.0, 4.0, 10.0], (0.25, 1, 1, 6 / 40, False, 10.0, 0)),
        ([10.0] * 9, (0.0, 0, 0, 0.0, False, 10.0, 0)),
        ([10.0] * 10, (0.0, 0, 0, 0.0, True, 10.0, 0)),
    ],
)
def test_below_20_tps_groups_of_ten_seconds_are_judged(tps: list[float], expected: tuple[float, ...]) -> None:
    assert dataclasses.astuple(stalls(tps)) == pytest.approx(expected)


def test_a_second_at_half_of_the_median_is_not_stalled_and_the_longest_stall_is_told() -> None:
    found = stalls([100.0, 50.0, 100.0, 49.9, 100.0, 10.0, 10.0, 100.0, 100.0, 100.0])
    assert (found.count, found.longest_s, found.share) == (2, 2, 0.3)


def test_all_seconds_of_a_stalled_group_are_stalled_and_those_in_no_group_are_not() -> None:
    found = stalled_seconds([10.0] * 20 + [2.0] * 10 + [0.0] * 9)
    assert np.flatnonzero(found).tolist() == list(range(20, 30))
    assert len(found) == 39


def test_public_runs_have_the_expected_stalls() -> None:
    series = public_series()
    for run, expected in EXPECTED.items():
        found = stalls(series[run])
        assert found.share == pytest.approx(expected["whole_stall_share"], abs=2e-6), run
        counts = (expected["whole_stall_count"], expected["whole_stall_longest"])
        assert (found.count, found.longest_s) == counts, run


@pytest.mark.parametrize("dead", [[], [0.0, 0.0, 5.0]])
def test_a_dead_window_has_no_median_to_stall_from(dead: list[float]) -> None:
    with pytest.raises(AnalysisError, match="no stalls"):
        stalls(dead)
