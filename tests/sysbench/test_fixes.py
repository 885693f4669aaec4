"""What is done better than sysbench does it: on in our own form, each by itself in sysbench's, off without a word.

`prepare-exit`, which is on in both forms, is held by test_bad_scripts.py and test_golden.py.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from dbdyno.configure import Server
from sysbench_program import Outcome, Program, reach

SCRIPTS = Path(__file__).parent / "scripts"
SCHEMA = "sbtest"

pytestmark = pytest.mark.server


@pytest.fixture
def ours(program: Program) -> Program:
    if not program.is_ours:
        pytest.skip("only ours knows --fixes")
    return program


def _own_form(program: Program, server: Server, words: str, folder: Path) -> Outcome:
    """The same program by its own name, at the same server."""
    endpoint = server.endpoint
    own = Program(program.path.resolve())
    where = ["--host=127.0.0.1", f"--port={endpoint.port}"]
    who = [f"--user={endpoint.user}", f"--password-file={endpoint.password_file}", f"--database={SCHEMA}"]
    script, *options = words.split()
    return own.run(["script", str(SCRIPTS / script), "run", *options, *where, *who], folder=folder)


@pytest.mark.parametrize(("fixes", "rows"), [("none", 2), ("rollback", 1)])
def test_what_an_event_left_open_is_undone_before_its_repeat_if_that_is_wanted(
    ours: Program, mariadb: Server, fixes: str, rows: int
) -> None:
    options = f"--fixes={fixes} --mysql-ignore-errors=1062 --events=1 --time=0"
    outcome = ours.run(f"{options} repeated.lua run", folder=SCRIPTS, server=reach(mariadb, SCHEMA))
    assert outcome.exit_code == 0, outcome.text
    assert f"rows of the event and its repeat\t{rows}\n" in outcome.stdout


def test_our_own_form_undoes_it_without_a_word(ours: Program, mariadb: Server, tmp_path: Path) -> None:
    outcome = _own_form(ours, mariadb, "repeated.lua --ignore-errors=1062 --events=1", tmp_path)
    assert outcome.exit_code == 0, outcome.text
    assert "rows of the event and its repeat\t1\n" in outcome.stdout


def test_the_report_of_our_own_form_tells_errors_by_number_and_whether_others_could_read_along(
    ours: Program, mariadb: Server, tmp_path: Path
) -> None:
    words = "repeated.lua --ignore-errors=1062 --events=1 --json-lines=run.jsonl --tls=off"
    outcome = _own_form(ours, mariadb, words, tmp_path)
    below = outcome.stdout.split("execution time (avg/stddev):")[1]
    assert "Connections: 2 in plain text\n" in below
    assert re.search(r"^Errors by number:\n +1062: +1$", below, re.MULTILINE), below
    end = json.loads((tmp_path / "run.jsonl").read_text().splitlines()[-1])
    assert end["connections"] == {"encrypted": 0, "plain": 2, "tls_version": None, "tls_cipher": None}


def test_sysbench_s_form_says_nothing_of_its_own_by_default(ours: Program, mariadb: Server) -> None:
    options = "--mysql-ignore-errors=1062 --events=1 --time=0"
    outcome = ours.run(f"{options} repeated.lua run", folder=SCRIPTS, server=reach(mariadb, SCHEMA))
    assert "Connections:" not in outcome.stdout
    assert "Errors by number" not in outcome.stdout


@pytest.mark.parametrize(("fixes", "told"), [("none", False), ("backlog", True)])
def test_arrivals_left_in_the_queue_are_told_if_that_is_wanted(ours: Program, fixes: str, told: bool) -> None:
    outcome = ours.run(f"--fixes={fixes} --rate=400 --time=1 sleepy.lua run", folder=SCRIPTS)
    assert outcome.exit_code == 0, outcome.text
    left = re.search(r"^Arrivals left in the queue at the end: (\d+)$", outcome.stdout, re.MULTILINE)
    assert (left is not None) == told, outcome.text
    assert left is None or int(left[1]) > 100


@pytest.mark.parametrize(("fixes", "told"), [("none", False), ("report", True)])
def test_a_run_that_fails_still_reports_if_that_is_wanted(ours: Program, fixes: str, told: bool) -> None:
    outcome = ours.run(f"--fixes={fixes} --events=9 --time=0 fails_late.lua run", folder=SCRIPTS)
    assert outcome.exit_code == 1
    assert ("total number of events:              3\n" in outcome.stdout) == told, outcome.text
