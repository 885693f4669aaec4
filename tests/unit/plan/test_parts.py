"""Parts of a study: together they are the study, and what is compared is never split."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbdyno.core import RequestError, Run
from dbdyno.plan import PartOfStudy, dealt_over, make_plan, runs_of_part
from dbdyno.study import Study, parse_study

TEXT = """
targets = ["mysql:9.7", "mariadb:11.8", "mariadb:11.8+rocksdb"]
[[workload]]
name = "sysbench/oltp_read_only"
[[workload]]
name = "sysbench/oltp_read_write"
[axes]
tier = ["64MB", "512MB"]
concurrency = [1, 4, 16]
route = ["socket", "loopback"]
[measure]
repeats = 3
{more}
"""


def _study(more: str = "") -> Study:
    return parse_study(TEXT.format(more=more), "example")


def _parts(study: Study, count: int) -> list[tuple[Run, ...]]:
    runs = make_plan(study).runs
    return [runs_of_part(study, runs, PartOfStudy(number, count)) for number in range(1, count + 1)]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 12])
@pytest.mark.parametrize("more", ["", 'restore = "ladder"', 'sentinel = "mysql:9.7"'])
def test_all_parts_together_are_the_study_in_its_order(count: int, more: str) -> None:
    study = _study(more)
    parts = _parts(study, count)
    dealt = sorted((run for part in parts for run in part), key=lambda run: run.order_index)
    assert dealt == list(make_plan(study).runs)
    assert all([run.order_index for run in part] == sorted(run.order_index for run in part) for part in parts)
    assert max(map(len, parts)) <= 2.1 * len(dealt) / count


@pytest.mark.parametrize("count", [2, 4, 8, 12])
def test_targets_of_a_place_in_a_round_are_never_split(count: int) -> None:
    owners: dict[tuple[object, ...], set[int]] = {}
    for number, part in enumerate(_parts(_study(), count)):
        for run in part:
            cell = run.cell
            place = (cell.workload, cell.tier_bytes, cell.route, cell.concurrency, run.repeat)
            owners.setdefault(place, set()).add(number)
    assert all(len(own) == 1 for own in owners.values())


def test_a_workload_and_tier_stays_on_one_machine_where_there_are_enough() -> None:
    for count in (2, 3, 4):
        parts = _parts(_study(), count)
        units = [{(run.cell.workload, run.cell.tier_bytes) for run in part} for part in parts]
        assert sum(map(len, units)) == 4


@pytest.mark.parametrize("count", [2, 4, 7, 12])
def test_a_sentinel_watches_the_machine_of_the_first_part_only(count: int) -> None:
    first, *others = _parts(_study('sentinel = "mysql:9.7"'), count)
    assert any(run.is_sentinel for run in first)
    assert not any(run.is_sentinel for part in others for run in part)


def test_what_can_not_be_dealt_is_refused() -> None:
    study = _study()
    with pytest.raises(RequestError):
        _parts(study, 13)
    with pytest.raises(RequestError):
        _parts(replace(study, repeats_max=9), 5)
    assert len(_parts(replace(study, repeats_max=9), 4)) == 4


@pytest.mark.parametrize("text", ["", "1", "0/3", "4/3", "1/0", "a/b", "1/2/3", "-1/3"])
def test_a_part_is_written_as_k_of_n(text: str) -> None:
    with pytest.raises(RequestError):
        PartOfStudy.parse(text)


def test_a_study_over_more_machines_is_done_earlier_and_prepared_more_often() -> None:
    study = _study()
    plan = make_plan(study)
    alone, two, four, eight = dealt_over(study, plan.runs, plan.budget)
    assert alone.makespan_ns == alone.machine_ns == plan.budget.prepare_ns + plan.budget.runs.expected_ns
    assert two.machine_ns - alone.machine_ns == pytest.approx(plan.budget.prepare_ns, rel=1e-6)
    assert alone.makespan_ns > two.makespan_ns > four.makespan_ns > eight.makespan_ns > plan.budget.prepare_ns
    assert (alone.idle_share, two.idle_share, four.idle_share) == pytest.approx((0, 0, 0), abs=1e-6)
    assert 0 < eight.idle_share < 0.5, "twelve blocks for eight machines"
    assert [dealt.machines for dealt in dealt_over(study, plan.runs, plan.budget, (1, 12, 13))] == [1, 12]
