"""What `dbdyno-load run` writes besides its screen: each form holds the same run, and the tools of others read it."""

from __future__ import annotations

import base64
import json
import math
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet
import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

ROOT = Path(__file__).parents[2]
LOAD = ROOT / ".venv" / "bin" / "dbdyno-load"
WORKLOAD = ("sysbench/oltp_read_write", "--tables=2", "--rows=1000", "--database=dbdyno_outputs")
HOUR_NS = 3_600_000_000_000
WARM_UP_S, WINDOW_S = 1, 3
QUANTILES = (0.5, 0.95, 0.99, 0.999)

pytestmark = pytest.mark.server


@dataclass(frozen=True)
class Outputs:
    """One run: its files, and its text."""

    records: list[dict[str, Any]]
    hdr_log: Path
    parquet: Path
    screen: str

    def intervals(self) -> list[dict[str, Any]]:
        return [record for record in self.records if record["record"] == "interval"]


@pytest.fixture(scope="module")
def outputs(laboratory: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outputs]:
    server = laboratory.start("mariadb:11.8", route="loopback")
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE dbdyno_outputs")
    endpoint = server.endpoint
    where = ["--host=127.0.0.1", f"--port={endpoint.port}", f"--user={endpoint.user}"]
    where += [f"--password-file={endpoint.password_file}"]
    folder = tmp_path_factory.mktemp("outputs")

    def program(command: str, *arguments: str) -> str:
        argv = [str(LOAD), command, *WORKLOAD, *where, *arguments]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    program("populate")
    files = [f"--json-lines={folder / 'run.jsonl'}", f"--hdr-log={folder / 'run.hlog'}"]
    files += [f"--parquet={folder / 'run.parquet'}"]
    screen = program("run", "--threads=4", f"--warm-up={WARM_UP_S}s", f"--time={WINDOW_S}s", *files)
    records = [json.loads(line) for line in (folder / "run.jsonl").read_text().splitlines()]
    yield Outputs(records, folder / "run.hlog", folder / "run.parquet", screen)
    server.kill()


def _merged(encoded: list[str | None]) -> Any:
    merged = HdrHistogram(1, HOUR_NS, 3)
    for text in encoded:
        if text is not None:
            merged.decode_and_add(text)
    return merged


def _read_log(path: Path, tag: str | None, start_s: float = 0) -> list[Any]:
    reader = HistogramLogReader(str(path), HdrHistogram(1, HOUR_NS, 3))
    histograms = []
    while (histogram := reader.get_next_interval_histogram(start_s)) is not None:
        if histogram.get_tag() == tag:
            histograms.append(histogram)
    reader.close()
    return histograms


def _quantile_ns(histogram: Any, q: float) -> int:
    """By rank ``ceil(q * count)`` as in Java; the Python port rounds the rank and may be off by one time."""
    rank = max(1, math.ceil(q * histogram.get_total_count()))
    for item in histogram.get_recorded_iterator():
        if item.total_count_to_this_value >= rank:
            return int(histogram.get_highest_equivalent_value(item.value_iterated_to))
    raise AssertionError


def _shown(screen: str, row: str) -> list[float]:
    """The times of a row of the summary, in ms: mean, p50, p95, p99, p99.9, max."""
    line = re.search(rf"^ +{row} +[\d,]+((?: +[\d.]+){{6}})$", screen, re.MULTILINE)
    assert line, screen
    return [float(figure) for figure in line[1].split()]


@pytest.mark.parametrize(
    ("tag", "kind", "name", "field"),
    [
        (None, "transactions", "read_write", "response"),
        ("response:read_write", "transactions", "read_write", "response"),
        ("service:read_write", "transactions", "read_write", "service"),
        ("statement:point_select", "statements", "point_select", "service"),
        ("statement:commit", "statements", "commit", "service"),
    ],
)
def test_the_hdr_log_holds_the_histograms_of_the_records(
    outputs: Outputs, tag: str | None, kind: str, name: str, field: str
) -> None:
    logged = _read_log(outputs.hdr_log, tag)
    assert len(logged) == WARM_UP_S + WINDOW_S
    for histogram, record in zip(logged, outputs.intervals(), strict=True):
        encoded = record[kind][name][field]
        assert histogram.get_total_count() == record[kind][name]["completed"] > 0
        assert histogram.equals(_merged([encoded]))
        assert histogram.get_start_time_stamp() == pytest.approx(record["realtime_ns"] / 1e6, abs=2)
        assert histogram.get_end_time_stamp() - histogram.get_start_time_stamp() == pytest.approx(1000, abs=1)


def test_quantiles_of_the_hdr_log_are_those_of_the_summary(outputs: Outputs) -> None:
    for tag, row in [(None, "read_write"), ("statement:point_select", "point_select"), ("statement:commit", "commit")]:
        merged = HdrHistogram(1, HOUR_NS, 3)
        for histogram in _read_log(outputs.hdr_log, tag, start_s=WARM_UP_S):
            merged.add(histogram)
        _, *shown, max_ms = _shown(outputs.screen, row)
        edges = [_quantile_ns(merged, q) / 1e6 for q in QUANTILES]
        assert shown == [pytest.approx(min(edge, max_ms), abs=0.000501) for edge in edges]


def test_arrow_and_duckdb_read_the_same_table(outputs: Outputs) -> None:
    table = pyarrow.parquet.read_table(outputs.parquet)
    types = len(outputs.records[0]["transaction_types"]) + len(outputs.records[0]["statement_types"])
    assert table.num_rows == (WARM_UP_S + WINDOW_S) * (1 + types)
    with duckdb.connect() as database:
        read = database.execute("SELECT * FROM read_parquet(?)", [str(outputs.parquet)])
        names = [column[0] for column in read.description or ()]
        rows = [dict(zip(names, row, strict=True)) for row in read.fetchall()]
    assert rows == table.to_pylist()


def test_rows_of_the_table_are_the_seconds_of_the_records(outputs: Outputs) -> None:
    rows = pyarrow.parquet.read_table(outputs.parquet).to_pylist()
    for record in outputs.intervals():
        same = {key: record[key] for key in ("second", "phase", "monotonic_ns", "realtime_ns", "duration_ns")}
        of_second = [row for row in rows if row["second"] == record["second"]]
        assert all({key: row[key] for key in same} == same for row in of_second)
        (whole,) = (row for row in of_second if row["kind"] == "all")
        for key in ("reads", "writes", "others", "rows", "bytes_sent", "bytes_received", "connections_live", "backlog"):
            assert whole[key] == record[key], key
        assert whole["name"] is None
        assert whole["qps"] == pytest.approx(record["reads"] + record["writes"] + record["others"])
        assert 0 < whole["client_busy_share"] < 1
        for kind in ("transaction", "statement"):
            for row in (row for row in of_second if row["kind"] == kind):
                counts = record[f"{kind}s"][row["name"]]
                assert row["completed"] == counts["completed"] == row["tps" if kind == "transaction" else "qps"]
                times = _merged([counts["response" if kind == "transaction" else "service"]])
                assert HdrHistogram.decode(base64.b64encode(row["histogram"])).equals(times)
                assert row["p99_ns"] == min(_quantile_ns(times, 0.99), row["max_ns"])
                assert times.get_min_value() <= row["min_ns"] <= row["p50_ns"] <= row["max_ns"]
