"""What more memory brings: a target against itself, told in one sentence."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from dbdyno.analyse import answer_place, judge_cells
from dbdyno.analyse._memory import MemoryGain, memory_gains, memory_sentence
from dbdyno.core import RunRecord

MakeStudy = Callable[..., list[RunRecord]]
LESS, MORE = 64 << 20, 512 << 20


def with_more(records: list[RunRecord], factors: dict[str, float]) -> list[RunRecord]:
    """The same runs, those with more memory faster by a factor for each target."""
    return [
        replace(
            one, figures=replace(one.figures, tps_mean=(one.figures.tps_mean or 0.0) * factors[one.run.cell.target])
        )
        if one.run.cell.tier_bytes == MORE
        else one
        for one in records
    ]


def gains_of(records: list[RunRecord]) -> list[MemoryGain]:
    judgements = judge_cells(records)
    place = answer_place(judgements)
    assert place is not None
    return memory_gains(judgements, place)


@pytest.mark.parametrize("seed", range(5))
def test_a_planted_gain_lies_in_its_interval_and_the_largest_is_first(study: MakeStudy, seed: int) -> None:
    factors = {"a": 1.3, "b": 2.2}
    first, second = gains_of(with_more(study({"a": 100.0, "b": 80.0}, seed=seed, spread=0.02), factors))
    assert (first.target, second.target) == ("b", "a")
    for gain in (first, second):
        assert gain.low < factors[gain.target] < gain.high
        assert gain.verdict == "different"
        assert (gain.less_bytes, gain.more_bytes) == (LESS, MORE)


def test_memory_that_brings_nothing_is_rarely_called_a_gain(study: MakeStudy) -> None:
    studies = [study({"a": 100.0, "b": 80.0}, seed=seed, spread=0.05) for seed in range(60)]
    told = [any(gain.verdict == "different" for gain in gains_of(records)) for records in studies]
    assert sum(told) <= 6, "one in twenty may err; six of sixty do with a probability of 0.04"


def test_a_gain_that_is_not_shown_is_told_with_its_interval() -> None:
    gain = MemoryGain("a", LESS, MORE, 1.01, 0.95, 1.08, "undecided")
    assert re.search(r" 5 % slower .* 8 % faster", memory_sentence([gain], 4))
    above = replace(gain, low=1.02)
    assert " a (2 to 8 % faster)" in memory_sentence([above], 4)


def test_a_gain_of_cells_that_were_run_once_names_the_spread_that_it_assumes(study: MakeStudy) -> None:
    for repeats in (1, 2):
        gains = gains_of(with_more(study({"a": 100.0}, repeats=repeats), {"a": 2.0}))
        words = memory_sentence(gains, 16)
        assert ("16 connections, if repeats spread by 2.6 %, a is " in words) == (repeats == 1)


def test_one_target_whose_runs_are_too_unlike_hides_no_interval_of_the_others() -> None:
    gains = [
        MemoryGain("a", LESS, MORE, 1.3, 0.1, 9.0, "undecided"),
        MemoryGain("b", LESS, MORE, 1.01, 0.95, 1.08, "undecided"),
        MemoryGain("c", LESS, MORE, 1.00, 0.97, 1.03, "undecided"),
    ]
    words = memory_sentence(gains, 4)
    assert "b and c (each between 5 % slower and 8 % faster), a cannot be compared, " in words


def test_unknown_memory_is_no_size(study: MakeStudy) -> None:
    levels = {"a": 100.0, "b": 80.0}
    assert gains_of(study(levels, tiers=(0, MORE))) == []
    assert {(gain.less_bytes, gain.more_bytes) for gain in gains_of(study(levels, tiers=(0, LESS, MORE)))} == {
        (LESS, MORE)
    }


def test_of_many_targets_the_sentence_names_the_first_and_the_last(study: MakeStudy) -> None:
    factors = {name: 1.2 + 0.3 * index for index, name in enumerate("abcde")}
    gains = gains_of(with_more(study(dict.fromkeys("abcde", 100.0)), factors))
    words = memory_sentence(gains, 16)
    assert re.match(r".* 512 MiB .* 64 MiB .* 16 connections, e is 1", words)
    assert ", a is " in words and ", 3 others " in words
    assert not any(f"{name} is" in words for name in "bcd")


def test_one_memory_size_has_no_gain(study: MakeStudy) -> None:
    assert gains_of(study({"a": 100.0, "b": 80.0}, tiers=(LESS,))) == []
    assert memory_sentence([], 4) == ""


def test_a_target_without_a_level_at_both_ends_is_left_out(study: MakeStudy) -> None:
    records = [
        one for one in study({"a": 100.0, "b": 80.0}) if (one.run.cell.target, one.run.cell.tier_bytes) != ("b", LESS)
    ]
    assert [gain.target for gain in gains_of(records)] == ["a"]
    assert math.isfinite(gains_of(records)[0].high)


def test_gains_of_one_sentence_are_all_multiples_or_all_percent() -> None:
    large, near = (
        MemoryGain(name, LESS, MORE, ratio, ratio - 0.3, ratio + 0.3, "different")
        for name, ratio in (("a", 3.04), ("b", 2.96))
    )
    assert "%" not in memory_sentence([large, near], 4)
    assert "times" not in memory_sentence([near, replace(near, target="c", ratio=1.4, low=1.2, high=1.6)], 4)
