"""Whole studies on real servers: small windows, real engines, and the faults a night may bring."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from apart_home import new_home
from dbdyno.core import DbdynoError, Home
from dbdyno.hosts import LocalHost
from dbdyno.lab import (
    DatasetsEqual,
    Event,
    ResultsCompared,
    RunFinished,
    SecondMeasured,
    StudyHosts,
    StudyOutcome,
    run_study,
)
from dbdyno.plan import make_plan
from dbdyno.store import Results, StoredStudy
from dbdyno.study import Study, parse_study, study_text

pytestmark = [pytest.mark.server, pytest.mark.usefixtures("load_generator")]
ENGINES = ["mariadb:11.8", "mariadb:11.8+rocksdb", "mysql:9.7"]
STUDY = """
targets = {targets}
workload = {{name = "oltp_read_write", tables = 2, rows = 5000}}
axes = {{tier = ["64MB"], concurrency = {concurrency}, route = {route}}}
pacing = {{rate_per_s = 50}}
measure = {{warm_up = "1s", window = "2s", repeats = 1, equivalence_events = 100}}
{more}
"""


def study_of(
    targets: list[str], concurrency: list[int] | None = None, route: tuple[str, ...] = ("socket",), more: str = ""
) -> Study:
    text = STUDY.format(
        targets=json.dumps(targets), concurrency=concurrency or [2], route=json.dumps(list(route)), more=more
    )
    return parse_study(text, "small.toml")


@pytest.fixture(scope="module")
def home() -> Iterator[Home]:
    """Shared by the tests of this file, so that data is filled once."""
    yield from new_home()


@pytest.fixture
def empty_home() -> Iterator[Home]:
    """Nothing is filled here."""
    yield from new_home()


def opened(path: Path, study: Study) -> StoredStudy:
    facts = asdict(LocalHost().facts())
    return Results.open_or_create(path, study_text(study), {}, facts, study_name=study.name)


def run_all(
    study: Study, path: Path, home: Home, on_event: Callable[[Event], None] = lambda event: None
) -> StudyOutcome:
    return run_study(study, make_plan(study), opened(path, study), StudyHosts(LocalHost(), home), on_event)


def servers_of(home: Home) -> list[int]:
    """Pids of processes started from this home."""
    pids = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            if f"--defaults-file={home.run}" in words:
                pids.append(int(entry.name))
    return pids


def test_three_engines_are_measured_on_equal_data(tmp_path: Path, home: Home) -> None:
    events: list[Event] = []
    study = study_of(ENGINES, route=("socket", "loopback"))
    outcome = run_all(study, tmp_path / "r", home, events.append)
    results = StoredStudy.open(tmp_path / "r")
    assert {record.run.run_id: record.reason for record in results.records() if record.status != "good"} == {}
    assert (outcome.good, outcome.complete) == (6, True)
    assert any(isinstance(event, DatasetsEqual) and event.targets_count == 3 for event in events)
    (compared,) = (event.comparison for event in events if isinstance(event, ResultsCompared))
    assert (compared.targets_count, compared.events_count, compared.unlike, compared.unknown) == (3, 100, {}, {})
    assert results.verify() == ()
    for record in results.records():
        run_id = record.run.run_id
        assert record.figures.tps_mean
        assert record.cpu.server_cpu_ns_per_transaction
        assert record.cpu.client_cpu_ns_per_statement
        assert record.figures.latency_ns
        assert record.figures.latency_ns.p50 <= record.figures.latency_ns.p99 <= record.figures.latency_ns.max
        settings = {row["option"]: row for row in results.document(run_id, "settings")}
        assert settings["innodb_buffer_pool_size"]["effective"]
        assert results.document(run_id, "start")["route"] == record.run.cell.route
        metrics = set(results.telemetry(run_id).values("metric"))
        assert {"host.cpu.user", "server.cpu.user", "client.cpu.user", "engine.redo.lsn", "memory.dirty"} <= metrics
    assert servers_of(home) == []
    assert not home.run.exists() or list(home.run.iterdir()) == []


def test_no_password_is_in_the_results(tmp_path: Path, home: Home) -> None:
    run_all(study_of(["mariadb:11.8"]), tmp_path / "r", home)
    files = list(home.snapshots.glob("*/data.credentials"))
    passwords = [password for file in files for password in json.loads(file.read_text()).values()]
    assert passwords
    stored = b"".join(path.read_bytes() for path in (tmp_path / "r").rglob("*") if path.is_file())
    assert [password for password in passwords if password.encode() in stored] == []


def test_a_second_study_fills_nothing_and_a_finished_one_starts_no_server(tmp_path: Path, home: Home) -> None:
    study = study_of(["mariadb:11.8"])
    run_all(study, tmp_path / "r", home)
    before = sorted(path.stat().st_mtime_ns for path in home.snapshots.glob("*/facts.json"))
    events: list[Event] = []
    run_all(study, tmp_path / "again", home, events.append)
    assert sorted(path.stat().st_mtime_ns for path in home.snapshots.glob("*/facts.json")) == before
    events.clear()
    assert run_all(study, tmp_path / "again", home, events.append).complete
    assert not any(isinstance(event, RunFinished) for event in events)


def test_a_server_killed_in_the_window_fails_its_cell_and_the_study_goes_on(tmp_path: Path, home: Home) -> None:
    killed: list[int] = []

    def kill_the_first(event: Event) -> None:
        if isinstance(event, SecondMeasured) and event.phase == "window" and not killed:
            killed.extend(servers_of(home))
            os.kill(killed[0], signal.SIGKILL)

    outcome = run_all(study_of(["mariadb:11.8"], [1, 2]), tmp_path / "r", home, kill_the_first)
    first, second = StoredStudy.open(tmp_path / "r").records()
    assert (first.status, second.status) == ("failed", "good")
    assert "signal 9" in first.reason
    assert (outcome.failed, outcome.complete) == (1, False)


def test_a_refused_option_is_named(tmp_path: Path, home: Home) -> None:
    more = '[[target]]\nengine = "mariadb:11.8"\nname = "wishful"\noptions = {innodb_wishes = "1"}\n'
    study = parse_study(
        'workload = {name = "oltp_read_write", tables = 1, rows = 100}\n'
        'axes = {tier = "64MB", concurrency = 1}\nmeasure = {warm_up = "0s", window = "2s"}\n' + more,
        "wishful.toml",
    )
    with pytest.raises(DbdynoError) as error:
        run_all(study, tmp_path / "r", home)
    assert "innodb_wishes" in str(error.value)
    assert servers_of(home) == []


DRIVER = """
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from dbdyno.core import Home
from dbdyno.hosts import LocalHost
from dbdyno.lab import StudyHosts, run_study
from dbdyno.plan import make_plan
from dbdyno.store import Results
from dbdyno.study import parse_study
class ApartHome(Home):
    snapshots = Path(sys.argv[4]) / "snapshots"
    run = Path(sys.argv[4]) / "run"
