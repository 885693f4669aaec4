"""Order and budget of a study."""

import hashlib
import itertools
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from dbdyno.core import HostError, RequestError
from dbdyno.plan import check_budget, make_plan, share_server
from dbdyno.study import BenchChoice, HostChoice, Study, read_study
from error_codes import raises_code

ROOT = Path(__file__).parents[3]


@pytest.fixture
def study() -> Study:
    return read_study(ROOT / "studies" / "first.toml")


def test_every_cell_is_run_once_in_each_round(study: Study) -> None:
    runs = make_plan(study).runs
    assert len({run.run_id for run in runs}) == 36
    for repeat in (1, 2):
        cells = Counter(run.cell for run in runs if run.repeat == repeat)
        assert len(cells) == 18
        assert set(cells.values()) == {1}
    assert [run.repeat for run in runs] == [1] * 18 + [2] * 18


def test_all_targets_of_a_place_follow_one_another(study: Study) -> None:
    runs = make_plan(study).runs
    for first in range(0, len(runs), 3):
        group = [run.cell for run in runs[first : first + 3]]
        assert len({cell.target for cell in group}) == 3
        assert len({(cell.tier_bytes, cell.concurrency) for cell in group}) == 1


def test_no_target_always_goes_first(study: Study) -> None:
    firsts = {run.cell.target for run in make_plan(study).runs[::3]}
    assert len(firsts) == 3


def test_the_same_study_gives_the_same_plan_and_another_seed_another(study: Study) -> None:
    assert make_plan(study) == make_plan(study)
    assert make_plan(replace(study, seed=2)).runs != make_plan(study).runs


def test_targets_of_a_repeat_are_sent_the_same_statements(study: Study) -> None:
    seeds = {(run.repeat, run.seed) for run in make_plan(study).runs}
    assert seeds == {(1, 1), (2, 2)}


def test_a_machine_too_small_is_refused_before_anything_starts(study: Study) -> None:
    budget = make_plan(study).budget
    with raises_code(RequestError, "memory-exceeded", "512 MiB"):
        check_budget(study, budget, 256 << 20, 1 << 40)
    with raises_code(HostError, "disk-exceeded", "1 GiB"):
        check_budget(study, budget, 1 << 40, 1 << 30)
    check_budget(study, budget, 1 << 40, 1 << 40)
    far = replace(study, benches=(BenchChoice("a", HostChoice("db1", "bench@db1")),))
    with raises_code(HostError, "disk-exceeded", "db1") as refused:
        check_budget(far, budget, 1 << 40, 1 << 30)
    assert "`home` of [hosts.db1]" in refused.value.remedy


def test_a_study_whose_datasets_are_kept_needs_room_for_a_copy_of_one(study: Study) -> None:
    budget = make_plan(study).budget
    kept = budget.disk_bytes - budget.copy_bytes
    left = budget.without_kept(kept // 2)
    assert left.disk_bytes == budget.disk_bytes - kept // 2
    check_budget(study, budget.without_kept(kept), 1 << 40, budget.copy_bytes)
    check_budget(study, budget.without_kept(2 * budget.disk_bytes), 1 << 40, budget.copy_bytes)
    with raises_code(HostError, "disk-exceeded"):
        check_budget(study, budget.without_kept(2 * budget.disk_bytes), 1 << 40, budget.copy_bytes - 1)


@pytest.fixture
def ladders(study: Study) -> Study:
    return replace(study, restore="ladder", sentinel=study.targets[1].name)


def test_a_ladder_holds_all_concurrencies_of_a_target_one_after_the_other(ladders: Study) -> None:
    runs = [run for run in make_plan(ladders).runs if not run.is_sentinel]
    steps = len(ladders.concurrencies)
    assert steps > 1
    for first in range(0, len(runs), steps):
        ladder = runs[first : first + steps]
        assert {run.cell.concurrency for run in ladder} == set(ladders.concurrencies)
        assert len({(run.cell.target, run.cell.tier_bytes, run.cell.workload, run.repeat) for run in ladder}) == 1
        assert all(share_server(ladders, a, b) for a, b in itertools.pairwise(ladder))
        if first:
            assert not share_server(ladders, runs[first - 1], ladder[0])


def test_targets_climb_a_ladder_in_one_order_and_are_sent_the_same_statements(ladders: Study) -> None:
    orders: dict[tuple[int, int], dict[str, list[tuple[int, int]]]] = {}
    for run in make_plan(ladders).runs:
        if not run.is_sentinel:
            place = orders.setdefault((run.repeat, run.cell.tier_bytes), {})
            place.setdefault(run.cell.target, []).append((run.cell.concurrency, run.seed))
    for place in orders.values():
        steps = list(place.values())
        assert all(step == steps[0] for step in steps)
        assert len({seed for _, seed in steps[0]}) == len(steps[0])


def test_a_sentinel_cuts_no_ladder_in_two(ladders: Study) -> None:
    runs = make_plan(ladders).runs
    for before, run, after in zip(runs, runs[1:], runs[2:], strict=False):
        if run.is_sentinel:
            assert not share_server(ladders, before, after)


def test_a_study_without_a_network_has_the_order_of_earlier_versions(study: Study, ladders: Study) -> None:
    near = replace(study, routes=("socket", "loopback")), replace(ladders, routes=("socket", "loopback"))
    orders = [repr([(run.run_id, run.seed) for run in make_plan(one).runs]) for one in near]
    digests = [hashlib.sha256(order.encode()).hexdigest()[:16] for order in orders]
    assert digests == ["ed0103eb4db4e7f9", "5d9e1db8c6ca35af"]


def test_the_same_cells_are_run_with_ladders_and_without(study: Study, ladders: Study) -> None:
    plain = {run.run_id for run in make_plan(study).runs}
    assert {run.run_id for run in make_plan(ladders).runs if not run.is_sentinel} == plain
