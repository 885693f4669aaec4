"""Stalls on planted series and on public ones."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from dbdyno.core import AnalysisError
from dbdyno.stats import stalls

SERIES = Path(__file__).parents[4] / "shared" / "data" / "series"


def test_ten_planted_stalls_of_five_seconds_are_counted_exactly() -> None:
    tps = np.random.default_rng(4).normal(1000, 20, 900)
    for start in range(45, 900, 90):
        tps[start : start + 5] = 100.0
    found = stalls(tps)
    assert (found.count, found.longest_s, found.share) == (10, 5, pytest.approx(50 / 900))
    assert found.lost == pytest.approx(0.9 * 50 / 900, rel=0.01)


def test_a_stall_at_either_end_is_counted() -> None:
    assert stalls([0.0, 9.0, 9.0, 9.0, 0.0]).count == 2


def test_a_slow_engine_is_marked_as_too_coarse_to_tell() -> None:
    assert stalls([10.0, 11.0, 4.0, 10.0]).coarse
    assert not stalls([100.0] * 4).coarse


@pytest.mark.skipif(not SERIES.is_dir(), reason="the shared series are not beside this checkout")
def test_public_runs_have_the_expected_stalls() -> None:
    table = pq.read_table(SERIES / "series.parquet", columns=["run", "tps"])
    runs, tps = np.array(table["run"].to_pylist()), table["tps"].to_numpy()
    for run, expected in json.loads((SERIES / "expected.json").read_text()).items():
        found = stalls(tps[runs == run])
        assert found.share == pytest.approx(expected["whole_stall_share"], abs=2e-6), run
        counts = (expected["whole_stall_count"], expected["whole_stall_longest"])
        assert (found.count, found.longest_s) == counts, run


@pytest.mark.parametrize("dead", [[], [0.0, 0.0, 5.0]])
def test_a_dead_window_has_no_median_to_stall_from(dead: list[float]) -> None:
    with pytest.raises(AnalysisError, match="no stalls"):
        stalls(dead)
