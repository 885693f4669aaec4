"""What is printed to a file or a pipe."""

from __future__ import annotations

import pytest
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dbdyno.cli._console import PlainConsole


def test_a_log_has_no_blanks_at_the_ends_of_its_lines(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table("target", "TPS", box=None)
    table.add_row("mariadb:11.8", "4,212")
    table.add_row("mysql:9.7", "")
    console = PlainConsole(width=40)
    console.print(table)
    console.print(Padding(Text("- one limitation, which does not fit into a single line of this width"), (0, 0, 0, 2)))
    console.print("asked: ", end="")
    printed = capsys.readouterr().out
    assert "  - one limitation" in printed and printed.endswith("asked: ")
    assert [line for line in printed.splitlines()[:-1] if line != line.rstrip()] == []
    assert "mariadb:11.8  4,212" in printed
