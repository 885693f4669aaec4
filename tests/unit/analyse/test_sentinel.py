"""A cell driven again and again through a study: whether the machine moved under it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from dbdyno.analyse import StudyFacts, judge_cells, judge_sentinel, limitations, sentinel_words
from dbdyno.core import Cell, Run, RunRecord, RunSpan, RunStatus, StudyError, TotalFigures
from dbdyno.plan import make_plan
from dbdyno.study import parse_study, study_text
from error_codes import raises_code

CELL = Cell("mysql:9.7", 64 << 20, 4, "sysbench/oltp_read_only", "socket")
TEXT = """
targets = ["mysql:9.7", "mariadb:11.8"]
workload.name = "oltp_read_only"
axes = {tier = "64MB", concurrency = [1, 4, 16]}
measure = {repeats = 2, sentinel = "mysql:9.7"}
"""


def record(index: int, tps: float, *, is_sentinel: bool = True, status: RunStatus = "good") -> RunRecord:
    run = Run(CELL, index + 1, index, 1, "", is_sentinel=is_sentinel)
    return RunRecord(
        run,
        "mysql",
        "9.7.0",
        "innodb",
        status,
        figures=TotalFigures(tps_mean=tps, tps_half_width=1.0),
        span=RunSpan(started_ns=(index + 1) * 10**12),
    )


def drifting(share: float, spread: float = 0.0) -> list[RunRecord]:
    chance = np.random.default_rng(1)
    logs = np.linspace(0, math.log1p(share), 9) + chance.normal(0, spread, 9)
    return [record(index, 1000 * math.exp(log)) for index, log in enumerate(logs)]


def test_a_machine_that_gets_slower_is_seen() -> None:
    found = judge_sentinel(drifting(-0.05, 0.002))
    assert found is not None and found.change == pytest.approx(-0.05, abs=0.01)
    assert found.has_drifted and found.is_shown


@pytest.mark.parametrize(("is_interleaved", "other", "takes_turns"), [(1, 1, True), (0, 1, False), (1, 0, False)])
def test_a_drift_affects_all_alike_only_where_targets_take_turns(
    is_interleaved: int, other: int, takes_turns: bool
) -> None:
    run = record(9, 900.0, is_sentinel=False)
    others = [replace(run, run=replace(run.run, cell=replace(CELL, target="mariadb:11.8")))] * other
    records = [*drifting(-0.05, 0.002), *others]
    facts = StudyFacts(12.0, 9, is_closed=True, cores=8, shares_cores=False, is_interleaved=bool(is_interleaved))
    found = {caveat.code: caveat.text for caveat in limitations(facts, records, judge_cells(records), [])}
    assert ("Targets take turns" in found["sentinel-drift"]) is takes_turns


def test_a_machine_that_stays_is_left_alone() -> None:
    found = judge_sentinel(drifting(0.0, 0.005))
    assert found is not None and not found.has_drifted


def test_a_change_within_the_spread_of_its_runs_says_that_it_may_be_chance() -> None:
    found = judge_sentinel(drifting(0.05, 0.2))
    assert found is not None and not found.is_shown


def test_failed_runs_are_counted_and_two_are_too_few() -> None:
    found = judge_sentinel([record(0, 1000), record(1, 1100), record(2, 0, status="failed")])
    assert found is not None
    assert (found.runs, found.planned, found.change) == (2, 3, None)
    assert "too few" in sentinel_words(found)


def on_benches(levels: dict[str, float], share: float, spread: float = 0.002) -> list[RunRecord]:
    """Nine runs, each on the next bench."""
    chance = np.random.default_rng(2)
    logs = np.linspace(0, math.log1p(share), 9) + chance.normal(0, spread, 9)
    names = list(levels)
    return [
        replace(record(index, levels[name] * math.exp(log)), bench=name)
        for index, log in enumerate(logs)
        for name in (names[index % len(names)],)
    ]


def test_benches_that_are_apart_are_no_drift_and_widen_no_spread() -> None:
    alone = judge_sentinel(on_benches({"a": 1000.0}, -0.05))
    several = judge_sentinel(on_benches({"a": 1000.0, "b": 1080.0, "c": 1010.0}, -0.05))
    assert alone is not None and several is not None
    assert (alone.benches, alone.apart, several.benches) == (1, 0.0, 3)
    assert several.change == pytest.approx(-0.05, abs=0.01)
    assert several.apart == pytest.approx(0.08, abs=0.03)
    assert alone.spread is not None and several.spread == pytest.approx(alone.spread, rel=0.7)


@pytest.mark.parametrize(("levels", "codes"), [((1000.0, 1005.0), []), ((1000.0, 1060.0), ["benches-apart"])])
def test_benches_that_are_apart_are_a_limitation(levels: tuple[float, float], codes: list[str]) -> None:
    records = on_benches({"a": levels[0], "b": levels[1]}, 0.0)
    facts = StudyFacts(12.0, 9, is_closed=True, cores=8, shares_cores=False)
    found = [caveat.code for caveat in limitations(facts, records, judge_cells(records), [])]
    assert [code for code in found if code == "benches-apart"] == codes
    without = [replace(one, run=replace(one.run, is_sentinel=False)) for one in records]
    assert "benches-apart" in {caveat.code for caveat in limitations(facts, without, judge_cells(without), [])}


def test_a_bench_that_was_set_aside_is_not_one_of_those_that_ran() -> None:
    ran = [replace(record(index, 1000.0, is_sentinel=False), bench="a") for index in range(9, 11)]
    records = [*on_benches({"a": 1000.0, "b": 1300.0}, 0.0), *ran]
    sentinel = judge_sentinel(records)
    assert sentinel is not None and (sentinel.benches, sentinel.apart) == (1, 0.0)
    facts = StudyFacts(12.0, 9, is_closed=True, cores=8, shares_cores=False)
    assert "benches-apart" not in {caveat.code for caveat in limitations(facts, records, judge_cells(records), [])}


def test_no_level_rests_on_a_sentinel() -> None:
    cells = judge_cells([record(0, 1000, is_sentinel=False), record(1, 5000)])
    assert [cell.tps_mean for cell in cells] == [pytest.approx(1000)]
    assert judge_sentinel([record(0, 1000, is_sentinel=False)]) is None


def test_it_is_driven_first_in_the_middle_and_last_of_every_round_and_changes_no_other_order() -> None:
    study = parse_study(TEXT, "watched.toml")
    runs = make_plan(study).runs
    assert [run.is_sentinel for run in runs] == [True, *[False] * 3, True, *[False] * 3, True] * 2
    assert [run.order_index for run in runs] == list(range(18))
    assert len({run.run_id for run in runs}) == 18
    assert {run.seed for run in runs if run.is_sentinel} == {1}
    assert {run.cell.concurrency for run in runs if run.is_sentinel} == {4}
    plain = make_plan(parse_study(TEXT.replace(', sentinel = "mysql:9.7"', ""), "watched.toml")).runs
    assert [run.cell for run in runs if not run.is_sentinel] == [run.cell for run in plain]


def test_the_study_file_keeps_it_and_refuses_a_stranger() -> None:
    study = parse_study(TEXT, "watched.toml")
    assert parse_study(study_text(study), "watched.toml").sentinel == "mysql:9.7"
    with raises_code(StudyError, "unknown-target"):
        parse_study(TEXT.replace('sentinel = "mysql:9.7"', 'sentinel = "mysql:9.8"'), "watched.toml")
