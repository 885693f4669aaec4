"""Results folders that were copied half or lie on a bad disk: which file it is, and what to do."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import history_studies
from dbdyno.core import AlteredError, DamageError, StoreError
from dbdyno.report._statement_sums import StatementSums
from dbdyno.store import Results, reading_intervals
from dbdyno.store._stack_profile import read_profile
from dbdyno.tables import Table, Texts
from error_codes import raises_code

Read = Callable[[Results, str], object]
READS: dict[str, Read] = {
    "study.toml": lambda results, _: results.study_text,
    "host.json": lambda results, _: results.host,
    "runs/RUN/record.json": lambda results, _: results.records(),
    "runs/RUN/variables.json": lambda results, run_id: results.document(run_id, "variables"),
    "runs/RUN/seconds.parquet": lambda results, run_id: results.seconds(run_id),
    "runs/RUN/server.log": lambda results, run_id: results.text(run_id, "server.log"),
}


@pytest.fixture
def night(tmp_path: Path) -> tuple[Results, str]:
    results = history_studies.write_night(tmp_path / "night", 0, lambda run: 100.0)
    return results, min(results.run_ids())


def refused(results: Results, run_id: str, name: str) -> StoreError:
    with pytest.raises(StoreError) as error:
        READS[name](results, run_id)
    assert str(results.path / name.replace("RUN", run_id)) in error.value.what
    assert error.value.code in ("missing", "unreadable", "damaged") and error.value.remedy
    return error.value


@pytest.mark.parametrize("name", READS)
def test_a_file_that_is_gone_is_named(name: str, night: tuple[Results, str]) -> None:
    results, run_id = night
    (results.path / name.replace("RUN", run_id)).unlink()
    assert "is missing" in refused(results, run_id, name).what


def test_an_edited_study_is_to_be_edited_elsewhere(night: tuple[Results, str]) -> None:
    path = night[0].path / "study.toml"
    path.write_text(path.read_text() + "\n# more\n")
    with pytest.raises(AlteredError) as error:
        Results.open(night[0].path)
    assert "edit a copy in another folder" in error.value.remedy


@pytest.mark.parametrize("name", READS)
def test_a_file_of_other_bytes_is_named(name: str, night: tuple[Results, str]) -> None:
    results, run_id = night
    (results.path / name.replace("RUN", run_id)).write_bytes(b"\xff\x00 not what was written")
    assert "is damaged" in refused(results, run_id, name).what


def test_a_journal_with_a_bad_line_is_named(night: tuple[Results, str]) -> None:
    results, _ = night
    with (results.path / "journal.jsonl").open("a") as file:
        file.write("half a li\n")
    with raises_code(StoreError, "damaged", "journal.jsonl"):
        results.journal()


def test_a_manifest_that_lacks_a_field_is_named(night: tuple[Results, str]) -> None:
    results, _ = night
    (results.path / "manifest.json").write_text(json.dumps({"schema_version": 1}))
    with raises_code(StoreError, "damaged", "manifest.json") as error:
        Results.open(results.path)
    assert "study_name" in error.value.why


@pytest.mark.parametrize(
    ("value", "kind", "words"),
    [
        ({"a": 1}, pa.struct([("a", pa.int64())]), "lists or groups"),
        ("x", pa.string(), "holds texts"),
        (float("nan"), pa.float64(), "holds NaN"),
        (float("inf"), pa.float64(), "numbers beyond"),
        ([1.0], pa.list_(pa.float64()), "lists or groups"),
    ],
)
def test_a_column_of_another_type_is_named(
    night: tuple[Results, str], value: object, kind: pa.DataType, words: str
) -> None:
    results, run_id = night
    table = pa.table({"run_id": [run_id], "second": [0], "phase": ["window"], "tps": pa.array([value], kind)})
    pq.write_table(table, results.run_folder(run_id) / "seconds.parquet")
    with raises_code(DamageError, "damaged", "seconds.parquet") as error:
        results.seconds(run_id)
    assert "column tps" in error.value.why
    assert words in error.value.why
    assert error.value.exit_code == 3


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (("run", "cell", "concurrency"), "many", "/run/cell/concurrency: 'many' "),
        (("window_s",), -1.0, "/window_s: -1 is"),
        (("tps_mean",), 10**400, "/tps_mean: "),
        (("status",), [], "/status: "),
    ],
)
def test_a_record_of_another_shape_is_named_with_its_place(
    night: tuple[Results, str], place: tuple[str, ...], value: object, words: str
) -> None:
    results, run_id = night
    path = results.run_folder(run_id) / "record.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    inner = record
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    path.write_text(json.dumps(record), encoding="utf-8")
    with raises_code(DamageError, "damaged", "record.json") as error:
        results.records()
    assert words in error.value.why


def test_a_histogram_that_cannot_be_read_is_named_with_its_file(night: tuple[Results, str]) -> None:
    results, run_id = night
    path = results.path / "runs" / run_id / "intervals.parquet"
    empty = pq.read_table(path)
    row = {name: [None] for name in empty.column_names} | {
        "second": [1],
        "kind": ["transaction"],
        "phase": ["window"],
        "type": ["x"],
        "service_histogram": ["HISTFAAAAB"],
    }
    pq.write_table(pa.table(row, schema=empty.schema), path)
    with pytest.raises(DamageError) as error:
        results.histogram(run_id)
    assert str(path) in error.value.what


_STACKS = gzip.compress(b"a;b 3\n", mtime=0)


@pytest.mark.parametrize(
    "content",
    [_STACKS[:-9], b"xx", _STACKS[:12] + b"\xff" * 20, gzip.compress(b"a b c", mtime=0)],
    ids=["cut-off", "no-gzip", "other-bytes", "no-stacks"],
)
def test_stacks_that_cannot_be_unpacked_are_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "profile.json").write_text("{}")
    (tmp_path / "on_cpu.folded.gz").write_bytes(content)
    with raises_code(DamageError, "damaged", "on_cpu.folded.gz"):
        read_profile(tmp_path)


def test_stacks_are_unpacked_up_to_the_limit_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "profile.json").write_text("{}")
    (tmp_path / "on_cpu.folded.gz").write_bytes(gzip.compress(b"a;b 3\n" * 1000))
    assert read_profile(tmp_path) is not None
    monkeypatch.setenv("DBDYNO_INPUT_LIMIT", "5000")
    with raises_code(DamageError, "damaged", "on_cpu.folded.gz") as error:
        read_profile(tmp_path)
    assert "DBDYNO_INPUT_LIMIT" in error.value.why


@pytest.mark.parametrize("retries", ["[1]", "x", '{"a": "b"}'])
def test_retries_that_are_no_counts_are_named_with_their_file(night: tuple[Results, str], retries: str) -> None:
    results, run_id = night
    with (
        raises_code(DamageError, "damaged", "intervals.parquet"),
        reading_intervals(results.run_folder(run_id)),
    ):
        StatementSums.read(_window_with_retries(retries), 0)


def _window_with_retries(retries: str) -> Table:
    texts = {"kind": "transaction", "phase": "window", "type": "x", "retries_json": retries, "service_histogram": None}
    counts = {"second": 1.0, "completed": 1.0, "failed": 0.0}
    return Table(
        {name: Texts.of([text]) for name, text in texts.items()}
        | {name: np.array([count]) for name, count in counts.items()}
    )


def test_a_run_that_is_set_aside_while_the_folder_is_looked_at_is_no_damage(
    night: tuple[Results, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    results, run_id = night
    scan, is_there = os.scandir, [True]
    with results.writing() as writer:

        def scan_late(path: Path) -> object:
            if path == results.path / "runs" / run_id and is_there:
                is_there.clear()
                writer.set_aside([run_id])
            return scan(path)

        monkeypatch.setattr(os, "scandir", scan_late)
        assert run_id not in Results.open(results.path).run_ids()
    assert not is_there
