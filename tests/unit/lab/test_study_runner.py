"""A study run: in order, once each, resumed, interrupted, and with cells that fail."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dbdyno.core import ConfigureError, HostError, MeasureError, PopulateError, Run, StoreError
from dbdyno.lab import (
    DatasetReady,
    EngineReady,
    OthersRunning,
    RetryChoice,
    RunFinished,
    SecondMeasured,
    StudyFinished,
    StudyStarted,
    find_generator,
)
from dbdyno.lab._prepare import check_equal
from dbdyno.lab._retry import set_aside
from dbdyno.populate import TableSums
from dbdyno.study import BenchChoice, ServerAddress
from error_codes import raises_code
from rewritten_results import as_written

Lab = Any  # the fixture of conftest.py, which can't be imported by name
Server = Any


def statuses(lab: Lab) -> list[str]:
    return [record.status for record in lab.results.records()]


def test_every_run_of_the_plan_is_made_once_and_in_order(laboratory: Lab) -> None:
    outcome = laboratory.run_all()
    assert outcome.complete
    assert (outcome.good, outcome.missing) == (4, 0)
    assert laboratory.bench.ran == [run.run_id for run in laboratory.plan.runs]
    assert [record.run for record in laboratory.results.records()] == list(laboratory.plan.runs)
    assert laboratory.bench.alive == set()


def test_runs_name_the_bench_or_the_part_that_they_were_made_in(laboratory: Lab) -> None:
    laboratory.run_all(machine="1-of-3")
    assert {record.bench for record in laboratory.results.records()} == {"1-of-3"}
    laboratory.study = replace(laboratory.study, benches=(BenchChoice("a"),))
    laboratory.folder /= "bench"
    laboratory.run_all()
    assert {record.bench for record in laboratory.results.records()} == {"a"}


def test_each_dataset_is_filled_once_per_target(laboratory: Lab) -> None:
    laboratory.run_all()
    assert sorted(laboratory.bench.filled) == ["mariadb:11.8", "mysql:9.7"]


def test_progress_is_told_as_events(laboratory: Lab) -> None:
    laboratory.run_all()
    kinds = [type(event) for event in laboratory.events]
    assert kinds[0] is StudyStarted
    assert kinds[-1] is StudyFinished
    assert kinds.count(EngineReady) == 2
    assert kinds.count(DatasetReady) == 2
    assert kinds.count(RunFinished) == 4
    seconds = [event for event in laboratory.events if isinstance(event, SecondMeasured)][:3]
    assert [(s.phase, s.second, s.seconds_count) for s in seconds] == [
        ("warm-up", 1, 1),
        ("window", 1, 2),
        ("window", 2, 2),
    ]
    assert seconds[1].tps == 1190.0


def test_a_run_is_stored_with_what_was_read_back(laboratory: Lab) -> None:
    laboratory.run_all()
    run_id = laboratory.plan.runs[0].run_id
    results = laboratory.results
    assert results.document(run_id, "variables") == {"version": "1"}
    assert results.document(run_id, "settings")[0]["effective"] == "67108864"
    assert "CREATE TABLE" in results.document(run_id, "schema")["ddl"]["sbtest1"]
    assert results.document(run_id, "process") == {"allocator": "libc"}
    assert results.document(run_id, "order")["target"]["password_file"] == "/tmp/p"
    assert "out of ink" in results.text(run_id, "server.log")
    assert results.engine("mysql:9.7")["version"] == "9.7.4"
    assert results.dataset("mysql:9.7")["datasets"][0]["rows_total"] == 50_000
    assert results.verify() == ()


def test_a_study_that_is_done_does_nothing_the_second_time(laboratory: Lab) -> None:
    laboratory.run_all()
    before = list(laboratory.bench.ran)
    assert laboratory.run_all().complete
    assert laboratory.bench.ran == before
    assert len(laboratory.bench.filled) == 2


def test_an_interrupt_stops_in_order_and_the_same_command_goes_on(laboratory: Lab) -> None:
    def ctrl_c(run: Run, server: Server) -> None:
        if run.order_index == 2:
            os.kill(os.getpid(), signal.SIGINT)

    laboratory.bench.on_run = ctrl_c
    outcome = laboratory.run_all()
    assert outcome.interrupted
    assert (outcome.good, outcome.missing) == (2, 2)
    assert laboratory.bench.alive == set()
    assert laboratory.results.journal()[-1].event == "study-interrupted"

    laboratory.bench.on_run = lambda run, server: None
    assert laboratory.run_all().complete
    assert [record.run for record in laboratory.results.records()] == list(laboratory.plan.runs)


def test_sigterm_stops_in_order_too(laboratory: Lab) -> None:
    laboratory.bench.on_run = lambda run, server: os.kill(os.getpid(), signal.SIGTERM)
    assert laboratory.run_all().interrupted
    assert laboratory.bench.alive == set()
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_a_server_that_does_not_start_fails_its_cell_and_the_study_goes_on(laboratory: Lab) -> None:
    def refuse(run: Run, server: Server) -> None:
        if run.order_index == 1:
            raise ConfigureError("mysql did not start", "[ERROR] unknown variable 'innodb_wishes=1'")

    laboratory.bench.on_run = refuse
    outcome = laboratory.run_all()
    assert statuses(laboratory) == ["good", "failed", "good", "good"]
    assert not outcome.complete
    assert outcome.failed == 1
    assert "innodb_wishes" in laboratory.results.records()[1].reason


def test_servers_of_others_are_named_before_the_first_run(laboratory: Lab) -> None:
    laboratory.bench.running_beside = ("mariadb 11.8.6: process 7",)
    laboratory.run_all()
    (event,) = [event for event in laboratory.events if isinstance(event, OthersRunning)]
    assert event.what == ("mariadb 11.8.6: process 7",)
    assert "others-running" in [entry.event for entry in laboratory.results.journal()]


def test_a_server_that_dies_in_the_window_fails_its_cell_with_its_log(laboratory: Lab) -> None:
    def die(run: Run, server: Server) -> None:
        server.dead = "signal 9" if run.order_index == 0 else None

    laboratory.bench.on_run = die
    laboratory.run_all()
    record = laboratory.results.records()[0]
    assert record.status == "failed"
    assert "signal 9" in record.reason
    assert "out of ink" in record.reason
    assert statuses(laboratory)[1:] == ["good"] * 3


def test_a_failed_run_is_not_made_again_unasked(laboratory: Lab) -> None:
    def refuse(run: Run, server: Server) -> None:
        raise ConfigureError("no")

    laboratory.bench.on_run = refuse
    laboratory.run_all()
    ran = len(laboratory.bench.ran)
    assert laboratory.run_all().failed == 4
    assert len(laboratory.bench.ran) == ran


def _fail_all_and_lose_one(laboratory: Lab) -> str:
    """Make all runs fail, one of them as lost; its id."""

    def refuse(run: Run, server: Server) -> None:
        raise ConfigureError("no")

    laboratory.bench.on_run = refuse
    laboratory.run_all()
    lost: str = laboratory.results.records()[1].run.run_id
    files = laboratory.results.run_files(lost)
    document = {**json.loads(files["record.json"]), "fault": "network"}
    with laboratory.results.writing() as writer:
        writer.set_aside([lost])
        writer.add_run_files(lost, {**files, "record.json": json.dumps(document).encode()})
    return lost


def test_a_lost_run_that_is_not_made_now_stays(laboratory: Lab) -> None:
    """A bench of several is given other runs after it: the study's own folder keeps the lost one as well."""
    lost, results = _fail_all_and_lose_one(laboratory), laboratory.results
    with results.writing() as writer:
        assert set_aside(RetryChoice(), results, writer, only=frozenset()) == []
        (event,) = set_aside(RetryChoice(), results, writer, only=frozenset([lost]))
    assert event.run_ids == (lost,)
    assert lost not in results.run_ids()


