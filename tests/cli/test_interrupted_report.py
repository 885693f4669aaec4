"""Ctrl-C while a report is written: the runs are stored, and the command that writes the report is named."""

from __future__ import annotations

import argparse
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dbdyno.cli import _execute
from dbdyno.lab import StudyOutcome
from dbdyno.study import parse_study
from stored_study import TWINS, write_study


def test_an_interrupted_report_is_written_by_the_command_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    folder = tmp_path / "results"
    write_study(folder, TWINS)
    monkeypatch.setattr(_execute, "run_into", lambda *_: SimpleNamespace(complete=True))
    monkeypatch.setattr(_execute, "_write_report", interrupt)
    choices = argparse.Namespace(quiet=True, allow_altered=False)
    assert _execute.run_to_report(parse_study(TWINS, "study.toml"), folder, choices) == 3
    assert f"hint: dbdyno report {folder} " in capsys.readouterr().err


@pytest.mark.parametrize("is_fresh", [False, True])
def test_an_interrupted_study_names_the_command_that_resumes_it(
    is_fresh: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same command with --fresh would start over."""
    folder = tmp_path / "results"
    write_study(folder, TWINS)
    outcome = StudyOutcome(interrupted=True, good=1, suspect=0, failed=0, missing=2)
    monkeypatch.setattr(_execute, "run_into", lambda *_: outcome)
    choices = argparse.Namespace(quiet=True, allow_altered=False, fresh=is_fresh)
    assert _execute.run_to_report(parse_study(TWINS, "study.toml"), folder, choices) == 1
    assert ("without --fresh" in capsys.readouterr().err) is is_fresh
