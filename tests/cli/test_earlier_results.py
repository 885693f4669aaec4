"""A results folder that dbdyno wrote on 22 November 2026 opens: read, judged, explained, and taken as done.

Two servers, one place, two repeats each, measured with the lab of commit ec28b2c8; its records are flat, and its study
has the keys of that time.
"""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from dbdyno.cli import main
from dbdyno.core import RunRecord
from dbdyno.store import StoredStudy

ARCHIVE = Path(__file__).parents[1] / "vectors" / "earlier_results.tar.xz"
TARGETS = {"mariadb:11.8", "mysql:9.7"}


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "tiny"


def printed(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    code = main([*map(str, arguments)])
    output = capsys.readouterr()
    assert code == 0, output.err
    return output.out


def records_of(folder: Path) -> list[RunRecord]:
    return list(StoredStudy.open(folder).records())


def test_every_run_of_it_is_read_with_its_figures(earlier: Path) -> None:
    records = records_of(earlier)
    assert {record.run.cell.target for record in records} == TARGETS
    assert [record.status for record in records] == ["good"] * 4
    assert all(record.figures.tps_mean and record.figures.latency_ns for record in records)


def test_show_prints_its_levels_and_lists_its_runs(earlier: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = json.loads(printed(capsys, "show", earlier, "--json"))
    assert {cell["target"] for cell in shown["cells"]} == TARGETS
    assert "MariaDB 11.8" in printed(capsys, "show", earlier)


def test_its_page_is_drawn(earlier: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    printed(capsys, "report", earlier, "-o", page)
    assert "MySQL 9.7" in page.read_text()


def test_its_servers_are_audited(earlier: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entries = json.loads(printed(capsys, "audit", earlier, "--json"))
    found = {entry["id"] for entry in entries if entry["outcome"] == "finding"}
    assert {"allocator-mismatch", "checksum-mismatch", "memory-budget-mismatch"} <= found


def test_its_difference_is_explained(earlier: Path, capsys: pytest.CaptureFixture[str]) -> None:
    explained = printed(capsys, "explain", earlier)
    assert all(name in explained for name in ("MariaDB 11.8", "MySQL 9.7"))


def test_the_study_goes_on_in_it_and_has_nothing_left_to_do(
    earlier: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DBDYNO_HOME", str(tmp_path / "home"))
    before = (earlier / "journal.jsonl").read_text()
    assert main(["run", str(earlier / "study.toml"), "-o", str(earlier), "--no-calibrate"]) == 0
    assert "4 of 4 runs are stored" in capsys.readouterr().err
    assert (earlier / "journal.jsonl").read_text().startswith(before)
    assert len(records_of(earlier)) == 4
