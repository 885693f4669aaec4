"""A comparison pasted into a pull request: rules first, what moved open, the rest folded, names that stay text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from dbdyno.cli import main
from dbdyno.store import StoredRun, StoredStudy
from slowed_study import SMALL

Write = Callable[..., StoredStudy]
NIGHT = SMALL.replace("small", "night").replace("[1, 4, 16]", "[4, 16]")


def slower(run: StoredRun) -> StoredRun:
    """MySQL does 15 % less; a variable has a name that would format, notify and link."""
    tps = run.record.figures.tps_mean
    if run.record.run.cell.target != "mysql:9.7" or tps is None:
        return run
    variables = {**run.variables, "init_connect": "@root <img src=x> | #12 `a`"}
    return replace(
        run, record=replace(run.record, figures=replace(run.record.figures, tps_mean=tps * 0.85)), variables=variables
    )


@pytest.fixture(scope="module")
def base(write: Write, tmp_path_factory: pytest.TempPathFactory) -> StoredStudy:
    return write(tmp_path_factory.mktemp("base") / "base", text=NIGHT)


@pytest.fixture(scope="module")
def new(write: Write, tmp_path_factory: pytest.TempPathFactory) -> StoredStudy:
    return write(tmp_path_factory.mktemp("new") / "new", text=NIGHT, change=slower)


def pasted(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    code = main(["diff", *map(str, arguments), "--format", "md"])
    printed, said = capsys.readouterr()
    assert said == ""
    return code, printed


def test_rules_and_what_moved_stand_open_and_the_rest_is_folded(
    base: StoredStudy, new: StoredStudy, capsys: pytest.CaptureFixture[str]
) -> None:
    code, text = pasted(capsys, base.path, new.path, "--fail-on", "slower:3%")
    assert code == 1
    assert re.match(r"### FAIL\. .*\b4 cells: 2 slower, 2 same\n", text)
    opened, folded = text.split("<details>", 1)
    assert opened.count("- **FAIL** slower:3%: mysql:9.7 ") == 2
    assert "**TPS: 2 of 4 cells " in opened
    assert opened.count("| mysql:9.7 ") == 2
    assert "| mariadb:11.8 " not in opened
    assert folded.count("| mariadb:11.8 ") == 2
    assert text.count("<details>") == text.count("</details>") == 2


def test_every_row_of_a_table_has_as_many_columns_as_its_head(
    base: StoredStudy, new: StoredStudy, capsys: pytest.CaptureFixture[str]
) -> None:
    _, text = pasted(capsys, base.path, new.path, "--all")
    rows = [re.sub(r"\\\|", "", line) for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 2 * 2 + 4
    assert {row.count("|") for row in rows} == {6}


def test_names_from_a_folder_neither_format_nor_notify_nor_link(
    base: StoredStudy, new: StoredStudy, capsys: pytest.CaptureFixture[str]
) -> None:
    _, text = pasted(capsys, base.path, new.path)
    line = next(line for line in text.splitlines() if "init" in line)
    assert "<img" not in line and "&lt;img" in line
    assert "@root" not in line and "#12" not in line
    assert r"\`a\`" in line


def test_without_rules_there_is_no_verdict(
    base: StoredStudy, write: Write, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    again = write(tmp_path / "again", text=NIGHT)
    code, text = pasted(capsys, base.path, again.path)
    assert code == 0
    assert re.match(r"### .*\b4 cells: 4 same\n", text)
    assert "PASS" not in text
