"""Several benches run one study: with benches of paper, that are slow, fail, and are unlike each other."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from dbdyno.core import HostError, Run, StoreError
from dbdyno.lab import (
    BenchLost,
    BenchMessage,
    BenchReady,
    BenchStart,
    Event,
    Fleet,
    FleetOptions,
    ProcessFleet,
    RunFinished,
    RunMade,
    RunStarted,
    StudyOutcome,
    TargetFiles,
    run_fleet,
)
from dbdyno.plan import make_plan
from dbdyno.report._machine import machine_findings
from dbdyno.store import FolderCheck, JsonValue, Results, StoredStudy, target_slug
from dbdyno.study import BenchChoice, Study, parse_study, study_text
from error_codes import raises_code
from paper_bench import FACTS, drive_paper, made

STUDY = parse_study(
    """
    targets = ["mariadb:11.8", "mysql:9.7"]
    workload = {name = "oltp_read_write", tables = 1, rows = 50000}
    axes = {tier = ["64MB", "128MB", "256MB"], concurrency = [1, 4]}
    measure = {warm_up = "1s", window = "2s", repeats = 2, seed = 9, equivalence_events = 0}
    """,
    "paper.toml",
)


@dataclass
class PaperFleet:
    """Benches that store what they are told to.

    Parameters
    ----------
    fails_after : bench -> runs after which it is lost
    versions, rows, files : bench -> version of its engine, checksum of its rows, digest of its dataset
    lost_at_end : benches that are lost when all runs of an order are made
    """

    facts: Mapping[str, Mapping[str, JsonValue]]
    tps: Mapping[str, float] = field(default_factory=dict)
    fails_after: dict[str, int] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    rows: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    lost_at_end: set[str] = field(default_factory=set)
    made: list[tuple[str, Run]] = field(default_factory=list)
    is_closed: bool = False
    busy: Counter[str] = field(default_factory=Counter)

    def submit(self, bench: str, runs: Sequence[Run]) -> Iterator[BenchMessage]:
        self.busy[bench] += 1
        assert self.busy[bench] == 1, "one order at a time"
        if not runs:
            if bench not in self.facts:
                raise HostError(f"{bench} can't be reached")
            yield BenchReady(self.facts[bench])
        for run in runs:
            time.sleep(random.random() / 1000)
            if self.fails_after.get(bench) == 0:
                raise HostError(f"{bench} has no power")
            self.fails_after[bench] = self.fails_after.get(bench, -1) - 1
            yield self._target_files(bench)
            yield RunStarted(run, run.order_index + 1, 24)
            yield self._made(bench, run)
        self.busy[bench] -= 1
        if runs and bench in self.lost_at_end and len(self.made) == 24:
            raise HostError(f"{bench} has no power")

    def close(self) -> None:
        self.is_closed = True

    def _target_files(self, bench: str) -> TargetFiles:
        name = f"{target_slug('mysql:9.7')}.json"
        checksum = self.rows.get(bench, "00")
        rows = {"dataset": "sysbench", "options": {}, "rows_total": 1, "content_sha256": checksum}
        rows["digest"] = self.files.get(bench, "ab")
        documents: dict[str, dict[str, object]] = {
            f"engines/{name}": {"target": "mysql:9.7", "version": self.versions.get(bench, "9.7.1")}
        }
        if self.rows or self.files:
            documents[f"datasets/{name}"] = {"target": "mysql:9.7", "datasets": [rows]}
        return TargetFiles({unit: {"": json.dumps(document).encode()} for unit, document in documents.items()})

    def _made(self, bench: str, run: Run) -> RunMade:
        self.made.append((bench, run))
        return made(run, bench, self.tps.get(bench, 100.0))


@dataclass
class PaperStudy:
    """A study with its benches, its folder, and what was told."""

    folder: Path
    study: Study
    told: list[tuple[str, Event]] = field(default_factory=list)
    on_event: Callable[[str, Event], None] = lambda bench, event: None

    def run(self, fleet: Fleet, *, allow_unlike: bool = False) -> StudyOutcome:
        def open_results(facts: Mapping[str, JsonValue]) -> Results:
            text = study_text(self.study)
            return Results.open_or_create(self.folder, text, {}, facts, study_name=self.study.name)

        def on_event(bench: str, event: Event) -> None:
            self.told.append((bench, event))
            self.on_event(bench, event)

        plan = make_plan(self.study)
        try:
            return run_fleet(self.study, plan, fleet, open_results, on_event, FleetOptions(allow_unlike=allow_unlike))
        finally:
            assert not isinstance(fleet, PaperFleet) or fleet.is_closed

    @property
    def stored(self) -> StoredStudy:
        return StoredStudy.open(self.folder, check=FolderCheck(is_full=True))

    def lost(self) -> list[str]:
        return [bench for bench, event in self.told if isinstance(event, BenchLost)]

    def assert_whole(self) -> None:
        runs = {run.run_id for run in make_plan(self.study).runs}
        finished = [e.facts["run_id"] for e in self.stored.journal() if e.event == "run-finished"]
        assert self.stored.run_ids() == runs
        assert sorted(finished) == sorted(runs)


def _with_benches(tmp_path: Path, count: int, **more: object) -> PaperStudy:
    benches = tuple(BenchChoice(name) for name in "abcdefgh"[:count])
    return PaperStudy(tmp_path / "out", replace(STUDY, benches=benches, **more))


def _fleet(names: str, **more: object) -> PaperFleet:
    return PaperFleet({name: {**FACTS, "hostname": name} for name in names}, **more)


@pytest.mark.parametrize("count", [2, 3, 6, 8])
def test_benches_make_the_study_together(tmp_path: Path, count: int) -> None:
    paper, fleet = _with_benches(tmp_path, count), _fleet("abcdefgh"[:count])
    outcome = paper.run(fleet)
    assert (outcome.complete, outcome.good) == (True, 24)
    paper.assert_whole()
    assert {bench for bench, _ in fleet.made} == set("abcdefgh"[: min(count, 6)])
    for tier in STUDY.tiers_bytes:
        for repeat in (1, 2):
            own = {
                bench
                for bench, run in fleet.made
                if run.cell.tier_bytes == tier and (count <= 3 or run.repeat == repeat)
            }
            assert len(own) == 1
    assert set(paper.stored.host["benches"]) == set("abcdefgh"[:count])
    assert {record.bench for record in paper.stored.records()} == {bench for bench, _ in fleet.made}


@pytest.mark.parametrize("seed", range(5))
def test_what_a_lost_bench_has_not_made_the_others_do(tmp_path: Path, seed: int) -> None:
    paper = _with_benches(tmp_path, 3)
    fleet = _fleet("abc", fails_after={"b": seed, "c": 2 * seed + 1})
    outcome = paper.run(fleet)
    assert outcome.complete
    paper.assert_whole()
    assert len({run.run_id for _, run in fleet.made}) == len(fleet.made)
    lost = [(e.facts["bench"], e.facts["reason"]) for e in paper.stored.journal() if e.event == "bench-lost"]
    assert set(lost) <= {("b", "b has no power"), ("c", "c has no power")}
    assert ("b", "b has no power") in lost


def test_a_study_without_a_bench_left_is_gone_on_with(tmp_path: Path) -> None:
    paper = _with_benches(tmp_path, 2)
    with raises_code(HostError, "no-bench"):
        paper.run(_fleet("ab", fails_after={"a": 3, "b": 5}))
    before = len(paper.stored.run_ids())
    assert before == 8
    again = _fleet("b")
    assert paper.run(again).complete
    assert len(again.made) == 24 - before
    assert paper.lost()[-1] == "a"
    assert [e.facts["bench"] for e in paper.stored.journal() if e.event == "bench-lost"][-1] == "a"
    paper.assert_whole()


def test_no_bench_at_all_is_an_error_before_anything_is_written(tmp_path: Path) -> None:
    paper = _with_benches(tmp_path, 2)
    with pytest.raises(HostError, match="a can't be reached"):
        paper.run(_fleet(""))
    assert not paper.folder.exists()


def test_benches_of_other_hardware_are_refused_unless_they_may_be(tmp_path: Path) -> None:
    fleet = _fleet("ab")
    fleet.facts = {**fleet.facts, "b": {**FACTS, "logical_cpu_count": 8}}
    paper = _with_benches(tmp_path, 2)
    with raises_code(StoreError, "machines-differ", "bench a", "bench b"):
        paper.run(fleet)
    assert not paper.folder.exists()
    fleet.busy.clear()
    assert paper.run(fleet, allow_unlike=True).complete
    [caveat] = machine_findings(paper.stored).caveats
    assert caveat.code == "host-mismatch" and all(
        word in caveat.text for word in ("bench a", "bench b", "8 processors")
    )


@pytest.mark.parametrize("shared", ["server", "client"])
def test_benches_that_are_one_machine_are_refused(tmp_path: Path, shared: str) -> None:
    fleet = _fleet("ab")
    others = {"clients": {"load": {"boot_id": "1" if shared == "client" else "3"}}}
    facts = {"a": {"boot_id": "1"}, "b": {"boot_id": "1" if shared == "server" else "2", **others}}
    fleet.facts = {name: {**fleet.facts[name], **facts[name]} for name in "ab"}
    paper = _with_benches(tmp_path, 2)
    with raises_code(HostError, "same-machine", "benches a and b"):
        paper.run(fleet, allow_unlike=True)
    assert not paper.folder.exists()


def test_the_machine_that_reaches_benches_is_shared_only_if_it_drives_loads_over_a_network(tmp_path: Path) -> None:
    fleet = _fleet("ab")
    here = {"client": {"boot_id": "lab"}}
    fleet.facts = {name: {**fleet.facts[name], "boot_id": name, **here} for name in "ab"}
    assert _with_benches(tmp_path, 2).run(fleet).complete
    network = _with_benches(tmp_path / "network", 2, routes=("network",))
    fleet.busy.clear()
    with raises_code(HostError, "same-machine", "benches a and b"):
        network.run(fleet)


def test_benches_of_an_earlier_session_count_when_machines_are_compared(tmp_path: Path) -> None:
    paper = _with_benches(tmp_path, 2)
    with raises_code(HostError, "no-bench"):
        paper.run(_fleet("a", fails_after={"a": 3}))
    other = PaperFleet({"b": {**FACTS, "hostname": "b", "logical_cpu_count": 8}})
    with raises_code(StoreError, "machines-differ", "bench a", "bench b"):
        paper.run(other)
    other.busy.clear()
    assert paper.run(other, allow_unlike=True).complete
    assert set(paper.stored.host["benches"]) == {"a", "b"}
    paper.assert_whole()


def test_a_study_whose_last_bench_is_lost_after_its_last_run_is_complete(tmp_path: Path) -> None:
    paper = _with_benches(tmp_path, 2)
    assert paper.run(_fleet("a", lost_at_end={"a"})).complete
    paper.assert_whole()


def test_benches_with_other_rows_are_refused(tmp_path: Path) -> None:
    paper = _with_benches(tmp_path, 2)
    with raises_code(StoreError, "other-rows", "mysql:9.7"):
        paper.run(_fleet("ab", rows={"b": "0f"}))


def test_benches_with_other_files_of_a_workload_are_refused(tmp_path: Path) -> None:
    paper = _with_benches(tmp_path, 2)
    with raises_code(StoreError, "other-files", "mysql:9.7") as caught:
        paper.run(_fleet("ab", files={"b": "cd"}))
    assert "sysbench" in caught.value.why


def test_benches_with_other_versions_of_a_target_are_refused(tmp_path: Path) -> None:
    paper = _with_benches(tmp_path, 2)
    with raises_code(StoreError, "other-engine", "mysql:9.7"):
        paper.run(_fleet("ab", versions={"b": "9.7.2"}))


def test_a_bench_whose_sentinel_is_slow_is_set_aside_before_it_measures_anything(tmp_path: Path) -> None:
    tps = {"a": 100.0, "b": 85.0, "c": 103.0}
    paper, fleet = _with_benches(tmp_path / "1", 3, sentinel="mysql:9.7"), _fleet("abc", tps=tps)
    assert paper.run(fleet).complete
    assert paper.lost() == ["b"]
    assert [run.is_sentinel for bench, run in fleet.made if bench == "b"] == [True]
    paper.assert_whole()
    allowed, fleet = _with_benches(tmp_path / "2", 3, sentinel="mysql:9.7"), _fleet("abc", tps=tps)
    assert allowed.run(fleet, allow_unlike=True).complete
    assert allowed.lost() == []
    assert {bench for bench, run in fleet.made if not run.is_sentinel} == set("abc")


def test_further_repeats_are_made_by_the_bench_of_their_work_unit(tmp_path: Path) -> None:
    paper, fleet = _with_benches(tmp_path, 2, repeats_max=4), _fleet("ab")

    outcome = paper.run(fleet)
    assert outcome.complete
    assert outcome.good == len(paper.stored.run_ids()) >= 24
    for tier in STUDY.tiers_bytes:
        assert len({bench for bench, run in fleet.made if run.cell.tier_bytes == tier}) == 1


def test_child_processes_drive_benches_and_end_with_the_study(tmp_path: Path) -> None:
    paper = _with_benches(tmp_path, 2)
    starts = {bench.name: BenchStart(bench.name, "") for bench in paper.study.benches}
    assert paper.run(ProcessFleet(drive_paper, starts)).complete
    paper.assert_whole()
    assert not any(is_running(facts["pid"]) for facts in paper.stored.host["benches"].values())


def test_a_results_folder_that_is_moved_is_an_error(tmp_path: Path) -> None:
    paper = _with_benches(tmp_path, 2)
    moved, finished = tmp_path / "moved", []

    def move(bench: str, event: Event) -> None:
        if paper.folder.exists():
            paper.folder.rename(moved)
        if isinstance(event, RunFinished):
            finished.append(event)

    paper.on_event = move
    with raises_code(HostError, "moved"):
        paper.run(_fleet("ab"))
    # All of them, unless the machine is so busy that the next look at the folder, each second, comes before the end.
    assert 0 < len(finished) <= len(Results.open(moved).run_ids())


def test_without_a_console_the_study_ends_and_can_be_gone_on_with(tmp_path: Path) -> None:
    paper = _with_benches(tmp_path, 2)

    def refuse(bench: str, event: Event) -> None:
        if isinstance(event, RunFinished):
            raise BrokenPipeError(32, "Broken pipe")

    paper.on_event = refuse
    fleet = _fleet("ab")
    outcome = paper.run(fleet)
    assert (outcome.interrupted, fleet.is_closed) == (True, True)
    assert 0 < outcome.good < 24
    assert "output-lost" in {entry.event for entry in paper.stored.journal()}
    paper.on_event = lambda bench, event: None
    assert paper.run(_fleet("ab")).complete
    paper.assert_whole()


def test_who_looks_on_sees_the_run_of_each_bench(tmp_path: Path) -> None:
    paper, fleet = _with_benches(tmp_path, 2), _fleet("ab")
    seen: dict[str, str] = {}

    def look(bench: str, event: Event) -> None:
        if isinstance(event, RunStarted):
            for entries in Results.open(paper.folder).live_of_benches():
                facts = {entry.event: entry.facts for entry in entries}
                if facts["study"]["bench"] == bench:
                    assert facts["run"]["run_id"] == event.run.run_id
                    seen[bench] = event.run.run_id

    paper.on_event = look
    assert paper.run(fleet).complete
    assert seen.keys() == {"a", "b"}
    assert paper.stored.live_of_benches() == []


def test_a_child_that_is_killed_is_a_lost_bench(tmp_path: Path) -> None:
    paper = _with_benches(tmp_path, 2)
    starts = {bench.name: BenchStart(bench.name, "") for bench in paper.study.benches}
    pids: dict[str, int] = {}

    def kill(bench: str, event: Event) -> None:
        if isinstance(event, BenchReady):
            pids[bench] = int(str(event.facts["pid"]))
        elif isinstance(event, RunFinished) and bench == "b":
            with contextlib.suppress(ProcessLookupError):  # a run that it had reported before its end is told after it
                os.kill(pids["b"], signal.SIGKILL)

    paper.on_event = kill
    assert paper.run(ProcessFleet(drive_paper, starts)).complete
    paper.assert_whole()
    assert paper.lost() == ["b"]


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False
