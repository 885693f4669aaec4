"""Two studies of the same cells: planted changes are found, chance is not, rules tell what they left open."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from dbdyno.analyse import (
    CellChange,
    CellJudgement,
    Criterion,
    Measure,
    common_shifts,
    compare_quantiles,
    compare_studies,
    judge_cells,
    parse_criterion,
)
from dbdyno.core import Cell, LatencyNs, RequestError, RunRecord, SettledPart, Verdict

MakeRecord = Callable[..., RunRecord]
MakeStudy = Callable[..., list[RunRecord]]
CELL = Cell("a", 64 << 20, 4, "sysbench/oltp_read_write", "socket")


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


def changed(measure: Measure, ratio: float, low: float, high: float, **choices: Any) -> CellChange:
    values: dict[str, Any] = {"p_adjusted": None, "p_marked": None, "verdict": "undecided", "smallest": 1.1}
    return CellChange(
        CELL, CELL, measure, 100.0, 100.0, ratio, low, high, **{**values, "repeats_needed": None, **choices}
    )


@pytest.mark.parametrize(
    ("rule", "ratio", "low", "high", "is_significant", "outcome"),
    [
        ("slower:3%", 0.96, 0.95, 0.98, True, "FAIL"),
        ("slower:3%", 0.96, 0.95, 0.98, False, "NOT SHOWN"),  # within chance, as several cells are tested together
        ("slower:3%", 0.96, 0.98, 1.02, False, "PASS"),  # the interval alone lets a cell pass
        ("slower:3%", 0.97, 0.96, 0.98, True, "NOT SHOWN"),  # a loss of what is allowed is allowed
        ("slower:3%", 0.98, 0.97, 0.99, True, "PASS"),
        ("slower:3%", 0.98, 0.969, 0.99, True, "NOT SHOWN"),
        ("slower:3%", 1.02, 0.969, 1.08, False, "NOT SHOWN"),
        ("slower:3%", 1.2, 1.1, 1.3, True, "PASS"),
        ("p99:10%", 1.12, 1.05, 1.2, True, "FAIL"),
        ("p99:10%", 1.12, 1.05, 1.2, False, "NOT SHOWN"),
        ("p99:10%", 1.05, 0.9, 1.11, False, "NOT SHOWN"),
        ("p99:10%", 1.05, 1.01, 1.09, True, "PASS"),
        ("p99:10%", 0.8, 0.7, 0.9, True, "PASS"),
    ],
)
def test_a_cell_fails_by_its_ratio_and_passes_by_its_interval(
    rule: str, ratio: float, low: float, high: float, is_significant: bool, outcome: str
) -> None:
    criterion = parse_criterion(rule)
    change = changed("tps" if rule.startswith("slower") else "p99", ratio, low, high, is_significant=is_significant)
    assert criterion.outcome_of(change) == outcome
    assert criterion.outcome_of(replace(change, verdict="not settled")) == "NOT SHOWN"


@pytest.mark.parametrize(
    ("rule", "ratio", "sd", "runs", "family", "repeats"),
    [
        # Two repeats leave t(0.975; 2) + t(0.8; 2) = 5.363 times 0.02 = 0.107; three leave 3.717 * 0.0163 = 0.061.
        ("slower:11%", 1.0, 0.02, 1, 1, 2),  # ln 0.89 is -0.117
        ("slower:10%", 1.0, 0.02, 1, 1, 3),  # ln 0.90 is -0.105
        ("p99:11%", 1.0, 0.02, 1, 1, 3),  # ln 1.11 is 0.104
        ("p99:12%", 1.0, 0.02, 1, 1, 2),  # ln 1.12 is 0.113
        ("p99:15%", 1.05, 0.02, 1, 1, 3),  # ln 1.15 - ln 1.05 = 0.091
        ("p99:15%", 1 / 1.05, 0.02, 1, 1, 2),
        ("slower:10%", 1.0, 0.02, 3, 1, 4),  # those that were made did not decide it
        # Worse by ln 0.8 = -0.223: three repeats show 3.717 * 0.049 = 0.182 of one cell; of five, t(0.995; 4) makes it
        # 0.272, and four repeats show 4.613 * 0.0424 = 0.196.
        ("slower:10%", 0.8, 0.06, 1, 1, 3),
        ("slower:10%", 0.8, 0.06, 1, 5, 4),
        ("slower:10%", 0.8, 0.06, 1, 0, 3),
        ("p99:10%", 1.25, 0.06, 1, 5, 4),
        ("slower:3%", 0.97, 0.02, 1, 1, None),  # as much as is allowed is on neither side, however often it is repeated
    ],
)
def test_repeats_for_a_rule_are_those_that_exclude_its_limit_or_show_that_it_is_broken(
    rule: str, ratio: float, sd: float, runs: int, family: int, repeats: int | None
) -> None:
    change = changed("tps" if rule.startswith("slower") else "p99", ratio, 0.5, 2.0, sd=sd, runs=runs)
    assert parse_criterion(rule).repeats_for(change, family) == repeats


@pytest.mark.parametrize(
    ("logs", "half", "shift"),
    [
        # Standard error between cells 0.0283 / sqrt(2) = 0.02, times t(0.975; 1) = 12.706.
        ((-0.1, -0.06), 0.0196, (2, -0.08, 0.254124)),
        # Cells that agree: no surer than their own errors of 0.01 let them be.
        ((-0.08, -0.08), 0.0196, (2, -0.08, 1.96 * 0.01 / math.sqrt(2))),
        ((-0.08, -0.08, -0.08, -0.08), 0.0196, (4, -0.08, 1.96 * 0.01 / 2)),
        ((-0.08,), 0.0196, None),
    ],
)
def test_a_common_shift_is_the_mean_of_the_logarithms(
    logs: tuple[float, ...], half: float, shift: tuple[int, float, float] | None
) -> None:
    changes = [changed("tps", math.exp(log), math.exp(log - half), math.exp(log + half)) for log in logs]
    found = common_shifts([*changes, changed("tps", 9.0, 8.0, 10.0, verdict="not settled")]).get("a")
    assert (found is None) == (shift is None)
    if found is not None and shift is not None:
        cells, mean, width = shift
        assert (found.cells, math.log(found.ratio)) == (cells, pytest.approx(mean))
        assert (math.log(found.low), math.log(found.high)) == pytest.approx((mean - width, mean + width), rel=1e-4)


def test_a_cell_whose_interval_has_no_end_leaves_the_common_shift_without_one() -> None:
    (found,) = common_shifts([changed("tps", 0.9, 0.8, 1.0), changed("tps", 0.9, 0.0, 1e300)]).values()
    assert (found.ratio, found.low) == (pytest.approx(0.9), 0.0)
    assert 1e300 < found.high < math.inf


@pytest.mark.parametrize(
    ("measure", "ratio", "is_marked", "verdict", "outcome", "is_worse"),
    [
        ("tps", 0.9, True, "different", "slower", True),
        ("tps", 1.1, True, "different", "faster", False),
        ("p99", 0.9, True, "different", "shorter", False),
        ("p99", 1.1, True, "slightly different", "slightly longer", True),
        ("tps", 1.1, True, "undecided", "undecided, worth a look", False),
        ("tps", 1.1, False, "undecided", "undecided", False),
        ("tps", 1.1, True, "same", "same", False),
        ("tps", 1.1, True, "not settled", "not settled", False),
    ],
)
def test_an_outcome_has_the_direction_of_what_is_decided(
    measure: Measure, ratio: float, is_marked: bool, verdict: Verdict, outcome: str, is_worse: bool
) -> None:
    change = changed(measure, ratio, 0.5, 2.0, verdict=verdict, is_marked=is_marked)
    assert (change.outcome, change.is_worse) == (outcome, is_worse)


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
