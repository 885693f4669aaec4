"""A study in two parts, of some of its cells: each part measures whole tiers, and gathered they are the study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dbdyno.cli import main
from dbdyno.store import StoredStudy

pytestmark = pytest.mark.server
STUDY = """
name = "parted"
[[target]]
name = "left"
engine = "mariadb:11.8"
[[target]]
name = "right"
engine = "mariadb:11.8"
[workload]
name = "sysbench/oltp_read_only"
tables = 1
rows = 1000
[axes]
tier = ["64MB", "96MB"]
concurrency = [1, 2]
[pacing]
rate_per_s = 50
[measure]
warm_up = "1s"
window = "2s"
repeats = 1
equivalence_events = 0
"""
Cells = set[tuple[str, int, int]]


@pytest.fixture
def study(tmp_path: Path, laboratory: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    laboratory.installation("mariadb:11.8")
    monkeypatch.setenv("DBDYNO_HOME", str(laboratory.home.root))
    (tmp_path / "parted.toml").write_text(STUDY)
    return tmp_path / "parted.toml"


def _run(study: Path, folder: Path, *more: str) -> int:
    return main(["run", str(study), "-o", str(folder), "--quiet", "--no-calibrate", "--force", *more])


def _cells(folder: Path) -> Cells:
    cells = [record.run.cell for record in StoredStudy.open(folder).records() if record.status == "good"]
    assert len(cells) == len(set(cells)), "no cell was measured twice"
    return {(cell.target, cell.tier_bytes >> 20, cell.concurrency) for cell in cells}


def test_parts_of_chosen_cells_make_the_study_when_gathered(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second, whole = (tmp_path / name for name in ("first", "second", "whole"))
    chosen = ("--where", "connections=2")
    assert _run(study, first, *chosen, "--part", "1/2") == 0
    (tier,) = {tier for _, tier, _ in _cells(first)}  # either one: the order of the study is drawn
    assert _cells(first) == {("left", tier, 2), ("right", tier, 2)}
    # One part alone is not the study, and the exit code says so.
    assert main(["gather", str(first), "-o", str(whole)]) == 1
    alone = StoredStudy.open(whole)
    assert (len(alone.run_ids()), len(alone.planned_runs)) == (2, 4)
    assert _run(study, second, *chosen, "--part", "2/2") == 0
    assert _cells(second) == {("left", 160 - tier, 2), ("right", 160 - tier, 2)}
    assert main(["gather", str(first), str(second), "-o", str(whole)]) == 0
    assert _cells(whole) == _cells(first) | _cells(second)
    gathered = StoredStudy.open(whole)
    assert {record.run.cell.tier_bytes >> 20: record.bench for record in gathered.records()} == {
        tier: "1-of-2",
        160 - tier: "2-of-2",
    }
    assert set(gathered.host["benches"]) == {"1-of-2", "2-of-2"}
    assert (whole / "report.html").stat().st_size > 100_000
    # What was chosen is written down: a part of other cells is not of the same study.
    other = tmp_path / "other"
    assert _run(study, other, "--where", "connections=1", "--part", "1/2") == 0
    capsys.readouterr()
    assert main(["gather", str(first), str(other), "-o", str(tmp_path / "mixed")]) == 2
    assert "hint:" in capsys.readouterr().err
    assert not (tmp_path / "mixed" / "report.html").exists()
