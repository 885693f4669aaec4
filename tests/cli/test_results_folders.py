"""Where results go: a folder that is begun anew keeps what was there, and good runs are never in the way of nothing."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path

import pytest

from dbdyno.cli import _fleet, main
from dbdyno.cli._folder import hold_results, make_room
from dbdyno.core import RequestError, StoreError
from dbdyno.store import FolderCheck, Results
from dbdyno.study import parse_study, study_text
from error_codes import raises_code
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
    with Results.open(folder).writing(), raises_code(StoreError, "in-use"):
        make_room(folder, TWO, fresh=True)
    assert folder.exists()


def hold(folder: Path, text: str = TWO, *, fresh: bool = False) -> contextlib.AbstractContextManager[Results]:
    return hold_results(folder, parse_study(text, "two.toml"), {}, {}, fresh=fresh, check=FolderCheck())


@pytest.mark.parametrize("was_there", [False, True])
def test_a_refused_study_leaves_no_folder(tmp_path: Path, was_there: bool) -> None:
    folder = tmp_path / "results" / "new"
    if was_there:
        folder.mkdir(parents=True)
    with pytest.raises(RequestError), hold(folder):
        raise RequestError("no such version")
    assert [path.name for path in tmp_path.rglob("*")] == (["results", "new"] if was_there else [])


def test_a_folder_that_holds_runs_outlives_a_failure(folder: Path) -> None:
    with pytest.raises(RequestError), hold(folder):
        raise RequestError("no such version")
    assert Results.open(folder).records()


@pytest.mark.parametrize("text, fresh", [(TWO, False), (TWO, True), (OTHER, False)])
def test_a_folder_is_locked_from_the_moment_it_is_made_and_outlives_a_second_process(
    tmp_path: Path, text: str, fresh: bool
) -> None:
    folder = tmp_path / "new"
    with hold(folder) as results:  # it calibrates now
        with raises_code(StoreError, "in-use"), hold(folder, text, fresh=fresh):
            pass
        assert [path.name for path in tmp_path.iterdir()] == ["new"]
        with results.writing() as writer:
            writer.append("study-started")
    assert [entry.event for entry in Results.open(folder).journal()] == ["study-started"]


def test_a_folder_that_took_the_place_of_ours_is_not_removed(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    with pytest.raises(RequestError), hold(folder):
        folder.rename(tmp_path / "moved")
        Results.create(folder, OTHER, {}, {}, study_name="other")
        raise RequestError("no such version")
    assert Results.open(folder).manifest.study_name == "other"


def test_what_benches_of_another_machine_store_stays_while_it_holds_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, scratch = tmp_path / "new", tmp_path / ".new-benches-999999999"
    scratch.mkdir()
    study = parse_study(TWO + "[bench.a]\n[bench.b]\n[fleet]\nengine = 'ray'\n", "two.toml")
    monkeypatch.setattr(_fleet.lab, "run_fleet", lambda _study, _plan, _fleet, open_results, *_, **__: open_results({}))
    monkeypatch.setattr(_fleet.lab, "RayFleet", lambda *_: None)
    choices = argparse.Namespace(
        quiet=True,
        force=False,
        fresh=False,
        retry_failed=False,
        retry_disturbed=False,
        no_calibrate=True,
        strict_audit=False,
        allow_altered=False,
    )
    with hold(folder, study_text(study)):
        with raises_code(StoreError, "in-use"):
            _fleet.run_on_benches(study, folder, choices)
        assert scratch.exists()
    _fleet.run_on_benches(study, folder, choices)
    assert not scratch.exists()


@pytest.mark.parametrize("engine", ["mysql:9.7@archive:/nonexistent.tar.gz", "mysql@basedir:/nonexistent"])
def test_an_engine_that_is_not_to_be_had_leaves_no_folder(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DBDYNO_HOME", str(tmp_path / "home"))
    assert main(["compare", engine, "--tier", "64MB", "--rows", "10", "--no-calibrate", "--force", "--quiet"]) != 0
    assert not (tmp_path / "results").exists()


def test_the_output_is_checked_before_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DBDYNO_HOME", str(tmp_path / "home"))
    file = tmp_path / "file"
    file.touch()
    assert main(["compare", "mysql:9.7", "--rows", "2000000000", "-o", str(file)]) == 2
    assert f"{file} is not a folder" in capsys.readouterr().err


def test_a_home_that_can_not_be_made_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DBDYNO_HOME", "/proc/nope")
    assert main(["compare", "mysql:9.7", "-o", str(tmp_path / "new")]) == 2
    assert "DBDYNO_HOME /proc/nope can't be created" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_the_file_in_a_results_folder_leads_to_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(folder / "study.toml")]) == 2
    assert f"did you mean {folder}?" in capsys.readouterr().err
