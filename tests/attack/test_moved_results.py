"""A results folder that is moved or removed under a study: noticed at once, nothing lost that can be kept."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from dbdyno.store import Results
from running_study import RunningStudy, name_of

pytestmark = [pytest.mark.server, pytest.mark.attack, pytest.mark.usefixtures("load_generator")]


def _check_stopped(study: RunningStudy, own: list[int]) -> str:
    assert study.end(20) == 3
    assert not [name for pid in own if (name := name_of(pid))]
    return study.said()


def test_a_folder_moved_in_a_window_stops_the_study_and_keeps_its_runs(tmp_path: Path) -> None:
    study = RunningStudy.start(tmp_path, window="4s")
    study.wait_for(lambda: "run-finished" in study.journal())
    study.wait_for_second()
    own = study.servers() + study.generators()
    away = study.folder.rename(tmp_path / "away")
    said = _check_stopped(study, own)
    assert str(away) in said
    assert "hint: " in said
    assert not study.folder.exists()
    results = Results.open(away)
    assert results.verify() == ()
    assert results.journal()[-1].event == "study-interrupted"
    stored = results.run_ids()
    assert len(stored) == 1

    away.rename(study.folder)
    again = RunningStudy.start(tmp_path, window="4s")
    assert again.end(120) == 0, again.said()
    assert stored < Results.open(study.folder).run_ids()
    assert len(Results.open(study.folder).run_ids()) == 2


@pytest.mark.parametrize("what", ["another in its place", "runs"])
def test_a_folder_removed_in_a_window_stops_the_study_and_none_is_made_anew(what: str, tmp_path: Path) -> None:
    study = RunningStudy.start(tmp_path, window="60s")
    study.wait_for_second()
    own = study.servers() + study.generators()
    shutil.rmtree(study.folder / "runs" if what == "runs" else study.folder)
    if what == "another in its place":
        study.folder.mkdir()
    said = _check_stopped(study, own)
    assert ("its folder runs " in said) is (what == "runs")
    assert "Traceback" not in said
    if what != "runs":
        assert not study.folder.exists() or not list(study.folder.iterdir())
