"""Help pages are held by docs/reference/commands/, which is written from them."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from command_reference import FOLDER, pages_of

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / ".venv" / "bin"
COMMANDS = {
    "dbdyno": (
        "",
        "compare",
        "run",
        "gather",
        "plan",
        "show",
        "explain",
        "report",
        "serve",
        "diff",
        "history",
        "import",
        "import sysbench",
        "import hammerdb",
        "import tpcc-mysql",
        "import linkbench",
        "import go-tpc",
        "claims",
        "judge",
        "audit",
        "engines",
        "engines list",
        "engines get",
        "engines check",
        "engines remove",
        "doctor",
        "clean",
        "settings",
        "calibrate",
        "self-check",
    ),
    "dbdyno-load": (
        "",
        "run",
        "search",
        "merge",
        "populate",
        "verify",
        "fingerprint",
        "cleanup",
        "script",
        "workloads",
        "quirks",
        "sample",
        "null-server",
        "threads",
        "agent",
    ),
}


@cache
def _help(program: str, command: str) -> str:
    argv = [str(PROGRAMS / program), *command.split(), "--help"]
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True, env=environment)
    return "\n".join(line.rstrip() for line in done.stdout.splitlines()).strip()


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="argparse lays help out differently in other versions")
def test_the_reference_says_what_the_programs_say() -> None:
    named = [(program, command) for program, commands in COMMANDS.items() for command in commands]
    pages = pages_of({f"{program} {command}".rstrip(): _help(program, command) for program, command in named})
    if os.environ.get("DBDYNO_WRITE_REFERENCE"):
        for old in FOLDER.glob("*.md"):
            old.unlink()
        for name, text in pages.items():
            (FOLDER / name).write_text(text)
    assert {page.name: page.read_text() for page in FOLDER.glob("*.md")} == pages


@pytest.mark.parametrize("command", COMMANDS["dbdyno"])
def test_short_help_is_shorter_and_has_no_story(command: str) -> None:
    argv = [str(PROGRAMS / "dbdyno"), *command.split(), "-h"]
    short = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True).stdout
    assert len(short) < len(_help("dbdyno", command))
    assert short.startswith("usage: dbdyno")
    assert len(short.splitlines()) <= 40