def test_a_run_that_lost_its_host_is_made_again_by_the_same_command(laboratory: Lab) -> None:
    lost = _fail_all_and_lose_one(laboratory)
    laboratory.bench.ran.clear()
    laboratory.bench.on_run = lambda run, server: None
    laboratory.run_all()
    assert laboratory.bench.ran == [lost]
    assert sorted(statuses(laboratory)) == ["failed"] * 3 + ["good"]


def test_failed_runs_are_made_again_when_asked(laboratory: Lab) -> None:
    def refuse(run: Run, server: Server) -> None:
        raise ConfigureError("no")

    laboratory.bench.on_run = refuse
    laboratory.run_all()
    laboratory.bench.on_run = lambda run, server: None
    assert laboratory.run_all(retry=RetryChoice(failed=True)).complete
    assert statuses(laboratory) == ["good"] * 4


def test_disturbed_runs_are_made_again_with_those_that_they_are_compared_with(laboratory: Lab) -> None:
    laboratory.run_all()
    laboratory.bench.ran.clear()
    assert laboratory.run_all(retry=RetryChoice(disturbed=True)).complete
    assert laboratory.bench.ran == []
    disturbed = laboratory.results.records()[0]
    files = laboratory.results.run_files(disturbed.run.run_id)
    document = json.loads(files["record.json"])
    document["caveats"].append({"code": "other-load", "text": "other programs used 1.20 of the host's 2 processors"})
    with laboratory.results.writing() as writer:
        writer.set_aside([disturbed.run.run_id])
        writer.add_run_files(disturbed.run.run_id, {**files, "record.json": json.dumps(document).encode()})
    assert laboratory.run_all(retry=RetryChoice(disturbed=True)).complete
    made = set(laboratory.bench.ran)
    same_place = [
        record.run.run_id
        for record in laboratory.results.records()
        if (record.run.cell.concurrency, record.run.repeat) == (disturbed.run.cell.concurrency, disturbed.run.repeat)
    ]
    assert made == set(same_place)
    assert len(made) == len(laboratory.study.targets) < len(laboratory.plan.runs)
    assert all(any((laboratory.results.path / "set-aside").glob(f"{run_id}.*")) for run_id in made)


