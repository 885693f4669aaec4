"""A study with more repeats than its folder has: the stored runs stay, and only the new rounds are made."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from dbdyno.cli import main
from dbdyno.store import StoredStudy

pytestmark = pytest.mark.server
STUDY = """
name = "more"
targets = ["mariadb:11.8"]
[workload]
name = "sysbench/oltp_read_only"
tables = 1
rows = 1000
[axes]
tier = ["64MB"]
concurrency = [1, 2]
[pacing]
rate_per_s = 50
[measure]
warm_up = "1s"
window = "2s"
repeats = 1
"""


def _run(study: Path, folder: Path, text: str) -> int:
    study.write_text(text)
    return main(["run", str(study), "-o", str(folder), "--no-calibrate", "--force"])


def test_more_repeats_are_added_to_what_is_stored(
    tmp_path: Path, laboratory: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    laboratory.installation("mariadb:11.8")
    monkeypatch.setenv("DBDYNO_HOME", str(laboratory.home.root))
    study, folder = tmp_path / "more.toml", tmp_path / "more"
    assert _run(study, folder, STUDY) == 0
    first = {path: path.read_bytes() for path in folder.glob("runs/*/*")}
    capsys.readouterr()
    assert _run(study, folder, STUDY.replace("repeats = 1", "repeats = 3")) == 0
    assert re.search(r" 3 repeats of each cell .* 1$", capsys.readouterr().err, re.MULTILINE)

    results = StoredStudy.open(folder)
    assert [record.run.run_id for record in results.records()] == [run.run_id for run in results.planned_runs]
    assert [record.run.repeat for record in results.records()] == [1, 1, 2, 2, 3, 3]
    assert {record.status for record in results.records()} == {"good"}
    assert {path: path.read_bytes() for path in first} == first
    finished = [entry.facts["run_id"] for entry in results.journal() if entry.event == "run-finished"]
    assert len(finished) == len(set(finished)) == 6, "none was made twice"

    assert main(["show", str(folder), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert "repeats-raised" in {caveat["code"] for caveat in shown["caveats"]}

    assert _run(study, folder, STUDY) == 2
    assert "with 3 repeats of each cell instead of 1" in capsys.readouterr().err
