"""What looking on costs: a study that runs is asked each second, and its manifest may be megabytes."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

import history_studies
from dbdyno.serve import ReportCache, Studies, StudyFolder, open_metrics, study_object
from dbdyno.serve._objects import card_object
from dbdyno.store import JournalEntry, LiveReader, Results, StoredStudy, gather
from dbdyno.store._altered import check_folder
from dbdyno.store._journal import entry_of
from rewritten_results import as_written

from .conftest import Running, second


def test_a_manifest_is_read_again_only_when_it_was_written_again(tmp_path: Path) -> None:
    results = history_studies.write_night(tmp_path / "night", 0, lambda run: 100.0)
    folder = StudyFolder(results.path, "night")
    state = folder.state()
    manifest = results.path / "manifest.json"
    facts = manifest.stat()
    manifest.write_bytes(b" " * facts.st_size)
    os.utime(manifest, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert folder.state() == state == "finished"
    os.utime(manifest, ns=(facts.st_atime_ns, facts.st_mtime_ns + 1))
    assert folder.state() == "unreadable"


def test_a_folder_is_opened_and_checked_once_for_a_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = history_studies.write_night(tmp_path / "night", 0, lambda run: 100.0)
    folder, checked = StudyFolder(results.path, "night"), []

    def noted(path: Path, *facts: Any, **choices: Any) -> Any:
        checked.append(path)
        return check_folder(path, *facts, **choices)

    monkeypatch.setattr("dbdyno.store._folder_checks.check_folder", noted)
    assert card_object(folder, folder.stored())["state"] == "finished"
    assert checked == [results.path]
    with results.writing() as writer:
        writer.append("note")
        assert card_object(folder, folder.stored())["state"] == "running"
        assert checked == [results.path, results.path]


def test_a_list_does_not_wait_for_a_large_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Aim: what is being read is listed as such, with what it said before; what is read already is listed whole."""
    results = history_studies.write_night(tmp_path / "night", 0, lambda run: 100.0)
    is_let_read = threading.Event()

    def checked(folder: StudyFolder) -> StoredStudy:
        assert is_let_read.wait(60)
        return StoredStudy.open(folder.path)

    monkeypatch.setattr(StudyFolder, "checked", checked)
    studies = Studies(tmp_path)
    assert _listed_states(studies, timeout_s=0) == [("reading", 0)]
    is_let_read.set()
    assert _listed_states(studies, timeout_s=60) == [("finished", 4)]
    is_let_read.clear()
    with results.writing() as writer:
        writer.append("note")
        assert _listed_states(studies, timeout_s=0) == [("running", 4)]
    assert _listed_states(studies, timeout_s=0) == [("reading", 4)]
    is_let_read.set()
    studies.listed(timeout_s=60)  # ends what was begun while the study ran
    assert _listed_states(studies, timeout_s=60) == [("finished", 4)]


def _listed_states(studies: Studies, timeout_s: float) -> list[tuple[object, object]]:
    cards = [card_object(folder, stored) for folder, stored in studies.listed(timeout_s)]
    return [(card["state"], card["runs_done"]) for card in cards]


@pytest.mark.parametrize("place", ["deep/12345678", "proofs/redo-capacity-12345678"])
def test_a_report_is_built_again_when_a_profile_or_proof_has_a_new_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    built: list[Path] = []

    def build_page(results: StoredStudy, path: Path) -> None:
        built.append(path)
        path.write_text(str(len(built)))

    monkeypatch.setattr("dbdyno.report.build_page", build_page)
    results = history_studies.write_night(tmp_path / "night", 0, lambda run: 100.0)
    study, cache = StudyFolder(results.path, "night"), ReportCache(tmp_path)
    assert [cache.page(study), cache.page(study)] == [b"1", b"1"]
    below = results.path / place
    (below / "runs").mkdir(parents=True)
    (below / "manifest.json").write_text("{}")
    assert [cache.page(study), cache.page(study)] == [b"2", b"2"]
    (below / "manifest.json").write_text('{"files": {}}')
    assert cache.page(study) == b"3"
    below.with_suffix(".json").write_text("{}")  # the note of a proof
    assert [cache.page(study), cache.page(study)] == [b"4", b"4"]


def _folder(path: Path, *events: tuple[str, dict[str, Any]], runs: int = 4, text: str = "") -> StudyFolder:
    """Return a study of four planned runs with as many stored, and these events in its journal."""
    night = history_studies.write_night(path, 0, lambda run: 100.0, text=text or history_studies.NIGHTLY)
    for run_id in sorted(night.run_ids())[runs:]:
        shutil.rmtree(night.run_folder(run_id))
    as_written(path)
    with Results.open(path).writing() as writer:
        for event, facts in events:
            writer.append(event, **facts)
    return StudyFolder(path, "night")


