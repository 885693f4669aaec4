"""The shapes in the answer, crossover and plateau, on planted curves; none where nothing is decided."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest

from dbdyno.analyse import Answer, answer, compare_targets, judge_capacity, judge_cells
from dbdyno.analyse._pairs import by_place
from dbdyno.analyse._shapes import shape_sentences
from dbdyno.core import RunRecord, SettledPart
from numbers_in import numbers_in

MakeRecord = Callable[..., RunRecord]
Levels = Mapping[str, Mapping[int, float]]
SMALL, LARGE = 64 << 20, 512 << 20
CROSSING = {"a": {1: 200.0, 4: 600.0, 64: 1000.0}, "b": {1: 100.0, 4: 400.0, 64: 1620.0}}


@pytest.fixture
def runs(record: MakeRecord) -> Callable[..., list[RunRecord]]:
    """Runs of targets with these levels by concurrency, in three repeats."""

    def make(curves: Levels, *, spread: float = 0.005, tier: int = LARGE) -> list[RunRecord]:
        random = np.random.default_rng(3)
        return [
            record(target, tps * float(np.exp(random.normal(0, spread))), tier=tier, concurrency=n, repeat=repeat)
            for repeat in (1, 2, 3)
            for target, levels in curves.items()
            for n, tps in levels.items()
        ]

    return make


def answer_of(records: list[RunRecord]) -> Answer:
    judgements = judge_cells(records)
    return answer(judgements, compare_targets(judgements), capacity=judge_capacity(judgements))


def sentence_with(word: str, records: list[RunRecord]) -> str:
    return next((sentence for sentence in answer_of(records).sentences if word in sentence), "")


def test_a_crossover_says_who_overtakes_whom_where_and_by_how_much(runs: Callable[..., list[RunRecord]]) -> None:
    found = answer_of(runs(CROSSING))
    pattern = (
        r"^b overtakes a between 4 and 64 connections: ([\d.]+) % slower at 4 \(([\d.]+) to ([\d.]+) %\), "
        r"([\d.]+) % faster at 64 \(([\d.]+) to ([\d.]+) %\)\.$"
    )
    match = re.search(pattern, found.sentences[1])
    assert match is not None, found.sentences
    slower, slower_low, slower_high, faster, faster_low, faster_high = map(float, match.groups())
    assert abs(slower - 33) <= 1 and slower_low <= 33.3 <= slower_high
    assert abs(faster - 62) <= 2 and faster_low <= 62 <= faster_high
    assert re.search(r"\ba with 1 and 4\b.*\bb with 64\b", found.headline)


def test_a_headline_over_several_memory_sizes_says_that_it_is_about_the_peak(
    runs: Callable[..., list[RunRecord]],
) -> None:
    found = answer_of([*runs(CROSSING), *runs(CROSSING, tier=SMALL)])
    assert re.search(r"^b is fastest at peak\b.*\bevery memory\b", found.headline)
    assert found.sentences[1].startswith("b is faster at both memory sizes; at 64 MiB and 64 connections, it is 62")
    assert " at 512 MiB: " in found.sentences[2]
    level = {"a": {1: 200.0, 64: 1000.0}, "b": {1: 300.0, 64: 1620.0}}
    assert "peak" not in answer_of([*runs(level), *runs(level, tier=SMALL)]).headline


@pytest.mark.parametrize(
    ("few", "spread"), [(100.0, 0.005), (101.5, 0.005), (140.0, 0.3)], ids=["equal", "below 3 %", "undecided"]
)
def test_what_is_not_decided_on_both_sides_is_no_crossover(
    runs: Callable[..., list[RunRecord]], few: float, spread: float
) -> None:
    curves = {"a": {1: few, 64: 1000.0}, "b": {1: 100.0, 64: 1620.0}}
    found = answer_of(runs(curves, spread=spread))
    assert "overtakes" not in " ".join(found.sentences)
    assert "Fastest" not in found.headline


def test_an_order_that_turns_with_memory_alone_is_no_crossover(runs: Callable[..., list[RunRecord]]) -> None:
    large, small = {"a": {16: 900.0}, "b": {16: 600.0}}, {"a": {16: 300.0}, "b": {16: 600.0}}
    assert sentence_with("overtakes", [*runs(large), *runs(small, tier=SMALL)]) == ""


def test_an_undecided_place_in_between_is_inside_of_the_span(runs: Callable[..., list[RunRecord]]) -> None:
    curves = {"a": {4: 600.0, 16: 900.0, 64: 1000.0}, "b": {4: 400.0, 16: 900.0, 64: 1620.0}}
    assert numbers_in(sentence_with("overtakes", runs(curves)))[:2] == [4, 64]
    assert "no clear winner with 16" in answer_of(runs(curves)).headline


def test_of_several_turns_the_widest_is_named_and_the_others_are_counted(
    runs: Callable[..., list[RunRecord]],
) -> None:
    curves = {"a": {1: 110.0, 4: 300.0, 16: 1000.0, 64: 900.0}, "b": {1: 100.0, 4: 330.0, 16: 500.0, 64: 1400.0}}
    text = sentence_with("overtakes", runs(curves))
    assert text.startswith("b overtakes a between 16 and 64 connections") and "2 more times" in text


def test_of_three_targets_those_that_lead_are_named_and_not_two_behind_them(
    runs: Callable[..., list[RunRecord]],
) -> None:
    leader = {"c": {1: 900.0, 4: 1900.0, 64: 4000.0}}
    assert sentence_with("overtakes", runs(CROSSING | leader)) == ""
    follower = {"c": {1: 90.0, 4: 190.0, 64: 400.0}}
    assert sentence_with("overtakes", runs(CROSSING | follower)).startswith("b overtakes a ")


def test_an_assumed_spread_is_a_condition_of_the_shapes(runs: Callable[..., list[RunRecord]]) -> None:
    once = [run for run in runs(CROSSING) if run.run.repeat == 1]
    assert re.search(r"if repeats spread by 2\.6 %[.,]", " ".join(answer_of(once).sentences))
    judgements = judge_cells(once)
    place = (*judgements[0].place[:3], 64)
    words = shape_sentences([place], by_place(judgements), compare_targets(judgements), judge_capacity(judgements))
    assert re.search(r"overtakes .*, if repeats spread by 2\.6 %\.$", words[0])


LEVEL = {1: 100.0, 4: 400.0, 16: 1000.0, 64: 1005.0, 128: 1002.0}
RISING = {1: 100.0, 4: 390.0, 16: 990.0, 64: 2000.0, 128: 2600.0}


def test_a_plateau_is_where_more_connections_are_shown_to_bring_less_than_the_margin(
    runs: Callable[..., list[RunRecord]],
) -> None:
    text = sentence_with("throughput beyond", runs({"a": LEVEL, "b": RISING}))
    match = re.search(r"^a gains no throughput beyond 16 connections, .*3 %: ([\d,.]+) ± [\d.]+ TPS at 128\.$", text)
    assert match is not None, text
    assert abs(float(match[1].replace(",", "")) - 1002) < 15


@pytest.mark.parametrize(
    ("levels", "spread"),
    [
        (RISING, 0.005),
        (LEVEL, 0.06),
        ({1: 100.0, 16: 1000.0, 64: 1060.0}, 0.005),
        ({1: 100.0, 16: 1000.0, 64: 1000.0, 128: 500.0}, 0.005),
        ({1: 100.0, 64: 1000.0, 72: 1000.0}, 0.005),
    ],
    ids=["rises", "undecided", "gains 6 %", "falls", "too short"],
)
def test_nothing_else_is_called_a_plateau(
    runs: Callable[..., list[RunRecord]], levels: Mapping[int, float], spread: float
) -> None:
    assert sentence_with("throughput", runs({"a": levels, "b": RISING}, spread=spread)) == ""


def test_a_place_that_has_not_settled_beyond_it_leaves_a_plateau_open(runs: Callable[..., list[RunRecord]]) -> None:
    part = SettledPart("drifting", 900, 0, 1002.0, 10.0, change=-0.08)
    records = [
        replace(run, settled=part) if run.run.cell.concurrency == 128 else run
        for run in runs({"a": LEVEL, "b": RISING})
    ]
    assert sentence_with("throughput", records) == ""


def test_several_plateaus_are_one_sentence_with_where_each_begins(runs: Callable[..., list[RunRecord]]) -> None:
    earlier = {1: 100.0, 4: 500.0, 16: 501.0, 64: 500.0, 128: 502.0}
    text = sentence_with("more throughput", runs({"a": LEVEL, "b": earlier, "c": LEVEL, "d": RISING}))
    assert re.search(r" up to 128 connections\b.*: b beyond 4 connections and a and c beyond 16 connections\.$", text)


def test_shapes_are_among_the_sentences_that_a_reader_needs_first(runs: Callable[..., list[RunRecord]]) -> None:
    found = answer_of(runs({"a": LEVEL, "b": {**RISING, 4: 350.0, 1: 80.0}}))
    first = found.sentences[: found.lead_count]
    assert [any(word in sentence for sentence in first) for word in ("overtakes", "gains no", "p99")] == [True] * 3
