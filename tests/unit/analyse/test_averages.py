"""Averages over all concurrencies: planted differences, places that share a start of the server, what is left out."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from dbdyno.analyse import ALL_CONCURRENCIES, answer, compare_averages, compare_targets, judge_cells, upgrades
from dbdyno.analyse._averages import average_sentences
from dbdyno.core import Comparison, RunRecord, SettledPart
from numbers_in import numbers_in

MakeStudy = Callable[..., list[RunRecord]]


def averages_of(records: Sequence[RunRecord]) -> list[Comparison]:
    return compare_averages(judge_cells(records))


def with_moving_machine(records: Sequence[RunRecord], seed: int, spread: float) -> list[RunRecord]:
    """Records of a machine whose speed differs from one start of a server to the next, for all its concurrencies."""
    random = np.random.default_rng(seed)
    factors: dict[tuple[str, int, int], float] = {}
    moved = []
    for one in records:
        start = (one.run.cell.target, one.run.cell.tier_bytes, one.run.repeat)
        factor = factors.setdefault(start, math.exp(random.normal(0, spread)))
        tps = (one.figures.tps_mean or 0.0) * factor
        moved.append(replace(one, figures=replace(one.figures, tps_mean=tps)))
    return moved


def test_an_average_decides_what_no_place_decides(study: MakeStudy) -> None:
    concurrencies, levels = (1, 4, 16, 64), {"a": 100.0, "b": 93.0}
    open_places = decided_averages = 0
    for seed in range(10):
        records = study(levels, concurrencies=concurrencies, spread=0.06, repeats=6, seed=seed)
        open_places += sum(pair.verdict == "undecided" for pair in compare_targets(judge_cells(records)))
        decided_averages += sum(pair.verdict == "different" for pair in averages_of(records))
    assert open_places > 30
    assert decided_averages > 15


@pytest.mark.parametrize("repeats", [2, 3, 4])
def test_places_of_one_start_of_the_server_are_not_independent(study: MakeStudy, repeats: int) -> None:
    held, different, total = 0, 0, 0
    for seed in range(60):
        records = study({"a": 100.0, "b": 100.0}, concurrencies=(1, 4, 16, 64), spread=0.01, repeats=repeats, seed=seed)
        for pair in averages_of(with_moving_machine(records, seed, spread=0.05)):
            held += pair.low < 1 < pair.high
            different += pair.is_significant
            total += 1
    assert total == 120
    assert held / total > 0.89
    assert different / total < 0.11


def test_the_average_of_two_rounds_is_about_as_sure_as_its_places(study: MakeStudy) -> None:
    """Two rounds alone say of four averages next to nothing: Student's factor is 12.7."""
    records = study({"a": 100.0, "b": 80.0}, concurrencies=(1, 4, 16, 64), spread=0.03, repeats=2)
    places = [math.log(pair.high / pair.low) for pair in compare_targets(judge_cells(records))]
    averages = averages_of(records)
    assert len(averages) == 2 and all(pair.is_significant for pair in averages)
    assert all(math.log(pair.high / pair.low) < 1.5 * max(places) for pair in averages)


def test_the_average_is_the_geometric_mean_over_concurrencies_that_all_targets_have(study: MakeStudy) -> None:
    records = study({"a": 100.0, "b": 50.0}, concurrencies=(1, 4, 16), spread=0.0)
    records = [one for one in records if (one.run.cell.target, one.run.cell.concurrency) != ("b", 16)]
    records = [
        replace(one, figures=replace(one.figures, tps_mean=25.0))
        if (one.run.cell.target, one.run.cell.concurrency) == ("b", 1)
        else one
        for one in records
    ]
    pairs = averages_of(records)
    assert {pair.concurrency for pair in pairs} == {ALL_CONCURRENCIES}
    assert {pair.tier_bytes for pair in pairs} == {64 << 20, 512 << 20}
    assert [pair.ratio for pair in pairs] == pytest.approx([math.sqrt(4.0 * 2.0)] * 2)


