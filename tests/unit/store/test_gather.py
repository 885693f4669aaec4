"""Parts of a study, put together: nothing lost, nothing twice, nothing of another study or another kind of machine."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from dbdyno.core import AlteredError, HostError, StoreError
from dbdyno.plan import PartOfStudy, make_plan, runs_of_part
from dbdyno.store import (
    MACHINE_EXAMINED,
    REPEATS_RAISED,
    FolderCheck,
    JsonValue,
    PackedRun,
    Results,
    ResultsWriter,
    StoredStudy,
    gather,
    gathered_parts,
)
from dbdyno.store._runs import write_packed_aside
from error_codes import raises_code
from explained_study import PlantedTimes

HOST: Mapping[str, JsonValue] = {"hostname": "a", "cpu_model": "x", "logical_cpu_count": 4, "memory_bytes": 1 << 34}


def _part(
    folder: Path,
    number: int,
    count: int,
    host: Mapping[str, JsonValue] = HOST,
    failed: int = 0,
    most: int = 3,
    engine: str = "1",
    rows: str = "",
    bench: str = "",
    seed: int = 1,
) -> Results:
    planted = PlantedTimes({}, repeats=2, seed=seed)
    plan = make_plan(planted.study)
    results = Results.create(folder, planted.text, {}, host, study_name="explained")
    with results.writing() as writer:
        for target in ("mariadb:11.8", "mysql:9.7"):
            writer.write_engine(target, {"version": engine})
            writer.write_dataset(target, {"datasets": [_dataset(rows)] if rows else []})
        for place, run in enumerate(runs_of_part(planted.study, plan.runs, PartOfStudy(number, count))[:most]):
            stored = planted.stored(run)
            if place < failed:
                stored = replace(stored, record=replace(stored.record, status="failed"))
            writer.add_run(replace(stored, record=replace(stored.record, bench=bench)))
    return Results.open(folder)


def _dataset(rows: str) -> JsonValue:
    return {"dataset": "sysbench, tables 4", "options": {}, "rows_total": 4, "digest": "d", "content_sha256": rows}


def test_parts_make_the_whole_and_gathering_again_adds_nothing(tmp_path: Path) -> None:
    parts = [_part(tmp_path / f"{number}", number, 2, {**HOST, "hostname": f"m{number}"}, most=99) for number in (1, 2)]
    found = gather(parts, tmp_path / "whole")
    whole = StoredStudy.open(tmp_path / "whole", check=FolderCheck(is_full=True))
    assert (found.runs, found.known, found.machines) == (24, 0, ("m1", "m2"))
    assert whole.run_ids() == {run.run_id for run in make_plan(whole.study).runs}
    for part in parts:
        for run_id in part.run_ids():
            for file in part.run_folder(run_id).iterdir():
                assert file.read_bytes() == (whole.run_folder(run_id) / file.name).read_bytes()
    assert whole.engine("mysql:9.7") is not None
    assert gather(parts, tmp_path / "whole").runs == 0
    events = [entry.event for entry in Results.open(tmp_path / "whole").journal()]
    assert events.count("parts_gathered") == 2


def test_a_part_that_comes_later_is_added(tmp_path: Path) -> None:
    parts = [_part(tmp_path / f"{number}", number, 2) for number in (1, 2)]
    assert gather(parts[:1], tmp_path / "whole").runs == len(parts[0].run_ids())
    found = gather(parts, tmp_path / "whole")
    assert (found.runs, found.known) == (len(parts[1].run_ids()), len(parts[0].run_ids()))


def test_a_copy_of_a_part_and_a_folder_with_the_runs_of_parts_are_no_runs_made_twice(tmp_path: Path) -> None:
    parts = [_part(tmp_path / f"{number}", number, 2) for number in (1, 2)]
    whole = gather(parts, tmp_path / "whole").results
    copy = Results.open(Path(shutil.copytree(parts[0].path, tmp_path / "copy")))
    for name, folders in (("again", [whole, *parts]), ("copied", [*parts, copy])):
        assert gather(folders, tmp_path / name).results.run_ids() == whole.run_ids()
        assert Results.open(tmp_path / name).verify() == ()
    found = gather([whole, *parts], whole.path)  # as of `gather results/study* -o results/study`
    assert (found.runs, found.known) == (0, len(whole.run_ids()))


def test_of_a_failed_run_and_its_repetition_elsewhere_the_good_one_is_taken(tmp_path: Path) -> None:
    broken, whole = _part(tmp_path / "broken", 1, 2, failed=2), _part(tmp_path / "again", 1, 2, most=2)
    for parts, name in (((broken, whole), "one"), ((whole, broken), "other")):
        gather(parts, tmp_path / name)
        assert all(record.status == "good" for record in Results.open(tmp_path / name).records())


def test_what_does_not_belong_together_is_refused(tmp_path: Path) -> None:
    first = _part(tmp_path / "1", 1, 2)
    with raises_code(StoreError, "made-twice", str(tmp_path / "1"), str(tmp_path / "same")):
        gather([first, _part(tmp_path / "same", 1, 2, seed=2)], tmp_path / "a")
    other = PlantedTimes({}, repeats=3)
    paths = (str(tmp_path / "1"), str(tmp_path / "other"))
    with raises_code(StoreError, "other-study", *paths, "repeats = 3 and repeats = 2"):
        gather([first, other.write(tmp_path / "other")], tmp_path / "b")
    unlike = _part(tmp_path / "unlike", 2, 2, {**HOST, "logical_cpu_count": 8})
    with pytest.raises(StoreError, match="unlike differ: 4 processors and 8 processors"):
        gather([first, unlike], tmp_path / "c")
    smaller = _part(tmp_path / "smaller", 2, 2, {**HOST, "memory_bytes": 1 << 33})
    with pytest.raises(StoreError, match="smaller differ: 16 GiB of memory and 8 GiB of memory"):
        gather([first, smaller], tmp_path / "c")
    assert not (tmp_path / "c").exists()
    assert gather([first, unlike], tmp_path / "c", allow_unlike=True).runs == 6
    nearly = _part(tmp_path / "nearly", 2, 2, {**HOST, "memory_bytes": int(1.01 * (1 << 34))})
    assert gather([first, nearly], tmp_path / "d").runs == 6


def test_a_gathering_that_the_disk_stops_goes_on_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part, whole = _part(tmp_path / "1", 1, 2), tmp_path / "whole"
    written = []

    def refuse_third(runs: Path, packed: PackedRun) -> None:
        written.append(packed)
        if len(written) == 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        write_packed_aside(runs, packed)

    with monkeypatch.context() as patch, pytest.raises(HostError):
        patch.setattr("dbdyno.store._writer.write_packed_aside", refuse_third)
        gather([part], whole)
    assert gather([part], whole).runs == 3
    assert Results.open(whole).verify() == ()


def test_a_gathering_killed_while_it_adds_the_runs_goes_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part, whole = _part(tmp_path / "1", 1, 2), tmp_path / "whole"
    rename, renamed = Path.rename, []

    def stop_at_second(source: Path, place: Path) -> Path:
        renamed.append(source.parent.name == "runs")
        if sum(renamed) == 2:
            raise KeyboardInterrupt
        return rename(source, place)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Path, "rename", stop_at_second)
        gather([part], whole)
    assert len(Results.open(whole).run_ids()) == 1
    found = gather([part], whole)
    assert (found.runs, found.known) == (2, 1)
    assert Results.open(whole).verify() == ()


def test_a_run_that_the_manifest_of_its_part_does_not_list_yet_is_gathered_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part, planted = _part(tmp_path / "1", 1, 2, most=1), PlantedTimes({}, repeats=2)
    run = next(run for run in make_plan(planted.study).runs if run.run_id not in part.run_ids())

    def stop(_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt), part.writing() as writer:
        patch.setattr(ResultsWriter, "update_manifest", stop)
        writer.add_run(planted.stored(run))
    part = Results.open(part.path)
    gather([part], tmp_path / "whole")
    assert part.run_files(run.run_id)
    assert Results.open(tmp_path / "whole").run_files(run.run_id) == part.run_files(run.run_id)


def test_a_repeated_run_takes_the_place_of_the_failed_one_that_is_stored(tmp_path: Path) -> None:
    gather([_part(tmp_path / "part", 1, 2, failed=2)], tmp_path / "whole")
    found = gather([_part(tmp_path / "again", 1, 2, most=2)], tmp_path / "whole")
    whole = Results.open(tmp_path / "whole", check=FolderCheck(is_full=True))
    assert (found.runs, found.known) == (2, 0)
    assert all(record.status == "good" for record in whole.records())
    assert len(list((whole.path / "set-aside").iterdir())) == 2
    assert gather([_part(tmp_path / "failed", 1, 2, failed=2, most=2)], tmp_path / "whole").runs == 0
    assert all(record.status == "good" for record in whole.records())


def test_a_run_that_was_made_anew_does_not_count_as_known(tmp_path: Path) -> None:
    part = _part(tmp_path / "part", 1, 2, most=2)
    gather([part], tmp_path / "whole")
    record = next(iter(part.records()))
    other = Results.create(tmp_path / "anew", part.study_text, {}, {**HOST}, study_name="explained")
    with other.writing() as writer:
        writer.add_run(PlantedTimes({}, repeats=2, seed=2).stored(record.run))
    with raises_code(StoreError, "made-twice", str(tmp_path / "whole"), str(other.path), record.run.run_id):
        gather([Results.open(other.path)], tmp_path / "whole")


def test_machines_that_the_folder_holds_are_compared_as_well(tmp_path: Path) -> None:
    large, small = {**HOST, "hostname": "large", "logical_cpu_count": 64}, {**HOST, "hostname": "small"}
    first, other = _part(tmp_path / "1", 1, 3, large), _part(tmp_path / "2", 2, 3, small)
    gather([first], tmp_path / "whole")
    with pytest.raises(StoreError, match="64 processors and 4 processors"):
        gather([other], tmp_path / "whole")
    assert gather([other], tmp_path / "whole", allow_unlike=True).runs == len(other.run_ids())
    with pytest.raises(StoreError, match="small"):  # the folder's first machine is like this one, its other is not
        gather([_part(tmp_path / "3", 3, 3, large)], tmp_path / "whole")
    assert [part["host"]["hostname"] for part in gathered_parts(Results.open(tmp_path / "whole"))] == ["large", "small"]


@pytest.mark.parametrize("other", [{"engine": "2"}, {"rows": "0f"}])
def test_parts_of_other_engines_or_rows_are_refused(tmp_path: Path, other: dict[str, str]) -> None:
    parts = [_part(tmp_path / "1", 1, 2, rows="ff"), _part(tmp_path / "2", 2, 2, **{"rows": "ff", **other})]  # type: ignore[arg-type]
    with pytest.raises(StoreError, match=r"mariadb:11\.8"):
        gather(parts, tmp_path / "a", allow_unlike=True)
    gather(parts[:1], tmp_path / "b")
    with pytest.raises(StoreError, match=r"mariadb:11\.8"):
        gather(parts[1:], tmp_path / "b")
    assert Results.open(tmp_path / "b").run_ids() == parts[0].run_ids()


def test_what_was_found_of_the_machines_of_the_parts_is_kept_once_and_named(tmp_path: Path) -> None:
    parts = []
    for number, name in enumerate(("a", "b"), 1):
        part = _part(tmp_path / name, number, 2, {**HOST, "hostname": name}, most=1)
        with part.writing() as writer:
            writer.append(MACHINE_EXAMINED, at_ns=number, outcomes=[])
        parts.append(Results.open(part.path))
    for _ in range(2):
        gather(parts, tmp_path / "whole")
    gather([Results.open(tmp_path / "whole")], tmp_path / "again")
    for name in ("whole", "again"):
        folder = Results.open(tmp_path / name)
        assert [facts["host"] for facts in folder.examinations()] == ["a", "b"]
        assert [part["folder"] for part in gathered_parts(folder)] == ["a", "b"]


def test_the_machine_of_each_run_is_known_by_its_part(tmp_path: Path) -> None:
    names = ["1-of-3", "2-of-3", ""]  # the last was run by an earlier version
    parts = [
        _part(tmp_path / f"{number}", number, 3, {**HOST, "hostname": f"m{number}"}, bench=name)
        for number, name in enumerate(names, 1)
    ]
    gather(parts[:1], tmp_path / "whole")
    for _ in range(2):
        gather(parts, tmp_path / "whole")
    gather([Results.open(tmp_path / "whole")], tmp_path / "again")
    for folder in (Results.open(tmp_path / name, check=FolderCheck(is_full=True)) for name in ("whole", "again")):
        assert {record.bench for record in folder.records()} == {*names}
        hostnames = {name: facts["hostname"] for name, facts in folder.host["benches"].items()}
        assert hostnames == {"1-of-3": "m1", "2-of-3": "m2"}
        assert folder.host["hostname"] == "m1"


def test_an_altered_part_makes_an_altered_whole(tmp_path: Path) -> None:
    part = _part(tmp_path / "1", 1, 2, most=2)
    (part.run_folder(min(part.run_ids())) / "server.log").write_text("by hand\n")
    gather([Results.open(part.path, check=FolderCheck(allow_altered=True))], tmp_path / "whole")
    with pytest.raises(AlteredError, match=r"server\.log"):
        Results.open(tmp_path / "whole")


def test_repeats_that_were_added_to_parts_are_known_of_the_whole(tmp_path: Path) -> None:
    parts = [_part(tmp_path / f"{number}", number, 2) for number in (1, 2)]
    more = PlantedTimes({}, repeats=4).text
    raised = [part.raise_repeats(more, {}, 2, 4) for part in parts]
    gather(raised, tmp_path / "whole")
    whole = gather(raised, tmp_path / "whole").results
    assert whole.repeats_looked_at == (2,)
    assert [entry.event for entry in whole.journal()].count(REPEATS_RAISED) == 1
