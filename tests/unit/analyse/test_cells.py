"""Levels of cells: intervals from repeats, never narrower than noise, and honest about single runs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from dbdyno.analyse import judge_cells
from dbdyno.core import RunRecord
from dbdyno.stats import PRIOR_SPREAD

MakeRecord = Callable[..., RunRecord]
MakeStudy = Callable[..., list[RunRecord]]


def test_repeats_are_averaged_on_the_log_scale(record: MakeRecord) -> None:
    (cell,) = judge_cells([record(tps=90.0), record(tps=110.0, repeat=2)])
    assert cell.tps_mean == pytest.approx(math.sqrt(90 * 110))
    assert cell.interval_kind == "repeats"
    assert cell.tps_low < 90 < 110 < cell.tps_high


def test_many_cells_moderate_each_other(study: MakeStudy) -> None:
    cells = judge_cells(study({"a": 100.0, "b": 200.0}))
    assert {cell.interval_kind for cell in cells} == {"repeats, moderated"}
    widths = [(cell.tps_high - cell.tps_low) / cell.tps_mean for cell in cells]
    assert max(widths) < 0.10


def test_an_interval_is_never_narrower_than_the_noise(record: MakeRecord) -> None:
    (cell,) = judge_cells([record(tps=100.0, repeat=repeat, figures={"tps_half_width": 8.0}) for repeat in (1, 2)])
    assert cell.noise_half_width == pytest.approx(8 / math.sqrt(2))
    assert cell.tps_low <= cell.tps_mean - cell.noise_half_width
    assert cell.tps_high >= cell.tps_mean + cell.noise_half_width


def test_a_single_run_gets_an_assumed_spread_and_says_so(record: MakeRecord) -> None:
    (cell,) = judge_cells([record(tps=100.0)])
    assert cell.interval_kind == "one run, assumed spread"
    assert cell.assumed_spread == PRIOR_SPREAD
    half = 1.96 * 100 * math.hypot(0.01 / 1.96, PRIOR_SPREAD)
    assert (cell.tps_high - cell.tps_low) / 2 == pytest.approx(half, rel=0.01)


def test_a_single_run_borrows_the_spread_of_a_few_repeated_cells_and_of_the_sentinel(record: MakeRecord) -> None:
    lonely = record("lonely", 100.0)
    few = [record("few", 100.0 * (1 + 0.1 * n), repeat=n) for n in (1, 2)]
    assert judge_cells([lonely, *few])[0].interval_kind == "one run, assumed spread"
    assert judge_cells([lonely, *few])[0].assumed_spread > PRIOR_SPREAD
    watched = [
        replace(found, run=replace(found.run, is_sentinel=True, order_index=n))
        for n, tps in enumerate((100.0, 104.0, 97.0, 102.0, 99.0, 103.0))
        if (found := record("watch", tps, repeat=n + 1))
    ]
    cell = judge_cells([lonely, *watched])[0]
    assert (cell.interval_kind, cell.assumed_spread, cell.level.df) == ("one run, borrowed spread", None, 4.0)
    assert 0.01 < cell.level.sd < 0.05


def test_a_single_run_among_repeated_cells_borrows_their_spread(study: MakeStudy, record: MakeRecord) -> None:
    wide = judge_cells([*study({"a": 100.0, "b": 200.0}, spread=0.10), record("lonely")])[-1]
    assert wide.interval_kind == "one run, borrowed spread"
    assert wide.level.sd > 0.03


def test_suspect_runs_are_shown_but_not_trusted(record: MakeRecord) -> None:
    (cell,) = judge_cells([record(status="suspect", reason="client 93 % busy")])
    assert cell.tps_mean == pytest.approx(100.0)
    assert not cell.trusted


def test_a_good_run_is_not_mixed_with_a_suspect_one(record: MakeRecord) -> None:
    (cell,) = judge_cells([record(tps=100.0), record(tps=10.0, repeat=2, status="suspect")])
    assert cell.tps_mean == pytest.approx(100.0)
    assert [run.run.repeat for run in cell.runs] == [1, 2]


@pytest.mark.parametrize(("status", "tps"), [("failed", None), ("missing", None), ("good", 0.0)])
def test_a_cell_without_throughput_has_no_level(record: MakeRecord, status: str, tps: float | None) -> None:
    (cell,) = judge_cells([record(tps=None, status=status, figures={"tps_mean": tps})])
    assert cell.level is None
    assert cell.tps_mean is None


def test_wildly_different_repeats_give_a_finite_interval(record: MakeRecord) -> None:
    (cell,) = judge_cells([record(tps=0.001), record(tps=1e6, repeat=2)])
    assert math.isfinite(cell.tps_high)
    assert cell.tps_low >= 0


def test_no_records_give_no_cells() -> None:
    assert judge_cells([]) == []
