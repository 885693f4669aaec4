"""go-tpc: the same figures in three styles, old buckets and new."""

from __future__ import annotations

from pathlib import Path

import pytest

import tool_logs
from trees import imported

ORDERS = [500 + 10 * (n % 5) for n in range(12)]
PER_ORDER = sum(tool_logs.GO_TPC_MIX.values())


@pytest.mark.parametrize("style", ["plain", "json", "table"])
def test_every_style_gives_the_same(tmp_path: Path, style: str) -> None:
    outcome, results = imported(tmp_path, {"a/4.log": tool_logs.go_tpc(ORDERS, style=style)}, tool="go-tpc")
    (record,) = results.records()
    assert (outcome.diagnostics, record.status, record.figures.window_s) == ((), "good", 120.0)
    assert record.figures.tps_mean == pytest.approx(PER_ORDER * sum(ORDERS) / 120, rel=1e-3)
    assert record.orders is not None
    assert (record.orders.nopm, record.orders.tpm) == (pytest.approx(sum(ORDERS) / 2), 99_999.9)
    order = next(t for t in record.types if t.name == "new_order")
    assert (order.completed, order.mean_ns) == (sum(ORDERS), 91e6)
    assert order.latency_ns is not None
    assert (order.latency_ns.p50, order.latency_ns.p999, order.latency_ns.max) == (62_900_000, 184_500_000, 570_400_000)
    assert len(results.seconds(record.run.run_id)) == 12
    assert (record.run.cell.workload, record.run.cell.route) == ("imported:go-tpc tpcc", "loopback")


def test_the_interval_is_told_by_the_command_or_not_at_all(tmp_path: Path) -> None:
    told = tool_logs.go_tpc(ORDERS, interval=5)
    bare = tool_logs.go_tpc(ORDERS, interval=5, threads=None)
    _, results = imported(tmp_path, {"a/4.log": told, "b/4.log": bare}, tool="go-tpc")
    by_target = {r.run.cell.target: {c.code for c in r.caveats} for r in results.records()}
    assert "long-intervals" in by_target["a"]
    assert "interval-unknown" in by_target["b"]
    assert {r.figures.window_s for r in results.records()} == {60.0}


def test_old_buckets_are_said_to_be_upper_edges(tmp_path: Path) -> None:
    _, results = imported(tmp_path, {"a/4.log": tool_logs.go_tpc(ORDERS, is_old=True)}, tool="go-tpc")
    (record,) = results.records()
    assert any(" 27 buckets" in caveat.text for caveat in record.caveats)
    assert record.types[0].latency_ns is not None
    assert record.types[0].latency_ns.p50 is None


def test_means_that_contradict_their_sum_are_not_taken(tmp_path: Path) -> None:
    text = tool_logs.go_tpc(ORDERS, mean_factor=0.003)
    _, results = imported(tmp_path, {"a/4.log": text}, tool="go-tpc")
    (record,) = results.records()
    assert "quantiles-contradict" in {caveat.code for caveat in record.caveats}
    assert (record.types[0].mean_ns, record.types[0].latency_ns) == (91e6, None)


def test_errors_are_counted_apart_and_may_have_ended_users(tmp_path: Path) -> None:
    message = "[2026-01-01 00:00:00] execute run failed, err exec UPDATE failed Error 1213: Deadlock found\n"
    _, results = imported(tmp_path, {"a/4.log": message + tool_logs.go_tpc(ORDERS, failed=2)}, tool="go-tpc")
    (record,) = results.records()
    assert record.figures.errors.pop("1213") == 1
    assert list(record.figures.errors.values()) == [23]
    assert next(t.failed for t in record.types if t.name == "new_order") == 24
    assert "users-may-have-stopped" in {caveat.code for caveat in record.caveats}
    assert set(results.seconds(record.run.run_id).values("errors_per_s")) == {0.2}


def test_a_log_without_a_summary_is_suspect(tmp_path: Path) -> None:
    text = tool_logs.go_tpc(ORDERS)
    cut = text[: text.index("Finished")]
    outcome, results = imported(tmp_path, {"a/4.log": cut}, tool="go-tpc")
    assert results.records()[0].status == "suspect"
    assert outcome.diagnostics[0].line == cut.count("\n")


def test_a_summary_alone_is_a_run_without_noise(tmp_path: Path) -> None:
    text = tool_logs.go_tpc(ORDERS)
    _, results = imported(tmp_path, {"a/4.log": text[text.index("Finished") :]}, tool="go-tpc")
    (record,) = results.records()
    assert (record.status, record.figures.tps_half_width, record.figures.window_s) == ("good", None, 120.0)


def test_runs_of_a_sweep_in_one_log_are_told_apart(tmp_path: Path) -> None:
    text = tool_logs.go_tpc(ORDERS, threads=None) + tool_logs.go_tpc(ORDERS[:7], threads=None)
    _, results = imported(tmp_path, {"a/8.log": text}, tool="go-tpc")
    assert [(r.run.repeat, r.figures.window_s) for r in results.records()] == [(1, 120.0), (2, 70.0)]


def test_runs_of_a_sweep_in_one_log_have_their_own_threads(tmp_path: Path) -> None:
    text = "".join(tool_logs.go_tpc(ORDERS, threads=threads) for threads in (1, 2, 8))
    _, results = imported(tmp_path, {"a/x.log": text}, "{target}/*.log", tool="go-tpc")
    assert [r.run.cell.concurrency for r in results.records()] == [1, 2, 8]


def test_localhost_is_an_address_to_go_tpc(tmp_path: Path) -> None:
    text = tool_logs.go_tpc(ORDERS).replace("-H 127.0.0.1", "-H localhost")
    _, results = imported(tmp_path, {"a/4.log": text}, tool="go-tpc")
    assert [r.run.cell.route for r in results.records()] == ["loopback"]


def test_a_summary_of_more_than_its_intervals_is_said_to_be_one(tmp_path: Path) -> None:
    text = tool_logs.go_tpc(ORDERS)
    lines = text.splitlines(True)
    few = "".join(lines[:11] + lines[lines.index("Finished\n") :])
    _, results = imported(tmp_path, {"a/4.log": few}, tool="go-tpc")
    (record,) = results.records()
    assert "missing-intervals" in {caveat.code for caveat in record.caveats}
    assert record.figures.window_s == 20.0
