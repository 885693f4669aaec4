"""What goes wrong in a script or under it: said with file and line, the right exit code, and never a hang."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dbdyno.configure import Server
from dbdyno.hosts import LocalHost
from sysbench_program import Outcome, Program, reach

SCRIPTS = Path(__file__).parent / "bad"
SCHEMA = "dbdyno_bad"
PATIENCE_S = 40.0
ADDRESS_SPACE_BYTES = 8 << 30

pytestmark = pytest.mark.server

# Script and options, what standard output says, exit code. All of it is what sysbench 1.0.20 says and does, too.
FAULTS: dict[str, tuple[str, str, int]] = {
    "a syntax error": ("syntax.lua --time=1 run", r"FATAL: syntax\.lua:2: unexpected symbol near '='", 1),
    "an error of the body": ("body.lua --time=1 run", r"FATAL: body\.lua:2: attempt to index local 't' \(a nil", 1),
    "a missing module": ("module.lua --time=1 run", r"FATAL: module\.lua:1: module 'nosuch\.module' not found:", 1),
    "a missing file": (
        "nosuch.lua run",
        r"FATAL: Cannot find benchmark 'nosuch\.lua': no such built-in test, file or",
        1,
    ),
    "no event function": (
        "no_event.lua --time=1 run",
        r"FATAL: cannot find the event\(\) function in no_event\.lua",
        1,
    ),
    "an error in init": ("init.lua --time=1 run", r"FATAL: `init' function failed: init\.lua:2: in init", 1),
    "an error in thread_init": (
        "thread_init.lua --time=1 run",
        r"FATAL: `thread_init' function failed: thread_init\.lua:2: in thread_init\nFATAL: Thread init.* failed!",
        1,
    ),
    "an error in event": (
        "event.lua --threads=2 --time=20 run",
        r"FATAL: `thread_run' function failed: event\.lua:3: in event",
        1,
    ),
    "an error that is a table": (
        "table_error.lua --time=1 run",
        r"FATAL: `thread_run' function failed: \(not a string\)",
        1,
    ),
    "an error in a coroutine": (
        "coroutine.lua --time=1 run",
        r"FATAL: `thread_run' function failed: coroutine\.lua:4: attempt to index upvalue 't' \(a nil value\)",
        1,
    ),
    "a stack that overflows": (
        "deep.lua --time=1 run",
        r"FATAL: `thread_run' function failed: deep\.lua:2: stack overflow",
        1,
    ),
    "an error in thread_done": (
        "thread_done.lua --events=1 run",
        r"FATAL: `thread_done' function failed: thread_done\.lua:4: in thread_done(.|\n)*total number of events: +1\n",
        0,
    ),
    "an error in done": ("done.lua --events=1 run", r"FATAL: `done' function failed: done\.lua:4: in done", 0),
    "an error in a report hook": (
        "report.lua --time=2 --report-interval=1 run",
        r"FATAL: `report_intermediate' function failed: report\.lua:4: in the report\n",
        0,
    ),
    "an error in the last report": (
        "cumulative.lua --events=1 run",
        r"FATAL: `report_cumulative' function failed: cumulative\.lua:4: in the last report\n",
        0,
    ),
    "an error in a command": (
        "custom.lua fails",
        r"FATAL: `sysbench\.cmdline\.call_command' function failed: custom\.lua:2: in the command\n",
        1,
    ),
    "an error that is nothing": ("nil_error.lua run", r"FATAL: `thread_run' function failed: \(not a string\)\n", 1),
    "a C function that isn't there": (
        "missing_symbol.lua --events=1 run",
        r"FATAL: `thread_run' function failed: missing_symbol\.lua:2: .*undefined symbol: no_such_function\n",
        1,
    ),
    "a script that ends the program": ("exit.lua run", r"Threads started!\n", 7),
    "an error in prepare": ("prepare.lua prepare", r"FATAL: `prepare' function failed: prepare\.lua:2: in prepare", 1),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_a_script_is_told_with_file_and_line(program: Program, name: str) -> None:
    command, said, exit_code = FAULTS[name]
    outcome = program.run(command, folder=SCRIPTS, timeout_s=PATIENCE_S)
    assert re.search(said, outcome.stdout), outcome.text
    assert outcome.exit_code == exit_code


@pytest.mark.parametrize("name", FAULTS)
def test_sysbench_itself_says_so(sysbench: Program, name: str) -> None:
    test_a_fault_of_a_script_is_told_with_file_and_line(sysbench, name)


@pytest.fixture
def ours(program: Program) -> Program:
    if not program.is_ours:
        pytest.skip("sysbench 1.0.20 hangs or crashes here")
    return program


@pytest.mark.parametrize(("script", "line"), [("deep_gsub.lua", 2), ("deep_callback.lua", 5)])
def test_calls_that_go_too_deep_through_c_code_end_with_an_error(ours: Program, script: str, line: int) -> None:
    outcome, _ = _timed(ours, f"{script} --threads=2 --time=5 run")
    assert f"FATAL: `thread_run' function failed: {script}:{line}: C stack overflow\n" in outcome.stdout, outcome.text
    assert outcome.exit_code == 1


def test_a_script_that_catches_such_an_error_goes_on_and_may_go_too_deep_again(ours: Program) -> None:
    outcome, _ = _timed(ours, "deep_pcall.lua --threads=3 --workers=1 --events=3 --time=0 run")
    caught = r"\d\tfalse\tdeep_pcall\.lua:2: C stack overflow\n"
    assert len(re.findall(caught, outcome.stdout)) == 9, outcome.text
    assert outcome.exit_code == 0


def test_a_wild_pointer_does_not_end_the_program_without_a_word(ours: Program) -> None:
    outcome, _ = _timed(ours, "wild_pointer.lua --time=5 run")
    assert "FATAL: a user's script, or this program, has touched memory that isn't there\n" in outcome.stdout
    assert outcome.exit_code == -signal.SIGSEGV


@pytest.mark.parametrize("script", ["hoard.lua", "hoard_slowly.lua"])
def test_a_script_that_allocates_without_end_is_told_so_before_the_machine_is(ours: Program, script: str) -> None:
    outcome, peak_bytes = _measured(ours, f"{script} --threads=2 --time=30 run")
    assert re.search(rf"FATAL: `thread_run' function failed: .*{script[:-4]}\.lua:[5-8]: .*memory", outcome.stdout)
    assert outcome.exit_code == 1
    assert peak_bytes < 4 << 30


@dataclass(frozen=True)
class Mortal:
    """A server of one test that can be killed and started again where it was."""

    server: Server
    option_file: Path
    host: LocalHost

    def die(self) -> None:
        assert self.server.process is not None
        self.server.process.kill()
        self.server.process.wait(60)

    def restart(self) -> None:
        self.die()
        time.sleep(0.5)
        argv = [*self.server.installation.server_argv, f"--defaults-file={self.option_file}"]
        self.server.process = self.host.spawn(argv, stdout=None, stderr=None, as_server_user=True)

    def freeze(self) -> None:
        os.kill(self.server.pid or 0, signal.SIGSTOP)

    def thaw(self) -> None:
        os.kill(self.server.pid or 0, signal.SIGCONT)


@pytest.fixture
def mortal(laboratory: Any) -> Iterator[Mortal]:
    folder: Path = laboratory.folder()
    running: Server = laboratory.start("mariadb:11.8", run_directory=folder)
    with running.connect() as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {SCHEMA}")
    yield Mortal(running, folder / "my.cnf", laboratory.host)
    running.kill()


def test_a_server_that_dies_ends_the_run_at_once(program: Program, mortal: Mortal) -> None:
    with later(1.0, mortal.die):
        outcome, took_s = _timed(program, "queries.lua --threads=4 --time=25 run", mortal)
    lost = r"FATAL: mysql_drv_query\(\) returned error 20(13|06) \(.+\) for query 'SELECT SLEEP"
    assert re.search(lost, outcome.stdout), outcome.text
    assert "FATAL: `thread_run' function failed: queries.lua:6: SQL error, errno = 20" in outcome.stdout
    assert outcome.exit_code == 1
    assert took_s < 10


@pytest.mark.parametrize("script", ["queries.lua", "prepared.lua"])
def test_users_reconnect_to_a_server_that_comes_back(ours: Program, mortal: Mortal, script: str) -> None:
    with later(1.0, mortal.restart):
        command = f"{script} --threads=4 --time=5 --report-interval=1 --mysql-ignore-errors=2013,2006,1053,1927 run"
        outcome, _ = _timed(ours, command, mortal)
    assert outcome.exit_code == 0, outcome.text
    reconnects = re.search(r"reconnects: +(\d+) ", outcome.stdout)
    assert reconnects is not None, outcome.text
    assert int(reconnects[1]) >= 4, outcome.text
    last = re.findall(r"\[ \ds \] thds: 4 tps: ([\d.]+)", outcome.stdout)[-1]
    assert float(last) > 50, outcome.text


def test_a_server_that_falls_silent_does_not_outlast_a_forced_shutdown(ours: Program, mortal: Mortal) -> None:
    try:
        with later(0.5, mortal.freeze):
            outcome, took_s = _timed(ours, "queries.lua --threads=4 --time=2 --forced-shutdown=1 run", mortal)
    finally:
        mortal.thaw()
    assert "Number of unfinished transactions on forced shutdown: 4" in outcome.stdout, outcome.text
    assert outcome.exit_code == 2
    assert took_s < 10


@pytest.mark.parametrize(
    ("limit", "script", "said"),
    [
        (
            "max_connections=10",
            "queries.lua",
            r"FATAL: error 1040: .*\n(.|\n)*queries\.lua:2: connection creation failed\n",
        ),
        (
            "max_prepared_stmt_count=2",
            "prepared.lua",
            r'FATAL: MySQL error: 1461 ".*"\n(.|\n)*prepared\.lua:7: SQL API error\n',
        ),
    ],
)
def test_a_limit_of_the_server_ends_the_start_with_its_error(
    program: Program, mortal: Mortal, limit: str, script: str, said: str
) -> None:
    with mortal.server.connect() as connection, connection.cursor() as cursor:
        cursor.execute(f"SET GLOBAL {limit}")
    outcome, took_s = _timed(program, f"{script} --threads=20 --time=20 run", mortal)
    assert re.search(said, outcome.stdout), outcome.text
    assert "FATAL: Thread initialization failed!\n" in outcome.stdout
    assert outcome.exit_code == 1
    assert took_s < 15


def _timed(program: Program, command: str, mortal: Mortal | None = None) -> tuple[Outcome, float]:
    options = reach(mortal.server, SCHEMA) if mortal else []
    began = time.monotonic()
    outcome = program.run(command, folder=SCRIPTS, server=options, timeout_s=PATIENCE_S)
    return outcome, time.monotonic() - began


def _measured(program: Program, command: str) -> tuple[Outcome, int]:
    """Also the peak of resident memory; with a lid, so that a failure of this test is not one of the machine."""
    argv = ["bash", "-c", f'ulimit -v {ADDRESS_SPACE_BYTES >> 10}; exec "$0" {command}', str(program.path)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    done = subprocess.run(
        argv, cwd=SCRIPTS, capture_output=True, text=True, timeout=PATIENCE_S, check=False, errors="replace"
    )
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    outcome = Outcome(command, done.stdout, done.stderr, done.returncode)
    return outcome, peak << 10 if peak > before else 0


@contextmanager
def later(seconds: float, action: Callable[[], None]) -> Iterator[None]:
    """Does something while a block runs, after some seconds."""
    timer = threading.Timer(seconds, action)
    timer.start()
    try:
        yield
    finally:
        timer.join()
