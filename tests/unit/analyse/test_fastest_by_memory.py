"""Who is fastest at the other memory sizes: a sentence with its interval where that differs, else that it holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from dbdyno.analyse import Answer, answer, compare_averages, compare_targets, judge_cells
from dbdyno.core import RunRecord

MakeStudy = Callable[..., list[RunRecord]]
SMALL, MIDDLE, LARGE = 64 << 20, 256 << 20, 512 << 20


def answer_of(records: list[RunRecord]) -> Answer:
    judgements = judge_cells(records)
    return answer(judgements, compare_targets(judgements), compare_averages(judgements))


def records_of(study: MakeStudy, levels: Mapping[int, Mapping[str, float]], spread: float = 0.01) -> list[RunRecord]:
    """Return the runs of a study whose levels differ between memory sizes."""
    return [
        one
        for tier, tier_levels in levels.items()
        for one in study(tier_levels, tiers=(tier,), spread=spread, repeats=3)
    ]


def test_another_fastest_target_at_the_smallest_memory_is_named_in_the_second_sentence(study: MakeStudy) -> None:
    levels = {LARGE: {"a": 130.0, "b": 100.0, "c": 50.0}, SMALL: {"a": 50.0, "b": 60.0, "c": 40.0}}
    found = answer_of(records_of(study, levels))
    assert found.sentences[0].startswith("a is fastest at 512 MiB and 16 connections")
    rivals = r"a is 1\d % slower \(\d+ to \d+ %\) and c is 3[\d.]+ % slower \(.*\)\."
    pattern = rf"b is fastest at 64 MiB and 16 connections: {rivals}"
    assert re.fullmatch(pattern, found.sentences[1]), found.sentences[1]
    assert found.lead_count >= 2


def test_of_two_targets_a_reversed_difference_has_its_interval(study: MakeStudy) -> None:
    found = answer_of(records_of(study, {LARGE: {"a": 130.0, "b": 100.0}, SMALL: {"a": 50.0, "b": 60.0}}))
    assert re.match(r"b is \d+ % faster than a at 64 MiB and 16 connections \(\d+ to \d+ %\): ", found.sentences[1])


def test_a_winner_at_the_smallest_memory_is_named_where_none_is_shown_at_the_largest(study: MakeStudy) -> None:
    levels = {LARGE: {"a": 100.0, "b": 100.0, "c": 50.0}, SMALL: {"a": 60.0, "b": 50.0, "c": 25.0}}
    found = answer_of(records_of(study, levels, spread=0.02))
    assert "fastest" not in found.sentences[0].partition(" the fastest two")[0]
    assert re.match(r"a is fastest at 64 MiB and 16 connections: b is 1\d % slower \(", found.sentences[1])


def test_a_finding_of_all_memory_sizes_is_one_short_sentence(study: MakeStudy) -> None:
    order = {"a": 130.0, "b": 100.0, "c": 50.0}
    found = answer_of(records_of(study, dict.fromkeys((SMALL, MIDDLE, LARGE), order)))
    pattern = (
        r"a is fastest at all 3 memory sizes; at 64 MiB and 16 connections, b is next, 2\d % slower \(\d+ to \d+ %\)\."
    )
    assert re.fullmatch(pattern, found.sentences[1]), found.sentences[1]
    assert sum("64 MiB and 16 connections" in sentence for sentence in found.sentences) == 1


def test_of_two_targets_the_faster_one_is_the_subject_at_all_sizes(study: MakeStudy) -> None:
    found = answer_of(records_of(study, {size: {"a": 130.0, "b": 100.0} for size in (SMALL, LARGE)}))
    pattern = (
        r"a is faster at both memory sizes; at 64 MiB and 16 connections, it is (\d+) % faster \((\d+) to (\d+) %\)\."
    )
    match = re.fullmatch(pattern, found.sentences[1])
    assert match is not None, found.sentences
    share, low, high = map(int, match.groups())
    assert low < share < high and abs(share - 30) <= 3


def test_an_upgrade_is_told_from_old_to_new_at_all_sizes(study: MakeStudy) -> None:
    names = {"mariadb:10.11": "10.11.18", "mariadb:11.8": "11.8.9"}
    levels = {size: {"mariadb:10.11": 130.0, "mariadb:11.8": 100.0} for size in (SMALL, LARGE)}
    records = [replace(one, family="mariadb", version=names[one.run.cell.target]) for one in records_of(study, levels)]
    claim = r"MariaDB 10\.11 is faster at both memory sizes; at 64 MiB and 16 connections, "
    assert re.match(claim + r"MariaDB 11\.8 is 23[.\d]* % slower \(", answer_of(records).sentences[1])


def test_one_of_three_that_has_no_run_at_the_largest_memory_is_no_pair(study: MakeStudy) -> None:
    levels = {LARGE: {"a": 130.0, "b": 100.0}, SMALL: {"a": 130.0, "b": 100.0, "c": 50.0}}
    found = answer_of(records_of(study, levels))
    assert found.sentences[1].startswith("a is fastest at both memory sizes; at 64 MiB and 16 connections, b is next, ")


def test_a_memory_size_in_between_that_differs_is_no_finding_of_all(study: MakeStudy) -> None:
    order = {"a": 130.0, "b": 100.0}
    found = answer_of(records_of(study, {SMALL: order, MIDDLE: {"a": 70.0, "b": 100.0}, LARGE: order}))
    assert re.match(r"b is \d+ % faster than a at 256 MiB ", found.sentences[1])


def test_a_target_behind_at_one_size_and_ahead_at_another_is_a_difference_though_none_is_fastest(
    study: MakeStudy,
) -> None:
    levels = {LARGE: {"a": 100.0, "b": 100.0, "c": 80.0}, SMALL: {"a": 50.0, "b": 70.0, "c": 70.0}}
    found = answer_of(records_of(study, levels, spread=0.02))
    assert " at 64 MiB and 16 connections" in found.sentences[1] and "memory size" not in found.sentences[1]


def test_two_that_are_equally_fast_at_all_sizes_are_so_called(study: MakeStudy) -> None:
    order = {"a": 100.0, "b": 100.0}
    found = answer_of(records_of(study, {SMALL: order, LARGE: order}, spread=0.001))
    assert re.match(
        r"[ab] and [ab] are equally fast at both memory sizes, to within 3 %; at 64 MiB ", found.sentences[1]
    )


def _moved(one: RunRecord, workload: str) -> RunRecord:
    return replace(one, run=replace(one.run, cell=replace(one.run.cell, workload=workload)))


def test_where_all_workloads_are_alike_in_it_one_clause_says_so(study: MakeStudy) -> None:
    runs = records_of(study, {SMALL: {"a": 130.0, "b": 100.0}, LARGE: {"a": 130.0, "b": 100.0}})
    found = answer_of([_moved(one, f"sysbench/{name}") for name in ("reads", "writes") for one in runs])
    assert found.sentences[1] == "In each of 2 workloads, one target is fastest at all memory sizes."


def test_of_several_workloads_those_that_depend_on_memory_are_counted_and_named(study: MakeStudy) -> None:
    order = {"a": 130.0, "b": 100.0}
    holding = records_of(study, {SMALL: order, LARGE: order})
    changing = records_of(study, {SMALL: {"a": 50.0, "b": 60.0}, LARGE: order})
    found = answer_of(
        [*(_moved(one, "sysbench/reads") for one in holding), *(_moved(one, "sysbench/writes") for one in changing)]
    )
    assert found.sentences[1] == (
        "In 1 of 2 workloads, who is fastest depends on memory; in 1, one target is fastest at all memory sizes."
    )
    assert any(
        re.match(r"b is .* faster than a at 64 MiB and 16 connections, writes \(", one) for one in found.sentences
    )
