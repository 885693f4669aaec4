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
from dbdyno.core import LatencyNs, RequestError, RunRecord, SettledPart

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
    assert failing("slower:3%", changes) == ["a"] * 6


def test_a_gain_is_faster_and_breaks_no_rule(study: MakeStudy) -> None:
    changes = compared(study, 1.2)
    assert {change.outcome for change in changes if change.new.target == "a"} == {"faster"}
    assert failing("slower:3%", changes) == []


def test_chance_breaks_the_rule_in_fewer_than_one_diff_of_twenty(study: MakeStudy) -> None:
    alarms = sum(bool(failing("slower:0%", compared(study, 1.0, seed=seed))) for seed in range(100))
    assert alarms <= 5


def test_a_loss_within_what_is_allowed_is_told_and_breaks_nothing(study: MakeStudy) -> None:
    changes = compared(study, 0.93, repeats=4)
    assert failing("slower:3%", changes)
    assert failing("slower:10%", changes) == []


def outcomes(rule: str, changes: Sequence[CellChange]) -> list[str]:
    return [parse_criterion(rule).outcome_of(change) for change in changes]


def failing(rule: str, changes: Sequence[CellChange]) -> list[str]:
    found = zip(changes, outcomes(rule, changes), strict=True)
    return [change.new.target for change, outcome in found if outcome == "FAIL"]


def test_what_the_intervals_leave_open_is_not_shown(study: MakeStudy) -> None:
    changes = compared(study, 0.97, spread=0.05)
    assert failing("slower:3%", changes) == []
    assert outcomes("slower:3%", changes).count("NOT SHOWN") >= 10
    tight = compared(study, 1.0, spread=0.002, repeats=5)
    assert set(outcomes("slower:3%", tight)) == {"PASS"}


def test_a_visible_loss_that_chance_could_make_is_not_passed(record: MakeRecord) -> None:
    base = [record(tps=tps, repeat=n + 1) for n, tps in enumerate((1000.0, 1040.0, 980.0))]
    new = [record(tps=tps, repeat=n + 1) for n, tps in enumerate((510.0, 900.0, 660.0))]
    (change,) = compare_studies(paired(base, new))
    assert change.ratio < 0.7
    assert change.high > 1
    rule = parse_criterion("slower:3%")
    assert rule.outcome_of(change) == "NOT SHOWN"
    needed = rule.repeats_for(change, 1)
    assert needed is not None and 3 < needed < 20


@pytest.mark.parametrize("factor", [0.95, 0.97, 1.0, 1.05])
def test_a_rule_passes_a_loss_that_is_too_large_in_one_cell_of_forty_at_most(study: MakeStudy, factor: float) -> None:
    """The truth is planted: what PASSes had to be above the limit, what FAILs below it."""
    found = [outcome for seed in range(60) for outcome in outcomes_of_a(compared(study, factor, seed=seed, repeats=4))]
    if factor <= 0.97:
        assert found.count("PASS") <= 0.04 * len(found)
    else:
        assert found.count("FAIL") <= 0.01 * len(found)
    assert {0.95: "FAIL", 0.97: "NOT SHOWN", 1.0: "PASS", 1.05: "PASS"}[factor] == max(set(found), key=found.count)


def outcomes_of_a(changes: Sequence[CellChange]) -> list[str]:
    return outcomes("slower:3%", [change for change in changes if change.new.target == "a"])


def test_the_repeats_that_are_named_do_decide(study: MakeStudy) -> None:
    """A change without loss on a loud machine: what is foreseen is what so many repeats then do."""
    two = compared(study, 1.0, spread=0.03, repeats=3)
    rule = parse_criterion("slower:10%")
    needed = {rule.repeats_for(change, len(two)) for change in two if rule.outcome_of(change) == "NOT SHOWN"}
    if needed - {None}:
        enough = max(count for count in needed if count is not None)
        decided = outcomes("slower:10%", compared(study, 1.0, spread=0.03, repeats=enough, seed=5))
        assert sum(outcome != "NOT SHOWN" for outcome in decided) >= 0.7 * len(decided)


def test_a_cell_that_has_not_settled_has_no_say_in_the_spread_of_response_times(study: MakeStudy) -> None:
    """Its repeats are ten times apart, and the changes of all other cells are as if it were not there."""
    part = SettledPart("drifting", 900, 0, 100.0, 10.0, change=-0.08)
    base, new = (study({"a": 100.0, "b": 80.0}, seed=seed) for seed in (1, 2))
    where = base[0].run.cell

    def unsettled(one: RunRecord) -> RunRecord:
        latency = LatencyNs(*[10 ** (6 + one.run.repeat)] * 5)
        return replace(one, settled=part, figures=replace(one.figures, latency_ns=latency))

    with_it = [[unsettled(one) if one.run.cell == where else one for one in records] for records in (base, new)]
    without = [[one for one in records if one.run.cell != where] for records in (base, new)]
    first, *others = compare_quantiles(paired(*with_it), "p99")
    assert (first.new, first.verdict) == (where, "not settled")
    assert others == compare_quantiles(paired(*without), "p99") != []


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
        latency = run.figures.latency_ns
        assert latency is not None
        changed = LatencyNs(latency.p50, 2, int(latency.p99 * 1.5), 4, 5)
        return replace(run, figures=replace(run.figures, latency_ns=changed))

    sides = [
        [
            record(tps=100 + repeat, repeat=repeat, concurrency=n, figures={"transactions": 9000})
            for repeat in (1, 2)
            for n in (1, 2)
        ]
        for _ in range(2)
    ]
    pairs = paired(sides[0], [slower(run) for run in sides[1]])
    assert {change.verdict for change in compare_quantiles(pairs, "p50")} == {"same"}
    found = compare_quantiles(pairs, "p99")
    assert {change.outcome for change in found} == {"longer"}
    assert outcomes("p99:10%", found) == ["FAIL", "FAIL"]
    assert outcomes("p99:100%", found) == ["PASS", "PASS"]
    single = paired(sides[0][:1], sides[1][:1])
    assert compare_quantiles(single, "p99") == []


def test_a_quantile_that_too_few_transactions_lie_beyond_is_not_compared(record: MakeRecord) -> None:
    runs = [record(repeat=repeat, figures={"transactions": 1000}) for repeat in (1, 2)]
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
