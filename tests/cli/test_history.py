"""`dbdyno history` as a build uses it: what it prints, what it writes, how it ends."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import history_studies
from dbdyno.cli import main


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("nights")
    for night in range(9):
        history_studies.write_night(
            top / f"n{night}",
            night,
            lambda run, n=night: 100.0 * (0.85 if n >= 6 and "mysql" in run.cell.target else 1.0),
        )
    return top


def test_a_broken_rule_ends_with_one_and_says_which(nights: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", str(nights), "--fail-on", "slower:5%"]) == 1
    said = capsys.readouterr().out
    assert re.search(r"FAIL slower:5%: mysql .*64 MiB and 4 connections: -1", said)
    assert "between n5 and n6" in said
    assert main(["history", str(nights), "--fail-on", "slower:5%", "--since", "n7"]) == 0
    assert re.search(r"PASS slower:5%: .*\b2 series", capsys.readouterr().out)


def test_a_cell_without_a_good_newest_run_fails_a_build_as_in_diff(
    nights: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    history_studies.write_night(tmp_path / "n9", 9, lambda run: 100.0, failed="mysql:9.7")
    request = ["history", str(nights), str(tmp_path), "--fail-on", "slower:30%"]
    assert main(request) == 1
    assert "NOT SHOWN slower:30%: mysql" in capsys.readouterr().out
    assert main([*request, "--undecided", "pass"]) == 0


def test_every_format_is_written(nights: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", str(nights), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["series"]) == 2
    page = tmp_path / "page" / "history.html"
    assert main(["history", str(nights), "--format", "html", "-o", str(page), "--fail-on", "slower:5%"]) == 1
    said = capsys.readouterr()
    assert said.out == f"{page}\n" and page.exists()
    assert said.err.startswith("FAIL slower:5%")
    assert main(["history", str(nights), "--format", "otava", "-o", str(tmp_path / "otava")]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'otava' / 'otava.yaml'}\n"


@pytest.mark.parametrize(
    "more",
    [
        ["--fail-on", "faster:1%"],
        ["--fail-on", "missing"],
        ["--allow-mismatch", "weather"],
        ["--despite", "weather"],
        ["--since", "x"],
        ["-o", "x"],
    ],
)
def test_wrong_requests_are_told(nights: Path, more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", str(nights), *more]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ") and "hint: " in said


def test_a_history_of_one_study_names_it(nights: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = next(path for path in sorted(nights.iterdir()) if (path / "manifest.json").is_file())
    assert main(["history", str(one)]) == 2
    assert f"  {one.name} is the only one" in capsys.readouterr().err.splitlines()


def test_two_studies_are_too_few_to_say_which_change_the_next_one_shows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for night in (1, 2):
        history_studies.write_night(tmp_path / f"n{night}", night, lambda run: 100.0 + run.order_index)
    assert main(["history", str(tmp_path)]) == 0
    assert "too few studies" in " ".join(capsys.readouterr().out.split())
