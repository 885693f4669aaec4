"""A study of two targets, of which MySQL gets slower or crashes in another folder; its comparison is asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbdyno.cli import main
from dbdyno.core import LatencyNs
from dbdyno.store import StoredRun

SMALL = """
name = "small"
targets = ["mariadb:11.8", "mysql:9.7"]
[workload]
name = "sysbench/oltp_read_write"
tables = 4
rows = 50000
[axes]
tier = ["512MB"]
concurrency = [1, 4, 16]
[measure]
warm_up = "4s"
window = "12s"
repeats = 3
"""


def slower(run: StoredRun) -> StoredRun:
    """MySQL of the next version does 15 % less; MariaDB is as it was."""
    record = run.record
    if record.run.cell.target != "mysql:9.7" or record.figures.tps_mean is None or record.figures.latency_ns is None:
        return run
    old = record.figures.latency_ns
    latency = LatencyNs(*(int(value / 0.85) for value in (old.p50, old.p95, old.p99, old.p999, old.max)))
    record = replace(
        record,
        figures=replace(record.figures, tps_mean=record.figures.tps_mean * 0.85, latency_ns=latency),
        version="9.7.5",
    )
    return replace(run, record=record, variables={**run.variables, "version": "9.7.5", "innodb_io_capacity": "200"})


def crashed_at_four(run: StoredRun) -> StoredRun:
    """No run with four connections is good."""
    if run.record.run.cell.concurrency != 4:
        return run
    figures = replace(run.record.figures, tps_mean=None, latency_ns=None)
    return StoredRun(replace(run.record, status="failed", reason="the server died", figures=figures))


def mysql_crashed_at_four(run: StoredRun) -> StoredRun:
    """No run of MySQL with four connections is good."""
    return crashed_at_four(run) if run.record.run.cell.target == "mysql:9.7" else run


def asked(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main(["diff", *map(str, arguments)])
    return code, *capsys.readouterr()
