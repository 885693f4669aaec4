"""Workloads that a study asks for: refused before anything is filled where its runs could only fail."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from dbdyno.core import StudyError
from dbdyno.hosts import Completed, Host, LocalHost
from dbdyno.lab import resolve_workloads
from dbdyno.study import parse_study
from error_codes import raises_code

TEXT = """
targets = ["mysql:9.7"]
workload = {name = "insert-benchmark"}
axes = {tier = "64MB", concurrency = CONCURRENCY}
"""


class DescribingHost(LocalHost):
    """A load generator that describes the insert benchmark."""

    def __init__(self, step: str = "l.i1", **more: object) -> None:
        super().__init__()
        self.step, self.more = step, more

    def run(self, argv: Sequence[str], **more: Any) -> Completed:
        row = {
            "name": "insert-benchmark",
            "imitates": "iibench.py",
            "options": {"step": self.step},
            "quirks": [],
            "transaction_types": ["insert"],
            "role": None,
            "tables": 1,
            "rows_total": 1,
            "conditions": 8,
        }
        return Completed(tuple(argv), 0, json.dumps({**row, **self.more}), "")


def resolved(host: DescribingHost, concurrency: str, pacing: str = "") -> int:
    study = parse_study(TEXT.replace("CONCURRENCY", concurrency) + pacing, "ib.toml")
    return len(resolve_workloads(study, cast("Host", host), Path("/opt/dbdyno-load")))


def test_a_workload_that_fixes_its_connections_takes_no_others() -> None:
    assert resolved(DescribingHost(users=3), "[3]") == 1
    assert resolved(DescribingHost(users=None), "[4, 16]") == 1
    with pytest.raises(StudyError, match="3 connections") as caught:
        resolved(DescribingHost(users=3), "[3, 4, 16]")
    assert caught.value.what.endswith("4, 16")
    assert "[3]" in caught.value.remedy


def test_a_workload_that_paces_itself_takes_no_rate() -> None:
    with raises_code(StudyError, "pacing-fixed"):
        resolved(DescribingHost(users=1), "[1]", "pacing = {rate_per_s = 50}\n")
    assert resolved(DescribingHost(), "[1]", "pacing = {rate_per_s = 50}\n") == 1


@pytest.mark.parametrize("step", ["l.i0", "l.x"])
def test_steps_that_fill_the_tables_are_refused(step: str) -> None:
    with pytest.raises(StudyError, match=step):
        resolved(DescribingHost(step, users=1), "[1]")


SIZES = """
targets = ["mysql:9.7@TARGET"]
[[workload]]
name = "sysbench/oltp_read_only"
rows = 1000
[[workload]]
name = "sysbench/oltp_insert"
rows = ROWS
[axes]
tier = "64MB"
concurrency = 1
[servers.there]
host = "127.0.0.1"
port = 3306
user = "bench"
"""


@pytest.mark.parametrize(
    ("target", "rows", "is_refused"),
    [("server:there", 5000, True), ("server:there", 1000, False), ("npm", 5000, False)],
)
def test_tables_of_a_running_server_that_would_be_replaced_are_refused(
    target: str, rows: int, is_refused: bool
) -> None:
    study = parse_study(SIZES.replace("TARGET", target).replace("ROWS", str(rows)), "sizes.toml")
    host, generator = cast("Host", DescribingHost()), Path("/opt/dbdyno-load")
    if is_refused:
        with raises_code(StudyError, "tables-differ", "sysbench/oltp_insert"):
            resolve_workloads(study, host, generator)
    else:
        assert len(resolve_workloads(study, host, generator)) == 2


class FillingHost(DescribingHost):
    """A load generator that describes tables of the size that it is asked for."""

    def run(self, argv: Sequence[str], **more: Any) -> Completed:
        sizes = [int(word.partition("=")[2]) for word in argv if word.startswith("--table-size=")]
        self.more = {"rows_total": 4 * sizes[0]}
        return super().run(argv, **more)


@pytest.mark.parametrize("rows", [1000, 2000])
def test_targets_with_other_numbers_of_rows_are_refused_before_they_are_filled(rows: int) -> None:
    targets = f'[[target]]\nengine = "mysql:9.7"\nworkload = {{rows = {rows}}}\n[[target]]\nengine = "mariadb:11.8"\n'
    workload = '[workload]\nname = "sysbench/oltp_read_only"\ntables = 4\nrows = 1000\n'
    study = parse_study(f'{targets}{workload}[axes]\ntier = "64MB"\nconcurrency = 1\n', "sizes.toml")
    host, generator = cast("Host", FillingHost()), Path("/opt/dbdyno-load")
    if rows == 1000:
        assert len(resolve_workloads(study, host, generator)) == 2
    else:
        with raises_code(StudyError, "rows-differ", "8,000", "4,000"):
            resolve_workloads(study, host, generator)
