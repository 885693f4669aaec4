"""Quantiles of merged histograms with intervals between repeats, left out where too few transactions lie beyond."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dbdyno.analyse import (
    SecondHistograms,
    compare_quantiles,
    judge_cells,
    judge_history,
    judge_latency,
    quantile_point,
    with_noise_intervals,
)
from dbdyno.core import LatencyNs, RunRecord, ToolFigures

MakeRecord = Callable[..., RunRecord]

MERGED = LatencyNs(10_000_000, 20_000_000, 30_000_000, 40_000_000, 60_000_000)


def test_quantiles_with_too_few_transactions_beyond_are_left_out(record: MakeRecord) -> None:
    cells = judge_cells([record(), record(repeat=2)])
    found = judge_latency(cells, {cells[0].cell: (MERGED, 2500)})
    assert [x.quantile for x in found] == ["p50", "p95", "p99"]
    assert found[2].beyond_count == 25


def test_the_interval_holds_the_merged_value(record: MakeRecord) -> None:
    cells = judge_cells([record(tps=100.0), record(tps=110.0, repeat=2)])
    for found in judge_latency(cells, {cells[0].cell: (MERGED, 10**6)}):
        assert found.low_ns <= found.value_ns <= found.high_ns


def test_a_single_run_has_no_interval(record: MakeRecord) -> None:
    cells = judge_cells([record()])
    found = judge_latency(cells, {cells[0].cell: (MERGED, 10**6)})
    assert {(x.low_ns, x.high_ns) for x in found} == {(None, None)}
    assert len(found) == 4


def test_cells_without_a_histogram_are_left_out(record: MakeRecord) -> None:
    assert judge_latency(judge_cells([record()]), {}) == []


def seconds_of(stalled: int = 0) -> SecondHistograms:
    """300 seconds of 100 transactions, one in twenty slow; `stalled` seconds in which all are."""
    counts = np.tile([95, 5], (300, 1))
    counts[100 : 100 + stalled] = [0, 100]
    return SecondHistograms(counts, np.array([10e6, 20e6]))


def test_a_single_run_has_an_interval_of_its_noise_where_seconds_are_stored(record: MakeRecord) -> None:
    cells = judge_cells([record()])
    merged = {cells[0].cell: (MERGED, 30_000)}
    seconds = {cells[0].cell: [seconds_of()]}
    found = with_noise_intervals(judge_latency(cells, merged, seconds), seconds)
    assert {x.interval_of for x in found} == {"noise"}
    assert all(x.low_ns <= x.value_ns <= x.high_ns for x in found)


def test_repeats_decide_the_interval_where_there_are_some(record: MakeRecord) -> None:
    cells = judge_cells([record(), record(tps=110.0, repeat=2)])
    merged = {cells[0].cell: (MERGED, 60_000)}
    plain = judge_latency(cells, merged)
    found = judge_latency(cells, merged, {cells[0].cell: [seconds_of(), seconds_of()]})
    assert [(x.quantile, x.low_ns, x.high_ns) for x in found] == [(x.quantile, x.low_ns, x.high_ns) for x in plain]
    assert {x.interval_of for x in found} == {"repeats"}


def test_a_tail_that_one_stall_made_is_left_out(record: MakeRecord) -> None:
    cells = judge_cells([record()])
    random = np.random.default_rng(1)
    counts = np.zeros((600, 101), dtype=np.int64)
    counts[:, 0] = 100
    counts[300:330] = [random.multinomial(100, [0.4, *[0.006] * 100]) for _ in range(30)]
    table = SecondHistograms(counts, np.linspace(10e6, 60e6, 101))
    merged = {cells[0].cell: (MERGED, 60_000)}
    by_count = {x.quantile for x in judge_latency(cells, merged)}
    found = {x.quantile: x.independent_count for x in judge_latency(cells, merged, {cells[0].cell: [table]})}
    assert "p999" in by_count
    assert "p999" not in found
    assert all(count >= 20 for count in found.values())


def test_bins_of_one_percent_keep_every_transaction_and_the_highest_value() -> None:
    random = np.random.default_rng(2)
    values = np.unique(np.round(np.geomspace(1e6, 1e8, 5000)))
    counts = random.integers(0, 3, (20, len(values)))
    second, column = np.nonzero(counts)
    coarse = SecondHistograms.coarse(second, column, counts[second, column], values, 20)
    assert coarse.counts.sum(axis=1).tolist() == counts.sum(axis=1).tolist()
    assert len(coarse.values_ns) < 470
    assert coarse.values_ns[-1] == values[-1]
    assert np.diff(np.log(coarse.values_ns)).max() < 0.021


def test_seconds_too_few_for_blocks_give_no_interval(record: MakeRecord) -> None:
    cells = judge_cells([record()])
    short = SecondHistograms(np.tile([95, 5], (59, 1)), np.array([10e6, 20e6]))
    seconds = {cells[0].cell: [short]}
    found = with_noise_intervals(judge_latency(cells, {cells[0].cell: (MERGED, 6_000)}, seconds), seconds)
    assert {(x.low_ns, x.interval_of) for x in found} == {(None, "")}


def test_equal_printed_quantiles_have_the_resolution_of_their_tool(record: MakeRecord) -> None:
    printed = LatencyNs(None, 10_270_000, None, None, None)
    changes = {"figures": {"latency_ns": printed, "transactions": 10**5}}
    tool = ToolFigures("sysbench", percentile=95, percentile_ns=10_270_000)
    (group,) = judge_cells([record(repeat=n, **changes, imported=tool) for n in (1, 2)])
    (told,) = judge_latency([group], {})
    assert told.high_ns > 1.01 * told.value_ns
    assert told.low_ns < 0.99 * told.value_ns
    (own_group,) = judge_cells([record(repeat=n, **changes) for n in (1, 2)])
    (own,) = judge_latency([own_group], {own_group.cell: (printed, 2 * 10**5)})
    assert own.value_ns < own.high_ns < told.high_ns
    point = quantile_point(0, group, "p95")
    assert point is not None
    assert point.log_se == point.resolution == pytest.approx(0.018 / math.sqrt(12))
    history = judge_history(group.cell, "p95", [point, replace(point, study=1), replace(point, study=2, value=10.65e6)])
    assert history.moves == ()
    assert history.spread >= point.resolution
    changed = judge_cells(
        [
            record(
                repeat=n, imported=tool, figures={"latency_ns": replace(printed, p95=10_460_000), "transactions": 10**5}
            )
            for n in (1, 2)
        ]
    )
    (change,) = compare_quantiles([(group, changed[0])], "p95")
    assert change.low < 1 < change.high
