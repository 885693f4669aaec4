"""Scripts of our own: hooks, reports, commands, options, SQL, random numbers, FFI, the language, the older interface.

The first lines of `scripts/NAME.lua` say how it is run; `scripts/NAME.out` is what sysbench 1.0.20 prints then. With
`DBDYNO_RECORD=1` and `DBDYNO_SYSBENCH` naming the real sysbench, the `.out` files are written anew.
"""

from __future__ import annotations

import itertools
import os
import re
from pathlib import Path

import pytest

from dbdyno.configure import Server
from sysbench_program import Outcome, Program, reach
from sysbench_text import masked

SCRIPTS = Path(__file__).parent / "scripts"
SCHEMA = "sbtest"

pytestmark = pytest.mark.server


def _with_command() -> list[str]:
    return [path.stem for path in sorted(SCRIPTS.glob("*.lua")) if path.read_text().startswith("-- $ ")]


@pytest.mark.parametrize("name", _with_command())
def test_a_script_says_what_it_says_under_sysbench(program: Program, name: str, request: pytest.FixtureRequest) -> None:
    given = _run(program, name, request)
    expected = SCRIPTS / f"{name}.out"
    if os.environ.get("DBDYNO_RECORD"):
        assert not program.is_ours, "expectations come from the real sysbench"
        expected.write_text(given)
    assert given == expected.read_text()


@pytest.mark.parametrize("name", _with_command())
def test_what_a_script_is_expected_to_say_is_what_it_says_under_sysbench(
    sysbench: Program, name: str, request: pytest.FixtureRequest
) -> None:
    assert _run(sysbench, name, request) == (SCRIPTS / f"{name}.out").read_text()


def test_a_script_is_found_as_a_module(program: Program) -> None:
    environment = {"LUA_PATH": f"{SCRIPTS}/?.lua;;"}
    outcome = program.run("lifecycle --events=1 --time=0 run", folder=Path("/"), environment=environment)
    assert outcome.exit_code == 0, outcome.text
    assert "event\t0\t0\t1\n" in outcome.stdout


def _run(program: Program, name: str, request: pytest.FixtureRequest) -> str:
    """What all the commands print that the script's first lines have; with several, each under its command."""
    lines = (SCRIPTS / f"{name}.lua").read_text().splitlines()
    head = [line.removeprefix("-- ") for line in itertools.takewhile(lambda line: line.startswith("-- "), lines)]
    server: list[str] = []
    if "server" in head:
        mariadb: Server = request.getfixturevalue("mariadb")
        server = reach(mariadb, SCHEMA)
    unordered = any(line.startswith("unordered") for line in head)
    commands = [line.removeprefix("$ ") for line in head if line.startswith("$ ")]
    printed = [_shown(program.run(command, folder=SCRIPTS, server=server), unordered=unordered) for command in commands]
    if len(printed) == 1:
        return printed[0]
    return "".join(f"$ sysbench {command}\n{text}" for command, text in zip(commands, printed, strict=True))


def _shown(outcome: Outcome, *, unordered: bool) -> str:
    """Masked; also the numbers of types without a name and of lines inside sysbench's own Lua."""
    text = masked(outcome.text, counted="--events=" in outcome.command, unordered=unordered)
    text = re.sub(r'\[string "sysbench\.sql\.lua"\]:\d+', '[string "sysbench.sql.lua"]:<>', text)
    return re.sub(r"'struct \d+'", "'struct <>'", text)
