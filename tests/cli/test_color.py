"""Colour where a terminal reads it, and by what the words mean; the words are the same without it."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from dbdyno.cli._color import CHOICES, marks_in
from stored_study import TWO, write_study

PROGRAM = Path(__file__).parents[2] / ".venv" / "bin" / "dbdyno"
RED_ERROR, CYAN_HINT = "\x1b[1;31merror:\x1b[0m", "\x1b[1;36mhint:\x1b[0m"
BARE = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "CLICOLOR_FORCE", "TERM")}


def piped(*words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PROGRAM, *words], env={**BARE, **environ}, capture_output=True, text=True, check=False, timeout=60
    )


def in_terminal(*words: str, **environ: str) -> str:
    """What a terminal gets of both streams."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([PROGRAM, *words], env={**BARE, **environ}, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        parts = []
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            parts.append(part)
        process.wait(timeout=60)
    os.close(ours)
    return b"".join(parts).decode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_study(tmp_path_factory.mktemp("color") / "two", TWO).path)


def test_errors_are_red_and_hints_cyan_in_a_terminal_and_nowhere_else() -> None:
    told = in_terminal("shwo", TERM="xterm")
    assert RED_ERROR in told and CYAN_HINT in told
    assert "\x1b" not in piped("shwo").stderr


@pytest.mark.parametrize("environ", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_the_environment_switches_colour_off(environ: dict[str, str]) -> None:
    assert "\x1b" not in in_terminal("shwo", **{"TERM": "xterm", **environ})


def test_the_option_wins_over_environment_and_terminal_and_may_stand_anywhere() -> None:
    for words in (("--color", "always", "shwo"), ("shwo", "--color=always")):
        assert RED_ERROR in piped(*words, NO_COLOR="1").stderr
    assert "\x1b" not in in_terminal("shwo", "--color", "never", TERM="xterm")


def test_what_is_no_choice_is_a_wrong_request() -> None:
    for words in (("show", "--color", "blue"), ("show", "--color")):
        done = piped(*words)
        assert done.returncode == 2 and ", ".join(CHOICES) in done.stderr


def test_a_verdict_is_bold_and_a_gate_that_holds_is_green(folder: str) -> None:
    shown = piped("show", "--color", "always", folder).stdout
    answer = next(line for line in shown.splitlines() if "connection" in line)
    assert answer.strip().startswith("\x1b[1m")
    pair = ("--match", "mariadb:11.8=mysql:9.7")
    gated = piped("diff", folder, folder, *pair, "--fail-on", "slower:90%", "--color", "always").stdout
    assert gated.splitlines()[-1].startswith("\x1b[32mPASS\x1b[0m")


@pytest.mark.parametrize(
    ("line", "style"),
    [
        ("PASS slower:3%: held", "green"),
        ("NOT SHOWN slower:3%: a", "bold yellow"),
        ("FAIL slower:3%: a", "bold red"),
        ("  ✘ mysql:9.7", "bold red"),
        ("  ?   3/36  mysql:9.7", "bold yellow"),
        ("CRITICAL  memory", "bold red"),
        ("HIGH  memory", "bold yellow"),
        ("warning: a", "bold yellow"),
    ],
)
def test_the_head_of_a_line_has_its_colour(line: str, style: str) -> None:
    ((_, _, found),) = marks_in(line)
    assert found == style


@pytest.mark.parametrize("line", ["PASSWORD", "highest", "? what", "3 rules, 1 PASS", "errors: 3"])
def test_other_words_have_none(line: str) -> None:
    assert marks_in(line) == []


def test_without_colour_the_words_are_the_same(folder: str) -> None:
    for command in ("show", "audit"):
        colored, plain = (piped(command, "--color", when, folder).stdout for when in ("always", "never"))
        assert "\x1b" in colored and "\x1b" not in plain
        assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == plain
