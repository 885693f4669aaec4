"""Order and budget of a study."""

from collections import Counter
from pathlib import Path

import pytest

from dbdyno.core import HostError, RequestError
from dbdyno.plan import check_budget, make_plan
from dbdyno.study import Study, read_study

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
    from dataclasses import replace

    assert make_plan(study) == make_plan(study)
    assert make_plan(replace(study, seed=2)).runs != make_plan(study).runs


def test_targets_of_a_repeat_are_sent_the_same_statements(study: Study) -> None:
    seeds = {(run.repeat, run.seed) for run in make_plan(study).runs}
    assert seeds == {(1, 1), (2, 2)}


def test_a_machine_too_small_is_refused_before_anything_starts(study: Study) -> None:
    budget = make_plan(study).budget
    with pytest.raises(RequestError, match="tier 512 MiB does not fit"):
        check_budget(study, budget, 256 << 20, 1 << 40)
    with pytest.raises(HostError, match="not enough disk"):
        check_budget(study, budget, 1 << 40, 1 << 30)
    check_budget(study, budget, 1 << 40, 1 << 40)