def _further(count: int) -> str:
    return history_studies.NIGHTLY + f"repeats_max = {count}\n"


def test_a_part_of_a_study_counts_its_own_runs(tmp_path: Path) -> None:
    started = ("study-started", {"runs_total": 2, "runs_done": 0})
    part = _folder(tmp_path / "part", started, ("study-finished", {"missing": 0}), runs=2)
    assert (part.state(), part.stored().runs_done, part.stored().runs_total) == ("finished", 2, 2)
    stopped = _folder(tmp_path / "stopped", started, ("study-interrupted", {"missing": 1}), runs=1)
    assert (stopped.state(), stopped.stored().runs_total) == ("interrupted", 2)
    gather([Results.open(tmp_path / "part")], tmp_path / "whole")
    whole = StudyFolder(tmp_path / "whole", "whole")
    assert (whole.state(), whole.stored().runs_total) == ("interrupted", 4)


def test_further_rounds_count_and_their_end_is_not_foretold(tmp_path: Path) -> None:
    started, round_begun = ("study-started", {"runs_total": 4}), ("further-repeats", {"repeat": 3, "runs": 2})
    killed = _folder(tmp_path / "killed", started, round_begun, text=_further(5))
    assert (killed.state(), killed.stored().runs_total) == ("interrupted", 6)
    stopped = _folder(
        tmp_path / "stopped", started, round_begun, ("study-interrupted", {"missing": 2}), text=_further(5)
    )
    assert stopped.state() == "interrupted"
    done = _folder(tmp_path / "done", started, ("study-finished", {"missing": 0}), text=_further(5))
    assert (done.state(), done.stored().runs_total) == ("finished", 4)


@pytest.mark.parametrize(("number", "low", "high"), [(1, 150, 200), (2, 50, 100), (3, None, None)])
def test_the_time_left_is_that_of_the_planned_runs(
    tmp_path: Path, number: int, low: float | None, high: float | None
) -> None:
    running = Running(tmp_path / "live")
    with running.results.writing() as writer:
        writer.append("study-started", runs_total=2, runs_done=0)
        writer.append("run-started", run_id="earlier", at_ns=10**9)
        writer.append("run-finished", run_id="earlier", at_ns=101 * 10**9)
        log = writer.live
        log.begin()
        log.tell("study", {})
        cell = {"target": "a", "tier_bytes": 1, "concurrency": 1, "workload": "w", "route": "socket"}
        log.tell("run", {"number": number, "repeat": 1, **cell})
        folder = StudyFolder(tmp_path / "live", "live")
        found = study_object(folder)
        left_s = found["left_s"]
        assert found["has_open_end"] is (number > 2)
        assert 'dbdyno_study_runs_planned{study="live"} 2' in open_metrics([folder])
        log.close()
    assert left_s is None if low is None or high is None else low < float(str(left_s)) <= high


def test_a_failed_run_made_again_is_the_only_one_left(tmp_path: Path) -> None:
    folder = _folder(tmp_path / "live", runs=3)
    with Results.open(folder.path).writing() as writer:
        writer.append("study-started", runs_total=4, runs_done=3)
        writer.append("run-started", run_id="earlier", at_ns=10**9)
        writer.append("run-finished", run_id="earlier", at_ns=101 * 10**9)
        log = writer.live
        log.begin()
        log.tell("study", {})
        cell = {"target": "a", "tier_bytes": 1, "concurrency": 1, "workload": "w", "route": "socket"}
        log.tell("run", {"number": 1, "repeat": 1, **cell})
        left_s = study_object(folder)["left_s"]
        log.close()
    assert 50 < float(str(left_s)) <= 100


def test_each_line_of_a_log_is_parsed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def parse(line: str) -> JournalEntry:
        parsed.append(line)
        return entry_of(line)

    monkeypatch.setattr("dbdyno.store._live.entry_of", parse)
    running = Running(tmp_path / "live")
    reader = LiveReader(tmp_path / "live")
    with running.open() as log:
        for number in range(1, 4):
            log.tell("second", second(number))
            [entries] = reader.read()
            assert [entry.facts.get("second") for entry in entries[2:]] == list(range(1, number + 1))
        assert len([line for line in parsed if line]) == 5
        log.begin()  # the next run: its log is longer than what was read of the last one
        log.tell("study", {"name": "x" * 5000})
        [entries] = reader.read()
        assert [entry.event for entry in entries] == ["study"]
    assert reader.read() == [()]
