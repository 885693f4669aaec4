"""A results folder of two targets with little in it but what the audit reads; tests change what they are about."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from dbdyno.core import Run, RunRecord, RunSpan, TotalFigures
from dbdyno.plan import make_plan
from dbdyno.store import Results, SecondRow, StoredRun, StoredStudy, TelemetryRow
from dbdyno.study import parse_study

TWO = """
name = "two"
targets = ["mariadb:11.8", "mysql:9.7"]
[workload]
name = "sysbench/oltp_read_write"
tables = 1
rows = 1000
[axes]
tier = ["64MB"]
concurrency = [1, 4]
[measure]
warm_up = "1s"
window = "12s"
repeats = 2
"""
TWINS = TWO.replace(
    'targets = ["mariadb:11.8", "mysql:9.7"]',
    '[[target]]\nname = "one"\nengine = "mariadb:11.8"\n[[target]]\nname = "other"\nengine = "mariadb:11.8"\n',
)
VERSIONS = {"mariadb": "11.8.6-MariaDB", "mysql": "9.7.4"}
DDL = "CREATE TABLE `sbtest1` (`id` int NOT NULL AUTO_INCREMENT, `c` char(120), PRIMARY KEY (`id`)) ENGINE=InnoDB"
HOST: dict[str, Any] = {
    "hostname": "bench",
    "boot_id": "b1",
    "logical_cpu_count": 4,
    "numa_node_count": 1,
    "transparent_huge_pages": "madvise",
    "rotational": False,
}
SESSION = {
    "server_version": "11.8.6",
    "auth_plugin": "mysql_native_password",
    "tls_version": None,
    "tls_cipher": None,
    "compression": "off",
    "isolation": "REPEATABLE-READ",
    "autocommit": True,
    "collation": "utf8mb4_general_ci",
}
Change = Callable[[Run, dict[str, Any]], None]


def stored(run: Run, family: str, change: Change) -> StoredRun:
    """One run; `change` may alter every field of what is stored."""
    seconds = [_second(index) for index in range(13)]
    readings = [
        ("host.cpu.idle", 2.0, "cpus"),
        ("client.cpu.user", 0.2, "cpus"),
        ("client.cpu.system", 0.1, "cpus"),
        ("server.resident", 150e6, "bytes"),
        ("memory.available", 20e9, "bytes"),
        ("engine.redo.checkpoint_age", 1e6, "bytes"),
        ("engine.redo.waits", 0.0, "ops/s"),
        ("engine.pool.misses", 2.0, "ops/s"),
    ]
    fields: dict[str, Any] = {
        "status": "good",
        "errors": {},
        "tps": 100.0,
        "variables": {
            "version": VERSIONS[family],
            "innodb_flush_log_at_trx_commit": "1",
            "innodb_doublewrite": "ON",
            "log_bin": "OFF",
            "transaction_isolation": "REPEATABLE-READ",
        },
        "status_before": {"Uptime": "2", "Connections": "5", "Ssl_finished_accepts": "0", "Handler_commit": "9"},
        "status_after": {"Uptime": "16", "Connections": "9", "Ssl_finished_accepts": "0", "Handler_commit": "900"},
        "session": dict(SESSION),
        "schema": {
            "ddl": {"sbtest1": DDL},
            "columns": [["sbtest1", "c", "utf8mb4", "utf8mb4_general_ci"]],
            "data_bytes": 5_000_000,
        },
        "process": {"allocator": "libc", "proc_limits": {"Max open files": "1024"}, "cgroup": {}},
        "variables_after": {},
        "caveats": (),
        "counters": {},
        "life": {},
        "server_cnf": "[mysqld]\ninnodb_flush_log_at_trx_commit = 1\nskip_log_bin\n",
        "telemetry": readings,
        "unread": (),
    }
    change(run, fields)
    began = 1_795_000_000 * 10**9 + run.order_index * 20 * 10**9
    record = RunRecord(
        run,
        family,
        VERSIONS[family].split("-")[0],
        "innodb",
        fields["status"],
        figures=TotalFigures(
            window_s=12.0, tps_mean=fields["tps"], tps_half_width=1.0, transactions=1200, errors=fields["errors"]
        ),
        caveats=fields["caveats"],
        span=RunSpan(started_ns=began, ended_ns=began + 15 * 10**9),
    )
    start = {
        "session": fields["session"],
        "program": "dbdyno-load 0.1.0",
        "concurrency": run.cell.concurrency,
        "prepared_statements": 20 * run.cell.concurrency,
    }
    return StoredRun(
        record,
        seconds,
        telemetry=[
            TelemetryRow(s, *reading) for s in range(13) if s not in fields["unread"] for reading in fields["telemetry"]
        ],
        variables=fields["variables"],
        variables_after=fields["variables_after"],
        status_before=fields["status_before"],
        status_after=fields["status_after"],
        schema=fields["schema"],
        process=fields["process"],
        counters=fields["counters"],
        life=fields["life"],
        start=start,
        server_cnf=fields["server_cnf"],
    )


def _second(index: int) -> SecondRow:
    counts = {"reads": 1400, "writes": 400, "others": 200, "rows": 0, "bytes_sent": 0, "bytes_received": 0}
    return SecondRow(
        index,
        "warm-up" if index < 1 else "window",
        index * 10**9,
        index * 10**9,
        10**9,
        100.0,
        0,
        0,
        0,
        2000.0,
        **counts,
        p50_ns=1,
        p95_ns=1,
        p99_ns=1,
        max_ns=1,
        connections_live=4,
        backlog=0,
        client_busy_share=None,
        client_cpu_ns=None,
    )


def write_study(folder: Path, text: str = TWO, change: Change = lambda run, fields: None) -> StoredStudy:
    """The results folder of a study."""
    study = parse_study(text, "study.toml")
    plan = make_plan(study)
    results = Results.create(folder, text, {"runs": len(plan.runs)}, HOST, study_name=study.name)
    with results.writing() as writer:
        for target in study.targets:
            writer.write_engine(target.name, {"source": "package", "location": "trixie"})
            options = {"tables": 1, "table_size": 1000}
            writer.write_dataset(
                target.name, {"datasets": [{"dataset": "1 × 1,000 rows", "options": options, "rows_total": 1000}]}
            )
        for run in plan.runs:
            writer.add_run(stored(run, study.target(run.cell.target).engine.family, change))
    return StoredStudy.open(folder)
