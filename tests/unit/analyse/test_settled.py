"""One rule for all that compare: nothing rests on a run whose level does not last."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

from dbdyno.analyse import (
    answer,
    compare_studies,
    compare_targets,
    judge_capacity,
    judge_cells,
    rank_places,
    tps_point,
)
from dbdyno.core import RunRecord
from dbdyno.report._relative_throughput import best_groups
from dbdyno.stats import noise_interval, settled_part
from planted_series import jump, noisy, ramp

MakeRecord = Callable[..., RunRecord]


@pytest.fixture
def driven(record: MakeRecord) -> Callable[..., RunRecord]:
    """A record with the figures of a series, as they are stored."""

    def make(target: str, level: np.ndarray | float, seed: int = 1, **where: object) -> RunRecord:
        tps = noisy(level, seed)
        whole = noise_interval(tps)
        return record(
            target,
            whole.mean,
            figures={"tps_half_width": whole.half_width, "window_s": float(len(tps))},
            settled=settled_part(tps),
            **where,
        )

    return make


def test_the_level_is_that_of_the_settled_part(driven: MakeRecord) -> None:
    (cell,) = judge_cells([driven("a", jump(300, 450, 1000))])
    assert cell.tps_mean == pytest.approx(1000, rel=0.005)
    assert cell.judged[0].figures.tps_mean == pytest.approx(817, rel=0.01)
    assert cell.judged[0].is_window_off
    assert cell.is_settled


def test_pairs_that_the_settled_parts_decide_are_decided(driven: MakeRecord) -> None:
    late = driven("late", jump(300, 450, 1000))
    (pair,) = compare_targets(judge_cells([late, driven("other", 700.0, 2)]))
    assert pair.verdict == "different"
    assert pair.ratio == pytest.approx(1000 / 700, rel=0.01)


@pytest.mark.parametrize(
    ("level", "words"),
    [(ramp(0.5), "drifts (+"), (jump(450, 1000, 700) + 300 * (np.arange(900) >= 770), "too late")],
)
def test_nothing_rests_on_a_run_that_has_not_settled(driven: MakeRecord, level: np.ndarray, words: str) -> None:
    records = [driven("a", 3000.0), driven("b", 1000.0, 2), driven("c", level, 3)]
    cells = judge_cells(records)
    pairs = compare_targets(cells)
    verdicts = {(pair.left, pair.right): pair.verdict for pair in pairs}
    assert verdicts == {("a", "b"): "different", ("a", "c"): "not settled", ("b", "c"): "not settled"}
    unsettled = [pair for pair in pairs if "c" in (pair.left, pair.right)]
    assert all(words in pair.remedy and "warm up" in pair.remedy for pair in unsettled)
    assert all(pair.p_adjusted is None and not pair.is_significant for pair in unsettled)
    (ranks,) = rank_places(cells, pairs).values()
    assert ranks == {"a": (1, 2), "b": (2, 3), "c": (1, 3)}
    assert tps_point(0, cells[2]) is None
    (change,) = compare_studies([(cells[0], cells[2])])
    assert (change.outcome, change.is_significant, change.p_adjusted) == ("not settled", False, None)


def test_the_answer_names_what_has_not_settled_and_gives_it_no_place(driven: MakeRecord) -> None:
    cells = judge_cells([driven("a", 3000.0), driven("b", 1000.0, 2), driven("fast", 10 * ramp(0.5), 3)])
    found = answer(cells, compare_targets(cells))
    assert re.search(r"^a is .*\bfastest .*settled .*: fast\b", found.sentences[0])
    assert re.search(r"\b2 \D*settled", found.sentences[-1])
    assert "fastest" not in found.headline


def test_a_rival_that_is_far_behind_needs_not_have_settled_for_a_first_place(driven: MakeRecord) -> None:
    cells = judge_cells([driven("a", 9000.0), driven("b", 1000.0, 2), driven("far", ramp(0.5), 3)])
    found = answer(cells, compare_targets(cells))
    assert found.headline == "a is fastest"
    assert re.search(r"^a is fastest at .*: far\b", found.sentences[0])
    near = judge_cells([driven("a", 1700.0), driven("b", 1000.0, 2), driven("near", ramp(0.5), 3)])
    assert "fastest" not in answer(near, compare_targets(near)).headline


def test_where_nothing_settled_the_answer_says_what_would_settle_it(driven: MakeRecord) -> None:
    cells = judge_cells([driven("a", ramp(0.5)), driven("mysql:9.7", 2 * ramp(0.5), 2)])
    found = answer(cells, compare_targets(cells))
    assert "fastest" not in found.headline and "settled" in found.headline
    assert "MySQL 9.7, repeat" in found.sentences[0] and "warm up" in found.sentences[0]


def test_a_peak_is_not_read_off_a_level_that_moves(driven: MakeRecord) -> None:
    records = [driven("a", 1000.0 * n, n, concurrency=n) for n in (1, 2)]
    (found,) = judge_capacity(judge_cells([*records, driven("a", 9 * ramp(0.5), 3, concurrency=4)]))
    assert (found.peak.best, found.unsettled) == (2, (4,))


def test_one_unsettled_run_of_three_is_left_out_and_one_of_two_is_not_enough_to_lean_on(driven: MakeRecord) -> None:
    three = [driven("a", 1000.0, n, repeat=n) for n in (1, 2)] + [driven("a", 2 * ramp(0.5), 3, repeat=3)]
    (cell,) = judge_cells(three)
    assert (len(cell.judged), cell.is_settled, len(cell.unsettled)) == (2, True, 1)
    assert cell.tps_mean == pytest.approx(1000, rel=0.01)
    (cell,) = judge_cells([three[0], three[2]])
    assert (cell.is_settled, cell.decides) == (False, False)


def test_a_window_too_short_to_be_judged_stays_what_it_was(record: MakeRecord) -> None:
    (pair,) = compare_targets(judge_cells([record("a", 100.0), record("b", 300.0)]))
    assert pair.verdict == "different"


def test_a_target_whose_best_has_not_settled_is_not_ranked_by_its_second_best(driven: MakeRecord) -> None:
    records = [driven("a", 1000.0, 1, concurrency=1), driven("a", 2 * ramp(0.5), 2, concurrency=2)]
    (best,) = best_groups(judge_cells(records))
    assert (best.cell.concurrency, best.decides) == (2, False)
