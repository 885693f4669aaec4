"""dbdyno's own records of a run in sysbench's form: they obey the contract, and say what the report says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hdrh.histogram import HdrHistogram
from jsonschema import Draft202012Validator

from dbdyno.configure import Server
from sysbench_program import ROOT, Outcome, Program, reach

SCHEMA = "sbtest"
COUNTS = {"reads": "read", "writes": "write", "others": "other", "events": "transactions", "errors": "ignored errors"}
SCRIPT = """
function thread_init()
  con = sysbench.sql.driver():connect()
end

function event()
  failed = not failed
  con:query(failed and "SELECT nope" or "DO 1")
  con:query("SELECT SLEEP(0.01)")
end
"""

pytestmark = pytest.mark.server


@pytest.fixture
def ours(program: Program) -> Program:
    if not program.is_ours:
        pytest.skip("sysbench has no such records")
    return program


def test_records_obey_the_contract_and_agree_with_the_report(ours: Program, mariadb: Server, tmp_path: Path) -> None:
    (tmp_path / "errors.lua").write_text(SCRIPT)
    command = "errors.lua --threads=2 --time=2 --mysql-ignore-errors=1054 --json-lines=run.jsonl run"
    outcome = ours.run(command, folder=tmp_path, server=reach(mariadb, SCHEMA))
    assert outcome.exit_code == 0, outcome.text
    start, *intervals, end = _records(tmp_path / "run.jsonl")
    assert (start["benchmark"], start["threads"], start["ignored_errors"]) == ("errors.lua", 2, "1054")
    for field, label in COUNTS.items():
        total = sum(interval[field] for interval in intervals)
        assert end[field] == total == _printed(outcome, label), field
    assert end["errors_by_code"] == {"1054": end["errors"]}
    counted = [_count(interval["response"]) for interval in intervals]
    assert _count(end["response"]) == sum(counted) == end["events"] > 0
    assert [interval["second"] for interval in intervals] == list(range(len(intervals)))


def test_the_end_leaves_the_warm_up_out(ours: Program, mariadb: Server, tmp_path: Path) -> None:
    (tmp_path / "errors.lua").write_text(SCRIPT)
    options = "--dialect=1.1 --warmup-time=2 --time=1 --mysql-ignore-errors=1054 --json-lines=run.jsonl"
    outcome = ours.run(f"errors.lua {options} run", folder=tmp_path, server=reach(mariadb, SCHEMA))
    assert outcome.exit_code == 0, outcome.text
    start, *intervals, end = _records(tmp_path / "run.jsonl")
    assert start["warm_up_ns"] == 2_000_000_000
    assert end["duration_ns"] == pytest.approx(1e9, rel=0.3)
    assert intervals[0]["reads"] > 0, "the warm-up is in the intervals"
    measured = sum(interval["reads"] for interval in intervals[2:])
    # the end of the warm-up is noticed some milliseconds after it
    assert end["reads"] == pytest.approx(measured, abs=10)
    assert end["errors_by_code"] == {"1054": end["errors"]}
    assert _count(end["response"]) == end["events"]


def test_a_run_stopped_in_its_warm_up_has_measured_nothing(ours: Program, mariadb: Server, tmp_path: Path) -> None:
    (tmp_path / "fails.lua").write_text(SCRIPT.replace('"DO 1"', '"SELECT nope"'))
    options = "--dialect=1.1 --warmup-time=5 --time=1 --json-lines=run.jsonl"
    outcome = ours.run(f"fails.lua {options} run", folder=tmp_path, server=reach(mariadb, SCHEMA))
    end = _records(tmp_path / "run.jsonl")[-1]
    assert (end["duration_ns"], end["reads"], end["errors_by_code"], end["response"]) == (0, 0, {}, None)
    assert end["exit_code"] == outcome.exit_code == 1


def test_arrivals_that_nobody_took_are_in_the_records(ours: Program, tmp_path: Path) -> None:
    (tmp_path / "slow.lua").write_text("""
    ffi.cdef("int usleep(unsigned int);")
    function event() ffi.C.usleep(100000) end
    """)
    outcome = ours.run("slow.lua --time=1 --rate=100 --json-lines=run.jsonl run", folder=tmp_path)
    assert outcome.exit_code == 0, outcome.text
    start, *_, end = _records(tmp_path / "run.jsonl")
    assert start["rate"] == 100
    assert end["backlog"] > 50


def test_a_run_that_cannot_begin_has_a_start_and_an_end(ours: Program, tmp_path: Path) -> None:
    (tmp_path / "init.lua").write_text("function init() error('on purpose') end function event() end")
    outcome = ours.run("init.lua --time=1 --json-lines=run.jsonl run", folder=tmp_path)
    start, end = _records(tmp_path / "run.jsonl")
    assert (start["record"], end["record"], end["duration_ns"], end["response"]) == ("start", "end", 0, None)
    assert end["exit_code"] == outcome.exit_code == 1


def _records(file: Path) -> list[dict[str, Any]]:
    validator = Draft202012Validator(json.loads((ROOT / "contract" / "sysbench-record.schema.json").read_text()))
    records: list[dict[str, Any]] = [json.loads(line) for line in file.read_text().splitlines()]
    for record in records:
        validator.validate(record)
    return records


def _printed(outcome: Outcome, label: str) -> int:
    found = re.search(rf"^ +{label}: +(\d+)", outcome.stdout, re.MULTILINE)
    assert found is not None, outcome.text
    return int(found[1])


def _count(histogram: str | None) -> int:
    return HdrHistogram.decode(histogram).get_total_count() if histogram else 0
