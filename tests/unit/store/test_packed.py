"""Runs packed elsewhere and stored together, and tables that lack columns."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dbdyno.core import Cell, HostError, LatencyNs, Run, RunRecord, ToolFigures, TotalFigures
from dbdyno.store import Results, StoredRun, pack_run, record_from_json, record_to_json
from dbdyno.store._files import json_text
from dbdyno.tables import Table, Texts
from error_codes import raises_code

ORIGIN = [{"role": "log", "path": "a.log", "bytes": 7, "sha256": "0" * 64}]
FIGURES = ToolFigures("sysbench 1.0.20", 95.0, 5, 4, 1, 2, 9, 100.0, 60.0, None)


def stored(repeat: int) -> StoredRun:
    run = Run(Cell("a", 0, 4, "imported:x", "unknown"), repeat, repeat - 1, 0, "imported")
    latency = LatencyNs(None, 5, None, None, 9)
    record = RunRecord(
        run, "tidb", "", "unknown", "good", figures=TotalFigures(tps_mean=1.0, latency_ns=latency), imported=FIGURES
    )
    seconds = Table({"second": np.arange(2), "phase": Texts.repeated("window", 2), "tps": np.array([1.0, 1.5])})
    return StoredRun(record, seconds=seconds, variables={"a": 'b"\u2028', "c": ""}, origin=ORIGIN)


def test_packed_runs_are_stored_as_others_are(tmp_path: Path) -> None:
    results = Results.create(tmp_path / "r", "name = 'x'", {}, {}, study_name="x")
    with results.writing() as writer:
        for repeat in (1, 2):
            writer.add_packed(pack_run(stored(repeat)))
    opened = Results.open(tmp_path / "r")
    assert opened.verify() == ()
    records = opened.records()
    assert [record.run.repeat for record in records] == [1, 2]
    assert records[0] == stored(1).record
    run_id = records[0].run.run_id
    seconds = opened.seconds(run_id).rows()
    assert (seconds[1]["tps"], seconds[1]["errors"], seconds[1]["run_id"]) == (1.5, None, run_id)
    assert opened.document(run_id, "variables") == {"a": 'b"\u2028', "c": ""}
    assert opened.document(run_id, "origin") == ORIGIN
    with opened.connect() as database:
        rows = database.execute("SELECT count(*), max(tps), count(failed) FROM seconds").fetchall()
        assert rows == [(4, 1.5, 0)]
        assert database.execute("SELECT latency_ns_p95, latency_ns_p99 FROM runs").fetchall() == [(5, None)] * 2


def test_a_packed_run_is_written_once(tmp_path: Path) -> None:
    results = Results.create(tmp_path / "r", "name = 'x'", {}, {}, study_name="x")
    with results.writing() as writer:
        writer.add_packed(pack_run(stored(1)))
        with raises_code(HostError, "not-writable", str(tmp_path / "r")):
            writer.add_packed(pack_run(stored(1)))


def test_what_a_packed_run_does_not_tell_has_no_file_and_reads_as_nothing(tmp_path: Path) -> None:
    assert set(pack_run(stored(1)).files) == {
        "record.json", "seconds.parquet", "variables.json", "settings.json", "origin.json",
    }  # fmt: skip
    results = Results.create(tmp_path / "r", "name = 'x'", {}, {}, study_name="x")
    with results.writing() as writer:
        writer.add_packed(pack_run(stored(1)))
        writer.add_packed(pack_run(StoredRun(stored(2).record)))
    first, second = (record.run.run_id for record in results.records())
    assert len(results.telemetry(first)) == len(results.intervals(first)) == len(results.seconds(second)) == 0
    assert list(results.telemetry(first).columns) == ["run_id", "second", "metric", "value", "unit"]
    assert results.text(first, "server.cnf") == ""
    assert results.optional_document(first, "status_before") == {}
    assert results.document(first, "settings") == []
    with results.connect() as database:
        assert database.execute("SELECT count(*) FROM seconds").fetchall() == [(2,)]
        assert database.execute("SELECT count(*) FROM telemetry").fetchall() == [(0,)]


def test_a_run_of_its_own_has_no_origin(tmp_path: Path) -> None:
    assert "origin.json" not in pack_run(StoredRun(stored(1).record)).files


def test_figures_of_a_tool_survive_and_older_records_have_none() -> None:
    record = stored(1).record
    row = json.loads(json.dumps(record_to_json(record)))
    assert record_from_json(row) == record
    del row["imported"]
    assert record_from_json(row).imported is None


@pytest.mark.parametrize("value", [{"a": "b"}, {"a": 'q"\\\n\u2028é'}, {"a": 1}, {}, {"a": {"b": "c"}}, ["x"]])
def test_the_short_way_to_write_texts_writes_what_json_does(value: object) -> None:
    assert json_text(value) == json.dumps(value, indent=1, ensure_ascii=False) + "\n"  # type: ignore[arg-type]
