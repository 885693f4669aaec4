"""The results folder: created, opened, refused, locked, written, verified."""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import shutil
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pyarrow.parquet as pq
import pytest

from dbdyno.core import Caveat, Cell, HostError, LatencyNs, Run, RunRecord, StoreError, TotalFigures
from dbdyno.store import (
    IntervalRow,
    Results,
    SecondRow,
    SettingRow,
    StoredRun,
    TelemetryRow,
    record_from_json,
    record_to_json,
    study_digest,
)
from encoded_histograms import encoded
from error_codes import raises_code

STUDY = 'name = "first"\nseed = 1\n'


def record_of(target: str = "mysql:9.7", order_index: int = 0, status: str = "good") -> RunRecord:
    cell = Cell(target, 64 << 20, 4, "sysbench/oltp_read_write", "socket")
    return RunRecord(
        run=Run(cell, 1, order_index, 7, "block 1"),
        family="mysql",
        version="9.7.4",
        storage_engine="innodb",
        status=status,  # type: ignore[arg-type]
        figures=TotalFigures(
            window_s=12.0,
            tps_mean=100.5,
            tps_half_width=2.5,
            latency_ns=LatencyNs(1, 2, 3, 4, 5),
            transactions=1206,
            errors={"1213": 2},
        ),
        caveats=(Caveat("short-window", "the window is short"),),
    )


def second(number: int, phase: str, tps: float) -> SecondRow:
    return SecondRow(
        number, phase, 10**9 * number, 0, 10**9, tps, 0, 0, 0, tps * 20, 14, 4, 2, 50, 1, 2, 1, 2, 3, 4, 4, 0, 0.2, 10
    )


def run_of(target: str = "mysql:9.7", order_index: int = 0) -> StoredRun:
    return StoredRun(
        record_of(target, order_index),
        seconds=[second(0, "warm-up", 50.0), second(1, "window", 100.0)],
        intervals=[
            IntervalRow(0, "warm-up", "transaction", "read_write", 50, 0, "{}", "{}", None, encoded(1_000)),
            IntervalRow(1, "window", "transaction", "read_write", 100, 0, "{}", "{}", encoded(9_000), encoded(5_000)),
            IntervalRow(1, "window", "statement", "commit", 100, 0, "{}", "{}", None, encoded(100)),
        ],
        telemetry=[TelemetryRow(1, "host.cpu.user", 0.5, "share")],
        variables={"innodb_buffer_pool_size": "67108864"},
        settings=[SettingRow("innodb_buffer_pool_size", "64M", "67108864", "tier")],
        server_log="ready for connections\n",
    )


@pytest.fixture
def results(tmp_path: Path) -> Results:
    return Results.create(tmp_path / "first", STUDY, {"runs": []}, {"cpus": 2}, study_name="first")


def test_a_created_folder_opens_and_tells_what_it_was_given(results: Results) -> None:
    opened = Results.open(results.path, STUDY)
    assert opened.study_text == STUDY
    assert opened.plan == {"runs": []}
    assert opened.host == {"cpus": 2}
    assert opened.manifest.study_name == "first"
    assert opened.records() == ()
    assert opened.verify() == ()


def test_a_study_keeps_its_digest_when_only_comments_change() -> None:
    assert study_digest(STUDY) == study_digest('# a remark\nseed = 1\nname = "first"')
    assert study_digest(STUDY) != study_digest('name = "first"\nseed = 2\n')


def test_a_folder_of_another_study_is_refused(results: Results) -> None:
    with raises_code(StoreError, "other-study", "-o"):
        Results.open(results.path, 'name = "other"\n')


def test_a_folder_of_a_newer_schema_is_refused(results: Results) -> None:
    manifest = results.path / "manifest.json"
    row = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**row, "schema_version": 99, "dbdyno_version": "9.0"}))
    with raises_code(StoreError, "newer-schema", "99", "9.0"):
        Results.open(results.path)


def test_what_is_no_results_folder_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent"):
        with raises_code(StoreError, "not-results"):
            Results.open(path)


def test_the_folder_above_names_the_results_in_it(results: Results) -> None:
    with raises_code(StoreError, "not-results") as error:
        Results.open(results.path.parent)
    assert error.value.remedy.endswith(f": {results.path}")


