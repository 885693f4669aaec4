"""Where results go: a folder that is begun anew keeps what was there, and good runs are never in the way of nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.cli._folder import make_room
from dbdyno.core import StoreError
from dbdyno.store import Results
from stored_study import TWO, write_study

OTHER = TWO.replace("rows = 1000", "rows = 2000")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_study(tmp_path / "study").path


def test_the_same_study_goes_on_in_its_folder(folder: Path) -> None:
    make_room(folder, TWO, fresh=False)
    assert folder.exists()


def test_good_runs_of_another_study_are_kept_and_the_way_on_is_named(folder: Path) -> None:
    with pytest.raises(StoreError) as caught:
        make_room(folder, OTHER, fresh=False)
    assert "--fresh" in caught.value.remedy and f"{folder}.1" in caught.value.remedy
    assert Results.open(folder).records()


def test_asked_for_it_begins_anew_and_the_old_results_open_where_they_were_moved(folder: Path) -> None:
    for number in (1, 2):
        make_room(folder, TWO, fresh=True)
        assert not folder.exists()
        moved = folder.with_name(f"study.{number}")
        assert Results.open(moved).records()
        write_study(folder)


def test_a_folder_without_a_good_run_makes_way_for_a_changed_study(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "study", change=lambda _, fields: fields.update(status="failed")).path
    make_room(folder, OTHER, fresh=False)
    assert not folder.exists() and folder.with_name("study.1").exists()


def test_results_that_are_being_written_stay(folder: Path) -> None:
    with Results.open(folder).writing(), pytest.raises(StoreError, match="in use"):
        make_room(folder, TWO, fresh=True)
    assert folder.exists()
