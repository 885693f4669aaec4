"""LinkBench: throughput of its log, response times of its log or its CSV; never one from the other."""

from __future__ import annotations

from pathlib import Path

import pytest

import tool_logs
from numbers_in import numbers_in
from trees import imported

RATES = [1000.0 + 10 * (n % 5) for n in range(12)]


def test_progress_lines_are_intervals_and_types_keep_upper_edges(tmp_path: Path) -> None:
    outcome, results = imported(tmp_path, {"a/4.log": tool_logs.linkbench(RATES)}, tool="linkbench")
    (record,) = results.records()
    assert (outcome.diagnostics, record.status, record.figures.window_s) == ((), "good", 120.0)
    assert record.figures.tps_mean == pytest.approx(sum(RATES) / 12)
    assert (record.run.cell.workload, record.run.cell.concurrency) == ("linkbench", 4)
    first = record.types[0]
    assert (first.name, first.mean_ns) == ("add_node", 2.427e6)
    assert first.latency_ns is not None
    assert (first.latency_ns.p50, first.latency_ns.p99) == (2_000_000, 16_000_000)
    assert len(results.seconds(record.run.run_id)) == 12
    codes = {caveat.code for caveat in record.caveats}
    assert {"long-intervals", "rate-with-connecting", "coarse-quantiles"} <= codes


def test_progress_printed_by_count_is_put_together_to_ten_seconds(tmp_path: Path) -> None:
    text = tool_logs.linkbench([1000.0] * 300, step=0.5)
    _, results = imported(tmp_path, {"a/4.log": text}, tool="linkbench")
    seconds = results.seconds(results.records()[0].run.run_id)
    assert len(seconds) == 15
    assert set(seconds.values("tps")) == {1000.0}


def test_failed_requests_are_those_that_its_threads_count(tmp_path: Path) -> None:
    _, results = imported(tmp_path, {"a/4.log": tool_logs.linkbench(RATES, failed=3)}, tool="linkbench")
    (record,) = results.records()
    assert list(record.figures.errors.values()) == [12]
    assert {t.name: t.failed for t in record.types}["add_link"] == 12


def test_the_table_of_statistics_beside_a_log_gives_its_types(tmp_path: Path) -> None:
    log = "".join(line for line in tool_logs.linkbench(RATES).splitlines(True) if " count = " not in line)
    files = {"a/linkbench.log": log, "a/final-stats.csv": tool_logs.linkbench_stats(600)}
    outcome, results = imported(tmp_path, files, None, tool="linkbench")
    (record,) = results.records()
    assert outcome.diagnostics == ()
    assert (record.types[0].completed, record.types[0].tps) == (600, pytest.approx(5.0))
    assert [e["role"] for e in results.document(record.run.run_id, "origin")] == ["LinkBench log", "csv-statistics"]


def test_a_table_alone_tells_no_throughput(tmp_path: Path) -> None:
    files = {"a/4.csv": tool_logs.linkbench_stats(), "b/4.csv": tool_logs.linkbench(RATES)}
    _, results = imported(tmp_path, files, "{target}/{threads}.csv", tool="linkbench")
    record = next(r for r in results.records() if r.run.cell.target == "a")
    assert (record.status, len(record.types), record.figures.tps_mean) == ("failed", 4, None)
    assert record.reason


def test_statistics_of_the_load_phase_are_no_requests(tmp_path: Path) -> None:
    quantiles = "  ".join(f"p{quantile} = [1,2]ms" for quantile in (25, 50, 75, 95, 99))
    load = f"INFO x [main]: LOAD_NODE_BULK count = 9  {quantiles}  max = 2ms  mean = 1ms\n"
    load += "INFO x [main]: LOAD PHASE COMPLETED.  Loaded 9 nodes\n"
    _, results = imported(tmp_path, {"a/4.log": load + tool_logs.linkbench(RATES)}, tool="linkbench")
    assert {t.name for t in results.records()[0].types} == {name.lower() for name in tool_logs.LINKBENCH_TYPES}


def test_requesters_that_gave_up_make_the_run_suspect(tmp_path: Path) -> None:
    more = "ERROR x [main]: Benchmark did not complete cleanly: 2/4 request threads aborted.  See the log\n"
    _, results = imported(tmp_path, {"a/4.log": tool_logs.linkbench(RATES) + more}, tool="linkbench")
    assert results.records()[0].status == "suspect"
    assert numbers_in(results.records()[0].reason) == [2, 4]


def test_a_log_that_ends_in_its_phase_keeps_what_was_done(tmp_path: Path) -> None:
    text = tool_logs.linkbench(RATES)
    cut = text[: text.index("INFO 2026-07-10 15:20:01,123 [main]: ADD_NODE")]
    outcome, results = imported(tmp_path, {"a/4.log": cut}, tool="linkbench")
    (record,) = results.records()
    assert (record.status, record.figures.tps_mean) == ("suspect", pytest.approx(sum(RATES) / 12))
    assert outcome.diagnostics[0].line == cut.count("\n")


def test_the_warm_up_is_led_in_and_not_counted(tmp_path: Path) -> None:
    _, results = imported(tmp_path, {"a/4.log": tool_logs.linkbench(RATES, warm_up=30)}, tool="linkbench")
    assert results.document(results.records()[0].run.run_id, "start")["warm_up_s"] == 30
