"""Peak, collapse, steps and memory, on planted curves."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest

from dbdyno.analyse import (
    CapacityJudgement,
    capacity_sentences,
    fall_sentence,
    judge_capacity,
    judge_cells,
    law_points,
    peak_words,
)
from dbdyno.core import RunRecord, SettledPart

MakeRecord = Callable[..., RunRecord]
SMALL, LARGE = 64 << 20, 512 << 20


@pytest.fixture
def curve(record: MakeRecord) -> Callable[..., list[RunRecord]]:
    """Runs of a target with these levels by concurrency, three repeats with a spread of 1 %."""

    def make(levels: Mapping[int, float], target: str = "a", tier: int = LARGE) -> list[RunRecord]:
        random = np.random.default_rng(len(levels))
        return [
            record(target, tps * float(np.exp(random.normal(0, 0.01))), tier=tier, concurrency=n, repeat=repeat)
            for repeat in (1, 2, 3)
            for n, tps in levels.items()
        ]

    return make


def judged(records: list[RunRecord]) -> list[CapacityJudgement]:
    return judge_capacity(judge_cells(records))


def law(n: float) -> float:
    return 120 * n / (1 + 0.03 * (n - 1) + 0.0002 * n * (n - 1))


def test_a_peak_is_a_set_and_a_fall_behind_it_is_a_collapse(curve: Callable[..., list[RunRecord]]) -> None:
    (found,) = judged(curve({1: 100, 8: 600, 16: 1000, 32: 1004, 64: 700, 128: 500}))
    assert found.peak.concurrencies == (16, 32)
    assert [step.after for step in found.falls] == [64, 128]
    assert found.falls[-1].low < 0.5 < found.falls[-1].high
    assert [(step.before, step.after) for step in found.steps][:2] == [(1, 8), (8, 16)]
    assert found.steps[0].is_gain
    assert not found.is_open
    (text,) = capacity_sentences([found])
    assert re.search(r"collapses .*\b64 .*: (49|5\d) % lower .*\b128 \(\d+ to \d+ %\)", text)


def test_the_collapse_is_told_by_its_depth_at_the_largest_memory(curve: Callable[..., list[RunRecord]]) -> None:
    falling = curve({1: 100, 8: 600, 16: 1000, 32: 1004, 64: 700, 128: 500})
    (found,) = judged(falling)
    text = fall_sentence([found])
    assert re.search(r"collapses .*\b(49|5\d) % less \(4\d to 5\d %\) at 128 connections\.$", text)
    assert fall_sentence(judged(curve({1: 100, 4: 350, 16: 900}))) == ""


def test_a_fall_that_is_made_up_for_at_more_connections_says_where_it_is_back(
    curve: Callable[..., list[RunRecord]],
) -> None:
    (found,) = judged(curve({4: 1000, 16: 780, 64: 990}))
    text = fall_sentence([found])
    back = r"; at 64, it is back: 2\d % higher than at 16 \(2\d to 3\d %\)\.$"
    assert re.match(r"a falls .*2\d % less \(\d+ to \d+ %\) at 16 connections", text) and re.search(back, text), text
    both = fall_sentence(judged([*curve({4: 1000, 16: 780, 64: 990}), *curve({4: 1000, 16: 800, 64: 700}, "b")]))
    assert re.search(r"; at 64, a is back: 2\d % higher than at 16 \(", both) and "b is back" not in both


def test_a_fall_is_not_made_up_for_where_throughput_stays_below_the_peak(
    curve: Callable[..., list[RunRecord]],
) -> None:
    for last in (500, 800):
        (found,) = judged(curve({4: 1000, 16: 500, 64: last}))
        assert found.recovery is None and "back" not in fall_sentence([found])


def test_a_fall_of_runs_without_repeats_says_on_which_spread_it_rests(curve: Callable[..., list[RunRecord]]) -> None:
    once = [one for one in curve({4: 1000, 16: 500}) if one.run.repeat == 1]
    assert re.match(r"a collapses beyond its peak, if repeats spread by [\d.]+ %: ", fall_sentence(judged(once)))


def test_a_target_that_collapses_on_two_routes_is_named_once_with_the_deeper_fall(
    curve: Callable[..., list[RunRecord]],
) -> None:
    here = curve({4: 900, 16: 800, 128: 500})
    there = [
        replace(one, run=replace(one.run, cell=replace(one.run.cell, route="network")))
        for one in curve({4: 900, 16: 800, 128: 300})
    ]
    text = fall_sentence(judged([*here, *there]))
    assert re.search(r"^a collapses .*6\d % .*128 connections \(oltp_read_write, network\)\.$", text), text


def test_a_loss_below_a_third_is_a_fall_and_no_collapse(curve: Callable[..., list[RunRecord]]) -> None:
    def named(target: str, levels: Mapping[int, float]) -> list[RunRecord]:
        return [replace(one, run=replace(one.run, cell=replace(one.run.cell, target=target))) for one in curve(levels)]

    shallow, deep = named("b", {4: 900, 16: 700}), named("c", {4: 900, 16: 400})
    assert re.search(r"^b falls .*2\d % .*16 connections\.$", fall_sentence(judged(shallow)))
    assert " at 16 connections" in capacity_sentences(judged(shallow))[0]
    both = fall_sentence(judged([*shallow, *deep]))
    assert re.search(r"^1 target collapses .*: c .*5\d % .*16 connections; 1 ", both), both
    falls = fall_sentence(judged([*shallow, *named("d", {4: 900, 16: 750})]))
    assert re.search(r"^2 targets fall .*: b by 2\d % \(.*\), d by 1\d % \(.*\), all .*16 connections\.$", falls), falls


def test_a_curve_that_still_rises_has_its_peak_beyond(curve: Callable[..., list[RunRecord]]) -> None:
    (found,) = judged(curve({1: 100, 4: 350, 16: 900}))
    assert found.is_open
    assert peak_words(found) == "16 or more"
    closed = judged(curve({1: 100, 4: 350, 16: 900, 64: 850}))
    is_open = ["beyond" in capacity_sentences(judgements)[0] for judgements in ([found], closed)]
    assert is_open == [True, False]


def test_an_unsettled_concurrency_is_the_peak_only_where_it_may_do_as_much(
    curve: Callable[..., list[RunRecord]],
) -> None:
    def with_unsettled(levels: Mapping[int, float], drifting: int) -> CapacityJudgement:
        part = SettledPart("drifting", 900, 0, levels[drifting], 10.0, change=-0.08)
        (found,) = judged(
            [replace(one, settled=part) if one.run.cell.concurrency == drifting else one for one in curve(levels)]
        )
        return found

    low = with_unsettled({1: 100, 16: 400, 64: 700, 256: 300}, 256)
    assert (low.unsettled, low.possible_peaks, low.is_open) == ((256,), (), False)
    assert peak_words(low) == "64"
    assert "higher" not in capacity_sentences([low])[0]
    high = with_unsettled({1: 100, 16: 400, 64: 700, 256: 800}, 256)
    assert (high.possible_peaks, high.is_open, peak_words(high)) == ((256,), True, "64 or more")
    assert "256" in capacity_sentences([high])[0].partition("; excluded")[0]
    lower = with_unsettled({16: 800, 64: 700, 256: 300}, 16)
    assert (lower.possible_peaks, lower.is_open) == ((16,), False)


def test_a_collapse_from_a_concurrency_on_leaves_none_out(curve: Callable[..., list[RunRecord]]) -> None:
    (found,) = judged(curve({16: 1000, 64: 600, 128: 980, 256: 500}))
    assert found.peak.falls == (64, 256)
    (text,) = capacity_sentences([found])
    assert re.search(r"collapses .*\b64 and 256 .*: ", text)


def test_one_connection_is_not_plural_and_much_more_memory_is_a_plain_number(
    curve: Callable[..., list[RunRecord]],
) -> None:
    records = curve({1: 900, 4: 912, 16: 500}, tier=1 << 20) + curve({4: 500, 16: 900}, tier=1 << 30)
    small, large = judged(records)
    assert small.peak.best == 4
    assert "; 1 connection " in capacity_sentences([small])[0]
    assert " 1,024 times " in capacity_sentences([large])[0]


def test_more_memory_is_compared_at_each_ones_best(curve: Callable[..., list[RunRecord]]) -> None:
    records = curve({4: 300, 16: 200}, tier=SMALL) + curve({4: 500, 16: 900}, tier=LARGE)
    small, large = judged(records)
    assert small.more_memory is None
    assert large.more_memory is not None
    assert large.more_memory.low < 3.0 < large.more_memory.high
    assert " is 197 % higher (" in capacity_sentences([large])[0]


@pytest.mark.parametrize("unsettled_tier", [SMALL, LARGE])
def test_more_memory_brings_nothing_known_where_a_peak_may_be_at_what_has_not_settled(
    curve: Callable[..., list[RunRecord]], unsettled_tier: int
) -> None:
    """Both reach 900 at 16 connections; one of them drifts there, and what is left of it is 300 at 4."""
    drifting = SettledPart("drifting", 900, 0, 900.0, 9.0, change=-0.08)
    records = [
        replace(one, settled=drifting)
        if (one.run.cell.tier_bytes, one.run.cell.concurrency) == (unsettled_tier, 16)
        else one
        for one in curve({1: 100, 4: 300, 16: 900}, tier=SMALL) + curve({1: 100, 4: 300, 16: 900}, tier=LARGE)
    ]
    found = {judgement.tier_bytes: judgement for judgement in judged(records)}
    assert found[unsettled_tier].possible_peaks == (16,)
    assert found[LARGE].more_memory is None
    assert not any("the memory" in text for text in capacity_sentences(list(found.values())))


def test_the_law_is_fitted_from_six_concurrencies_and_shown_where_it_fits(
    curve: Callable[..., list[RunRecord]],
) -> None:
    places = (1, 4, 16, 64, 128, 256)
    (fitting,) = judged(curve({n: law(n) for n in places}))
    assert fitting.fit is not None
    assert fitting.fit.is_shown
    points = law_points(fitting, 5)
    assert [point.concurrency for point in points] == pytest.approx([1, 4, 16, 64, 256])
    for point in points:
        assert point.low <= point.tps <= point.high and point.tps == pytest.approx(law(point.concurrency), rel=0.1)
    (missing,) = judged(curve({n: law(n) * (0.4 if n == 64 else 1) for n in places}))
    assert missing.fit is not None
    assert not missing.fit.is_shown
    assert law_points(missing, 5) == []
    (few,) = judged(curve({n: law(n) for n in places[:5]}))
    assert few.fit is None


def test_one_concurrency_or_runs_that_are_not_good_make_no_curve(record: MakeRecord) -> None:
    assert judged([record(concurrency=4, repeat=n) for n in (1, 2)]) == []
    assert judged([record(concurrency=4), record(concurrency=8, status="suspect")]) == []