def test_a_broken_manifest_is_named(results: Results) -> None:
    (results.path / "manifest.json").write_text("{")
    with raises_code(StoreError, "unreadable", str(results.path), "manifest.json"):
        Results.open(results.path)


def test_a_folder_with_foreign_files_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with raises_code(StoreError, "not-results", "thesis.tex"):
        Results.create(tmp_path, STUDY, {}, {}, study_name="first")


def test_a_creation_that_was_killed_is_taken_up(tmp_path: Path) -> None:
    results = Results.create(tmp_path / "first", STUDY, {}, {}, study_name="first")
    (results.path / "manifest.json").unlink()
    again = Results.open_or_create(results.path, STUDY, {"runs": [1]}, {}, study_name="first")
    assert again.plan == {"runs": [1]}


def test_open_or_create_opens_what_is_there(results: Results) -> None:
    again = Results.open_or_create(results.path, STUDY, {"other": 1}, {}, study_name="first")
    assert again.plan == {"runs": []}


def test_a_place_that_can_not_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with raises_code(StoreError, "not-writable", str(tmp_path / "file" / "first")) as error:
        Results.create(tmp_path / "file" / "first", STUDY, {}, {}, study_name="first")
    assert "-o" in error.value.remedy


def test_a_run_comes_back_as_it_was_stored(results: Results) -> None:
    run = run_of()
    with results.writing(["dbdyno", "run", "x"]) as writer:
        writer.add_run(run)
    run_id = run.record.run.run_id
    assert results.records() == (run.record,)
    assert results.run_ids() == {run_id}
    assert results.seconds(run_id).values("tps") == [50.0, 100.0]
    assert results.telemetry(run_id).rows()[0]["metric"] == "host.cpu.user"
    assert results.document(run_id, "variables") == {"innodb_buffer_pool_size": "67108864"}
    assert results.text(run_id, "server.log") == "ready for connections\n"
    assert Results.open(results.path).manifest.command_lines == ("dbdyno run x",)
    assert results.verify() == ()


def test_a_stored_command_line_is_one_that_a_shell_reads_as_it_was_given(results: Results) -> None:
    arguments = ["dbdyno", "run", "my study.toml", "--where", "target=MariaDB 11.8; $HOME"]
    with results.writing(arguments):
        pass
    (line,) = Results.open(results.path).manifest.command_lines
    assert shlex.split(line) == arguments


def test_a_failed_run_without_a_second_is_stored_too(results: Results) -> None:
    failed = StoredRun(record_of(status="failed"))
    with results.writing() as writer:
        writer.add_run(failed)
    assert len(results.seconds(failed.record.run.run_id)) == 0
    assert results.records()[0].status == "failed"


def test_records_come_in_the_order_of_the_plan(results: Results) -> None:
    with results.writing() as writer:
        writer.add_run(run_of("a:1", order_index=1))
        writer.add_run(run_of("b:1", order_index=0))
    assert [record.run.order_index for record in results.records()] == [0, 1]


def test_a_stored_run_is_never_replaced(results: Results) -> None:
    with results.writing() as writer:
        writer.add_run(run_of())
        with raises_code(StoreError, "stored-twice"):
            writer.add_run(run_of())


def test_failed_runs_are_set_aside_for_another_attempt_and_not_lost(results: Results) -> None:
    good, failed = run_of("mysql:9.7"), run_of("mariadb:11.8", 1)
    with results.writing() as writer:
        writer.add_run(good)
        for attempt in (1, 2):
            writer.add_run(replace(failed, record=replace(failed.record, status="failed")))
            assert writer.set_aside([failed.record.run.run_id]) == (failed.record.run.run_id,)
            assert (results.path / "set-aside" / f"{failed.record.run.run_id}.{attempt}" / "record.json").exists()
    assert [record.run.run_id for record in results.records()] == [good.record.run.run_id]
    assert results.verify() == ()


def test_a_half_written_run_is_not_a_run_and_goes_when_writing_begins(results: Results) -> None:
    half = results.path / "runs" / ".writing-x"
    half.mkdir()
    (half / "record.json").write_text("{}")
    assert results.records() == ()
    assert results.verify() == ()
    with results.writing():
        assert not half.exists()


