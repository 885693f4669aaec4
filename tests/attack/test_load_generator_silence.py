"""A server that falls silent under the load generator, in each phase of each command, and a signal in each of them.

Silent: the connection is open, what is sent is acknowledged, and no answer comes, as from a process that was stopped.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time

import pytest
from rounds import repeats

from dbdyno.lab import find_generator
from error_codes import load_codes
from load_commands import COMMANDS, Running, good, start
from rogue_server import RogueServer

pytestmark = pytest.mark.attack

SIGNAL_LIMIT_S = 5.0
REACHED_LIMIT_S = 20.0

PHASES: dict[str, list[str]] = {
    "run": ["greeting", "login", "SHOW SESSION VARIABLES", "SHOW SESSION STATUS", "^SELECT c FROM", "execute"],
    "run tpcc": ["login", "SELECT w_id", "SHOW SESSION VARIABLES"],
    "search": ["greeting", "SHOW SESSION VARIABLES", "execute"],
    "populate": [
        "greeting",
        "login",
        "SHOW DATABASES",
        "SHOW TABLES",
        "CREATE TABLE dbdyno_filling",
        "CREATE TABLE sbtest1",
        "local_infile",
        "START TRANSACTION",
        "INSERT INTO sbtest1",
        "UPDATE dbdyno_filling",
        "COMMIT",
        "CREATE INDEX",
        "COUNT",
    ],
    "verify": ["greeting", "login", "HAVING COUNT", "d_next_o_id", "information_schema.tables"],
    "fingerprint": ["greeting", "SET ", "execute", "COUNT"],
    "sums": ["greeting", "COUNT"],
    "cleanup": ["greeting", "login", "DROP TABLE IF EXISTS sbtest1", "DROP TABLE IF EXISTS dbdyno_filling"],
}
CASES = [(command, phase) for command, phases in PHASES.items() for phase in phases]
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP]


def reach(server: RogueServer, running: Running) -> None:
    """Wait until the server has fallen silent, and the client has had time to wait for it."""
    if not server.is_silent.wait(REACHED_LIMIT_S):
        ended = running.wait(0.1)
        raise AssertionError(f"the server was never asked so: {server.statements[-3:]}, {ended}")
    time.sleep(0.05)


@pytest.mark.parametrize(("command", "phase"), CASES)
def test_the_first_signal_ends_every_phase(command: str, phase: str) -> None:
    for turn in repeats(1, share=0.002):
        number = SIGNALS[(CASES.index((command, phase)) + turn) % len(SIGNALS)]
        with RogueServer(good(silent_at=phase)) as server:
            running = start(command, server)
            reach(server, running)
            running.process.send_signal(number)
            ended = running.wait(SIGNAL_LIMIT_S)
            assert ended.returncode == 1, ended
            assert load_codes(ended.stderr)[:1] == ["interrupted"] or "interrupted" in ended.stdout, ended


def test_a_server_that_greets_nobody_is_given_up_after_the_time_for_a_log_in() -> None:
    with RogueServer(good(silent_at="greeting")) as server:
        under_way = {command: start(command, server) for command in COMMANDS}
        for command, running in under_way.items():
            ended = running.wait(45)
            assert ended.returncode == 3, (command, ended)
            assert load_codes(ended.stderr)[-1] == "no-answer", (command, ended)
            assert f"127.0.0.1:{server.port} " in ended.stderr and " 20 s" in ended.stderr, (command, ended)
            assert ended.seconds > 19, (command, ended)


@pytest.mark.parametrize(
    ("command", "phase", "option"),
    [
        ("populate", "CREATE TABLE sbtest1", "--ddl-timeout"),
        ("populate", "CREATE INDEX", "--ddl-timeout"),
        ("populate", "COUNT", "--check-timeout"),
        ("sums", "COUNT", "--check-timeout"),
        ("cleanup", "DROP TABLE IF EXISTS sbtest1", "--ddl-timeout"),
    ],
)
def test_a_statement_has_the_time_that_its_option_says(command: str, phase: str, option: str) -> None:
    with RogueServer(good(silent_at=phase)) as server:
        ended = start(command, server, option, "1s").wait(30)
        assert ended.returncode == 3, ended
        assert re.search(rf"127\.0\.0\.1:{server.port} .*\b1 s, ", ended.stderr), ended
        assert ended.seconds > 0.9, ended


@pytest.mark.parametrize(
    ("command", "phase"),
    [
        ("populate", "CREATE INDEX"),
        ("populate", "INSERT INTO sbtest1"),
        ("populate", "SHOW TABLES"),
        ("verify", "HAVING COUNT"),
        ("sums", "COUNT"),
        ("cleanup", "DROP TABLE"),
    ],
)
def test_a_process_that_was_stopped_is_given_up_long_before_the_statement_is(command: str, phase: str) -> None:
    with RogueServer(good(silent_at=phase, freezes=True)) as server:
        ended = start(command, server, "--server-timeout", "1500ms").wait(30)
        assert ended.returncode == 3, ended
        assert f"127.0.0.1:{server.port} " in ended.stderr, ended
        assert load_codes(ended.stderr)[0] == "log-ins-unanswered", "the process does not answer, not the statement"
        assert ended.seconds > 0.9, ended


@pytest.mark.parametrize("option", ["--check-timeout", "--condition-timeout"])
def test_a_condition_that_is_not_answered_in_its_time_is_undecided(option: str) -> None:
    """The second is the option's old name."""
    with RogueServer(good(silent_at="HAVING COUNT")) as server:
        ended = start("verify", server, option, "1s").wait(20)
        assert ended.returncode == 1, ended
        assert "undecided" in ended.said, ended


def test_a_server_that_lets_others_in_is_waited_for() -> None:
    with RogueServer(good(silent_at="CREATE INDEX")) as server:
        running = start("populate", server, "--server-timeout", "1500ms")
        reach(server, running)
        time.sleep(2.5)
        assert running.process.poll() is None
        running.process.send_signal(signal.SIGINT)
        assert running.wait(SIGNAL_LIMIT_S).returncode == 1


def test_an_output_that_nobody_reads_is_left_by_the_first_signal() -> None:
    with RogueServer(good()) as server:
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        try:
            while os.write(writing, b"x" * 4096):
                pass
        except BlockingIOError:
            os.set_blocking(writing, True)
        with os.fdopen(writing, "wb") as full:
            running = start("verify", server, stdout=full)
            time.sleep(0.5)
            running.process.send_signal(signal.SIGTERM)
            assert running.wait(SIGNAL_LIMIT_S).returncode == 1
        os.close(reading)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_reader_that_has_gone_is_an_interruption_and_a_full_disk_is_told(command: str) -> None:
    options = ("--events", "5") if command.startswith("run") else ()
    with RogueServer(good()) as server:
        argv = [str(find_generator()), *COMMANDS[command], "--host", "127.0.0.1", "--port", str(server.port)]
        argv = [*argv, "--no-password", "--tls", "off", *options]
        with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.close()
            errors = process.stderr.read().decode()
            assert process.wait(REACHED_LIMIT_S) == 1, errors
        assert "panicked" not in errors
        with open("/dev/full", "wb") as full:  # noqa: PTH123 - it is no file but a device
            done = subprocess.run(argv, stdout=full, stderr=subprocess.PIPE, timeout=REACHED_LIMIT_S)
        assert done.returncode == 3, done
        assert b"standard output: No space left on device" in done.stderr, done
