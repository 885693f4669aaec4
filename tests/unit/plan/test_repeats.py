"""Further repeats: asked for after whole rounds, of cells that are not sure enough, from stored runs alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from dbdyno.analyse import judge_cells
from dbdyno.core import Run, RunRecord, SettledPart, TotalFigures
from dbdyno.plan import PartOfStudy, further_rounds, make_plan, runs_of_part
from dbdyno.study import Study, parse_study, study_text
from numbers_in import numbers_in

TEXT = """
targets = ["mysql:9.7", "mariadb:11.8"]
workload.name = "oltp_read_only"
axes = {tier = "64MB", concurrency = [1, 2, 4, 8, 16]}
measure = {repeats = 2, repeats_max = 4, level_target_half_width = 0.03}
"""


@pytest.fixture
def study() -> Study:
    return parse_study(TEXT, "further.toml")


def record(run: Run, log: float) -> RunRecord:
    tps = math.exp(log)
    return RunRecord(
        run,
        "mysql",
        "9.7.4",
        "innodb",
        "good",
        figures=TotalFigures(window_s=60.0, tps_mean=tps, tps_half_width=0.001 * tps),
    )


def records(runs: Sequence[Run], spreads: Mapping[tuple[str, int], float]) -> list[RunRecord]:
    """Calm runs, but for cells with a spread of their own: repeats lie that far to both sides."""
    found = []
    for run in runs:
        spread = spreads.get((run.cell.target, run.cell.concurrency), 0.002)
        found.append(record(run, 7.0 + (spread if run.repeat % 2 else -spread)))
    return found


def test_cells_that_are_sure_enough_are_not_repeated(study: Study) -> None:
    stored = records(make_plan(study).runs, {("mysql:9.7", 4): 0.3})
    (third,) = further_rounds(study, make_plan(study).runs, stored)
    assert [(run.cell.target, run.cell.concurrency, run.repeat) for run in third.runs] == [("mysql:9.7", 4, 3)]
    assert (third.sure_count, third.cell_count) == (9, 10)
    assert all(run.is_further for run in third.runs)


def test_where_all_are_sure_a_round_has_no_runs(study: Study) -> None:
    (third,) = further_rounds(study, make_plan(study).runs, records(make_plan(study).runs, {}))
    assert third.runs == ()


def test_nothing_is_asked_for_before_a_round_is_whole(study: Study) -> None:
    stored = records(make_plan(study).runs, {("mysql:9.7", 4): 0.3})
    assert further_rounds(study, make_plan(study).runs, stored[:-1]) == ()
    assert further_rounds(replace(study, repeats_max=None), make_plan(study).runs, stored) == ()


def test_rounds_follow_one_another_up_to_the_most(study: Study) -> None:
    stored = records(make_plan(study).runs, {("mysql:9.7", 4): 0.3})
    for repeat in (3, 4):
        rounds = further_rounds(study, make_plan(study).runs, stored)
        assert rounds[-1].repeat == repeat
        stored += records(rounds[-1].runs, {("mysql:9.7", 4): 0.3})
    assert further_rounds(study, make_plan(study).runs, stored) == rounds, "the fourth is the last"


def test_what_was_asked_for_stays_the_same_when_it_has_been_made(study: Study) -> None:
    stored = records(make_plan(study).runs, {("mysql:9.7", 4): 0.3})
    (third,) = further_rounds(study, make_plan(study).runs, stored)
    again = further_rounds(study, make_plan(study).runs, [*stored, *records(third.runs, {})])
    assert again[0] == third


def test_a_cell_whose_runs_have_not_settled_is_repeated(study: Study) -> None:
    stored = records(make_plan(study).runs, {})
    drifting = SettledPart("drifting", 200, 0, 1000.0, 10.0)
    stored = [replace(one, settled=drifting) if one.run.order_index == 0 else one for one in stored]
    (third,) = further_rounds(study, make_plan(study).runs, stored)
    assert [run.cell for run in third.runs] == [stored[0].run.cell]


def test_cells_told_apart_far_beyond_chance_are_not_repeated(study: Study) -> None:
    """A spread too wide for the level, and a difference that no spread explains."""
    spreads = {(target, step): 0.02 for target in ("mysql:9.7", "mariadb:11.8") for step in (1, 2, 4, 8, 16)}
    close = records(make_plan(study).runs, spreads)
    apart = [
        record(one.run, math.log(one.figures.tps_mean or 1.0) + (2.0 if one.run.cell.target == "mysql:9.7" else 0.0))
        for one in close
    ]
    assert len(further_rounds(study, make_plan(study).runs, close)[0].runs) == 10
    assert further_rounds(study, make_plan(study).runs, apart)[0].runs == ()


def test_the_spread_is_that_of_the_first_runs_alone(study: Study) -> None:
    """Four calm further runs make the level surer by their number, and the spread stays what it was."""
    stored = records(make_plan(study).runs, {("mysql:9.7", 4): 0.3})
    (third,) = further_rounds(study, make_plan(study).runs, stored)
    before = {one.cell: one for one in judge_cells(stored)}
    after = {one.cell: one for one in judge_cells([*stored, *(record(run, 7.0) for run in third.runs)])}
    cell = third.runs[0].cell
    was, now = before[cell].level, after[cell].level
    assert was is not None and now is not None
    assert (now.sd, now.df, now.repeats) == (was.sd, was.df, 3)
    assert now.se == pytest.approx(was.se * math.sqrt(2 / 3))
    calm = next(other for other in before if other != cell)
    assert before[calm].level == after[calm].level


def test_what_is_written_reads_back_the_same(study: Study) -> None:
    assert parse_study(study_text(study), "further.toml") == study
    assert numbers_in(study.repeats_words) == [2, 4, 3]


def test_a_part_of_a_study_repeats_its_own_cells_alone() -> None:
    study = parse_study(TEXT.replace('tier = "64MB"', 'tier = ["64MB", "512MB"]'), "further.toml")
    runs = make_plan(study).runs
    for number in (1, 2):
        part = runs_of_part(study, runs, PartOfStudy(number, 2))
        (third,) = further_rounds(study, part, records(part, {("mysql:9.7", 4): 0.3}))
        assert [(run.cell.target, run.cell.concurrency) for run in third.runs] == [("mysql:9.7", 4)]
        assert {run.cell for run in third.runs} <= {run.cell for run in part}
        assert third.cell_count == 10
