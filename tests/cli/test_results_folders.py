"""Where results go: a folder that is begun anew keeps what was there, and good runs are never in the way of nothing."""

from __future__ import annotations

import argparse
import contextlib
import itertools
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from dbdyno.cli import _execute, _fleet, main
from dbdyno.cli._folder import check_room, hold_results, make_room, unnamed_folder
from dbdyno.cli._plan import plan_object
from dbdyno.core import AlteredError, RequestError, StoreError
from dbdyno.lab import StudyHosts
from dbdyno.plan import make_plan
from dbdyno.store import FolderCheck, Results, StoredStudy, _results
from dbdyno.store._altered import CheckedFolder
from dbdyno.store._folder_checks import check_until_quiet
from dbdyno.store._manifest import Manifest
from dbdyno.store._writer import seal_manifest
from dbdyno.study import parse_study, study_text
from error_codes import raises_code, told_errors
from stored_study import TWO, write_study

OTHER = TWO.replace("rows = 1000", "rows = 2000")
STUDY, OTHER_STUDY = parse_study(TWO, "two.toml"), parse_study(OTHER, "other.toml")
MORE = TWO.replace("repeats = 2", "repeats = 5")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_study(tmp_path / "study").path


def test_the_same_study_goes_on_in_its_folder(folder: Path) -> None:
    make_room(folder, STUDY, fresh=False)
    assert folder.exists()


