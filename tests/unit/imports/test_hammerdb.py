"""HammerDB: result, counter and time profile of one run, put together only where the files say that they belong so."""

from __future__ import annotations

from pathlib import Path

import pytest

import tool_logs
from dbdyno.imports.hammerdb import read_counter, read_profiles
from numbers_in import numbers_in
from trees import imported

READINGS = [13_800 + 60 * (n % 4) for n in range(12)]


def codes(record: object) -> set[str]:
    return {caveat.code for caveat in record.caveats}  # type: ignore[attr-defined]


def test_what_the_server_counted_is_kept_as_such(tmp_path: Path) -> None:
    outcome, results = imported(tmp_path, {"a/4.log": tool_logs.hammerdb()}, tool="hammerdb")
    (record,) = results.records()
    assert (outcome.diagnostics, record.status, record.figures.window_s) == ((), "good", 120.0)
    assert record.orders is not None
    assert (record.orders.nopm, record.orders.server_nopm, record.orders.server_tpm) == (None, 6000.0, 13_900.0)
    assert (record.figures.tps_mean, record.figures.tps_half_width) == (pytest.approx(13_900 / 60), None)
    assert record.run.cell.workload == "tpcc/hammerdb"
    assert (record.family, record.version, record.run.cell.target) == ("mariadb", "11.8.1", "a")
    assert record.imported is not None
    assert record.imported.tool == "HammerDB 5.0"
    assert {"server-counted", "no-intervals", "pacing-unknown", "no-percentile"} <= codes(record)


def test_readings_between_its_lines_are_those_of_the_timed_minutes(tmp_path: Path) -> None:
    outcome, results = imported(tmp_path, {"a/4.log": tool_logs.hammerdb(counter=READINGS)}, tool="hammerdb")
    (record,) = results.records()
    assert outcome.diagnostics == ()
    assert record.figures.tps_mean == pytest.approx(sum(READINGS) / 12 / 60)
    assert record.figures.tps_half_width is not None
    seconds = results.seconds(record.run.run_id)
    assert seconds.values("second") == list(range(0, 120, 10))
    assert seconds.values("tps") == pytest.approx([tpm / 60 for tpm in READINGS])
    assert {"interval-unknown", "counter-offset"} <= codes(record)


def test_a_counter_of_its_own_is_placed_by_the_clocks_of_both(tmp_path: Path) -> None:
    # Thirteen readings: at 13:09:50, at the beginning of the timed minutes, and then one each ten seconds.
    counter = tool_logs.hammerdb_counter([1, 2, *READINGS, 9], start="09:50")
    files = {"a/hammerdb.log": tool_logs.hammerdb(stamps=True), "a/hdbtcount.log": counter}
    outcome, results = imported(tmp_path, files, None, tool="hammerdb")
    (record,) = results.records()
    assert outcome.diagnostics == ()
    seconds = results.seconds(record.run.run_id)
    assert seconds.values("tps") == pytest.approx([tpm / 60 for tpm in READINGS])
    assert "long-intervals" in codes(record)


def test_a_counter_without_a_common_clock_is_left_out_and_kept_aside(tmp_path: Path) -> None:
    files = {
        "a/hammerdb.log": tool_logs.hammerdb(),
        "a/hdbtcount.log": tool_logs.hammerdb_counter(READINGS, start=None),
    }
    _, results = imported(tmp_path, files, None, tool="hammerdb")
    (record,) = results.records()
    assert "counter-left-out" in codes(record)
    assert len(results.seconds(record.run.run_id)) == 0
    assert results.document(record.run.run_id, "end")["counter_tpm"] == READINGS


def test_the_time_profile_gives_types_with_their_quantiles(tmp_path: Path) -> None:
    files = {"a/hammerdb.log": tool_logs.hammerdb(), "a/hdbxtprofile.log": tool_logs.hammerdb_profile()}
    outcome, results = imported(tmp_path, files, None, tool="hammerdb")
    (record,) = results.records()
    assert outcome.diagnostics == ()
    first = record.types[0]
    assert (first.name, first.completed, first.tps) == ("new_order", 18_000, pytest.approx(100.0))
    assert first.latency_ns is not None
    assert (first.latency_ns.p50, first.latency_ns.p99, first.latency_ns.max) == (286_000, 529_000, 12_313_000)
    assert len(record.types) == 5
    assert record.figures.latency_ns is None  # of all types together no quantile is known
    origin = results.document(record.run.run_id, "origin")
    assert [entry["role"] for entry in origin] == ["HammerDB log", "time-profile"]


def test_a_profile_of_other_users_than_the_run_had_is_left_out(tmp_path: Path) -> None:
    files = {"a/hammerdb.log": tool_logs.hammerdb(users=4), "a/hdbxtprofile.log": tool_logs.hammerdb_profile(users=8)}
    _, results = imported(tmp_path, files, None, tool="hammerdb")
    (record,) = results.records()
    assert (record.types, "profile-left-out" in codes(record)) == ((), True)


