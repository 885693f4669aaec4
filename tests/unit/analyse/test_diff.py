"""Two studies of the same cells: planted changes are found, chance is not, rules tell what they left open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from dbdyno.analyse import (
    CellChange,
    CellJudgement,
    Criterion,
    common_shifts,
    compare_quantiles,
    compare_studies,
    judge_cells,
    parse_criterion,
)
from dbdyno.core import LatencyNs, RequestError, RunRecord

MakeRecord = Callable[..., RunRecord]
MakeStudy = Callable[..., list[RunRecord]]


def paired(base: Sequence[RunRecord], new: Sequence[RunRecord]) -> list[tuple[CellJudgement, CellJudgement]]:
    after = {group.cell: group for group in judge_cells(new)}
    return [(group, after[group.cell]) for group in judge_cells(base) if group.cell in after]


def compared(study: MakeStudy, factor: float, *, seed: int = 1, **choices: object) -> list[CellChange]:
    base = study({"a": 100.0, "b": 80.0}, seed=seed, **choices)
    new = study({"a": 100.0 * factor, "b": 80.0}, seed=seed + 1000, **choices)
    return compare_studies(paired(base, new))


def test_a_target_that_lost_a_tenth_is_slower_in_every_cell_and_the_other_in_none(study: MakeStudy) -> None:
    changes = compared(study, 0.9)
    assert len(changes) == 12
    assert {change.outcome for change in changes if change.new.target == "a"} == {"slower"}
    assert "slower" not in {change.outcome for change in changes if change.new.target == "b"}
    assert [change.new.target for change in parse_criterion("slower:3%").broken_by(changes)] == ["a"] * 6


def test_a_gain_is_faster_and_breaks_no_rule(study: MakeStudy) -> None:
    changes = compared(study, 1.2)
    assert {change.outcome for change in changes if change.new.target == "a"} == {"faster"}
    assert parse_criterion("slower:3%").broken_by(changes) == []


def test_chance_breaks_the_rule_in_fewer_than_one_diff_of_twenty(study: MakeStudy) -> None:
    rule = parse_criterion("slower:0%")
    alarms = sum(bool(rule.broken_by(compared(study, 1.0, seed=seed))) for seed in range(100))
    assert alarms <= 5


def test_a_loss_within_what_is_allowed_is_told_and_breaks_nothing(study: MakeStudy) -> None:
    changes = compared(study, 0.93, repeats=4)
    assert parse_criterion("slower:3%").broken_by(changes)
    assert parse_criterion("slower:10%").broken_by(changes) == []


def test_what_the_intervals_leave_open_is_listed(study: MakeStudy) -> None:
    changes = compared(study, 0.97, spread=0.05)
    rule = parse_criterion("slower:3%")
    assert rule.broken_by(changes) == []
    assert {change.new.target for change in rule.open_in(changes)} == {"a", "b"}
    assert all(change.low < 0.97 for change in rule.open_in(changes))
    tight = compared(study, 1.0, spread=0.002, repeats=5)
    assert rule.open_in(tight) == []


def test_p_values_are_adjusted_over_all_cells_of_the_diff(study: MakeStudy) -> None:
    few = compared(study, 0.97, concurrencies=(4,), tiers=(64 << 20,), repeats=3)
    many = compared(study, 0.97, repeats=3)
    assert (len(few), len(many)) == (2, 12)
    assert all(change.p_marked <= change.p_adjusted for change in many)
    assert any(change.p_marked < change.p_adjusted for change in many)


def test_a_cell_without_a_good_run_is_not_compared(study: MakeStudy, record: MakeRecord) -> None:
    base, new = [record(repeat=n) for n in (1, 2)], [record(repeat=n, status="suspect") for n in (1, 2)]
    assert compare_studies(paired(base, new)) == []


def test_longer_tails_are_found_and_a_single_run_has_no_known_tail(record: MakeRecord) -> None:
    def slower(run: RunRecord) -> RunRecord:
        assert run.latency_ns is not None
        return replace(run, latency_ns=LatencyNs(run.latency_ns.p50, 2, int(run.latency_ns.p99 * 1.5), 4, 5))

    sides = [
        [record(tps=100 + repeat, repeat=repeat, concurrency=n, transactions=9000) for repeat in (1, 2) for n in (1, 2)]
        for _ in range(2)
    ]
    pairs = paired(sides[0], [slower(run) for run in sides[1]])
    assert {change.verdict for change in compare_quantiles(pairs, "p50")} == {"same"}
    found = compare_quantiles(pairs, "p99")
    assert {change.outcome for change in found} == {"longer"}
    assert len(parse_criterion("p99:10%").broken_by(found)) == 2
    single = paired(sides[0][:1], sides[1][:1])
    assert compare_quantiles(single, "p99") == []


def test_a_quantile_that_too_few_transactions_lie_beyond_is_not_compared(record: MakeRecord) -> None:
    runs = [record(repeat=repeat, transactions=1000) for repeat in (1, 2)]
    assert len(compare_quantiles(paired(runs, runs), "p99")) == 1
    assert compare_quantiles(paired(runs, runs), "p999") == []


def test_cells_that_move_together_are_one_shift(study: MakeStudy) -> None:
    shifts = common_shifts(compared(study, 0.9))
    assert shifts["a"].cells == 6
    assert shifts["a"].low < 0.9 < shifts["a"].high
    assert shifts["b"].low < 1.0 < shifts["b"].high


@pytest.mark.parametrize("text", ["slower", "slower:3", "faster:3%", "p42:3%", "slower:100%", "slower:-3%", ""])
def test_a_rule_that_is_none_is_refused_with_the_forms(text: str) -> None:
    with pytest.raises(RequestError) as found:
        parse_criterion(text)
    assert "slower:3%" in found.value.remedy


def test_rules_are_read_with_blanks_and_fractions() -> None:
    assert parse_criterion("p99.9: 2.5 %") == Criterion("p99.9: 2.5 %", "p999", 0.025)
