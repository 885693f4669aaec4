"""Logs of sysbench 0.4 and 0.5: other words for the same figures, and fewer of them."""

from __future__ import annotations

from pathlib import Path

import pytest

import sysbench_log
from dbdyno.imports.sysbench._figures import DEADLOCKS
from trees import imported


def test_lines_and_report_of_0_5_are_read_in_their_first_form(tmp_path: Path) -> None:
    text = sysbench_log.old_log([700.0, 650.0, 720.0, 690.0], threads=16, interval=10, percentile=99)
    outcome, results = imported(tmp_path, {"a/16.log": text})
    (record,) = results.records()
    assert (outcome.diagnostics, record.status) == ((), "good")
    assert record.figures.tps_mean == pytest.approx(690.0)
    assert (record.figures.window_s, record.figures.transactions, record.run.cell.concurrency) == (40.0, 27_600, 16)
    assert record.figures.latency_ns is not None
    assert record.figures.latency_ns.p99 == 36_790_000
    assert record.imported is not None
    assert (record.imported.tool, record.imported.mean_ns) == ("sysbench 0.5", 18_180_000)
    seconds = results.seconds(record.run.run_id)
    assert seconds.values("second") == [0, 10, 20, 30]
    assert seconds.values("reads_per_s")[0] == pytest.approx(9_800.0)
    assert seconds.values("qps") == [None] * 4
    codes = {caveat.code for caveat in record.caveats}
    assert {"long-intervals", "no-histogram"} <= codes
    assert "1.8 %" not in " ".join(caveat.text for caveat in record.caveats)


def test_the_later_form_of_0_5_tells_errors_too(tmp_path: Path) -> None:
    text = sysbench_log.old_log([100.0] * 70, form="later")
    outcome, results = imported(tmp_path, {"a/4.log": text})
    (record,) = results.records()
    assert (outcome.diagnostics, record.status) == ((), "good")
    assert set(results.seconds(record.run.run_id).values("errors_per_s")) == {0.5}


def test_intermediate_results_of_0_4_are_lines_as_well(tmp_path: Path) -> None:
    text = sysbench_log.old_log([583.0, 590.5, 487.25], form="0.4.12.10", version="0.4.12.10", interval=10)
    outcome, results = imported(tmp_path, {"a/4.log": text})
    (record,) = results.records()
    assert (outcome.diagnostics, record.status, record.figures.window_s) == ((), "good", 30.0)
    assert record.run.cell.workload == "imported:oltp"
    assert results.seconds(record.run.run_id).values("tps") == [583.0, 590.5, 487.25]


def test_0_4_without_lines_gives_its_total_and_says_that_noise_is_not_known(tmp_path: Path) -> None:
    text = sysbench_log.old_log([100.0] * 60, form="none", version="0.4.12", deadlocks=7)
    outcome, results = imported(tmp_path, {"a/4.log": text})
    (record,) = results.records()
    assert outcome.diagnostics == ()
    assert (record.figures.tps_mean, record.figures.tps_half_width) == (pytest.approx(100.0, rel=1e-3), None)
    assert dict(record.figures.errors) == {DEADLOCKS: 7}
    assert "no-intervals" in {caveat.code for caveat in record.caveats}


def test_a_script_without_transactions_is_counted_by_its_events(tmp_path: Path) -> None:
    text = sysbench_log.old_log([200.0] * 70, is_transactional=False)
    outcome, results = imported(tmp_path, {"a/4.log": text})
    (record,) = results.records()
    assert (outcome.diagnostics, record.status, record.figures.transactions) == ((), "good", 14_000)
    assert record.figures.tps_mean == pytest.approx(200.0)
    assert "events-counted" in {caveat.code for caveat in record.caveats}


def test_without_its_report_such_a_script_fails_and_says_why(tmp_path: Path) -> None:
    text = sysbench_log.old_log([200.0] * 70, is_transactional=False)
    _, results = imported(tmp_path, {"a/4.log": text[: text.index("OLTP test statistics")]})
    (record,) = results.records()
    assert (record.status, record.figures.tps_mean) == ("failed", None)
    assert record.reason


def test_versions_0_5_and_1_0_in_one_tree_are_told_apart(tmp_path: Path) -> None:
    tps = [100.0 + n % 7 for n in range(70)]
    files = {"a/4.log": sysbench_log.log(tps), "b/4.log": sysbench_log.log(tps), "c/4.log": sysbench_log.old_log(tps)}
    _, results = imported(tmp_path, dict(files))
    mixed = [r.run.cell.target for r in results.records() if "mixed-versions" in {c.code for c in r.caveats}]
    assert mixed == ["c"]


def test_a_cut_line_of_0_5_is_named(tmp_path: Path) -> None:
    text = sysbench_log.old_log([100.0] * 70)
    outcome, results = imported(
        tmp_path, {"a/4.log": text.replace("[  30s] threads: 4, tps: 100.00, reads/s", "[  30s] thr")}
    )
    (diagnostic,) = outcome.diagnostics
    assert text.split("\n")[diagnostic.line - 1].startswith("[  30s]")
    assert len(results.seconds(results.records()[0].run.run_id)) == 69