def test_a_histogram_of_the_window_leaves_the_warm_up_out(results: Results) -> None:
    run = run_of()
    with results.writing() as writer:
        writer.add_run(run)
    run_id = run.record.run.run_id
    window = results.histogram(run_id)
    assert window.get_total_count() == 1
    assert window.get_value_at_percentile(50.0) == pytest.approx(5_000, rel=0.001)
    assert results.histogram(run_id, phase="warm-up").get_value_at_percentile(50.0) == pytest.approx(1_000, rel=0.001)
    assert results.histogram(run_id, clock="response").get_max_value() == pytest.approx(9_000, rel=0.001)
    assert results.histogram(run_id, "statement", "commit").get_max_value() == pytest.approx(100, rel=0.001)
    assert results.histogram(run_id, "statement", "begin").get_total_count() == 0


def test_duckdb_sees_runs_seconds_telemetry_and_settings(results: Results) -> None:
    with results.writing() as writer:
        writer.add_run(run_of("a:1", 0))
        writer.add_run(run_of("b:1", 1))
    with results.connect() as sql:
        rows = sql.execute(
            "SELECT target, max(tps), latency_ns_p99, runs.errors FROM runs JOIN seconds USING (run_id)"
            " WHERE phase = 'window' GROUP BY ALL ORDER BY target"
        ).fetchall()
        assert rows == [("a:1", 100.0, 3, 2), ("b:1", 100.0, 3, 2)]
        assert sql.execute("SELECT count(*) FROM intervals").fetchone() == (6,)
        assert sql.execute("SELECT DISTINCT effective, reason FROM settings").fetchall() == [("67108864", "tier")]
        assert sql.execute("SELECT count(*) FROM telemetry").fetchone() == (2,)


def test_duckdb_sees_empty_tables_before_the_first_run(results: Results) -> None:
    with results.connect() as sql:
        for view in ("runs", "seconds", "intervals", "telemetry", "settings"):
            assert sql.execute(f"SELECT count(*) FROM {view}").fetchone() == (0,)


def test_a_folder_with_an_apostrophe_can_be_queried(tmp_path: Path) -> None:
    results = Results.create(tmp_path / "o'brien", STUDY, {}, {}, study_name="first")
    with results.writing() as writer:
        writer.add_run(run_of())
    with results.connect() as sql:
        assert sql.execute("SELECT count(*) FROM seconds").fetchone() == (2,)


def test_verify_names_what_was_changed_removed_and_added(results: Results) -> None:
    run = run_of()
    with results.writing() as writer:
        writer.add_run(run)
        writer.append("run-finished", run_id="x")
    folder = results.run_folder(run.record.run.run_id)
    (folder / "server.log").write_text("ready for connectionz\n")
    (folder / "order.json").unlink()
    (folder / "extra.txt").touch()
    lines = [line.removeprefix(f"runs/{folder.name}/") for line in results.verify()]
    where = "(mysql:9.7, 64 MiB, 4 connections, socket, repeat 1)"
    names, changes = zip(*(line.split(f" {where} ") for line in lines), strict=True)
    assert names == ("extra.txt", "order.json", "server.log")
    assert [word in change for word, change in zip(("added", "missing", "changed"), changes, strict=True)] == [True] * 3


def test_a_journal_that_grew_is_whole_and_one_that_changed_is_not(results: Results) -> None:
    with results.writing() as writer:
        writer.append("study-started")
        writer.update_manifest()
        writer.append("run-started", run_id="x")
        assert results.verify() == ()
    journal = results.path / "journal.jsonl"
    journal.write_text(journal.read_text().replace("study-started", "study-stopped"))
    (line,) = results.verify()
    assert line.startswith("journal.jsonl ") and line.endswith(" line 4")


def test_a_journal_line_cut_by_a_kill_is_dropped(results: Results) -> None:
    with results.writing() as writer:
        writer.append("run-started", run_id="x")
    with (results.path / "journal.jsonl").open("a") as file:
        file.write('{"at_ns": 1, "eve')
    assert [entry.event for entry in results.journal()] == ["run-started"]
    with results.writing() as writer:
        writer.append("run-started", run_id="y")
    assert [entry.facts for entry in results.journal()] == [{"run_id": "x"}, {"run_id": "y"}]


