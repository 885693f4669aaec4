"""Help and wrong words are answered at once: packages that do the work are loaded when a command runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dbdyno import cli
from dbdyno.cli import main
from dbdyno.cli._commands import GROUPS, SUMMARIES

_LOADED = """
import sys
from dbdyno.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
heavy = ("numpy", "dbdyno.tables", "altair", "pymysql", "cryptography", "rich", "dbdyno.core")
print(*(name for name in heavy if name in sys.modules), file=sys.stderr)
"""


@pytest.mark.parametrize("argument", ["--help", "-h", "comapre"])
def test_help_and_wrong_words_load_no_package_that_works(argument: str) -> None:
    done = subprocess.run([sys.executable, "-c", _LOADED, argument], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1].strip() == ""


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
