"""`dbdyno gather` says which parts a study lacks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from dbdyno.cli import main
from dbdyno.plan import PartOfStudy, make_plan, runs_of_part
from dbdyno.store import Results
from explained_study import PlantedTimes

HOST = {"hostname": "a", "cpu_model": "x", "logical_cpu_count": 4, "memory_bytes": 1 << 34}


def _gathered(folder: Path, numbers: Iterable[int], *, is_named: bool) -> int:
    planted = PlantedTimes({}, repeats=2)
    runs = make_plan(planted.study).runs
    parts = [PartOfStudy(number, 4) for number in numbers]
    for part in parts:
        results = Results.create(folder / str(part), planted.text, {}, HOST, study_name="explained")
        with results.writing() as writer:
            for run in runs_of_part(planted.study, runs, part):
                stored = planted.stored(run)
                writer.add_run(replace(stored, record=replace(stored.record, bench=str(part) if is_named else "")))
    return main(["gather", *(str(folder / str(part)) for part in parts), "-o", str(folder / "whole"), "--quiet"])


def test_the_parts_that_lack_runs_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _gathered(tmp_path / "some", [1, 3], is_named=True) == 1
    assert "--part 2/4, 4/4" in capsys.readouterr().err
    assert _gathered(tmp_path / "earlier", [1, 3], is_named=False) == 1
    assert "hint:" in capsys.readouterr().err
    assert _gathered(tmp_path / "all", [1, 2, 3, 4], is_named=True) == 0
    assert "--part" not in capsys.readouterr().err