def test_a_lock_that_is_no_file_is_named(results: Results) -> None:
    lock = results.path / "lock"
    lock.unlink(missing_ok=True)
    os.mkfifo(lock)
    with raises_code(StoreError, "not-a-file") as error, results.writing():
        pass
    assert str(lock) in error.value.why


def test_a_second_writer_is_told_who_holds_the_folder(results: Results) -> None:
    with results.writing():
        with raises_code(StoreError, "in-use") as error, results.writing():
            pass
        assert f"process {os.getpid()} " in error.value.why
    with results.writing():
        pass


def test_a_folder_that_holds_another_study_by_now_is_not_written(results: Results) -> None:
    results.path.rename(results.path.with_name("moved"))
    other = Results.create(results.path, STUDY + "# other\n[limits]\nruns = 5\n", {}, {}, study_name="other")
    assert other.manifest.study_digest != results.manifest.study_digest
    with raises_code(StoreError, "other-study") as error, results.writing():
        pass
    assert "other" in error.value.why
    assert other.journal() == ()


def test_a_lock_file_that_was_moved_away_is_no_lock(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    flock = fcntl.flock

    def moved_meanwhile(descriptor: int, operation: int) -> None:
        results.path.rename(results.path.with_name("moved"))
        flock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", moved_meanwhile)
    with raises_code(StoreError, "moved", str(results.path)), Results.locked(results.path):
        pass


def test_engine_and_dataset_facts_are_found_by_target(results: Results) -> None:
    with results.writing() as writer:
        writer.write_engine("mariadb:11.8+rocksdb", {"version": "11.8.6"})
        writer.write_dataset("mariadb:11.8+rocksdb", {"rows": 5})
    engine = results.engine("mariadb:11.8+rocksdb")
    assert engine is not None
    assert engine["version"] == "11.8.6"
    assert results.dataset("mysql:9.7") is None
    assert results.verify() == ()


def test_a_record_survives_json_and_ignores_fields_of_the_future() -> None:
    record = record_of()
    row = json.loads(json.dumps(record_to_json(record)))
    assert record_from_json({**row, "phase_of_moon": "full"}) == record


@pytest.mark.parametrize("errors", [Counter({"1213": 2}), MappingProxyType({"1213": 2})])
def test_a_mapping_of_any_kind_is_written_as_a_table(errors: Mapping[str, int]) -> None:
    record = record_of()
    row = record_to_json(replace(record, figures=replace(record.figures, errors=errors)))
    assert row["errors"] == {"1213": 2}


def test_a_disk_that_refuses_is_named_and_loses_nothing(results: Results) -> None:
    with results.writing() as writer:
        writer.add_run(run_of("a:1", 0))
        shutil.rmtree(results.path / "engines")
        (results.path / "engines").write_text("no folder")
        with raises_code(HostError, "not-writable", str(results.path)) as error:
            writer.write_engine("a:1", {})
        assert "run again" in error.value.remedy
    assert len(results.records()) == 1


def test_runs_of_an_older_version_stand_beside_new_ones(results: Results) -> None:
    with results.writing() as writer:
        writer.add_run(run_of())
        writer.add_run(run_of("mariadb:11.8", 1))
    folder = results.run_folder(run_of().record.run.run_id)
    newer = ("client_use_share", "client_cpu_wait_share", "client_wake_batch", "lateness_ns_p99")
    table = pq.read_table(folder / "seconds.parquet")
    pq.write_table(table.drop_columns(list(newer)), folder / "seconds.parquet")
    record = json.loads((folder / "record.json").read_text())
    old = {name: value for name, value in record.items() if name not in ("client_use_share", "unsent", "outages")}
    (folder / "record.json").write_text(json.dumps(old))
    (folder / "end.json").unlink()
    assert [found.cpu.client_use_share for found in results.records()] == [None, None]
    rows = results.connect().execute("SELECT count(*), count(client_use_share), sum(tps) FROM seconds").fetchone()
    assert rows == (4, 0, 300.0)
    shutil.rmtree(results.run_folder(run_of("mariadb:11.8", 1).record.run.run_id))  # and where there are only old ones
    assert results.connect().execute("SELECT count(*), count(lateness_ns_p99) FROM seconds").fetchone() == (2, 0)
