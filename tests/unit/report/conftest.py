"""A results folder as a study leaves it, made through the store: 36 runs, three targets, planted differences."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dbdyno.core import Caveat, CpuUse, Fingerprint, LatencyNs, Run, RunRecord, RunSpan, Target, TotalFigures
from dbdyno.plan import make_plan
from dbdyno.report import StudyDiff, build_page, diff_results
from dbdyno.stats import noise_interval
from dbdyno.store import (
    IntervalRow,
    JsonValue,
    Results,
    SecondRow,
    SettingRow,
    StoredFingerprint,
    StoredRun,
    StoredStudy,
    TelemetryRow,
)
from dbdyno.study import Study, parse_study
from encoded_histograms import encoded_counts, percentiles_ns
from slowed_study import SMALL, slower

STUDY = """
name = "first"
question = "On this machine, which does more sysbench read-write work: MariaDB, MyRocks or MySQL?"
targets = ["mariadb:11.8", "mariadb:11.8+rocksdb", "mysql:9.7"]
[workload]
name = "sysbench/oltp_read_write"
tables = 4
rows = 50000
[axes]
tier = ["64MB", "512MB"]
concurrency = [1, 4, 16]
[measure]
warm_up = "4s"
window = "12s"
repeats = 2
"""
PLANTED_TPS = {"mariadb:11.8": 300.0, "mariadb:11.8+rocksdb": 150.0, "mysql:9.7": 240.0}
BEGIN_NS = 1_795_000_000 * 10**9


class Planted:
    """Writes runs with known levels."""

    def __init__(self, study: Study, seed: int = 1) -> None:
        self.study = study
        self.random = np.random.default_rng(seed)

    def level(self, run: Run) -> float:
        cell = run.cell
        base = PLANTED_TPS.get(cell.target, 200.0)
        memory = 1.0 if cell.tier_bytes > 100 << 20 else 0.6
        if cell.target == "mysql:9.7" and memory == 1.0:
            base = 298.0  # can't be told from MariaDB when memory is large
        return base * memory * cell.concurrency**0.6 * math.exp(self.random.normal(0, 0.008))

    def run(self, run: Run) -> StoredRun:
        level = self.level(run)
        tps = np.maximum(level * (1 + self.random.normal(0, 0.03, 16)), 0)
        tps[:4] *= np.linspace(0.5, 0.95, 4)
        started = BEGIN_NS + run.order_index * 20 * 10**9
        seconds, intervals = self._seconds(run, tps, started)
        record = self._record(run, tps[4:], started)
        return StoredRun(
            record,
            seconds,
            intervals,
            self._telemetry(tps),
            variables=self._variables(run),
            settings=[
                SettingRow("innodb_buffer_pool_size", str(run.cell.tier_bytes), str(run.cell.tier_bytes), "the tier"),
                SettingRow("innodb_flush_log_at_trx_commit", "1", "1", "each commit survives a crash"),
            ],
            start={"session": {"server_version": "11.8.6", "isolation": "REPEATABLE-READ"}},
            server_cnf="[mysqld]\n",
            server_log="ready for connections\n",
        )

    def _seconds(self, run: Run, tps: np.ndarray, started: int) -> tuple[list[SecondRow], list[IntervalRow]]:
        seconds, intervals = [], []
        for second, rate in enumerate(tps):
            phase = "warm-up" if second < 4 else "window"
            times = Counter[int]()
            typical = run.cell.concurrency / max(rate, 1) * 1e9
            draws = min(max(int(rate), 1), 150)
            for value in self.random.lognormal(math.log(typical), 0.5, draws):
                times[int(value)] += max(int(rate) // draws, 1)
            text = encoded_counts(times)
            p50, p95, p99, longest = percentiles_ns(times, 50, 95, 99, 100)
            seconds.append(
                SecondRow(
                    second,
                    phase,
                    second * 10**9,
                    started + second * 10**9,
                    10**9,
                    float(rate),
                    0,
                    int(self.random.integers(0, 3)),
                    0,
                    float(rate * 20),
                    int(rate * 14),
                    int(rate * 4),
                    int(rate * 2),
                    int(rate * 300),
                    10_000,
                    1_000_000,
                    p50,
                    p95,
                    p99,
                    longest,
                    run.cell.concurrency,
                    0,
                    0.18,
                    180_000_000,
                    client_use_share=0.07,
                    client_cpu_wait_share=0.01,
                    client_wake_batch=1.6,
                    client_cpu_ns_per_statement=9_000.0,
                )
            )
            intervals.append(
                IntervalRow(second, phase, "transaction", "read_write", int(rate), 0, "{}", "{}", text, text)
            )
        return seconds, intervals

    def _record(self, run: Run, window: np.ndarray, started: int) -> RunRecord:
        engine = self.study.target(run.cell.target).engine
        noise = noise_interval(window)
        typical = int(run.cell.concurrency / noise.mean * 1e9)
        return RunRecord(
            run,
            engine.family,
            f"{engine.version}.4",
            engine.storage_engine,
            "good",
            figures=TotalFigures(
                window_s=12.0,
                tps_mean=noise.mean,
                tps_half_width=noise.half_width,
                qps_mean=noise.mean * 20,
                latency_ns=LatencyNs(typical, int(typical * 2.3), int(typical * 3.2), int(typical * 4.5), typical * 6),
                transactions=int(noise.mean * 12),
                statements=int(noise.mean * 240),
                errors={"1213": 3} if run.cell.concurrency == 16 else {},
                retries=3,
            ),
            cpu=CpuUse(
                client_cpu_ns_per_statement=9_000.0,
                server_cpu_ns_per_transaction=2_400_000.0,
                client_busy_share=0.18,
                client_use_share=0.07,
                client_use_basis="calibration",
                client_cpu_wait_share=0.01,
            ),
            caveats=(
                Caveat(
                    "short-window", "the window lasted 12 s: below 180 s nothing shows whether throughput had settled"
                ),
            ),
            span=RunSpan(started_ns=started, ended_ns=started + 18 * 10**9),
        )

    def _telemetry(self, tps: np.ndarray) -> list[TelemetryRow]:
        rows = []
        for second, rate in enumerate(tps):
            for metric, value, unit in (
                ("host.cpu.user", 1.1, "cpus"),
                ("host.cpu.system", 0.3, "cpus"),
                ("host.cpu.iowait", 0.2, "cpus"),
                ("host.cpu.idle", 0.4, "cpus"),
                ("host.cpu.0.user", 0.5, "cpus"),
                ("server.cpu.user", 0.9, "cpus"),
                ("server.cpu.system", 0.2, "cpus"),
                ("client.cpu.user", 0.15, "cpus"),
                ("disk.written_bytes", rate * 9000, "bytes/s"),
                ("disk.read_bytes", rate * 100, "bytes/s"),
                ("disk.flushes", rate * 0.9, "ops/s"),
                ("memory.available", 20e9, "bytes"),
                ("engine.redo.bytes", rate * 4000, "bytes/s"),
                ("engine.redo.checkpoint_age", 4e6 + second * 2e5, "bytes"),
                ("engine.pages.dirty", 900 + 20 * second, "pages"),
                ("engine.io.fsyncs", rate * 1.1, "ops/s"),
            ):
                noisy = value * (1 + self.random.normal(0, 0.05))
                rows.append(TelemetryRow(second, metric, float(noisy), unit))
        return rows

    def _variables(self, run: Run) -> dict[str, str]:
        shared = {
            "innodb_buffer_pool_size": str(run.cell.tier_bytes),
            "max_connections": "200",
            "port": "33060",
            "server_id": str(run.order_index),
            "version": "11.8.6-MariaDB",
        }
        if run.cell.target.startswith("mysql"):
            return shared | {"version": "9.7.4", "binlog_row_image": "FULL", "innodb_change_buffering": "none"}
        return shared | {"binlog_row_image": "MINIMAL", "rocksdb_wal_bytes": "0"}


def engine_facts(target: Target) -> dict[str, JsonValue]:
    family = target.engine.family
    return {
        "family": family,
        "version": f"{target.engine.version}.4",
        "raw_version": f"1:{target.engine.version}.4-0+deb13u1",
        "storage_engines": ["innodb", "rocksdb"],
        "source": "package",
        "location": "trixie",
        "packages": [
            {"name": f"{family}-server-core", "version": "1:11.8.6-0", "sha256": "ab" * 32},
            {"name": "libaio1t64", "version": "0.3.113-8", "sha256": "cd" * 32},
        ],
        "nearest_note": "",
    }


DATASET: dict[str, JsonValue] = {
    "dataset": "4 × 50,000 rows",
    "digest": "ef" * 32,
    "workload": "sysbench/oltp_read_write",
    "options": {"tables": 4, "table_size": 50000},
    "in_place": False,
    "rows_total": 200000,
    "content_sha256": "c3" * 32,
    "space": [{"name": "sbtest1", "data_bytes": 8, "index_bytes": 4, "file_bytes": 99, "allocated_bytes": 50 << 20}],
    "bytes": 63 << 20,
    "fill_ns": 1_900_000_000,
    "created_ns": BEGIN_NS,
    "tables": [{"name": f"sbtest{n}", "rows": 50000, "checksum": f"{n}23456789"} for n in (1, 2, 3, 4)],
}


def fingerprint_of(workload: str) -> StoredFingerprint:
    made = Fingerprint(500, 0, "a1" * 32, "b2" * 32, {"sbtest1": {"rows": 50_000}})
    return StoredFingerprint(workload, "digest", 500, made)


def write_results(
    folder: Path,
    *,
    text: str = STUDY,
    change: Callable[[StoredRun], StoredRun | None] = lambda run: run,
    most: int = 99,
) -> StoredStudy:
    """A results folder; `change` may alter a run or leave it out; only the first `most` are made."""
    study = parse_study(text, "study.toml")
    plan = make_plan(study)
    host = {
        "hostname": "bench",
        "cpu_model": "AMD EPYC <test>",
        "logical_cpu_count": 2,
        "memory_bytes": 24 << 30,
        "swap_bytes": 0,
        "kernel": "6.1.0",
        "rotational": None,
        "governor": "unknown",
    }
    results = Results.create(folder, text, {"runs": len(plan.runs)}, host, study_name=study.name)
    planted = Planted(study)
    with results.writing(["dbdyno", "run", "studies/first.toml"]) as writer:
        for target in study.targets:
            writer.write_engine(target.name, engine_facts(target))
            writer.write_dataset(target.name, {"datasets": [DATASET]})
            writer.write_fingerprints(target.name, [fingerprint_of(choice.label) for choice in study.workloads])
        for run in plan.runs[:most]:
            stored = change(planted.run(run))
            if stored is not None:
                writer.append("run-finished", run_id=run.run_id, status=stored.record.status)
                writer.add_run(stored)
    return StoredStudy.open(folder)


@pytest.fixture(scope="session")
def write() -> Callable[..., StoredStudy]:
    return write_results


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> StoredStudy:
    """Results of a study in which all went well."""
    return write_results(tmp_path_factory.mktemp("planted") / "first")


@pytest.fixture(scope="session")
def address(results: StoredStudy, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of these results, for all tests that visit it."""
    return build_page(results, tmp_path_factory.mktemp("page") / "report.html").as_uri()


