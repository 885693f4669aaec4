"""The answer in words: a few sentences, each with a number and an interval, none that findings don't carry."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from dbdyno.analyse import Answer, answer, cell_level_words, compare_targets, judge_cells, vague_words
from dbdyno.analyse._place_sentences import TESTED_TOGETHER
from dbdyno.core import RunRecord, SettledPart, ToolFigures
from numbers_in import numbers_in

MakeRecord = Callable[..., RunRecord]
MakeStudy = Callable[..., list[RunRecord]]
LEVELS = (("a", 100.0), ("b", 50.0))


def answer_of(records: list[RunRecord]) -> Answer:
    judgements = judge_cells(records)
    return answer(judgements, compare_targets(judgements))


def p99_sentence(found: Answer) -> str:
    return next(sentence for sentence in found.sentences if "p99" in sentence)


def test_a_clear_winner_is_named_with_ratio_and_interval(study: MakeStudy) -> None:
    found = answer_of(study({"a": 130.0, "b": 100.0}))
    assert re.search(r"^a\b.*\bfastest\b.*\bevery memory\b", found.headline)
    assert len(found.sentences) == 5
    assert all(re.search(r"\(\d+ to \d+ %\)", sentence) for sentence in found.sentences[:3])
    assert re.search(r"\bp99\b.*\ba\b.* 2\d % shorter\b.*\bb \(\d+ to \d+ %\)\.", p99_sentence(found))
    assert re.search(r"^a\b.* 30 % faster\b.*\bb\b.* 512 MiB and 16 connections \(", found.sentences[0])


def test_of_three_the_fastest_is_named_and_the_others_are_told_from_it(study: MakeStudy) -> None:
    found = answer_of(study({"a": 130.0, "b": 100.0, "c": 90.0}))
    assert re.search(
        r"^a\b.*\bfastest\b.* 512 MiB and 16 connections: .*\bb\b.* 2\d % slower \(.*\bc\b.* 3\d % slower \(",
        found.sentences[0],
    )


@pytest.mark.parametrize(("old", "new", "change"), [(100.0, 130.0, "30 % faster"), (130.0, 100.0, "23 % slower")])
def test_an_upgrade_is_told_from_the_old_version_to_the_new(
    study: MakeStudy, old: float, new: float, change: str
) -> None:
    names = {"mariadb:10.11": "10.11.18", "mariadb:11.8": "11.8.9"}
    records = study({"mariadb:10.11": old, "mariadb:11.8": new})
    records = [replace(r, family="mariadb", version=names[r.run.cell.target]) for r in records]
    assert re.search(rf"^MariaDB 11\.8 .*{change} .*\b10\.11 ", answer_of(records).sentences[0])


def test_one_comparison_has_no_tally(study: MakeStudy) -> None:
    records = [r for r in study({"a": 130.0, "b": 100.0}) if r.run.cell.tier_bytes == 512 << 20]
    records = [r for r in records if r.run.cell.concurrency == 16]
    assert not any("comparison" in sentence for sentence in answer_of(records).sentences)


def test_a_tie_is_called_a_tie_with_what_would_decide(study: MakeStudy) -> None:
    found = answer_of(study({"a": 100.0, "b": 100.0}, spread=0.05))
    assert re.search(r" % faster\b.* % slower\b.*\babout \d+ repeats\b", found.sentences[0])
    assert TESTED_TOGETHER not in found.sentences[0], "that is for intervals that exclude equality"
    assert "is fastest" not in " ".join(found.sentences)
    assert re.search(
        r"^No target is clearly fastest at either memory size; at 64 MiB and 16 .* than [ab]\.$", found.sentences[1]
    )
    assert not re.search(r"^[ab]\b|3 %", found.headline)


def test_an_open_p99_is_told_with_between_what_it_lies(study: MakeStudy) -> None:
    sentence = p99_sentence(answer_of(study({"a": 100.0, "b": 100.0}, spread=0.05)))
    assert re.search(r"\bp99\b.*\b[ab]\b.* [\d.]+ % shorter\b.* [\d.]+ % longer\b.*\b[ab]\b", sentence)


def test_a_p99_with_too_few_transactions_beyond_it_is_said_not_to_be_compared(study: MakeStudy) -> None:
    records = study({"a": 130.0, "b": 100.0})
    few = [replace(one, figures=replace(one.figures, transactions=500)) for one in records]
    assert p99_sentence(answer_of(few)).startswith("Not compared in p99: fewer than 20 transactions")
    logs = [replace(one, imported=ToolFigures("sysbench")) for one in few]
    assert "p99" not in " ".join(answer_of(logs).sentences), "what a tool did not print is no matter of transactions"


def test_a_tie_of_the_fastest_two_is_not_one_of_all_three(study: MakeStudy) -> None:
    found = answer_of(study({"a": 100.0, "b": 100.0, "c": 40.0}, spread=0.05))
    assert re.search(r" % faster\b.* % slower\b.*; c is 6", found.sentences[0])
    assert TESTED_TOGETHER not in found.sentences[0]
    assert not re.search(r"^[abc]\b", found.sentences[0])


def test_of_many_targets_those_without_a_difference_are_counted(study: MakeStudy) -> None:
    first = answer_of(study({"a": 100.0, "b": 100.0, "c": 100.0, "d": 100.0, "e": 40.0}, spread=0.02)).sentences[0]
    leader, *clauses = first.split("; ")
    assert re.search(r" [abcd] reaches \d+ ± \d+ TPS$", leader) and "fastest" not in first
    assert re.match(r"e is 60 % slower \(", clauses[-1])
    assert not re.search(r"\b[abcd] is\b", first), "no difference is shown"
    assert set(re.findall(r"\b[abcd]\b", first)) == {"a", "b", "c", "d"}


def test_of_many_slower_targets_the_nearest_and_the_last_are_named(study: MakeStudy) -> None:
    levels = {"a": 130.0, "b": 100.0, "c": 90.0, "d": 80.0, "e": 70.0}
    first = answer_of(study(levels, spread=0.005)).sentences[0]
    assert re.search(
        r"^a is fastest at .*: 51\d.*\. b is 2[23][.\d]* % slower .*\be is 4[56][.\d]* % slower .* 2 others ", first
    )


def test_nothing_is_called_faster_when_cells_agree_closely(study: MakeStudy) -> None:
    found = answer_of(study({"a": 100.0, "b": 100.0}, spread=0.001))
    assert "faster" not in found.sentences[0] and " 3 %" in found.sentences[0]
    assert not re.search(r"^[ab]\b", found.headline) and " 3 %" in found.headline


def test_the_headline_does_not_name_a_winner_that_its_sentence_calls_equally_fast(record: MakeRecord) -> None:
    """A difference of 2 % is shown, and that it is below 3 % is shown as well."""
    records = [record(target, tps, repeat=n) for target, tps in (("a", 102.0), ("b", 100.0)) for n in (1, 2, 3, 4)]
    (pair,) = compare_targets(judge_cells(records))
    assert (pair.verdict, pair.is_significant) == ("same", True)
    found = answer_of(records)
    assert " 3 %" in found.sentences[0] and "faster" not in found.sentences[0]
    assert not re.search(r"^a\b", found.headline) and " 3 %" in found.headline


def test_nobody_is_called_fastest_while_a_third_whose_runs_disagree_may_be_faster(record: MakeRecord) -> None:
    levels = {"a": (130.0,) * 3, "b": (100.0,) * 3, "c": (80.0, 95.0, 115.0)}
    records = [record(target, tps, repeat=n) for target, runs in levels.items() for n, tps in enumerate(runs, 1)]
    verdicts = {(pair.left, pair.right): pair.verdict for pair in compare_targets(judge_cells(records))}
    assert (verdicts["a", "b"], verdicts["a", "c"]) == ("different", "undecided")
    found = answer_of(records)
    first, second = found.sentences[0].split("; ")
    assert re.search(r"^a is ahead at .* TPS, but c may .*\. b is 23[.\d]* % slower \(", first)
    assert re.search(r"^c is .*% faster .*% slower, undecided", second)
    assert "fastest" not in found.sentences[0] and not re.search(r"^[abc]\b|difference", found.headline)


def test_a_target_ahead_by_a_round_of_its_own_is_not_called_the_fastest(record: MakeRecord) -> None:
    """In the five rounds of both, b does a tenth more; the sixth, of a alone, lifts its level above that of b."""
    levels = {"a": (100.0, 100.5, 99.5, 100.2, 99.8, 200.0), "b": (110.0, 110.2, 109.7, 110.3, 109.9)}
    two = [record(target, tps, repeat=n) for target, runs in levels.items() for n, tps in enumerate(runs, 1)]
    found = answer_of(two)
    assert re.match(r"b is 10\.0 % faster than a .* in the rounds of both \(", found.sentences[0])
    assert found.headline == "b is fastest"
    three = answer_of([*two, *(record("c", tps, repeat=n) for n, tps in enumerate((60.0, 60.2, 59.7, 60.3, 59.9), 1))])
    assert re.match(r"b is fastest .* a is 9\.1 % slower .* c is 45\.4 % slower", three.sentences[0])
    assert three.headline == "b is fastest"


def test_nobody_is_fastest_of_all_while_a_target_shares_no_round_with_it(record: MakeRecord) -> None:
    levels = {("a", "x"): 130.0, ("b", "x"): 110.0, ("c", "y"): 120.0}
    records = [
        record(target, tps + 0.1 * n, repeat=n, bench=bench)
        for (target, bench), tps in levels.items()
        for n in (1, 2, 3, 4)
    ]
    found = answer_of(records)
    assert re.match(r"a is the fastest of those compared at .* b is 15[.\d]* % slower \(", found.sentences[0])
    assert "Not compared with a: c, " in found.sentences[0]
    assert found.headline == "No clear winner"
    alone = answer_of([one for one in records if one.run.cell.target != "b"])
    assert re.match(r"a reaches .* Not compared with a: c, ", alone.sentences[0])


def test_a_third_that_is_as_fast_to_within_the_margin_leaves_no_fastest(record: MakeRecord) -> None:
    """The second is slower by 2 %, give or take too much to be called as fast; the third by 2.2 %, for sure."""
    levels = {"a": (0.0, 102.2), "b": (0.022, 100.1), "c": (0.0, 100.0)}
    records = [
        record(target, tps * math.exp(swing * (-1) ** n), repeat=n)
        for target, (swing, tps) in levels.items()
        for n in range(1, 17)
    ]
    verdicts = {(pair.left, pair.right): pair.verdict for pair in compare_targets(judge_cells(records))}
    assert (verdicts["a", "b"], verdicts["a", "c"]) == ("slightly different", "same")
    found = answer_of(records)
    assert re.match(r"a is ahead at .* TPS, but c is as fast, to within 3 %\. b is 2", found.sentences[0])
    assert "fastest" not in found.sentences[0] and found.headline == "No clear winner"


@pytest.mark.parametrize(("tiers", "is_long"), [((512,), False), ((64, 512), True)])
def test_what_all_sentences_of_a_long_answer_assume_is_said_once_among_those_read_first(
    study: MakeStudy, tiers: tuple[int, ...], is_long: bool
) -> None:
    records = study({"mariadb:10.11": 130.0, "mariadb:11.8": 90.0, "b": 100.0})
    once = [r for r in records if r.run.repeat == 1 and r.run.cell.tier_bytes >> 20 in tiers]
    found = answer_of(once)
    with_condition = [index for index, words in enumerate(found.sentences) if "if repeats spread by 2.6 %" in words]
    if is_long:
        assert with_condition == [found.lead_count - 1]
        assert found.sentences[found.lead_count - 1].startswith("All of this holds if")
    else:
        assert 0 in with_condition and len(found.sentences) < 4


def test_the_assumed_spread_is_named_where_only_a_later_rival_was_run_once(record: MakeRecord) -> None:
    levels = {"a": (130.0, 130.5), "b": (100.0, 100.5), "c": (60.0,)}
    records = [record(target, tps, repeat=n) for target, runs in levels.items() for n, tps in enumerate(runs, 1)]
    spreads = {(pair.left, pair.right): pair.assumed_spread for pair in compare_targets(judge_cells(records))}
    assert spreads["a", "b"] is None and spreads["a", "c"] is not None
    assert "if repeats spread by" in answer_of(records).sentences[0]


def test_one_target_alone_is_described_not_compared(study: MakeStudy) -> None:
    found = answer_of(study({"a": 100.0}))
    assert len(found.sentences) <= 3
    assert all("±" in sentence and "slower" not in sentence for sentence in found.sentences)


def test_places_that_differ_by_route_alone_are_told_apart(record: MakeRecord) -> None:
    records = [record(route=route, repeat=repeat) for route in ("socket", "loopback") for repeat in (1, 2)]
    first, second = answer_of(records).sentences
    assert {"loopback" in first, "loopback" in second} == {True, False}
    assert {"socket" in first, "socket" in second} == {True, False}


def test_no_good_run_gives_no_answer(record: MakeRecord) -> None:
    assert answer_of([record(status="failed", figures={"tps_mean": None})]).headline == "No answer"


def test_many_tiers_still_give_four_sentences(study: MakeStudy) -> None:
    tiers = [64 << 20, 128 << 20, 256 << 20, 512 << 20]
    found = answer_of(study({"a": 130.0, "b": 100.0, "c": 90.0}, tiers=tiers))
    assert len(found.sentences) == 4
    assert "512 MiB" in found.sentences[0]
    assert "64 MiB" in found.sentences[1]
    assert "512 MiB instead of 64 MiB" in found.sentences[2]
    assert numbers_in(found.sentences[3])[1:3] == [36, 12]


@pytest.mark.parametrize("seed", range(5))
def test_the_counts_of_the_tally_add_up(study: MakeStudy, seed: int) -> None:
    records = study({"a": 104.0, "b": 100.0, "c": 97.0}, spread=0.02, seed=seed)
    pairs = compare_targets(judge_cells(records))
    tally = answer_of(records).sentences[-1]
    different = re.match(r"(\d+) of 18 ", tally)
    assert different is not None
    rest = [int(n) for n in re.findall(r"(\d+) (?:show less|are undecided|have not settled)", tally)]
    assert int(different[1]) + sum(rest) == len(pairs) == 18
    assert int(different[1]) == sum(pair.verdict == "different" for pair in pairs)


def test_the_answer_is_about_a_place_where_targets_are_compared(study: MakeStudy) -> None:
    levels = {"a": 130.0, "b": 100.0}
    records = [
        one for one in study(levels, tiers=(64 << 20,)) if (one.run.cell.target, one.run.cell.concurrency) != ("b", 16)
    ]
    found = answer_of(records)
    assert found.headline == "a is fastest"
    assert found.sentences[0].startswith("a is 3") and " 64 MiB and 4 connections (" in found.sentences[0]
    lone = [one for one in records if (one.run.cell.target, one.run.cell.concurrency) != ("b", 4)]
    assert answer_of(lone).headline == "a is fastest"
    assert " 64 MiB and 1 connection (" in answer_of(lone).sentences[0]


def test_one_comparison_is_counted_where_no_sentence_names_its_place(study: MakeStudy) -> None:
    tiers = (64 << 20, 128 << 20, 256 << 20)
    records = [
        one
        for one in study({"a": 130.0, "b": 100.0}, tiers=tiers, concurrencies=(4,))
        if one.run.cell.target == "a" or one.run.cell.tier_bytes == tiers[1]
    ]
    tally = answer_of(records).sentences[-1]
    assert numbers_in(tally)[:2] == [1, 1]
    assert " 128 MiB and 4 connections: " in tally and ": b is 2" in tally


def test_no_tie_is_told_where_no_two_targets_have_settled_at_one_place(record: MakeRecord) -> None:
    part = SettledPart("drifting", 900, 0, 100.0, 10.0, change=-0.08)
    slow = {"tps_mean": 10.0}
    records = [record("a", repeat=repeat) for repeat in (1, 2)]
    records += [record("b", repeat=repeat, figures=slow, settled=replace(part, tps_mean=10.0)) for repeat in (1, 2)]
    found = answer_of(records)
    assert "difference" not in found.headline and "settled" in found.headline


@pytest.mark.parametrize(
    ("axes", "named"),
    [
        (("workload",), ["workload"]),
        (("route",), ["route"]),
        (("tier_bytes",), ["memory"]),
        (("workload", "tier_bytes"), ["workload", "memory"]),
        ((), []),
    ],
)
def test_the_headline_names_the_axes_that_the_study_varies(
    record: MakeRecord, axes: tuple[str, ...], named: list[str]
) -> None:
    other: dict[str, Any] = {"workload": "sysbench/oltp_read_only", "route": "loopback", "tier_bytes": 128 << 20}
    records = [record(target, level + repeat, repeat=repeat) for target, level in LEVELS for repeat in (1, 2, 3)]
    for axis in axes:
        moved_runs = [replace(one.run, cell=replace(one.run.cell, **{axis: other[axis]})) for one in records]
        records += [replace(one, run=run) for one, run in zip(records, moved_runs, strict=True)]
    headline = answer_of(records).headline
    assert re.search(r"^a\b.*\bfastest\b", headline)
    assert [axis for axis in ("workload", "route", "memory") if axis in headline] == named


@pytest.mark.parametrize("count", [2, 3])
def test_runs_that_are_too_unlike_rank_nobody(record: MakeRecord, count: int) -> None:
    factors = {"a": 30.0, "b": 4.0, "c": 0.03}
    records = [
        record(target, 100.0 * (factor if repeat == 2 else 1.0), repeat=repeat)
        for target, factor in list(factors.items())[:count]
        for repeat in (1, 2)
    ]
    found = answer_of(records)
    assert re.search(r"64 MiB and 4 connections: .*\ba\b.*\bb\b", found.sentences[0])
    assert not re.search("slower|faster|fastest", found.sentences[0])
    assert not re.search(r"^[abc]\b", found.headline)


def moved(one: RunRecord, workload: str, family: str = "mysql") -> RunRecord:
    """The same run of another workload."""
    cell = replace(one.run.cell, workload=workload)
    return replace(one, run=replace(one.run, cell=cell), family=family)


def test_every_workload_and_route_has_a_sentence_and_what_is_compared_leads(record: MakeRecord) -> None:
    scenarios = [("imported:not named", "unknown"), ("sysbench/oltp_read_only", "loopback")]
    scenarios += [("sysbench/oltp_read_write", "network"), ("sysbench/oltp_read_write at 100/s", "network")]
    records = [
        moved(record(target, level + repeat, route=route, repeat=repeat, tier=tier), workload)
        for workload, route in scenarios
        for tier in (1 << 30, 2 << 30)
        for target, level in (("a", 100.0), ("b", 50.0))
        for repeat in (1, 2, 3)
        if target == "a" or not workload.endswith("/s")
    ]
    first, sizes, *others, memory, tally = answer_of(records).sentences
    each = [first, *others]
    assert sizes == "In each of 3 combinations of workload and route, one target is fastest at all memory sizes."
    assert numbers_in(tally)[:3] == [6, 6, 6]
    assert re.search(r" 2 GiB .* 1 GiB .* 4 connections, oltp_read_only, loopback, ", memory)
    assert [sentence.split(" connections, ")[1][:24] for sentence in each] == [
        "oltp_read_only, loopback",
        "oltp_read_write, network",
        "oltp_read_write at 100/s",
        f"{scenarios[0][0]}, unkn",
    ]
    assert all(" at 2 GiB and " in sentence for sentence in each)


def test_targets_that_no_log_names_do_not_lead(record: MakeRecord) -> None:
    records = [
        moved(record(target, level + repeat, repeat=repeat), workload, family)
        for workload, family in (("sysbench/x", "unknown"), ("sysbench/y", "mysql"))
        for target, level in (("a", 100.0), ("b", 50.0))
        for repeat in (1, 2, 3)
    ]
    first, second, _ = answer_of(records).sentences
    assert (", y (" in first, ", x (" in second) == (True, True)


def test_a_level_that_has_not_settled_is_in_brackets_even_where_its_runs_disagree(record: MakeRecord) -> None:
    def words(**changes: object) -> str:
        (group,) = judge_cells([record("a", tps, repeat=repeat, **changes) for repeat, tps in ((1, 10.0), (2, 1000.0))])
        assert group.is_vague
        assert vague_words(group) in cell_level_words(group, "TPS")
        return cell_level_words(group, "TPS")

    settled, drifting = words(), words(settled=SettledPart("drifting", 900, 0, 100.0, 10.0, change=-0.08))
    assert settled.startswith("10")
    assert drifting == f"({settled})"


def test_runs_alike_whose_seconds_are_all_noise_do_not_disagree(record: MakeRecord) -> None:
    def cell(target: str, levels: tuple[float, float]) -> list[RunRecord]:
        figures = {"tps_half_width": 1.4 * levels[0]}
        return [record(target, tps, repeat=repeat, figures=figures) for repeat, tps in enumerate(levels, 1)]

    groups = judge_cells([*cell("a", (169.0, 149.0)), *cell("b", (10.0, 1000.0))])
    assert all(group.is_vague for group in groups)
    noisy, disagreeing = map(vague_words, groups)
    assert noisy != disagreeing and "disagree" in disagreeing
    words = [cell_level_words(group, "TPS") for group in groups]
    assert words == [f"169 and 149 TPS, {noisy}", f"10.0 and 1,000 TPS, {disagreeing}"]


def test_two_levels_without_an_interval_are_set_apart_by_a_comma(record: MakeRecord) -> None:
    levels = (("a", 10.0), ("a", 1000.0), ("b", 90.0), ("b", 91.0))
    records = [record(target, tps, repeat=index % 2 + 1) for index, (target, tps) in enumerate(levels)]
    reason = vague_words(judge_cells(records)[0])
    assert f"{reason}, against " in answer_of(records).sentences[0]


def test_a_single_target_whose_runs_disagree_has_the_reason_behind_the_place(record: MakeRecord) -> None:
    records = [record("a", tps, repeat=repeat) for repeat, tps in ((1, 10.0), (2, 1000.0))]
    (sentence, *_) = answer_of(records).sentences
    (reason,) = map(vague_words, judge_cells(records))
    assert sentence.endswith(f" ({reason}).") and sentence.count(reason) == 1
