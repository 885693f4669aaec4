"""Quantiles of merged histograms with intervals between repeats, left out where too few transactions lie beyond."""

from __future__ import annotations

from collections.abc import Callable

from dbdyno.analyse import judge_cells, judge_latency
from dbdyno.core import LatencyNs, RunRecord

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
