"""A cell driven again and again through a study: whether the machine moved under it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from dbdyno.analyse import (
    SentinelJudgement,
    StudyFacts,
    judge_cells,
    judge_sentinel,
    limitations,
    sentinel_spread,
    sentinel_words,
)
from dbdyno.core import Cell, Run, RunRecord, RunSpan, RunStatus, SettledPart, StudyError, TotalFigures
from dbdyno.plan import make_plan
from dbdyno.study import parse_study, study_text
from error_codes import raises_code

CELL = Cell("mysql:9.7", 64 << 20, 4, "sysbench/oltp_read_only", "socket")
TEXT = """
targets = ["mysql:9.7", "mariadb:11.8"]
workload.name = "oltp_read_only"
axes = {tier = "64MB", concurrency = [1, 4, 16]}
measure = {repeats = 2, sentinel = "mysql:9.7"}
"""


def record(index: int, tps: float, *, is_sentinel: bool = True, status: RunStatus = "good") -> RunRecord:
    run = Run(CELL, index + 1, index, 1, "", is_sentinel=is_sentinel)
    return RunRecord(
        run,
        "mysql",
        "9.7.0",
        "innodb",
        status,
        figures=TotalFigures(tps_mean=tps, tps_half_width=1.0),
        span=RunSpan(started_ns=(index + 1) * 10**12),
    )


def drifting(share: float, spread: float = 0.0) -> list[RunRecord]:
    chance = np.random.default_rng(1)
    logs = np.linspace(0, math.log1p(share), 9) + chance.normal(0, spread, 9)
    return [record(index, 1000 * math.exp(log)) for index, log in enumerate(logs)]


def test_a_machine_that_gets_slower_is_seen() -> None:
    found = judge_sentinel(drifting(-0.05, 0.002))
    assert found is not None and found.change == pytest.approx(-0.05, abs=0.01)
    assert found.has_drifted and found.is_shown


@pytest.mark.parametrize(("is_interleaved", "other", "takes_turns"), [(1, 1, True), (0, 1, False), (1, 0, False)])
def test_a_drift_affects_all_alike_only_where_targets_take_turns(
    is_interleaved: int, other: int, takes_turns: bool
) -> None:
    run = record(9, 900.0, is_sentinel=False)
    others = [replace(run, run=replace(run.run, cell=replace(CELL, target="mariadb:11.8")))] * other
    records = [*drifting(-0.05, 0.002), *others]
    facts = StudyFacts(12.0, 9, is_closed=True, cores=8, shares_cores=False, is_interleaved=bool(is_interleaved))
    found = {caveat.code: caveat.text for caveat in limitations(facts, records, judge_cells(records), [])}
    assert ("Targets take turns" in found["sentinel-drift"]) is takes_turns


@pytest.mark.parametrize(
    ("seconds", "logs", "benches", "expected"),
    [
        # Centred: times -1/2, 0, 1/2 of the study, levels -.01, .01, 0. Slope .01, residuals -.005, .01, -.005.
        # Spread sqrt(.00015 / 1); half-width t(0.975; 1) = 12.7062 times spread / sqrt(1/2).
        ([1, 2, 3], [0.0, 0.02, 0.01], "aaa", (math.expm1(0.01), 0.220078, 0.01224745, 0.0)),
        # By time, not by order: centred times -.4, -.2, .6 of 5 s. Slope .002 / .56, residual squares .000192857.
        ([1, 2, 6], [0.0, 0.02, 0.01], "aaa", (math.expm1(0.002 / 0.56), 0.235797, 0.0138873, 0.0)),
        # Two benches, 10 % apart, of one slope: 3 % over the study, without a residual.
        ([1, 2, 3, 4], [0.0, 0.1, 0.02, 0.12], "abab", (math.expm1(0.03), 0.0, 0.0, math.expm1(0.1))),
        # A bench more takes a run more.
        ([1, 2, 3], [0.0, 0.1, 0.02], "aba", (None, None, None, 0.0)),
        ([1, 2], [0.0, 0.1], "aa", (None, None, None, 0.0)),
        # Without a known order in time there is no drift to see, and the spread is that around the mean.
        ([5, 5, 5], [0.0, 0.02, 0.01], "aaa", (0.0, math.inf, 0.01, 0.0)),
    ],
)
def test_the_change_is_that_of_a_straight_line_over_time(
    seconds: list[int], logs: list[float], benches: str, expected: tuple[float | None, ...]
) -> None:
    records = [
        replace(record(0, 1000 * math.exp(log)), span=RunSpan(started_ns=second * 10**9), bench=bench)
        for second, log, bench in zip(seconds, logs, benches, strict=True)
    ]
    found = judge_sentinel(records)
    assert found is not None
    figures = (found.change, found.half_width, found.spread, found.apart)
    assert figures == tuple(None if each is None else pytest.approx(each, rel=1e-5, abs=1e-9) for each in expected)
    spread_df = len(seconds) - 1.0 - len(set(benches))
    assert sentinel_spread(records) == (None if found.spread is None else (found.spread, spread_df))


@pytest.mark.parametrize(
    ("change", "half_width", "has_drifted", "is_shown"),
    [
        (0.03, 0.0295, False, True),  # ln 1.03 is 0.02956
        (0.03, 0.0296, False, False),
        (-0.0301, 0.01, True, True),
        (0.0301, None, True, True),
        (None, None, False, False),
    ],
)
def test_a_drift_counts_above_three_percent_and_is_shown_beyond_its_half_width(
    change: float | None, half_width: float | None, has_drifted: bool, is_shown: bool
) -> None:
    found = SentinelJudgement(CELL, 3, 3, change, half_width, 0.01)
    assert (found.has_drifted, found.is_shown) == (has_drifted, is_shown)


def test_only_good_runs_with_a_level_that_lasts_count() -> None:
    drifts = replace(record(2, 1300), settled=SettledPart("drifting", 900, 0, 1300.0, 10.0))
    records = [record(0, 1000), record(1, 1000), drifts, record(3, 0), record(4, 1300, status="suspect")]
    found = judge_sentinel(records)
    assert found is not None
    assert (found.runs, found.planned, found.change) == (2, 5, None)
    assert "too few" in sentinel_words(found)
    enough = judge_sentinel([*records, record(5, 1000)])
    assert enough is not None and (enough.runs, enough.change) == (3, pytest.approx(0.0))


def on_benches(levels: dict[str, float], share: float, spread: float = 0.002) -> list[RunRecord]:
    """Nine runs, each on the next bench."""
    chance = np.random.default_rng(2)
    logs = np.linspace(0, math.log1p(share), 9) + chance.normal(0, spread, 9)
    names = list(levels)
    return [
        replace(record(index, levels[name] * math.exp(log)), bench=name)
        for index, log in enumerate(logs)
        for name in (names[index % len(names)],)
    ]


def test_benches_that_are_apart_are_no_drift_and_widen_no_spread() -> None:
    alone = judge_sentinel(on_benches({"a": 1000.0}, -0.05))
    several = judge_sentinel(on_benches({"a": 1000.0, "b": 1080.0, "c": 1010.0}, -0.05))
    assert alone is not None and several is not None
    assert (alone.benches, alone.apart, several.benches) == (1, 0.0, 3)
    assert several.change == pytest.approx(-0.05, abs=0.01)
    assert several.apart == pytest.approx(0.08, abs=0.03)
    assert alone.spread is not None and several.spread == pytest.approx(alone.spread, rel=0.7)


@pytest.mark.parametrize(("levels", "codes"), [((1000.0, 1005.0), []), ((1000.0, 1060.0), ["benches-apart"])])
def test_benches_that_are_apart_are_a_limitation(levels: tuple[float, float], codes: list[str]) -> None:
    records = on_benches({"a": levels[0], "b": levels[1]}, 0.0)
    facts = StudyFacts(12.0, 9, is_closed=True, cores=8, shares_cores=False)
    found = [caveat.code for caveat in limitations(facts, records, judge_cells(records), [])]
    assert [code for code in found if code == "benches-apart"] == codes
    without = [replace(one, run=replace(one.run, is_sentinel=False)) for one in records]
    assert "benches-apart" in {caveat.code for caveat in limitations(facts, without, judge_cells(without), [])}


def test_a_bench_that_was_set_aside_is_not_one_of_those_that_ran() -> None:
    ran = [replace(record(index, 1000.0, is_sentinel=False), bench="a") for index in range(9, 11)]
    records = [*on_benches({"a": 1000.0, "b": 1300.0}, 0.0), *ran]
    sentinel = judge_sentinel(records)
    assert sentinel is not None and (sentinel.benches, sentinel.apart) == (1, 0.0)
    facts = StudyFacts(12.0, 9, is_closed=True, cores=8, shares_cores=False)
    assert "benches-apart" not in {caveat.code for caveat in limitations(facts, records, judge_cells(records), [])}


def test_no_level_rests_on_a_sentinel() -> None:
    cells = judge_cells([record(0, 1000, is_sentinel=False), record(1, 5000)])
    assert [cell.tps_mean for cell in cells] == [pytest.approx(1000)]
    assert judge_sentinel([record(0, 1000, is_sentinel=False)]) is None


def test_it_is_driven_first_in_the_middle_and_last_of_every_round_and_changes_no_other_order() -> None:
    study = parse_study(TEXT, "watched.toml")
    runs = make_plan(study).runs
    assert [run.is_sentinel for run in runs] == [True, *[False] * 3, True, *[False] * 3, True] * 2
    assert [run.order_index for run in runs] == list(range(18))
    assert len({run.run_id for run in runs}) == 18
    assert {run.seed for run in runs if run.is_sentinel} == {1}
    assert {run.cell.concurrency for run in runs if run.is_sentinel} == {4}
    plain = make_plan(parse_study(TEXT.replace(', sentinel = "mysql:9.7"', ""), "watched.toml")).runs
    assert [run.cell for run in runs if not run.is_sentinel] == [run.cell for run in plain]


def test_the_study_file_keeps_it_and_refuses_a_stranger() -> None:
    study = parse_study(TEXT, "watched.toml")
    assert parse_study(study_text(study), "watched.toml").sentinel == "mysql:9.7"
    with raises_code(StudyError, "unknown-target"):
        parse_study(TEXT.replace('sentinel = "mysql:9.7"', 'sentinel = "mysql:9.8"'), "watched.toml")
