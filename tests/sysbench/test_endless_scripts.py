"""Scripts that run on and on: ended with file and line, by the time, by patience or by Ctrl-C, and harming nobody else.

sysbench 1.0.20 hangs in all of these places until it is killed, and says nothing.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from sysbench_program import Outcome, Program

SCRIPTS = Path(__file__).parent / "bad"
PATIENCE_S = 40.0

pytestmark = pytest.mark.server


@pytest.fixture
def ours(program: Program) -> Program:
    if not program.is_ours:
        pytest.skip("sysbench 1.0.20 hangs here")
    return program


def test_a_loop_in_an_event_ends_with_the_time_and_harms_nobody_else(ours: Program) -> None:
    outcome, took_s = _timed(ours, "loop.lua --threads=2 --workers=1 --time=2 --report-interval=1 run")
    assert re.search(r"FATAL: `thread_run' function failed: loop\.lua:[67]: the script ran too long", outcome.stdout)
    assert outcome.exit_code == 1
    assert took_s < 15
    first = re.search(r"\[ 1s \] thds: 2 eps: ([\d.]+)", outcome.stdout)
    assert first is not None, outcome.text
    assert float(first[1]) > 5, "the other user goes on, though both share a thread of the system"


def test_many_loops_end_together(ours: Program) -> None:
    outcome, took_s = _timed(ours, "loop_pcall.lua --threads=20 --time=1 run")
    assert re.search(
        r"FATAL: `thread_run' function failed: loop_pcall\.lua:[2-7]: the script ran too long", outcome.stdout
    )
    assert outcome.exit_code == 1
    assert took_s < 20, "twenty loops take no longer than one"


def test_a_forced_shutdown_ends_a_loop_with_its_report(ours: Program) -> None:
    outcome, took_s = _timed(ours, "loop.lua --threads=2 --time=1 --forced-shutdown=1 run")
    assert "FATAL: The --max-time limit has expired, forcing shutdown..." in outcome.stdout
    assert re.search(r"Number of unfinished transactions on forced shutdown: [12]\n", outcome.stdout), outcome.text
    assert "total number of events:" in outcome.stdout
    assert outcome.exit_code == 2
    assert took_s < 10


# Script and options, what is said, exit code. Errors in the last two places change no exit code, as under sysbench.
IMPATIENT: dict[str, tuple[str, str, int]] = {
    "the body": ("loop_body.lua --time=1 run", r"FATAL: loop_body\.lua:2: ", 1),
    "init": ("loop_init.lua --time=1 run", r"FATAL: `init' function failed: loop_init\.lua:2: ", 1),
    "thread_done": (
        "loop_thread_done.lua --events=1 run",
        r"FATAL: `thread_done' function failed: loop_thread_done\.lua:2: ",
        0,
    ),
    "done": ("loop_done.lua --events=1 run", r"FATAL: `done' function failed: loop_done\.lua:2: ", 0),
}


@pytest.mark.parametrize("place", IMPATIENT)
def test_a_loop_outside_of_events_lasts_as_long_as_patience(ours: Program, place: str) -> None:
    command, said, exit_code = IMPATIENT[place]
    outcome, _ = _timed(ours, f"{command} --script-timeout=1")
    said += r"the script ran too long without a wait \(see --script-timeout\)\n"
    assert re.search(said, outcome.stdout), outcome.text
    assert outcome.exit_code == exit_code


def test_a_loop_in_a_report_does_not_outlast_the_run_for_long(ours: Program) -> None:
    outcome, took_s = _timed(ours, "loop_report.lua --time=2 --report-interval=1 run")
    assert re.search(r"FATAL: `report_intermediate' function failed: loop_report\.lua:6: ", outcome.stdout)
    assert "total number of events:" in outcome.stdout
    assert took_s < 15


def test_a_loop_in_thread_init_is_named_when_the_users_were_waited_for_long_enough(ours: Program) -> None:
    outcome, took_s = _timed(ours, "loop_thread_init.lua --threads=2 --dialect=1.1 --thread-init-timeout=2 run")
    assert re.search(
        r"FATAL: `thread_init' function failed: loop_thread_init\.lua:3: the script ran too long without a wait\n"
        r"FATAL: Worker threads failed to initialize within 2 seconds!\n",
        outcome.stdout,
    ), outcome.text
    assert outcome.exit_code == 2
    assert took_s < 15


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("loop_init.lua run", "`init' function failed: loop_init.lua:2: interrupted"),
        ("loop_custom.lua prepare", "`prepare' function failed: loop_custom.lua:3: interrupted"),
        ("loop_custom.lua alone", "`sysbench.cmdline.call_command' function failed: loop_custom.lua:3: interrupted"),
        (
            "loop_custom.lua --threads=2 together",
            "`sysbench.cmdline.call_command' function failed: loop_custom.lua:3: interrupted",
        ),
        ("loop_pcall.lua --time=30 run", "`thread_run' function failed: loop_pcall.lua:"),
    ],
)
def test_a_signal_ends_a_loop_at_once_and_names_the_line(
    ours: Program, command: str, said: str, how: signal.Signals
) -> None:
    with subprocess.Popen([ours.path, *command.split()], cwd=SCRIPTS, stdout=subprocess.PIPE, text=True) as process:
        _await_loop(process.pid)
        process.send_signal(how)
        try:
            stdout, _ = process.communicate(timeout=PATIENCE_S)
        finally:
            process.kill()  # of one that did not hear, nobody waits for the end
    assert f"FATAL: {said}" in stdout, stdout
    assert process.returncode == -how, "whoever started it sees that a signal ended it"


def _await_loop(pid: int) -> None:
    """Wait until a process has had a fifth of a second of a processor, which nothing before its loop takes."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        if (int(user) + int(system)) / os.sysconf("SC_CLK_TCK") > 0.2:
            return
        time.sleep(0.02)


def _timed(program: Program, command: str) -> tuple[Outcome, float]:
    began = time.monotonic()
    outcome = program.run(command, folder=SCRIPTS, timeout_s=PATIENCE_S)
    return outcome, time.monotonic() - began