text = Path(sys.argv[1]).read_text()
study = parse_study(text, "small.toml")
results = Results.open_or_create(Path(sys.argv[2]), text, {}, {}, study_name=study.name)
tell = lambda event: print(type(event).__name__, flush=True)
outcome = run_study(study, make_plan(study), results, StudyHosts(LocalHost(), ApartHome(Path(sys.argv[3]))), tell)
print("interrupted" if outcome.interrupted else "finished", flush=True)
"""


def driven(study: Study, folder: Path, home: Home) -> subprocess.Popen[str]:
    (folder / "study.toml").write_text(study_text(study))
    argv = [
        sys.executable,
        "-c",
        DRIVER,
        str(folder / "study.toml"),
        str(folder / "r"),
        str(home.root),
        str(home.run.parent),
    ]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, start_new_session=True)


def until(process: subprocess.Popen[str], word: str) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if line.strip() == word:
            return
    pytest.fail(f"the study ended before {word}")


@pytest.mark.parametrize("word", ["FillStarted", "FillAdvanced", "RunPhaseEntered", "SecondMeasured", "RunFinished"])
def test_a_study_killed_at_any_stage_goes_on_as_if_nothing_had_been(
    tmp_path: Path, request: pytest.FixtureRequest, word: str
) -> None:
    home: Home = request.getfixturevalue("empty_home" if word.startswith("Fill") else "home")
    study = study_of(["mariadb:11.8"], [1, 2])
    with driven(study, tmp_path, home) as process:
        until(process, word)
        process.kill()
    outcome = run_all(study, tmp_path / "r", home)
    results = StoredStudy.open(tmp_path / "r")
    assert outcome.complete
    assert [record.run for record in results.records()] == list(make_plan(study).runs)
    assert sorted(e.facts["run_id"] for e in results.journal() if e.event == "run-finished") == sorted(
        run.run_id for run in make_plan(study).runs
    )
    assert results.verify() == ()
    assert servers_of(home) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_servers_and_study_within_five_seconds(tmp_path: Path, home: Home, number: int) -> None:
    study = study_of(["mariadb:11.8"], [1, 2])
    with driven(study, tmp_path, home) as process:
        until(process, "SecondMeasured")
        begun = time.monotonic()
        process.send_signal(number)
        until(process, "interrupted")
        took_s = time.monotonic() - begun
        assert process.wait(10) == 0
    assert took_s < 5
    assert servers_of(home) == []
    assert StoredStudy.open(tmp_path / "r").journal()[-1].event == "study-interrupted"


def test_a_running_server_is_measured_as_it_is(tmp_path: Path, home: Home) -> None:
    from dbdyno.configure import StartOrder, initialise, start_server
    from dbdyno.core import parse_engine_name
    from dbdyno.provision import provision

    host = LocalHost()
    installation = provision(parse_engine_name("mariadb:11.8"), host, home)
    folder = home.run / "theirs"
    initialise(installation, folder / "data", host)
    order = StartOrder(
        installation=installation,
        data_directory=folder / "data",
        settings=(),
        route="socket",
        host=host,
        run_directory=folder,
    )
    server = start_server(order)
    try:
        endpoint = server.endpoint
        more = (
            f'[servers.lab]\nsocket = "{endpoint.socket}"\nuser = "{endpoint.user}"\n'
            f'password_file = "{endpoint.password_file}"\ntls = "off"\n'
        )
        study = study_of(["mariadb@server:lab"], more=more)
        outcome = run_all(study, tmp_path / "r", home)
        assert server.is_alive()
    finally:
        server.kill()
        host.remove_tree(folder)
    (record,) = StoredStudy.open(tmp_path / "r").records()
    assert record.reason == ""
    assert outcome.complete
    assert "cells-not-independent" in {caveat.code for caveat in record.caveats}
