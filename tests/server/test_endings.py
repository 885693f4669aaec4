"""What studies record of the servers' lives: start, shutdown, recovery, memory limits, and what ended a run."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from apart_home import new_home
from dbdyno.core import Home, HostError
from dbdyno.hosts import LocalHost
from dbdyno.lab import Event, SecondMeasured, StudyHosts, run_study
from dbdyno.plan import make_plan
from dbdyno.store import Results, StoredStudy
from dbdyno.study import parse_study, study_text

pytestmark = [pytest.mark.server, pytest.mark.usefixtures("load_generator")]
ENGINES = ["mariadb:11.8", "mysql:9.7"]
MIB = 1 << 20


@pytest.fixture(scope="module")
def home() -> Iterator[Home]:
    yield from new_home()


def results_of(text: str, folder: Path, home: Home, on_event: object = None) -> StoredStudy:
    study = parse_study(text, "small.toml")
    results = Results.open_or_create(folder, study_text(study), {}, asdict(LocalHost().facts()), study_name=study.name)
    run_study(study, make_plan(study), results, StudyHosts(LocalHost(), home), on_event or (lambda event: None))  # type: ignore[arg-type]
    return StoredStudy.open(folder)


PAUSES = 'pacing = {think = "20ms"}'
"""Of clients whose rate does not matter: without them two take both processors."""


def study(targets: list[str], *, measure: str = "", more: str = "", concurrency: int = 2, pacing: str = PAUSES) -> str:
    return f"""
targets = {json.dumps(targets)}
workload = {{name = "oltp_read_write", tables = 2, rows = 5000}}
axes = {{tier = "64MB", concurrency = {concurrency}}}
measure = {{warm_up = "0s", window = "3s", repeats = 1, equivalence_events = 0{measure}}}
{pacing}
{more}
"""


def test_recovery_and_clean_shutdown_are_timed(tmp_path: Path, home: Home) -> None:
    results = results_of(study(ENGINES, measure=', after_run = "recover"'), tmp_path / "r", home)
    for record in results.records():
        assert record.status != "failed", record.reason
        assert record.fault == ""
        life = results.optional_document(record.run.run_id, "life")
        assert set(life) == {"start_ns", "kill_ns", "recovery_ns", "shutdown_ns"}
        assert all(0 < value < 120 * 10**9 for value in life.values())


def test_memory_limits_are_kept_and_recorded(tmp_path: Path, home: Home) -> None:
    host = LocalHost()
    try:
        host.remove_memory_group(host.make_memory_group(f"test-{os.getpid()}", 64 * MIB).folder)
    except HostError as error:
        pytest.skip(str(error))
    more = '[limits]\nmemory = "tier + 640MB"\n[pinning]\nserver = "0"\nclient = "1"'
    results = results_of(study(ENGINES, measure=', after_run = "stop"', more=more), tmp_path / "r", home)
    for record in results.records():
        assert record.status != "failed", record.reason
        life = results.optional_document(record.run.run_id, "life")
        memory = life["memory"]
        assert memory["limit_bytes"] == 704 * MIB
        assert 64 * MIB < memory["peak_bytes"] <= 704 * MIB
        assert memory["oom_kills"] == 0
        assert life["shutdown_ns"] > 0
        metrics = results.telemetry(record.run.run_id).values("metric")
        assert {"server.limit.used", "server.limit.page_cache", "server.limit.anonymous"} <= set(metrics)


def test_a_run_that_the_kernel_ended_at_the_limit_says_so(tmp_path: Path, home: Home) -> None:
    """The limit holds the server as it starts, and not what its connections then take."""
    host = LocalHost()
    try:
        host.remove_memory_group(host.make_memory_group(f"test-{os.getpid()}", 64 * MIB).folder)
    except HostError as error:
        pytest.skip(str(error))
    more = '[limits]\nmemory = "tier + 4MB"'
    results = results_of(study(["mariadb:11.8"], more=more, concurrency=8, pacing=""), tmp_path / "r", home)
    (record,) = results.records()
    assert record.status == "failed"
    assert "memory limit of 68 MiB" in record.reason


def test_a_run_whose_server_was_killed_names_who_did_it_not(tmp_path: Path, home: Home) -> None:
    def kill(event: Event) -> None:
        if isinstance(event, SecondMeasured) and event.phase == "window":
            for entry in Path("/proc").iterdir():
                if entry.name.isdigit() and f"--defaults-file={home.run}" in _words(entry):
                    os.kill(int(entry.name), signal.SIGKILL)

    results = results_of(study(["mariadb:11.8"]), tmp_path / "r", home, kill)
    (record,) = results.records()
    assert (record.status, record.fault) == ("failed", "killed")
    assert "(signal 9)" in record.reason
    assert results.optional_document(record.run.run_id, "life")["death"]["kind"] == "killed"


@pytest.mark.parametrize("engine", ENGINES)
def test_a_run_that_meets_a_full_disk_says_so(engine: str, tmp_path: Path, home: Home) -> None:
    """One file for all tables, which must not grow: full as a disk is, and without anybody's special rights."""
    text = f"""
workload = {{name = "oltp_insert", tables = 1, rows = 1000}}
axes = {{tier = "64MB", concurrency = 4}}
measure = {{warm_up = "0s", window = "12s", repeats = 1, equivalence_events = 0}}
[[target]]
engine = "{engine}"
[target.options]
innodb_file_per_table = "OFF"
innodb_data_file_path = "ibdata1:12M:autoextend:max:14M"
"""
    results = results_of(text, tmp_path / "r", home)
    (record,) = results.records()
    assert record.fault == "disk-full", (record.status, record.reason, record.figures.errors)
    assert record.reason.startswith("the disk is full")


def _words(entry: Path) -> str:
    try:
        return (entry / "cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""