@pytest.mark.parametrize("typed", ["studi", "", "above", "elsewhere"])
def test_a_folder_without_results_gets_the_nearest_one_with(
    folder: Path, typed: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    if typed == "above":
        Path("above/below").mkdir(parents=True)
        folder.rename("above/below/study")
    assert main(["show", typed or "."]) == 2
    [hint] = [line for line in capsys.readouterr().err.splitlines() if line.startswith("hint: ")]
    assert ("study" in hint) == (typed != "elsewhere")


def test_of_many_results_folders_some_are_named_and_the_rest_counted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(4):
        write_study(folder.parent / f"further-{number}")
    assert main(["show", str(folder.parent)]) == 2
    [hint] = [line for line in capsys.readouterr().err.splitlines() if line.startswith("hint: ")]
    assert hint.endswith("further-2 and 2 more")


def test_an_unnamed_comparison_goes_on_in_the_folder_of_an_earlier_day(tmp_path: Path) -> None:
    def named(day: str) -> tuple[Path, str]:
        path = tmp_path / f"mariadb-11.8-mysql-9.7-{day}"
        return path, TWO.replace('name = "two"', f'name = "{path.name}"')

    (monday, text), (tuesday, text_of_tuesday) = named("2026-11-23"), named("2026-11-24")
    today = parse_study(text_of_tuesday, "two.toml")
    assert unnamed_folder(tuesday, today, is_retry=False) == tuesday
    results = write_study(monday, study_text(parse_study(text, "two.toml")))
    assert unnamed_folder(tuesday, today, is_retry=False) == tuesday  # that of Monday is finished
    assert unnamed_folder(tuesday, today, is_retry=True) == monday
    more = replace(today, repeats=5)
    assert unnamed_folder(tuesday, more, is_retry=False) == monday
    assert unnamed_folder(tuesday, replace(today, seed=7), is_retry=True) == tuesday  # another study
    shutil.rmtree(max(results.path.glob("runs/*")))
    assert unnamed_folder(tuesday, today, is_retry=False) == monday
    write_study(tuesday, study_text(today))
    assert unnamed_folder(tuesday, today, is_retry=True) == tuesday  # begun today, too


def test_another_comparison_of_the_same_engines_on_one_day_gets_a_number(tmp_path: Path) -> None:
    default = tmp_path / "mariadb-11.8-mysql-9.7-2026-11-24"
    first = parse_study(TWO.replace('name = "two"', f'name = "{default.name}"'), "two.toml")
    write_study(default, study_text(first))
    second_folder = default.with_name(f"{default.name}-2")
    second = replace(first, name=second_folder.name, seed=7)
    assert unnamed_folder(default, second, is_retry=False) == second_folder
    results = write_study(second_folder, study_text(second))
    assert unnamed_folder(default, second, is_retry=False) == second_folder
    assert unnamed_folder(default, first, is_retry=False) == default
    assert unnamed_folder(default, replace(first, seed=9), is_retry=False).name == f"{default.name}-3"
    shutil.rmtree(max(results.path.glob("runs/*")))
    tomorrow = default.with_name(default.name.replace("24", "25"))
    assert unnamed_folder(tomorrow, second, is_retry=False) == second_folder  # it is not finished


def test_show_says_that_a_study_is_running(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for locked in (contextlib.nullcontext(), Results.locked(folder)):
        with locked:
            assert main(["show", str(folder)]) == 0
    notes = [line for line in capsys.readouterr().err.splitlines() if line.startswith("note: ")]
    assert len(notes) == 1 and str(folder) in notes[0]


def test_good_runs_of_another_study_are_kept_and_the_way_on_is_named(folder: Path) -> None:
    with pytest.raises(StoreError) as caught:
        make_room(folder, OTHER_STUDY, fresh=False)
    assert "--fresh" in caught.value.remedy and f"{folder}.1" in caught.value.remedy
    assert Results.open(folder).records()


def test_asked_for_it_begins_anew_and_the_old_results_open_where_they_were_moved(folder: Path) -> None:
    for number in (1, 2):
        make_room(folder, STUDY, fresh=True)
        assert not folder.exists()
        moved = folder.with_name(f"study.{number}")
        assert Results.open(moved).records()
        write_study(folder)


def test_a_folder_without_a_good_run_makes_way_for_a_changed_study(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "study", change=lambda _, fields: fields.update(status="failed")).path
    make_room(folder, OTHER_STUDY, fresh=False)
    assert not folder.exists() and folder.with_name("study.1").exists()


def test_results_that_are_being_written_stay(folder: Path) -> None:
    with Results.open(folder).writing(), raises_code(StoreError, "in-use"):
        make_room(folder, STUDY, fresh=True)
    assert folder.exists()


def _run_unexamined(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the study in a folder, where machines must not be examined before it is refused."""

    def examine(*_: object, **__: object) -> None:
        raise AssertionError("a machine was examined")

    monkeypatch.setattr(_execute, "examine_study_hosts", examine)
    choices = argparse.Namespace(fresh=False, force=False, quiet=True, allow_altered=False)
    _execute._run_with_servers(STUDY, make_plan(STUDY), None, folder, choices, cast(StudyHosts, None))


def test_altered_results_are_refused_before_any_machine_is_looked_at(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    next(folder.glob("runs/*/server.cnf")).write_text("by hand\n")
    with pytest.raises(AlteredError, match=r"server\.cnf"):
        _run_unexamined(folder, monkeypatch)


def test_altered_results_are_read_once_before_they_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that were altered are read at each opening, whatever their times are: a large folder of them is slow."""
    next(folder.glob("runs/*/server.cnf")).write_text("by hand\n")
    opened_folders = []

    def check_and_count(path: Path, check: FolderCheck) -> tuple[Manifest, CheckedFolder]:
        opened_folders.append(path)
        return check_until_quiet(path, check)

    monkeypatch.setattr(_results, "check_until_quiet", check_and_count)
    with pytest.raises(AlteredError):
        check_room(folder, STUDY, fresh=False, check=FolderCheck())
    assert opened_folders == [folder]


def test_results_that_are_being_written_are_refused_before_any_machine_is_looked_at(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The examination would disturb the study that runs there."""
    with Results.open(folder).writing(), raises_code(StoreError, "in-use"):
        _run_unexamined(folder, monkeypatch)


def test_altered_results_are_gone_on_with_or_moved_where_that_is_asked_for(folder: Path) -> None:
    next(folder.glob("runs/*/server.cnf")).write_text("by hand\n")
    check = FolderCheck(allow_missing_runs=True)
    assert check_room(folder, STUDY, fresh=False, check=replace(check, allow_altered=True)) is None
    assert check_room(folder, STUDY, fresh=True, check=check) == folder.with_name("study.1")
    with raises_code(StoreError, "other-study"):  # another study's: that is said, and not that it is altered
        check_room(folder, OTHER_STUDY, fresh=False, check=check)


def test_more_repeats_of_the_same_study_go_on_in_its_folder(folder: Path) -> None:
    runs = {path: path.read_bytes() for path in folder.glob("runs/*/*")}
    more = parse_study(MORE, "two.toml")
    plan = plan_object(more, make_plan(more))
    with hold_results(folder, more, plan, {}, fresh=False, check=FolderCheck()) as results:
        with results.writing() as writer:
            writer.append("study-started")
        assert results.repeats_looked_at == (2,)
    results = StoredStudy.open(folder, study_text(more), FolderCheck(is_full=True))
    assert (results.study.repeats, len(results.planned_runs)) == (5, 20)
    assert results.run_ids() == {run.run_id for run in results.planned_runs[: len(results.run_ids())]}
    assert {path: path.read_bytes() for path in folder.glob("runs/*/*")} == runs


def test_repeats_are_raised_step_by_step_and_each_look_is_kept(folder: Path) -> None:
    for text in (MORE, MORE, MORE.replace("repeats = 5", "repeats = 6")):
        with hold(folder, text):
            pass
    assert Results.open(folder).repeats_looked_at == (2, 5)


def test_repeats_that_a_kill_left_half_raised_are_raised_by_the_same_command(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("dbdyno.store._writer.seal_manifest", _after(1, killed))
        with pytest.raises(KeyboardInterrupt), hold(folder, MORE):
            pass
    assert StoredStudy.open(folder).study.repeats == 5
    with hold(folder, MORE) as results:
        assert results.repeats_looked_at == (2,)
    assert Results.open(folder, study_text(parse_study(MORE, "two.toml")), FolderCheck(is_full=True)).records()


def _after(count: int, instead: Callable[..., None]) -> Callable[..., None]:
    """Seal so many manifests, then do something else."""
    calls = itertools.count(1)
    return lambda *arguments: instead(*arguments) if next(calls) > count else seal_manifest(*arguments)


@pytest.mark.parametrize(
    "text, words",
    [
        (TWO.replace("repeats = 2", "repeats = 1"), r"\b2 repeats .*\b1"),
        (MORE.replace("rows = 1000", "rows = 2000"), r"two'\)"),
        (MORE.replace("repeats = 5", "repeats = 5\nrepeats_max = 6"), r"two'\)"),
    ],
)
def test_fewer_repeats_and_other_changes_are_another_study(folder: Path, text: str, words: str) -> None:
    with pytest.raises(StoreError) as caught:
        make_room(folder, parse_study(text, "two.toml"), fresh=False)
    assert re.search(f"{words}$", caught.value.why)


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
    with told_errors() as errors:
        assert main(["compare", "mysql:9.7", "--rows", "2000000000", "-o", str(file)]) == 2
    assert [error.code for error in errors] == ["not-a-folder"]
    assert str(file) in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        ["compare", "mysql:9.7", "-o", "new"],
        ["engines"],
        ["engines", "get", "mysql:9.7"],
        ["calibrate", "--quick"],
    ],
    ids=" ".join,
)
def test_a_home_that_can_not_be_made_is_named(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DBDYNO_HOME", "/proc/nope")
    monkeypatch.chdir(tmp_path)
    with told_errors() as errors:
        assert main(command) == 2
    assert [error.code for error in errors] == ["not-writable"]
    assert "DBDYNO_HOME /proc/nope " in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_the_file_in_a_results_folder_leads_to_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(folder / "study.toml")]) == 2
    assert f" {folder}?\n" in capsys.readouterr().err


def test_results_of_another_study_are_no_self_check(folder: Path) -> None:
    with told_errors() as errors:
        assert main(["self-check", "--from", str(folder)]) == 2
    assert [error.code for error in errors] == ["no-self-check"]
