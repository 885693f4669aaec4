"""The answer in words: at most three sentences, each with a number and an interval, none that findings don't carry."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from dbdyno.analyse import Answer, answer, compare_targets, judge_cells
from dbdyno.core import RunRecord

MakeRecord = Callable[..., RunRecord]
MakeStudy = Callable[..., list[RunRecord]]


def told(records: list[RunRecord]) -> Answer:
    judgements = judge_cells(records)
    return answer(judgements, compare_targets(judgements))


def test_a_clear_winner_is_named_with_ratio_and_interval(study: MakeStudy) -> None:
    found = told(study({"a": 130.0, "b": 100.0}))
    assert found.headline == "a does most at every memory size"
    assert len(found.sentences) <= 3
    assert all(re.search(r"\(\d\.\d+ to \d\.\d+\)", sentence) for sentence in found.sentences)
    assert "times as much as b" in found.sentences[0]
    assert "with 512 mib at 16 connections" in found.sentences[0].lower()


def test_a_tie_is_called_a_tie_with_what_would_decide(study: MakeStudy) -> None:
    found = told(study({"a": 100.0, "b": 100.0}, spread=0.05))
    assert "can't be told apart" in found.sentences[0]
    assert "does most" not in " ".join(found.sentences)
    assert found.headline == "At their best, the first two can't be told apart"


def test_nothing_is_called_faster_when_cells_agree_closely(study: MakeStudy) -> None:
    found = told(study({"a": 100.0, "b": 100.0}, spread=0.001))
    assert "the same to within 3 %" in found.sentences[0]


def test_one_target_alone_is_described_not_compared(study: MakeStudy) -> None:
    found = told(study({"a": 100.0}))
    assert len(found.sentences) <= 3
    assert all("±" in sentence and "times" not in sentence for sentence in found.sentences)


def test_places_that_differ_by_route_alone_are_told_apart(record: MakeRecord) -> None:
    records = [record(route=route, repeat=repeat) for route in ("socket", "loopback") for repeat in (1, 2)]
    first, second = told(records).sentences
    assert {"loopback" in first, "loopback" in second} == {True, False}
    assert {"socket" in first, "socket" in second} == {True, False}


def test_no_good_run_gives_no_answer(record: MakeRecord) -> None:
    assert told([record(status="failed", tps_mean=None)]).headline == "No answer"


def test_many_tiers_still_give_three_sentences(study: MakeStudy) -> None:
    tiers = [64 << 20, 128 << 20, 256 << 20, 512 << 20]
    found = told(study({"a": 130.0, "b": 100.0, "c": 90.0}, tiers=tiers))
    assert len(found.sentences) == 3
    assert "512 MiB" in found.sentences[0]
    assert "64 MiB" in found.sentences[1]
    assert "Of 36 comparisons at 12 places" in found.sentences[2]


@pytest.mark.parametrize("seed", range(5))
def test_the_counts_of_the_tally_add_up(study: MakeStudy, seed: int) -> None:
    records = study({"a": 104.0, "b": 100.0, "c": 97.0}, spread=0.02, seed=seed)
    pairs = compare_targets(judge_cells(records))
    numbers = [int(n) for n in re.findall(r"(?:or more|none|undecided) (\d+)", told(records).sentences[-1])]
    assert sum(numbers) == len(pairs) == 18
    assert numbers[0] == sum(pair.verdict == "different" for pair in pairs)
