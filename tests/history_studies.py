"""Results folders of a small study, night after night, with levels that are planted."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from dbdyno.core import LatencyNs, Run, RunRecord, RunSpan, SettledPart, TotalFigures
from dbdyno.plan import make_plan
from dbdyno.stats import METHOD
from dbdyno.store import Results, StoredRun, StoredStudy
from dbdyno.study import parse_study

NIGHTLY = """
name = "nightly"
targets = ["mariadb:11.8", "mysql:9.7"]
[workload]
name = "sysbench/oltp_read_write"
tables = 1
rows = 1000
[axes]
tier = ["64MB"]
concurrency = [4]
[measure]
warm_up = "1s"
window = "12s"
repeats = 2
"""
HOST = {"hostname": "bench", "cpu_model": "A <b>", "logical_cpu_count": 4, "memory_bytes": 24 << 30}
FIRST_NIGHT_NS = 1_780_000_000 * 10**9
DAY_NS = 86_400 * 10**9
Level = Callable[[Run], float]


def write_night(
    folder: Path,
    night: int,
    level: Level,
    *,
    text: str = NIGHTLY,
    versions: dict[str, str] | None = None,
    host: dict[str, object] | None = None,
    failed: str = "",
    unsettled: str = "",
) -> StoredStudy:
    """One study; a run does `level` TPS, up to a spread of half a percent; not on the failed or unsettled target."""
    study = parse_study(text, "study.toml")
    results = Results.create(folder, text, {}, host or HOST, study_name=study.name)
    known = {"mariadb:11.8": "11.8.6", "mysql:9.7": "9.7.4"} | (versions or {})
    with results.writing() as writer:
        for target in study.targets:
            version = known.get(target.name, target.engine.version)
            facts = {"family": target.engine.family, "version": version, "source": "package"}
            writer.write_engine(target.name, facts)
        for run in make_plan(study).runs:
            engine = study.target(run.cell.target).engine
            drawn = np.random.default_rng(int(hashlib.sha256(f"{night}{run.run_id}".encode()).hexdigest()[:12], 16))
            tps = level(run) * math.exp(drawn.normal(0, 0.005))
            began = FIRST_NIGHT_NS + night * DAY_NS + run.order_index * 20 * 10**9
            typical = int(4e9 / tps)
            record = RunRecord(
                run,
                engine.family,
                known.get(run.cell.target, engine.version),
                engine.storage_engine,
                "failed" if run.cell.target == failed else "good",
                reason="server-died" if run.cell.target == failed else "",
                figures=TotalFigures(
                    window_s=12.0,
                    tps_mean=tps,
                    tps_half_width=tps * 0.01,
                    latency_ns=LatencyNs(typical, 2 * typical, 3 * typical, 4 * typical, 5 * typical),
                    transactions=int(12 * tps),
                ),
                settled=SettledPart("drifting", 12, 0, tps, tps * 0.01, 0.2) if run.cell.target == unsettled else None,
                method=METHOD,
                span=RunSpan(started_ns=began, ended_ns=began + 15 * 10**9),
            )
            variables = {"version": known.get(run.cell.target, ""), "innodb_buffer_pool_size": "67108864"}
            writer.add_run(StoredRun(record, [], [], [], variables=variables))
    return StoredStudy.open(folder)