@pytest.fixture(scope="session")
def broken(tmp_path_factory: pytest.TempPathFactory) -> StoredStudy:
    """Results of a study in which runs failed, are missing, or can't be trusted."""

    def change(run: StoredRun) -> StoredRun | None:
        record = run.record
        if record.run.order_index == 3:
            why = "the server died: <b>signal 11</b>"
            failed = replace(
                record,
                status="failed",
                reason=why,
                figures=replace(record.figures, tps_mean=None, tps_half_width=None, latency_ns=None),
            )
            return StoredRun(failed, server_log="crash\n")
        if record.run.order_index == 5:
            return replace(run, record=replace(record, status="suspect", reason="the load generator was 93% busy"))
        return None if record.run.order_index >= 30 else run

    return write_results(tmp_path_factory.mktemp("broken") / "first", change=change)


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> StoredStudy:
    """Results of two targets, to compare others with."""
    return write_results(tmp_path_factory.mktemp("base") / "base", text=SMALL)


@pytest.fixture(scope="session")
def new(tmp_path_factory: pytest.TempPathFactory) -> StoredStudy:
    """The same with a slower MySQL."""
    return write_results(tmp_path_factory.mktemp("new") / "new", text=SMALL, change=slower)


@pytest.fixture(scope="session")
def diff(base: StoredStudy, new: StoredStudy) -> StudyDiff:
    return diff_results(base, new)
