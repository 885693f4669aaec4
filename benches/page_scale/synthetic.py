"""Results of so many cells, made through the store: ten targets, two workloads, five memory budgets, N connections.

A dozen kinds of runs differ in stalls and waves; each run has its kind's seconds, raised to the level that target,
memory and connections give it, with a little noise of its own. It is judged when it is stored, as a measured run is.
"""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from hdrh.histogram import HdrHistogram
from numpy.typing import NDArray

from dbdyno.cli._plan import plan_object
from dbdyno.core import LatencyNs, Run, RunRecord, RunSpan, TotalFigures
from dbdyno.plan import make_plan
from dbdyno.stats import METHOD, noise_interval, settled_part
from dbdyno.store import IntervalRow, JsonValue, Results, StoredRun, StoredStudy, pack_run
from dbdyno.study import Study, parse_study
from dbdyno.tables import Table, Texts

SECONDS, WARM_UP = 960, 60
VARIANTS = 12
MARIADB = ("mariadb:10.6", "mariadb:10.11", "mariadb:11.4", "mariadb:11.8", "mariadb:11.8+rocksdb")
ENGINES = (*MARIADB, "mysql:5.7", "mysql:8.0", "mysql:8.4", "mysql:9.6", "mysql:9.7")
HOST_METRICS = ("host.cpu.user", "host.cpu.system", "host.cpu.iowait", "server.cpu.user", "disk.written_bytes")
ENGINE_METRICS = ("engine.redo.bytes", "engine.redo.checkpoint_age", "engine.pages.dirty", "engine.io.fsyncs")
METRICS = (*HOST_METRICS, "disk.read_bytes", "disk.flushes", *ENGINE_METRICS, "engine.history.length")

FloatArray = NDArray[np.float64]


def make_results(folder: Path, cells: int) -> StoredStudy:
    """The results folder, anew."""
    shutil.rmtree(folder, ignore_errors=True)
    study = parse_study(study_text(cells), "study.toml")
    plan = make_plan(study)
    kinds = [Kind(number) for number in range(VARIANTS)]
    random = np.random.default_rng(7)
    host: dict[str, JsonValue] = {"hostname": "bench", "logical_cpu_count": 2}
    results = Results.create(folder, study_text(cells), plan_object(study, plan), host, study_name=study.name)
    with results.writing(["dbdyno", "run", "scale.toml"]) as writer:
        for run in plan.runs:
            writer.add_packed(pack_run(kinds[run.order_index % VARIANTS].run(run, study, random)))
    return StoredStudy.open(folder)


