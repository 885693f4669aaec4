"""Kept snapshots: what a study finds of its datasets, by the engines and titles of the snapshots."""

from __future__ import annotations

from pathlib import Path

from dbdyno.populate import KeptSnapshot, kept_bytes
from dbdyno.study import parse_study

TEXT = """
targets = ["mariadb:10.2", "mariadb:10.11+rocksdb", "mysql:9.7"]
[[workload]]
name = "sysbench/oltp_read_only"
tables = 4
rows = 1000
[[workload]]
name = "sysbench/oltp_read_write"
tables = 4
rows = 1000
[axes]
tier = "64MB"
concurrency = 1
"""


def test_a_study_finds_its_datasets_by_engine_and_title() -> None:
    study, title = parse_study(TEXT, "study.toml"), "sysbench, table_size 1,000, tables 4"
    rows = [
        ("mariadb 10.11.14 innodb", title, 1),  # 10.2 is another series
        ("mariadb 10.11.14 rocksdb", title, 20),
        ("mariadb 10.11.16 rocksdb", title, 30),  # the larger one counts, once for both workloads
        ("mysql 9.7.4 innodb", "sysbench, table_size 2,000, tables 4", 400),
        ("", "", 5000),  # of an earlier version
    ]
    snapshots = [KeptSnapshot(Path("/s"), engine, dataset, size, 0) for engine, dataset, size in rows]
    assert kept_bytes(study, snapshots) == 30
    assert kept_bytes(study, []) == 0
