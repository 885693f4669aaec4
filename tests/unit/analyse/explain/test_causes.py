"""Causes on planted times: each row explains its example and not another's, and each millisecond is claimed once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cause_examples import ALIKE, EXAMPLES, OTHERS, THREADS, Example, breakdown, first
from dbdyno.analyse.explain import (
    LEAST_SHARE,
    Breakdown,
    Circumstances,
    ProofVerdict,
    causes,
    causes_from,
    compare_breakdowns,
    rank_causes,
)
from dbdyno.core import AnalysisError, Cell, DecodeError, Run

IDS = [cause.cause_id for cause in causes()]


def test_every_cause_has_an_example_and_a_pair_that_it_must_not_explain() -> None:
    assert list(EXAMPLES) == IDS
    assert list(OTHERS) == IDS


@pytest.mark.parametrize("cause_id", IDS)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_cause_is_the_first_to_explain_its_example(cause_id: str, seed: int) -> None:
    found = EXAMPLES[cause_id].ranked(seed)
    assert first(found) == cause_id
    assert found.causes[0].grade == "explained by"
    assert found.causes[0].difference.low > 0


@pytest.mark.parametrize("cause_id", IDS)
def test_a_cause_claims_nothing_that_counts_of_another_ones_example(cause_id: str) -> None:
    found = OTHERS[cause_id].ranked()
    least = LEAST_SHARE * found.gap.total.left_ms
    claimed = sum(one.difference.ms for one in found.causes if one.cause.cause_id == cause_id)
    assert abs(claimed) < least
    assert cause_id not in {one.cause.cause_id for one in found.decided}


@pytest.mark.parametrize("cause_id", IDS)
def test_the_other_way_round_it_is_the_same_cause_with_the_other_sign(cause_id: str) -> None:
    example = EXAMPLES[cause_id]
    runs = example.runs()
    left, right = runs
    (turned,) = compare_breakdowns(runs, [(right, left)])
    found = rank_causes(turned, runs, example.circumstances.turned)
    assert found is not None
    assert first(found) == cause_id
    assert found.causes[0].difference.ms == pytest.approx(-example.ranked().causes[0].difference.ms)


MS = st.just(0.0) | st.floats(1e-6, 20.0)


@given(
    st.fixed_dictionaries({}, optional=dict.fromkeys((*THREADS, "thread.redo_space", "thread.data_flush"), MS)),
    st.fixed_dictionaries(
        {}, optional={"thread.on_cpu": st.floats(1, 400), "thread.redo_flush": st.just(0.0) | st.floats(0.1, 9)}
    ),
    st.fixed_dictionaries(
        {}, optional={f"processors.{who}": st.tuples(MS, MS) for who in ("sessions", "neighbours", "background")}
    ),
    st.floats(0.25, 4.0),
    st.integers(1, 1000),
)
@settings(max_examples=80, deadline=None)
def test_each_millisecond_is_claimed_once_and_the_rest_is_not_explained(
    right: dict[str, float], work: dict[str, float], facts: dict[str, tuple[float, float]], more: float, seed: int
) -> None:
    assume(any(right.values()) or not right)  # a transaction takes time
    found = Example(right, work, facts, connections=more).ranked(seed, repeats=2)
    gap = found.gap
    whole = sum(one.difference.ms for one in found.causes) + found.not_explained.ms
    assert whole == pytest.approx(gap.total.ms, abs=1e-6 * gap.total.right_ms)
    for part in gap.parts:
        if part.by_work_ms is not None and part.by_cost_ms is not None:
            assert part.by_work_ms + part.by_cost_ms == pytest.approx(part.difference.ms, abs=1e-9)
        claims = [one.claims.get(part.part_id, 0.0) for one in found.causes]
        assert all(ms * part.difference.ms >= 0 for ms in claims)
        assert abs(sum(claims)) <= abs(part.difference.ms) * (1 + 1e-9)
    for one in found.causes:
        assert one.difference.ms == pytest.approx(sum(one.claims.values()), abs=1e-6 * gap.total.right_ms)


def test_claims_make_the_difference_of_the_rounds_that_both_sides_have() -> None:
    """Two rounds are enough at eight places; the first one was slow, and lost on one side."""
    random = np.random.default_rng(1)
    sides: Mapping[str, tuple[Mapping[str, float], tuple[int, ...]]] = {
        "a": (THREADS, (1, 2, 3)),
        "b": ({**THREADS, "thread.redo_space": 2.0}, (2, 3)),
    }
    runs: dict[Cell, tuple[Breakdown, ...]] = {}
    pairs: list[tuple[Cell, Cell]] = []
    for place in range(1, 9):
        left, right = (Cell(target, place << 30, 8, "sysbench/oltp_read_write", "socket") for target in sides)
        for cell, (times, rounds) in zip((left, right), sides.values(), strict=True):
            slow = {name: 1.5 * ms for name, ms in times.items()}
            runs[cell] = tuple(
                breakdown(Run(cell, number, 0, number, ""), slow if number == 1 else times, {}, random, 0.01)
                for number in rounds
            )
        pairs.append((left, right))
    gap = compare_breakdowns(runs, pairs)[0]
    assert gap.is_paired and gap.repeats == 2
    found = rank_causes(gap, runs, Circumstances())
    assert found is not None and first(found) == "redo-small"
    whole = sum(one.difference.ms for one in found.causes) + found.not_explained.ms
    assert whole == pytest.approx(gap.total.ms)


@pytest.mark.parametrize("spread", [0.02, 0.1])
def test_equals_have_no_decided_cause_in_19_of_20(spread: float) -> None:
    busy = {f"processors.{who}": (0.5, 0.6) for who in ("sessions", "neighbours", "background", "client")}
    alike = Example({}, facts={**busy, "engine.binlog.bytes": (9.0, 9.0)}, settings={"binlog.sync": ("0", "1")})
    false = [bool(alike.ranked(seed, repeats, spread).decided) for seed in range(40) for repeats in (2, 3, 4)]
    assert sum(false) <= len(false) // 20


@pytest.mark.parametrize(
    ("cause_id", "setting", "less", "more"),
    [
        ("isolation", "trx.isolation", "READ-COMMITTED", "SERIALIZABLE"),
        ("durability", "derived:commit_class", "write-each-commit", "sync-each-commit"),
        ("durability", "derived:commit_class", "sync-periodic(1 s)", "sync-each-commit"),
        ("binary-log-written", "binlog.sync", "0", "1"),
        ("group-commit-delay", "derived:group_commit_delay_us", "20", "1000"),
    ],
)
def test_a_setting_is_the_cause_only_on_the_side_where_it_costs_time(
    cause_id: str, setting: str, less: str, more: str
) -> None:
    example = replace(EXAMPLES[cause_id], facts={"engine.binlog.commits": (1.0, 1.0)}, settings={setting: (less, more)})
    assert first(example.ranked()) == cause_id
    turned = replace(example, settings={setting: (more, less)}).ranked()
    assert cause_id not in {one.cause.cause_id for one in turned.causes}


@pytest.mark.parametrize(
    ("facts", "causes_of_parts"),
    [
        ({"engine.binlog.commits": (1.0, 1.0)}, {"binary-log-slow": {"thread.commit_order", "thread.binlog_flush"}}),
        ({"engine.binlog.commits": (0.0, 1.0)}, {"binary-log-written": {"thread.commit_order", "thread.binlog_flush"}}),
        ({}, {"commit-order": {"thread.commit_order"}, "binary-log-flushes": {"thread.binlog_flush"}}),
    ],
    ids=["MySQL counts commits only", "one of both has a binary log", "not counted"],
)
def test_a_binary_log_that_is_slow_must_be_written_and_has_a_cause_where_it_was_not_counted(
    facts: dict[str, tuple[float, float]], causes_of_parts: dict[str, set[str]]
) -> None:
    found = replace(EXAMPLES["binary-log-slow"], facts=facts).ranked()
    claims = {one.cause.cause_id: set(one.claims) for one in found.decided}
    assert claims == causes_of_parts


@pytest.mark.parametrize(
    ("facts", "values"),
    [
        ({}, ("0", "1000")),
        ({"engine.binlog.bytes": (0.0, 0.0)}, ("0", "1000")),
        ({"engine.binlog.bytes": (9.0, 9.0)}, ("0", "0")),
        ({"engine.binlog.bytes": (9.0, 9.0)}, ("none", "1000")),
    ],
)
def test_a_delay_of_commits_is_no_cause_without_a_binary_log_or_a_longer_delay(
    facts: dict[str, tuple[float, float]], values: tuple[str, str]
) -> None:
    example = replace(EXAMPLES["group-commit-delay"], facts=facts, settings={"derived:group_commit_delay_us": values})
    assert first(example.ranked()) in ("commit-order", "binary-log-slow")


@pytest.mark.parametrize("log", ["general-log", "slow-log"])
def test_a_log_takes_its_writes_its_mutex_and_its_processor_time(log: str) -> None:
    ranking = EXAMPLES[log].ranked()
    parts = {part.part_id: part.difference.ms for part in ranking.gap.parts}
    (cause, *_) = ranking.causes
    assert cause.cause.cause_id == log
    for name in ("thread.other_file", "thread.latch", "thread.on_cpu"):
        assert cause.claims[name] == pytest.approx(parts[name])


@pytest.mark.parametrize(
    ("lag", "is_lag"), [((10.0, 90_000.0), False), ((50_000.0, 450_000.0), False), ((0.0, 2e5), True)]
)
def test_a_history_is_a_lag_only_if_it_is_long_and_many_times_the_other(lag: tuple[float, float], is_lag: bool) -> None:
    example = replace(EXAMPLES["purge-lag"], facts={"engine.history.length": lag})
    assert first(example.ranked()) == ("purge-lag" if is_lag else "dearer-rows")


def test_two_causes_at_once_are_the_first_two_in_the_order_of_their_size() -> None:
    pairs = [
        ("slow-flushes", "row-locks"),
        ("buffer-pool-small", "metadata-locks"),
        ("more-rows", "binary-log-written"),
        ("redo-small", "row-locks"),
        ("neighbours", "slow-reads"),
    ]
    for names in pairs:
        found = EXAMPLES[names[0]].also(EXAMPLES[names[1]]).ranked()
        assert {one.cause.cause_id for one in found.causes[:2]} == set(names)
        sizes = [one.difference.ms for one in found.decided]
        assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize(
    ("part", "cause_id", "facts"),
    [
        ("thread.redo_flush", "redo-flushes", {}),
        ("thread.data_read", "reads", {}),
        ("thread.data_read", "block-cache-small", {"engine.lsm.cache_misses": (1.0, 9.0)}),
    ],
)
@pytest.mark.parametrize("ms", [0.02, 5.0])
def test_time_whose_work_a_server_does_not_count_is_a_cause_as_a_whole(
    part: str, cause_id: str, facts: dict[str, tuple[float, float]], ms: float
) -> None:
    """Counters of InnoDB stay 0 where MyRocks flushes and reads."""
    example = Example({part: ms}, work={part: 0.0}, facts=facts)
    found = (example if ms > 1 else replace(example, facts={name: pair[::-1] for name, pair in facts.items()})).ranked()
    (gap,) = (one for one in found.gap.parts if one.part_id == part)
    assert (gap.by_work_ms, gap.by_cost_ms) == (None, None)
    claims = {one.cause.cause_id: one.claims.get(part, 0.0) for one in found.causes if one.claims.get(part)}
    assert claims == {cause_id: pytest.approx(gap.difference.ms)}


def test_what_a_cause_brings_is_no_more_than_what_it_is() -> None:
    found = Example({"thread.redo_space": 0.5, "thread.latch": 9.0}).ranked()
    by_id = {one.cause.cause_id: one for one in found.causes}
    assert by_id["redo-small"].claims["thread.latch"] == pytest.approx(by_id["redo-small"].claims["thread.redo_space"])
    assert first(found) == "latches"


@pytest.mark.parametrize(
    ("condition", "holds"), [("times = 2", (4.0, 2.0)), ("by = 2", (4.0, 2.0)), ("times = 2", (4.0, 0.0))]
)
def test_a_fact_that_falls_is_less_on_the_side_that_takes_longer(condition: str, holds: tuple[float, float]) -> None:
    (cause,) = causes_from(f"{ROW}all = [{{ falls = 'x', {condition} }}]\n")
    assert Circumstances({"x": holds}).allow(cause)
    assert not Circumstances({"x": holds[::-1]}).allow(cause)
    assert not Circumstances({"x": (4.0, 2.1)}).allow(cause)
    assert not Circumstances({"x": (0.0, 0.0)}).allow(cause)


def test_of_equals_the_one_whose_setting_differs_is_first() -> None:
    waits = Example({"thread.metadata_lock": 2.02, "thread.admission": 2.0})
    assert first(waits.ranked(spread=0.001)) == "metadata-locks"
    limited = Example(waits.right, settings={"sync.thread_concurrency": ("0", "2")})
    assert first(limited.ranked(spread=0.001)) == "admission-limit"
    assert limited.ranked().causes[0].settings == {"sync.thread_concurrency": ("0", "2")}


def test_a_refuted_cause_is_last_and_a_proved_one_is_said_to_be_the_cause() -> None:
    example = EXAMPLES["row-locks"].also(EXAMPLES["sleeps"])
    runs = example.runs()
    left, right = runs
    (gap,) = compare_breakdowns(runs, [(left, right)])
    found = rank_causes(
        gap, runs, example.circumstances, {("row-locks", False): "refuted", ("sleeps", False): "proved"}
    )
    assert found is not None
    assert [one.grade for one in found.causes if one.difference.verdict == "decided"] == ["caused by", "refuted"]
    assert found.causes[-1].cause.cause_id == "row-locks"
    assert "row-locks" not in {one.cause.cause_id for one in found.decided}


def test_an_undecided_cause_is_not_said_to_be_the_cause_when_it_is_proved() -> None:
    example = EXAMPLES["slow-reads"]
    runs = example.runs(repeats=2, spread=0.6)
    left, right = runs
    (gap,) = compare_breakdowns(runs, [(left, right)])
    found = rank_causes(gap, runs, example.circumstances, {("slow-reads", False): "proved"})
    assert found is not None
    (reads,) = (one for one in found.causes if one.cause.cause_id == "slow-reads")
    assert (reads.difference.verdict, reads.proof, reads.grade) == ("undecided", "proved", "goes with")
    assert reads not in found.decided


@pytest.mark.parametrize("verdict", ["proved", "refuted"])
def test_an_experiment_on_one_side_grades_no_cause_of_the_other(verdict: ProofVerdict) -> None:
    left = {**THREADS, "thread.redo_flush": 4.0}
    example = Example({"thread.redo_flush": 0.5, "thread.data_read": 8.0}, left=left, has_work=False)
    runs = example.runs()
    (gap,) = compare_breakdowns(runs, [tuple(runs)])
    for is_against in (False, True):
        found = rank_causes(gap, runs, example.circumstances, {("redo-flushes", is_against): verdict})
        assert found is not None
        (flushes,) = (one for one in found.causes if one.cause.cause_id == "redo-flushes")
        assert flushes.difference.ms < 0
        assert flushes.proof == (verdict if is_against else None)


def test_a_cause_against_the_difference_is_told_with_its_sign() -> None:
    example = Example({"thread.row_lock": 5.0, "thread.redo_flush": 0.1}, left={**THREADS, "thread.redo_flush": 2.0})
    found = example.ranked()
    assert [one.cause.cause_id for one in found.decided] == ["row-locks", "slow-flushes"]
    assert found.decided[1].difference.ms < 0


def test_without_parts_there_are_no_causes() -> None:
    bare = {cell: tuple(replace(run, parts=()) for run in own) for cell, own in ALIKE.runs().items()}
    left, right = bare
    (gap,) = compare_breakdowns(bare, [(left, right)])
    assert rank_causes(gap, bare, ALIKE.circumstances) is None


ROW = '[[cause]]\nid = "a"\nwords = "w"\nremedy = "r"\nclaims = ["thread.latch"]\n'


@pytest.mark.parametrize(
    "text",
    [
        ROW + ROW,
        ROW + "colour = 1\n",
        ROW.replace("latch", "latch/colour"),
        ROW + 'all = [{ grows = "x" }]\n',
        ROW + 'all = [{ grows = "x", times = 2, by = 1 }]\n',
        ROW + 'all = [{ falls = "x" }]\n',
        ROW + 'all = [{ falls = "x", grows = "y", by = 1 }]\n',
        ROW + 'all = [{ has = "x", differs = "y" }]\n',
        ROW + 'all = [{ has = "x", often = 1 }]\n',
        ROW + 'all = [{ has = "x", by = 1 }]\n',
        ROW + 'all = [{ has = "x", order = ["a"] }]\n',
        ROW + 'all = [{ has = "x", larger = true }]\n',
        ROW + "settings = 1\n",
        ROW.replace('words = "w"\n', ""),
    ],
)
def test_a_row_that_means_nothing_is_refused(text: str) -> None:
    assert len(causes_from(ROW)) == 1
    with pytest.raises((AnalysisError, DecodeError)):
        causes_from(text)


def test_waits_of_the_other_side_that_a_cause_replaces_are_taken_off_it() -> None:
    """With a binary log the leader of a group flushes the redo log, and the others wait for it in the commit order."""
    binlog = EXAMPLES["binary-log-written"]
    ranking = replace(binlog, right={**binlog.right, "thread.redo_flush": 0.1}).ranked()
    leader = ranking.causes[0]
    assert leader.cause.cause_id == "binary-log-written"
    assert leader.claims["thread.redo_flush"] == pytest.approx(-0.3, rel=0.2)
    assert leader.difference.ms == pytest.approx(sum(leader.claims.values()))
    assert "slow-flushes" not in {one.cause.cause_id for one in ranking.causes}
    same = replace(binlog, right={**binlog.right, "thread.redo_flush": 9.0}).ranked()
    assert "thread.redo_flush" not in next(one for one in same.causes if one.cause == leader.cause).claims


def test_an_alteration_undoes_what_its_cause_claims_of_the_longer_side() -> None:
    ranking = EXAMPLES["performance-schema"].ranked()
    claim = ranking.claim_undone_by("performance-schema-off", is_left=False)
    assert set(claim.shares) == {"thread.on_cpu", "thread.run_queue"}
    assert claim.shares["thread.on_cpu"] == pytest.approx(0.5, abs=0.1)  # 1 to 2 ms
    assert 0 < claim.error < 1
    for other in (("performance-schema-off", True), ("isolation-read-committed", False)):
        assert ranking.claim_undone_by(other[0], is_left=other[1]).shares == {}
