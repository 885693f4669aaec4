"""Parts of a study, put together: nothing lost, nothing twice, nothing of another study or another kind of machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from dbdyno.core import StoreError
from dbdyno.plan import PartOfStudy, make_plan, runs_of_part
from dbdyno.store import FolderCheck, Results, StoredStudy, gather
from explained_study import PlantedTimes

HOST = {"hostname": "a", "cpu_model": "x", "logical_cpu_count": 4, "memory_bytes": 1 << 34}


def _part(
    folder: Path, number: int, count: int, host: Mapping[str, object] = HOST, failed: int = 0, most: int = 99
) -> Results:
    planted = PlantedTimes({}, repeats=2)
    plan = make_plan(planted.study)
    facts = {**host}
    results = Results.create(folder, planted.text, {}, facts, study_name="explained")  # type: ignore[arg-type]
    with results.writing() as writer:
        for target in ("mariadb:11.8", "mysql:9.7"):
            writer.write_engine(target, {"version": "1"})
        for place, run in enumerate(runs_of_part(planted.study, plan.runs, PartOfStudy(number, count))[:most]):
            stored = planted.stored(run)
            if place < failed:
                stored = replace(stored, record=replace(stored.record, status="failed"))
            writer.add_run(stored)
    return Results.open(folder)


def test_parts_make_the_whole_and_gathering_again_adds_nothing(tmp_path: Path) -> None:
    parts = [_part(tmp_path / f"{number}", number, 2, {**HOST, "hostname": f"m{number}"}) for number in (1, 2)]
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


def test_of_a_failed_run_and_its_repetition_elsewhere_the_good_one_is_taken(tmp_path: Path) -> None:
    broken, whole = _part(tmp_path / "broken", 1, 2, failed=2), _part(tmp_path / "again", 1, 2, most=2)
    for parts, name in (((broken, whole), "one"), ((whole, broken), "other")):
        gather(parts, tmp_path / name)
        assert all(record.status == "good" for record in Results.open(tmp_path / name).records())


def test_what_does_not_belong_together_is_refused(tmp_path: Path) -> None:
    first = _part(tmp_path / "1", 1, 2)
    with pytest.raises(StoreError, match="both have run"):
        gather([first, _part(tmp_path / "same", 1, 2)], tmp_path / "a")
    other = PlantedTimes({}, repeats=3)
    with pytest.raises(StoreError, match="the same study"):
        gather([first, other.write(tmp_path / "other")], tmp_path / "b")
    unlike = _part(tmp_path / "unlike", 2, 2, {**HOST, "logical_cpu_count": 8})
    with pytest.raises(StoreError, match="unlike"):
        gather([first, unlike], tmp_path / "c")
    assert not (tmp_path / "c").exists()
    assert gather([first, unlike], tmp_path / "c", allow_unlike=True).runs == 24
    nearly = _part(tmp_path / "nearly", 2, 2, {**HOST, "memory_bytes": int(1.01 * (1 << 34))})
    assert gather([first, nearly], tmp_path / "d").runs == 24