def test_runs_of_a_sweep_take_their_profiles_in_order_or_not_at_all(tmp_path: Path) -> None:
    log = tool_logs.hammerdb(users=2) + tool_logs.hammerdb(users=4)
    two = tool_logs.hammerdb_profile(2, 100) + tool_logs.hammerdb_profile(4, 200)
    _, results = imported(tmp_path / "x", {"hammerdb.log": log, "hdbxtprofile.log": two}, None, tool="hammerdb")
    assert {r.run.cell.concurrency: r.types[0].completed for r in results.records()} == {2: 100, 4: 200}
    three = two + tool_logs.hammerdb_profile(4, 300)
    _, results = imported(tmp_path / "y", {"hammerdb.log": log, "hdbxtprofile.log": three}, None, tool="hammerdb")
    assert all(record.types == () for record in results.records())


def test_results_of_version_3_and_earlier_stand_the_other_way_round(tmp_path: Path) -> None:
    _, results = imported(tmp_path, {"a/4.log": tool_logs.hammerdb(old=True)}, tool="hammerdb")
    (record,) = results.records()
    assert record.orders is not None
    assert (record.orders.server_nopm, record.orders.server_tpm) == (6000.0, 13_900.0)


def test_tables_of_etprof_count_only_where_all_users_printed_one(tmp_path: Path) -> None:
    row = "Vuser {}:|neword           |      82051665|39.96%|   12000|           873|      88760245|\n"
    one, two = row.format(2), row.format(2) + row.format(3)
    log = tool_logs.hammerdb(users=2, old=True)
    _, results = imported(tmp_path / "x", {"a/2.log": log + one}, tool="hammerdb")
    assert results.records()[0].types == ()
    assert "profile-left-out" in codes(results.records()[0])
    _, results = imported(tmp_path / "y", {"a/2.log": log + two}, tool="hammerdb")
    assert results.records()[0].types[0].completed == 24_000


def test_the_report_of_a_job_is_a_run(tmp_path: Path) -> None:
    outcome, results = imported(tmp_path, {"a/job.json": tool_logs.hammerdb_job()}, None, tool="hammerdb")
    (record,) = results.records()
    assert (outcome.diagnostics, record.status, record.figures.window_s) == ((), "good", 120.0)
    assert (record.run.cell.concurrency, record.version) == (4, "13.0.1")
    assert record.types[0].completed == 18_000
    assert "counter-left-out" in codes(record)


def test_a_user_that_failed_makes_the_run_suspect(tmp_path: Path) -> None:
    text = tool_logs.hammerdb().replace("Vuser 3:FINISHED SUCCESS", "Vuser 3:FINISHED FAILED")
    _, results = imported(tmp_path, {"a/4.log": text}, tool="hammerdb")
    assert results.records()[0].status == "suspect"
    assert numbers_in(results.records()[0].reason) == [1, 4]


def test_a_log_without_a_result_fails_and_its_end_is_named(tmp_path: Path) -> None:
    text = tool_logs.hammerdb()
    cut = text[: text.index("Vuser 1:TEST RESULT")]
    outcome, results = imported(tmp_path, {"a/4.log": cut}, tool="hammerdb")
    assert results.records()[0].status == "failed"
    assert [c.line for c in outcome.diagnostics] == [cut.count("\n")]


def test_logs_of_a_schema_build_are_no_runs(tmp_path: Path) -> None:
    build = (
        "Vuser 1 created MONITOR - WAIT IDLE\nVuser 1:RUNNING\nVuser 1:Loading Warehouse\nVuser 1:FINISHED SUCCESS\n"
    )
    outcome, results = imported(
        tmp_path, {"a/build.log": build, "a/4.log": tool_logs.hammerdb()}, None, tool="hammerdb"
    )
    assert (len(results.records()), outcome.asides_count, outcome.diagnostics) == (1, 1, ())


def test_a_damaged_reading_and_a_damaged_profile_are_named() -> None:
    readings, wrong = read_counter("600 MySQL tpm\n6#0 MySQL tpm\n720 MySQL tp\n")
    assert ([reading.tpm for reading in readings], [line for line, _ in wrong]) == ([600], [2, 3])
    profiles, wrong = read_profiles('x\n{ "NEWORD": { "calls": "1", ')
    assert (profiles, [line for line, _ in wrong]) == ((), [2])


def test_readings_of_a_counter_that_lost_its_first_brace_are_named_and_cost_no_run(tmp_path: Path) -> None:
    text = '"MySQL tpm": {"2025-04-14 13:18:44": "600"}}\n'
    readings, wrong = read_counter("\n" + text)
    assert (readings, [line for line, _ in wrong]) == ((), [2])
    files = {"a/hammerdb.log": tool_logs.hammerdb(stamps=True), "a/hdbtcount.log": text}
    outcome, results = imported(tmp_path, files, None, tool="hammerdb")
    assert [c.path for c in outcome.diagnostics if "not JSON" in c.text] == ["a/hdbtcount.log"]
    assert len(results.records()) == 1
