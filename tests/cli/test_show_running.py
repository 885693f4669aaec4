"""What `show` says of a study that runs now: how far it is, what it does, and what is known so far."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

import history_studies
from dbdyno.cli import main
from dbdyno.plan import make_plan
from dbdyno.store import Results
from dbdyno.study import parse_study

SECOND = {"phase": "window", "second": 7, "seconds_count": 12, "tps": 4212.3}


def _create(folder: Path) -> Results:
    text = history_studies.NIGHTLY
    return Results.create(folder, text, {}, {"hostname": "bench"}, study_name=parse_study(text, "study.toml").name)


def test_a_study_under_way_says_how_far_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = _create(tmp_path / "night")
    plan = make_plan(parse_study(history_studies.NIGHTLY, "study.toml"))
    cell = plan.runs[0].cell
    with results.writing() as writer:
        log = writer.live
        log.begin()
        log.tell("study", {"name": "nightly", "runs_total": len(plan.runs), "runs_done": 0})
        log.tell("doing", {"text": "mysql:9.7: load 9 of 10 rows"})
        assert main(["show", str(results.path)]) == 0
        printed = capsys.readouterr()
        assert f": 0 of {len(plan.runs)} runs done; mysql:9.7: load 9 of 10 rows;" in printed.err
        assert "The study is still running" in printed.out
        assert "resumes" not in printed.out and "dbdyno explain" not in printed.out

        log.tell("run", {"run_id": plan.runs[0].run_id, "repeat": 1, "number": 1, **asdict(cell)})
        log.tell("second", SECOND)
        assert main(["show", str(results.path), "--json"]) == 0
        printed = capsys.readouterr()
        assert f"run 1: {cell.target}, " in printed.err
        assert "window, second 7 of 12, 4,212 TPS;" in printed.err
        assert json.loads(printed.out)["study"]
        log.close()


def test_an_interrupted_study_names_the_command_that_resumes_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = _create(tmp_path / "night")
    assert main(["show", str(results.path)]) == 0
    printed = capsys.readouterr()
    assert "Not complete: 0 of " in printed.out and "resumes the study" in printed.out
    assert "running" not in printed.out + printed.err