def test_a_target_that_can_not_be_filled_fails_its_cells_and_the_others_go_on(laboratory: Lab) -> None:
    laboratory.bench.refused = {"mysql:9.7"}
    outcome = laboratory.run_all()
    assert (outcome.good, outcome.failed) == (2, 2)
    failed = [record for record in laboratory.results.records() if record.status == "failed"]
    assert {record.run.cell.target for record in failed} == {"mysql:9.7"}
    assert all("no ink" in record.reason for record in failed)


def test_a_study_none_of_whose_targets_can_be_filled_ends_with_the_reason(laboratory: Lab) -> None:
    laboratory.bench.refused = {"mysql:9.7", "mariadb:11.8"}
    with pytest.raises(ConfigureError, match="did not start"):
        laboratory.run_all()
    assert laboratory.results.records() == ()


def test_a_full_disk_stops_the_study_and_loses_nothing(laboratory: Lab) -> None:
    def full(run: Run, server: Server) -> None:
        if run.order_index == 1:
            raise HostError("can't copy", "No space left on device")

    laboratory.bench.on_run = full
    with pytest.raises(HostError):
        laboratory.run_all()
    assert statuses(laboratory) == ["good"]
    laboratory.bench.on_run = lambda run, server: None
    assert laboratory.run_all().complete


def test_a_kill_between_storing_and_noting_a_run_is_made_good(laboratory: Lab) -> None:
    laboratory.run_all()
    journal = laboratory.results.path / "journal.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    cut = next(i for i, line in enumerate(lines) if "run-finished" in line)
    journal.write_text("".join(lines[:cut]))
    as_written(journal.parent)
    laboratory.run_all()
    noted = [e.facts["run_id"] for e in laboratory.results.journal() if e.event == "run-finished"]
    assert sorted(noted) == sorted(run.run_id for run in laboratory.plan.runs)


def test_an_engine_that_moved_on_is_not_mixed_with_its_past(laboratory: Lab) -> None:
    def ctrl_c(run: Run, server: Server) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    laboratory.bench.on_run = ctrl_c
    laboratory.run_all()
    laboratory.bench.versions = {"mariadb": "11.8.6", "mysql": "9.7.5"}
    with pytest.raises(StoreError, match=r"9\.7\.5 now") as error:
        laboratory.run_all()
    assert "-o" in error.value.remedy


def test_what_was_left_behind_is_removed_and_told(laboratory: Lab) -> None:
    laboratory.bench.leftovers = ("a server, pid 7",)
    laboratory.run_all()
    events = [entry.event for entry in laboratory.results.journal()]
    assert events[:2] == ["study-started", "leftovers-removed"]


def test_two_studies_in_one_folder_are_refused(laboratory: Lab) -> None:
    with laboratory.results.writing(), raises_code(StoreError, "in-use"):
        laboratory.run_all()


def test_a_running_server_is_filled_in_place_with_a_caveat(laboratory: Lab) -> None:
    laboratory.bench.address = ServerAddress("theirs", "app")
    laboratory.run_all()
    assert laboratory.bench.filled == []
    assert laboratory.bench.ran == []
    for record in laboratory.results.records():
        assert "cells-not-independent" in {caveat.code for caveat in record.caveats}
    assert laboratory.results.dataset("mysql:9.7")["datasets"][0]["in_place"] is True


def test_targets_with_different_rows_are_refused() -> None:
    one = TableSums("sbtest1", 5, {"sum_k": 10, "sum_crc32_c": 20})
    check_equal({"a": (one,), "b": (one,)})
    with raises_code(PopulateError, "rows-differ") as error:
        check_equal({"a": (one,), "b": (replace(one, sums={"sum_k": 11, "sum_crc32_c": 20}),)})
    assert "sbtest1" in error.value.why


def test_the_command_line_is_kept(laboratory: Lab) -> None:
    laboratory.run_all()
    manifest = json.loads((laboratory.results.path / "manifest.json").read_text())
    assert manifest["command_lines"] == ["dbdyno run paper.toml"]


def test_the_load_generator_is_found_by_name_then_beside_python_then_on_the_path(tmp_path: Path) -> None:
    program = tmp_path / "dbdyno-load"
    with pytest.raises(MeasureError) as error:
        find_generator({"PATH": str(tmp_path)}, str(tmp_path / "python"))
    assert "make setup" in error.value.remedy
    program.touch(mode=0o755)
    assert find_generator({"PATH": ""}, str(tmp_path / "python")) == program
    assert find_generator({"PATH": str(tmp_path)}, "/nowhere/python") == program
    assert find_generator({"DBDYNO_LOAD": str(program), "PATH": ""}, "/nowhere/python") == program
    with pytest.raises(MeasureError, match="DBDYNO_LOAD"):
        find_generator({"DBDYNO_LOAD": str(tmp_path / "gone"), "PATH": str(tmp_path)}, "/nowhere/python")
