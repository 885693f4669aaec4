"""Help and wrong words are answered at once, and a command loads what it uses, not all that its packages provide."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dbdyno import cli
from dbdyno.cli import main
from dbdyno.cli._commands import GROUPS, SUMMARIES
from stored_study import write_study

_LOADED = """
import sys
from dbdyno.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print(*(name for name in sys.stdin.read().split() if name in sys.modules), file=sys.stderr)
"""
_HEAVY = "numpy dbdyno.tables altair pymysql cryptography rich dbdyno.core"


@pytest.mark.parametrize("argument", ["--help", "-h", "comapre"])
def test_help_and_wrong_words_load_no_package_that_works(argument: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _LOADED, argument], input="", capture_output=True, text=True, check=True
    )
    assert done.stderr.splitlines()[-1].strip() == ""


def test_the_package_runs_as_the_command() -> None:
    words = [sys.executable, "-m", "dbdyno", "--version"]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout.startswith("dbdyno ")


def test_a_summary_loads_nothing_that_plans_examines_a_machine_or_ends_a_warm_up(tmp_path: Path) -> None:
    write_study(tmp_path / "two")
    unused = "dbdyno.plan._alterations dbdyno.doctor.checks dbdyno.core._machine dbdyno.stats._server_gates altair"
    needed = ["dbdyno.core._record", "dbdyno.report._terminal"]
    assert _loaded(" ".join((unused, *needed)), "show", str(tmp_path / "two")) == needed


def test_every_command_is_listed_once_and_alone_there_are_the_three_that_begin(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([]) == 0
    assert [line.split()[1] for line in capsys.readouterr().out.splitlines() if line.startswith("  dbdyno")] == [
        "compare",
        "show",
        "diff",
    ]
    modules = {path.stem.removeprefix("_").replace("_", "-") for path in Path(cli.__file__).parent.glob("_*.py")}
    assert [name for group in GROUPS.values() for name in group] == list(SUMMARIES)
    assert set(SUMMARIES) <= modules


def _loaded(names: str, *arguments: str) -> list[str]:
    """Which of these modules a command has loaded at its end."""
    command = [sys.executable, "-c", _LOADED, *arguments]
    done = subprocess.run(command, input=names, capture_output=True, text=True, check=True)
    return done.stderr.splitlines()[-1].split()