def study_text(cells: int) -> str:
    """A study of so many cells: as many numbers of connections as it takes."""
    connections = [round(2 ** (n * 0.9)) for n in range(max(cells // 100, 1))]
    workloads = "".join(
        f'[[workload]]\nname = "sysbench/{name}"\ntables = 4\nrows = 100000\n'
        for name in ("oltp_read_write", "oltp_read_only")
    )
    return f"""
name = "scale"
question = "How does a page hold {cells} cells?"
targets = {list(ENGINES)}
{workloads}
[axes]
tier = ["1GB", "2GB", "4GB", "8GB", "16GB"]
concurrency = {connections}
[measure]
warm_up = "{WARM_UP}s"
window = "{SECONDS - WARM_UP}s"
repeats = 1
"""


class Kind:
    """One kind of run: the course of its seconds about 1, its telemetry and its histogram."""

    def __init__(self, number: int) -> None:
        random = np.random.default_rng(number)
        self.course = _course(number, random)
        self.p50_ns = (4e6 * random.lognormal(0, 0.1, SECONDS)).astype(np.int64)
        self.telemetry = _telemetry(random)
        histogram = _histogram(random)
        self.interval = IntervalRow(
            WARM_UP, "window", "transaction", "oltp", 3_600_000, 0, "{}", "{}", histogram, histogram
        )

    def run(self, run: Run, study: Study, random: np.random.Generator) -> StoredRun:
        """A run of this kind at its cell."""
        tps = _level(run) * self.course * random.lognormal(0, 0.004, SECONDS)
        return StoredRun(_record(run, study, tps[WARM_UP:]), self._seconds(tps), [self.interval], self.telemetry)

    def _seconds(self, tps: FloatArray) -> Table:
        second = np.arange(SECONDS, dtype=np.int64)
        none, one = np.zeros(SECONDS, dtype=np.int64), np.ones(SECONDS, dtype=np.int64)
        counts = {"failed": none, "retries": none, "errors": none, "backlog": none, "connections_live": 16 * one}
        shares = {"client_busy_share": np.full(SECONDS, 0.2), "client_cpu_ns": 180_000_000 * one}
        statements = {"reads": (14 * tps).astype(np.int64), "writes": (4 * tps).astype(np.int64)}
        times = {
            f"{name}_ns": factor * self.p50_ns for name, factor in (("p50", 1), ("p95", 2), ("p99", 3), ("max", 9))
        }
        clocks = {"monotonic_ns": second * 10**9, "realtime_ns": second * 10**9, "duration_ns": 10**9 * one}
        phase = Texts((second >= WARM_UP).astype(np.int32), ("warm-up", "window"))
        own: dict[str, NDArray[Any] | Texts] = {"second": second, "phase": phase, "tps": tps, "qps": 20 * tps}
        return Table({**own, **clocks, **counts, **statements, **times, **shares})


def _course(number: int, random: np.random.Generator) -> FloatArray:
    course = 1 + random.normal(0, 0.03, SECONDS)
    course[:WARM_UP] *= np.linspace(0.3, 0.95, WARM_UP)
    if number % 3 == 0:
        course *= 1 + 0.25 * np.sin(2 * math.pi * np.arange(SECONDS) / 70)
    if number % 4 == 0:
        course[random.integers(WARM_UP, SECONDS, 12)] *= 0.1
    return np.maximum(course, 0)


def _telemetry(random: np.random.Generator) -> Table:
    count = len(METRICS)
    values = np.repeat(1000.0 * np.arange(1, count + 1), SECONDS) * (1 + random.normal(0, 0.1, count * SECONDS))
    metric = Texts(np.repeat(np.arange(count, dtype=np.int32), SECONDS), tuple(METRICS))
    unit = Texts.repeated("ops/s", count * SECONDS)
    return Table({"second": np.tile(np.arange(SECONDS), count), "metric": metric, "value": values, "unit": unit})


def _histogram(random: np.random.Generator) -> str:
    histogram = HdrHistogram(1, 3_600_000_000_000, 3)
    for value in random.lognormal(math.log(4e6), 0.6, 20_000):
        histogram.record_value(int(value), 180)
    text = histogram.encode()
    return text.decode() if isinstance(text, bytes) else str(text)


def _level(run: Run) -> float:
    """Throughput of a cell: more with memory and connections, each target a little different."""
    own = 1 + 0.1 * (sum(map(ord, run.cell.target)) % 7)
    return 400 * math.sqrt(run.cell.concurrency) * own * math.log2(run.cell.tier_bytes / 2**28)


def _record(run: Run, study: Study, window: FloatArray) -> RunRecord:
    engine = study.target(run.cell.target).engine
    noise = noise_interval(window)
    began_ns = 1_795_000_000 * 10**9 + run.order_index * 1000 * 10**9
    return RunRecord(
        run,
        engine.family,
        f"{engine.version}.1",
        "innodb",
        "good",
        figures=TotalFigures(
            window_s=float(SECONDS - WARM_UP),
            tps_mean=float(noise.mean),
            tps_half_width=float(noise.half_width),
            latency_ns=LatencyNs(4_000_000, 9_000_000, 14_000_000, 20_000_000, 30_000_000),
            transactions=int(window.sum()),
        ),
        settled=settled_part(window),
        method=METHOD,
        span=RunSpan(started_ns=began_ns, ended_ns=began_ns + 970 * 10**9),
    )