def test_nothing_is_averaged_of_one_round_or_one_concurrency(study: MakeStudy) -> None:
    levels = {"a": 100.0, "b": 50.0}
    assert averages_of(study(levels, repeats=1)) == []
    assert averages_of(study(levels, concurrencies=(4,))) == []


def test_runs_added_for_a_cells_spread_are_left_out(study: MakeStudy) -> None:
    records = study({"a": 100.0, "b": 50.0}, repeats=2)
    further = [
        replace(one, run=replace(one.run, repeat=3, is_further=True), figures=replace(one.figures, tps_mean=1.0))
        for one in records
        if one.run.repeat == 1
    ]
    assert [pair.ratio for pair in averages_of([*records, *further])] == [pair.ratio for pair in averages_of(records)]


def test_the_answer_tells_averages_of_three_targets(study: MakeStudy) -> None:
    def told(levels: dict[str, float]) -> list[str]:
        judgements = judge_cells(study(levels))
        sentences = answer(judgements, compare_targets(judgements), compare_averages(judgements)).sentences
        return [words for words in sentences if words.startswith("With ") and " on average " in words]

    words, _ = told({"mariadb:11.8": 100.0, "mysql:9.7": 80.0, "mysql:8.0": 40.0})
    assert re.fullmatch(
        r"\D*512 MiB\D* 3 \D*\(1 to 16\): MariaDB 11\.8 \D*fastest; "
        r"MySQL 9\.7 \D*[\d.]+ % slower \([\d.]+ to [\d.]+ %\) and "
        r"MySQL 8\.0 \D*[\d.]+ % slower \([\d.]+ to [\d.]+ %\)\.",
        words,
    )
    assert told({"mariadb:11.8": 100.0, "mysql:9.7": 80.0}) == []


def average_words_of(records: list[RunRecord]) -> tuple[list[Comparison], list[str]]:
    judgements = judge_cells(records)
    averages = compare_averages(judgements)
    sentences = answer(judgements, compare_targets(judgements), averages).sentences
    return averages, [words for words in sentences if words.startswith("With ") and " on average " in words]


@pytest.mark.parametrize("seed", range(4))
def test_targets_are_as_fast_only_where_the_average_lies_within_the_margin(study: MakeStudy, seed: int) -> None:
    levels = {"mysql:8.0": 100.0, "mysql:8.4": 100.0, "mysql:9.7": 100.0}
    for spread in (0.001, 0.08):
        averages, words = average_words_of(study(levels, tiers=(64 << 20,), spread=spread, repeats=3, seed=seed))
        verdicts = {pair.verdict for pair in averages}
        assert verdicts == ({"same"} if spread == 0.001 else {"undecided"})
        assert ("slower" in words[0] and "faster" in words[0]) == (verdicts == {"undecided"})


def test_an_undecided_average_says_between_what_it_lies(study: MakeStudy) -> None:
    levels = {"mysql:8.0": 40.0, "mysql:8.4": 100.0, "mysql:9.7": 100.0}
    averages, (words,) = average_words_of(study(levels, tiers=(64 << 20,), spread=0.08, repeats=3))
    (pair,) = (pair for pair in averages if pair.verdict == "undecided")
    found = re.search(r"(\S+ \S+) shows no difference from .*: between ([\d.]+) % slower and ([\d.]+) % faster;", words)
    assert found is not None
    slower, faster = (1 - pair.low, pair.high - 1) if found[1] == "MySQL 8.4" else (1 - 1 / pair.high, 1 / pair.low - 1)
    assert float(found[2]) == pytest.approx(100 * slower, abs=0.5)
    assert float(found[3]) == pytest.approx(100 * faster, abs=0.5)


