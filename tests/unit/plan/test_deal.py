"""Benches take what is left of a study: all of it once, what is compared together, sentinels on each of them."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from dbdyno.core import Run, RunRecord, RunSpan, TotalFigures
from dbdyno.plan import (
    Piece,
    benches_apart,
    dealt_to_benches,
    make_plan,
    next_piece,
    ordered_runs,
    pieces,
    pieces_left,
    share_server,
    wanted_runs,
)
from dbdyno.study import BenchChoice, Study, parse_study

TEXT = """
targets = ["mysql:9.7", "mariadb:11.8", "mariadb:11.8+rocksdb"]
[[workload]]
name = "sysbench/oltp_read_only"
[[workload]]
name = "sysbench/oltp_read_write"
[axes]
tier = ["64MB", "512MB"]
concurrency = [1, 4, 16]
[measure]
repeats = 3
{more}
"""


def _study(benches: int, more: str = "") -> Study:
    study = parse_study(TEXT.format(more=more), "example")
    return replace(study, benches=tuple(BenchChoice(f"b{number}") for number in range(benches)))


def _record(run: Run, bench: str, tps: float = 100.0, ended_ns: int = 1) -> RunRecord:
    return RunRecord(
        run,
        "f",
        "1",
        "innodb",
        "good",
        figures=TotalFigures(tps_mean=tps),
        span=RunSpan(ended_ns=ended_ns),
        bench=bench,
    )


def _identity(run: Run) -> tuple[str, int]:
    return run.run_id, run.seed


@pytest.mark.parametrize("benches", [2, 3, 4, 5, 12, 20])
@pytest.mark.parametrize("more", ["", 'restore = "ladder"', 'sentinel = "mysql:9.7"'])
def test_pieces_are_the_study_in_the_order_of_one_machine(benches: int, more: str) -> None:
    study = _study(benches, more)
    runs = make_plan(study).runs
    divided = pieces(study, runs, benches)
    assert sorted(run.order_index for own in divided for run in own) == list(range(len(runs)))
    assert len({run.run_id for run in runs}) == len(runs)
    alone = [_identity(run) for run in ordered_runs(replace(study, benches=())) if not run.is_sentinel]
    assert [_identity(run) for run in runs if not run.is_sentinel] == alone
    for own in divided:
        assert [run.order_index for run in own] == sorted(run.order_index for run in own)
    owners: dict[tuple[object, ...], set[int]] = {}
    for number, own in enumerate(divided):
        for run in own:
            if not run.is_sentinel:
                key = (run.cell.workload, run.cell.tier_bytes, run.repeat)
                owners.setdefault(key if benches > 4 else key[:2], set()).add(number)
    assert all(len(numbers) == 1 for numbers in owners.values())


@pytest.mark.parametrize("more", ['sentinel = "mysql:9.7"', 'sentinel = "mysql:9.7"\nrestore = "ladder"'])
@pytest.mark.parametrize("benches", [2, 5])
def test_a_sentinel_watches_each_piece_and_cuts_no_ladder(benches: int, more: str) -> None:
    study = _study(benches, more)
    for own in pieces(study, make_plan(study).runs, benches):
        places = [place for place, run in enumerate(own) if run.is_sentinel]
        assert (places[0], places[2], len(places)) == (0, len(own) - 1, 3)
        assert abs(places[1] - len(own) / 2) <= 2
        before, after = own[places[1] - 1], own[places[1] + 1]
        assert not share_server(study, before, after)


def test_work_units_stay_together_where_further_repeats_depend_on_all_their_runs() -> None:
    study = replace(_study(8), repeats_max=9)
    assert len(pieces(study, make_plan(study).runs, 8)) == 4


@pytest.mark.parametrize("benches", [2, 3, 7])
def test_benches_that_come_and_go_make_every_run_once(benches: int) -> None:
    chance = random.Random(benches)
    study = _study(benches, 'sentinel = "mysql:9.7"')
    divided = pieces(study, make_plan(study).runs, benches)
    for _ in range(20):
        records: dict[str, RunRecord] = {}
        names = [bench.name for bench in study.benches]
        there, under_way, clock = set(names), dict[str, Piece](), 0
        while True:
            for name in sorted(there - under_way.keys()):
                taken = {piece.key for piece in under_way.values()}
                left = [piece for piece in pieces_left(study, divided, records) if piece.key not in taken]
                if piece := next_piece(left, name, there - {name}):
                    assert not piece.bench or piece.bench == name or piece.bench not in there
                    under_way[name] = piece
            if not under_way:
                break
            name = chance.choice(sorted(under_way))
            lost = chance.random() < 0.1 and len(there) > 1
            made = under_way.pop(name).runs
            for run in made[: chance.randrange(len(made))] if lost else made:
                assert run.run_id not in records
                clock += 1
                records[run.run_id] = _record(run, name, ended_ns=clock)
            if lost:
                there.remove(name)
            if chance.random() < 0.1:
                there = set(names)  # the same command again
        assert records.keys() == {run.run_id for run in make_plan(study).runs}


def test_a_bench_goes_on_with_what_it_has_begun_and_leaves_alone_what_others_have() -> None:
    left = [Piece("x", (), "b"), Piece("y", (), "a"), Piece("z", (), "")]
    assert next_piece(left, "a", {"b"}) == left[1]
    assert next_piece(left, "c", {"a", "b"}) == left[2]
    assert next_piece(left[:2], "c", {"a", "b"}) is None
    assert next_piece(left[:2], "c", {"a"}) == left[0]


@pytest.mark.parametrize(
    ("levels", "apart"),
    [
        ((100, 106, 97), {}),
        ((100, 85, 101), {"b1": -0.154}),
        ((80, 100, 101), {"b0": -0.204}),
        ((100, 120), {"b1": 0.2}),
        ((100, 60, 140, 101), {"b1": -0.406, "b2": 0.393}),
    ],
)
def test_benches_that_are_more_than_a_tenth_apart_are_named(levels: tuple[int, ...], apart: dict[str, float]) -> None:
    study = _study(2, 'sentinel = "mysql:9.7"')
    watching = [run for run in make_plan(study).runs if run.is_sentinel]
    records = [_record(watching[0], f"b{number}", level) for number, level in enumerate(levels)]
    records.append(_record(make_plan(study).runs[1], "b0", 1.0))
    found = benches_apart(records, [f"b{number}" for number in range(len(levels))])
    assert found == pytest.approx(apart, abs=0.001)


def test_what_the_noise_of_windows_may_make_sets_no_bench_aside() -> None:
    study = _study(2, 'sentinel = "mysql:9.7"')
    watching = next(run for run in make_plan(study).runs if run.is_sentinel)
    both = [_record(watching, "b0", 100.0), _record(watching, "b1", 80.0)]
    assert benches_apart(
        [replace(one, figures=replace(one.figures, tps_half_width=1.0)) for one in both], ["b0", "b1"]
    ).keys() == {"b1"}
    assert (
        benches_apart([replace(one, figures=replace(one.figures, tps_half_width=25.0)) for one in both], ["b0", "b1"])
        == {}
    )


def test_further_repeats_are_numbered_on_from_the_whole_plan() -> None:
    study = replace(_study(2, 'sentinel = "mysql:9.7"'), repeats=2, repeats_max=4)
    runs = make_plan(study).runs
    divided = pieces(study, runs, 2)
    records = [replace(_record(run, "b0"), status="failed") for run in runs]
    numbers = [run.order_index for own in divided for run in wanted_runs(study, own, records)]
    assert sorted(numbers) == list(range(len(numbers)))
    assert (len(divided), len(numbers)) == (4, 84 + 36)


def test_the_time_of_the_benches_is_that_of_the_one_with_the_most_to_do() -> None:
    alone = _study(1)
    plan = make_plan(alone)
    times = [dealt_to_benches(alone, plan.budget, count) for count in (1, 2, 3)]
    runs_ns = plan.budget.runs.expected_ns
    assert [time.makespan_ns - plan.budget.prepare_ns for time in times] == pytest.approx(
        [runs_ns, runs_ns / 2, runs_ns / 2], rel=1e-6
    )
    assert times[1].idle_share == pytest.approx(0, abs=1e-6)
    assert 0.2 < times[2].idle_share < 1 / 3


@pytest.mark.parametrize("count", [1, 2, 4, 8, 12])
def test_the_time_of_other_counts_of_benches_has_the_sentinels_that_they_would_have(count: int) -> None:
    study, other = _study(3, 'sentinel = "mysql:9.7"'), _study(count, 'sentinel = "mysql:9.7"')
    budget, runs = make_plan(study).budget, make_plan(other).runs
    dealt = dealt_to_benches(study, budget, count)
    prepared = dealt.machine_ns - len(runs) * (budget.runs.expected_ns // budget.run_count)
    assert prepared == min(count, len(pieces(other, runs, count))) * budget.prepare_ns
    assert dealt.machines == count and dealt.makespan_ns <= dealt.machine_ns
    assert dealt.makespan_ns * count * (1 - dealt.idle_share) == pytest.approx(dealt.machine_ns)


@pytest.mark.parametrize("repeats", [1, 2, 5])
def test_a_sentinel_watches_more_rounds_than_there_are_work_units(repeats: int) -> None:
    study = replace(_study(2, 'sentinel = "mysql:9.7"'), repeats=repeats, tiers_bytes=(64 << 20,))
    study = replace(study, workloads=study.workloads[:1])
    budget = make_plan(study).budget
    alone, two = (dealt_to_benches(study, budget, count) for count in (1, 2))
    run_ns = budget.runs.expected_ns // budget.run_count
    assert alone.machine_ns == budget.prepare_ns + (9 + 3) * repeats * run_ns
    assert two.makespan_ns <= alone.makespan_ns
