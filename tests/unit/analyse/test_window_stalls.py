"""Stalls of a run's window, second by second."""

from __future__ import annotations

import numpy as np
import pytest

from dbdyno.analyse import window_stalls
from dbdyno.stats import settled_part


def test_a_short_window_has_the_stalls_of_all_its_seconds() -> None:
    found = window_stalls(np.array([100.0, 100.0, 1.0, 2.0, 100.0, 120.0]), None)
    assert np.flatnonzero(found.is_stalled).tolist() == [2, 3]
    assert (found.median, found.count, found.is_coarse) == (100.0, 2, False)
    assert (found.share, found.lowest, found.highest) == pytest.approx((2 / 6, 0.01, 1.2))


def test_a_judged_window_has_those_of_its_settled_part() -> None:
    rising = np.concatenate([np.linspace(5.0, 40.0, 100), np.random.default_rng(3).normal(100.0, 2.0, 600)])
    rising[400:404] = 10.0
    judged = settled_part(rising)
    found = window_stalls(rising, judged)
    assert np.flatnonzero(found.is_stalled).tolist() == [400, 401, 402, 403]
    assert found.count == 4 and found.share == 4 / 700
    assert found.lowest == pytest.approx(0.1, rel=0.02), "not the slower beginning"


@pytest.mark.parametrize("window", [[], [0.0, 0.0, 5.0], [0.0] * 200])
def test_a_window_whose_median_second_did_nothing_has_no_level(window: list[float]) -> None:
    found = window_stalls(np.array(window), settled_part(window))
    assert found.median is None and found.share == 1.0
    assert not found.is_stalled.any() and len(found.is_stalled) == len(window)