def test_a_place_is_told_though_an_average_leaves_out_one_of_its_targets(study: MakeStudy) -> None:
    levels = {"mysql:8.0": 40.0, "mysql:8.4": 80.0, "mysql:9.6": 90.0, "mysql:9.7": 100.0}
    socket_records = study(levels, tiers=(64 << 20,))
    loopback_records = [
        replace(one, run=replace(one.run, cell=replace(one.run.cell, route="loopback"))) for one in socket_records
    ]
    records = [*loopback_records, *socket_records]
    without_whole_rounds = [
        one
        for one in records
        if one.run.cell.target != "mysql:8.0" or one.run.cell.concurrency == 16 or one.run.repeat == 1
    ]
    for runs, is_named in ((records, False), (without_whole_rounds, True)):
        judgements = judge_cells(runs)
        sentences = answer(judgements, compare_targets(judgements), compare_averages(judgements)).sentences
        assert any("64 MiB and 16 connections, socket: " in words for words in sentences) == is_named


def test_an_average_names_the_concurrencies_that_it_leaves_out(study: MakeStudy) -> None:
    def sentences(records: list[RunRecord]) -> list[str]:
        judgements = judge_cells(records)
        all_sentences = answer(judgements, compare_targets(judgements), compare_averages(judgements)).sentences
        return [words for words in all_sentences if ", on average over" in words]

    records = [
        replace(one, family="mysql", version=one.run.cell.target.partition(":")[2])
        for one in study({"mysql:5.7": 100.0, "mysql:8.0": 80.0, "mysql:9.7": 60.0}, concurrencies=(1, 16, 64))
    ]
    assert all("(1 to 64):" in words for words in sentences(records))
    part = SettledPart("drifting", 900, 0, 100.0, 10.0, change=-0.08)
    for changes in ({"settled": part}, {"status": "failed"}):
        lost = [
            replace(one, **changes) if one.run.cell.target == "mysql:8.0" and one.run.cell.concurrency == 64 else one
            for one in records
        ]
        told = sentences(lost)
        assert len(told) == len(sentences(records))
        where = {words.partition(", on average over ")[2].partition(":")[0] for words in told}
        assert [numbers_in(words) for words in where] == [[2, 3, 64]]
        assert all(": MySQL 8.0 has " in words for words in told)
    absent = [one for one in records if (one.run.cell.target, one.run.cell.concurrency) != ("mysql:8.0", 64)]
    assert all("(64 left out: MySQL 8.0 " in words for words in sentences(absent))


def test_upgrades_are_told_on_average(study: MakeStudy) -> None:
    records = [
        replace(one, family="mysql", version=one.run.cell.target.partition(":")[2])
        for one in study({"mysql:5.7": 100.0, "mysql:8.0": 80.0, "mysql:9.7": 79.5})
    ]
    judgements = judge_cells(records)
    averages = compare_averages(judgements)
    first, _ = upgrades(judgements, compare_targets(judgements), averages)
    assert {place[3] for place in first.averages} == {ALL_CONCURRENCIES}
    assert all(change.low < 0.8 < change.high for change in first.averages.values())
    assert all(place[3] != ALL_CONCURRENCIES for place in first.changes)
    sentences = answer(judgements, compare_targets(judgements), averages).sentences
    assert any(re.match(r"Upgrades .*512 MiB, .*\baverage\b", words) for words in sentences)


def test_an_average_that_differs_by_an_unknown_amount_is_told_by_the_least_of_it() -> None:
    """MyRocks' rounds are so unlike that its interval says nothing but that it is slower."""
    names, place = ("mysql:9.7", "mysql:8.4", "mariadb:11.8+rocksdb"), ("w", 64 << 20, ALL_CONCURRENCIES, "socket")
    figures = {(0, 1): (1.2, 1.1, 1.3), (0, 2): (60.0, 5.0, 720.0), (1, 2): (50.0, 4.0, 600.0)}
    averages = [
        Comparison(names[left], names[right], *place, *ratio_and_ends, 0.01, "different", is_significant=True)
        for (left, right), ratio_and_ends in figures.items()
    ]
    panel = ("w", "socket", 64 << 20)
    words = average_sentences(averages, [(*panel, 4)], lambda place: "64 MiB")[panel]
    assert re.search(r"; MySQL 8\.4 .* 17 % slower \(9 to 23 %\) and .* 80 % slower\.$", words)
    assert "faster" not in words
