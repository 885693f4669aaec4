"""The settled part of a window: what is cut is neither in the level nor a stall."""

from __future__ import annotations

import numpy as np
import pytest

from dbdyno.stats import settled_part
from planted_series import jump, noisy, ramp, stalled
from public_series import EXPECTED, RUNS, close, public_series


def test_a_slow_start_is_neither_in_the_level_nor_a_stall() -> None:
    found = settled_part(noisy(jump(300, 45, 103), 1))
    assert found is not None
    assert (found.status, found.start_s, found.stalled_s) == ("steady", 300, 0)
    assert found.tps_mean == pytest.approx(103, rel=0.003)


def test_stalls_after_the_start_count_as_before() -> None:
    level = jump(300, 45, 103) * (stalled() / 1000)
    found = settled_part(noisy(level, 1))
    assert found is not None and found.start_s is not None
    own = noisy(level, 1)[found.start_s :]
    assert found.stalled_s == int((own < 0.5 * np.median(own)).sum()) > 0


@pytest.mark.parametrize(("level", "status"), [(ramp(0.2), "drifting"), (jump(700, 1000, 1200), "drifting")])
def test_a_level_that_moves_is_not_accepted(level: np.ndarray, status: str) -> None:
    found = settled_part(noisy(level, 3))
    assert found is not None
    assert (found.status, found.is_accepted) == (status, False)


def test_a_server_that_died_has_no_level_and_no_stalls() -> None:
    found = settled_part(np.zeros(200))
    assert found is not None
    assert (found.status, found.tps_mean, found.stalled_s, found.judged_from_s) == ("dead", None, 0, 200)


@pytest.mark.parametrize("run", RUNS)
def test_public_runs_have_the_level_and_the_stalls_that_are_expected(run: str) -> None:
    found, expected = settled_part(public_series()[run]), EXPECTED[run]
    assert found is not None
    assert found.status == expected["status"]
    assert found.tps_mean == close(expected["steady_mean"])
    assert found.tps_half_width == close(expected["steady_half"])
    assert (found.stall_count, found.stall_longest_s) == (expected["stall_count"], expected["stall_longest"])
    if not found.stalls_are_coarse:
        assert found.stalled_s == pytest.approx(
            expected["stall_share"] * (found.seconds - found.judged_from_s), abs=0.01
        )
