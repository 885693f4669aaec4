"""Output of tpcc-mysql: what its lines and its last report come to, in every form that they have had."""

from __future__ import annotations

from pathlib import Path

import pytest

import tool_logs
from trees import imported

ORDERS = [1000 + 10 * (n % 5) for n in range(12)]


def test_all_transactions_are_counted_and_new_orders_told_apart(tmp_path: Path) -> None:
    outcome, results = imported(tmp_path, {"a/4.log": tool_logs.tpcc_mysql(ORDERS)}, tool="tpcc-mysql")
    (record,) = results.records()
    assert (outcome.diagnostics, record.status, record.figures.window_s) == ((), "good", 120.0)
    assert record.figures.tps_mean == pytest.approx(2.3 * sum(ORDERS) / 120)
    assert record.orders is not None
    assert (record.orders.nopm, record.orders.server_nopm) == (pytest.approx(sum(ORDERS) / 2, abs=1e-3), None)
    assert [(t.name, t.completed) for t in record.types][:2] == [("new_order", sum(ORDERS)), ("payment", sum(ORDERS))]
    assert (record.figures.retries, record.figures.transactions) == (10, round(2.3 * sum(ORDERS)))
    cell = record.run.cell
    assert (cell.workload, cell.route, cell.concurrency) == ("tpcc/tpcc-mysql", "network", 4)
    seconds = results.seconds(record.run.run_id)
    assert seconds.values("second")[:3] == [0, 10, 20]
    assert set(seconds.values("tool_percentile_ns")) == {9_483_000}
    assert seconds.values("p95_ns") == [None] * 12  # of new orders alone, which is not what the column means
    codes = {caveat.code for caveat in record.caveats}
    assert codes == {"long-intervals", "percentile-of-new-orders", "rollbacks-counted", "short-window"}


def test_neither_password_nor_its_option_is_kept(tmp_path: Path) -> None:
    _, results = imported(tmp_path, {"a/4.log": tool_logs.tpcc_mysql(ORDERS)}, tool="tpcc-mysql")
    folder = results.run_folder(results.records()[0].run.run_id)
    assert all(b"hush" not in path.read_bytes() for path in folder.iterdir())


@pytest.mark.parametrize("form", ["short", "groups"])
def test_older_forms_count_the_same_and_guess_no_unit(tmp_path: Path, form: str) -> None:
    outcome, results = imported(tmp_path, {"a/4.log": tool_logs.tpcc_mysql(ORDERS, form=form)}, tool="tpcc-mysql")
    (record,) = results.records()
    assert (outcome.diagnostics, record.status) == ((), "good")
    assert record.figures.tps_mean == pytest.approx(2.3 * sum(ORDERS) / 120)
    assert "no-percentile" in {caveat.code for caveat in record.caveats}
    assert (record.figures.latency_ns is None) is (form == "groups")


def test_telemetry_begins_with_the_ramp_up(tmp_path: Path) -> None:
    vmstat = "procs -----------memory----------\n"
    vmstat += " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
    vmstat += "".join(f" {n}  0 0 1 1 1 0 0 0 0 1 1 1 1 98 0 0\n" for n in range(141))
    files = {"a/4.tpcc.txt": tool_logs.tpcc_mysql(ORDERS), "a/4.vmstat.txt": vmstat}
    _, results = imported(tmp_path, files, "{target}/{threads}.tpcc.txt", tool="tpcc-mysql")
    table = results.telemetry(results.records()[0].run.run_id)
    rows = [row for row in table.rows() if row["metric"] == "vmstat.runnable"]
    # Row 0 tells of the time since the machine was started, the next 20 of the ramp-up.
    assert (rows[0]["second"], rows[0]["value"], len(rows)) == (0, 21.0, 120)


def test_two_runs_in_one_file_are_two_runs(tmp_path: Path) -> None:
    text = tool_logs.tpcc_mysql(ORDERS, threads=4) + tool_logs.tpcc_mysql(ORDERS[:6], threads=8)
    _, results = imported(tmp_path, {"a/x.log": text}, "{target}/x.log", tool="tpcc-mysql")
    assert {r.run.cell.concurrency: r.figures.window_s for r in results.records()} == {4: 120.0, 8: 60.0}


def test_a_log_cut_in_a_line_is_suspect_and_the_line_named(tmp_path: Path) -> None:
    text = tool_logs.tpcc_mysql(ORDERS)
    cut = text[: text.index("  70, trx") + 22]
    outcome, results = imported(tmp_path, {"a/4.log": cut}, tool="tpcc-mysql")
    (record,) = results.records()
    assert (record.status, record.figures.window_s) == ("suspect", 60.0)
    assert {c.line for c in outcome.diagnostics} == {cut.count("\n") + 1}
    assert any(c.text.endswith(cut.rpartition("\n")[2].strip()) for c in outcome.diagnostics)


def test_localhost_is_the_socket_to_tpcc_mysql(tmp_path: Path) -> None:
    text = tool_logs.tpcc_mysql(ORDERS).replace("[server]: 10.0.0.9", "[server]: localhost")
    _, results = imported(tmp_path, {"a/4.log": text}, tool="tpcc-mysql")
    assert [r.run.cell.route for r in results.records()] == ["socket"]
