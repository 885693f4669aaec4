"""Concurrencies that share a server: restored once, warmed up once in full, and let go of whatever happens."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import replace
from typing import Any

import pytest

from dbdyno.core import ConfigureError, LadderStep, Run
from dbdyno.lab._ladder import LadderServer, RetainedServer
from dbdyno.stats import gate_facts
from dbdyno.store import TelemetryRow

Lab = Any  # the fixture of conftest.py, which can't be imported by name
Server = Any


@pytest.fixture
def ladders(laboratory: Lab) -> Lab:
    laboratory.study = replace(laboratory.study, restore="ladder", step_warm_up_ns=10**9, concurrencies=(1, 2, 4))
    return laboratory


def warm_ups(lab: Lab) -> list[int]:
    """Seconds of warm-up that each run was ordered."""
    orders = [lab.results.document(record.run.run_id, "order") for record in lab.results.records()]
    phases = [{phase["name"]: phase["duration_ns"] // 10**9 for phase in order["phases"]} for order in orders]
    return [phase.get("warm-up", 0) for phase in phases]


def test_data_are_restored_once_for_all_concurrencies_of_a_target(ladders: Lab) -> None:
    outcome = ladders.run_all()
    assert (outcome.good, outcome.missing) == (6, 0)
    runs = ladders.plan.runs
    assert ladders.bench.ran == [runs[0].run_id, runs[3].run_id]
    assert ladders.bench.alive == set()


def test_each_run_says_which_step_it_was_and_later_ones_that_they_share_a_start(ladders: Lab) -> None:
    ladders.run_all()
    records = ladders.results.records()
    assert [record.step and record.step.number for record in records] == [1, 2, 3, 1, 2, 3]
    codes = [{caveat.code for caveat in record.caveats} for record in records]
    assert ["shared-restore" in own for own in codes] == [False, True, True, False, True, True]


def test_only_the_first_step_has_the_full_warm_up(ladders: Lab) -> None:
    ladders.study = replace(ladders.study, step_warm_up_ns=0)
    ladders.run_all()
    assert warm_ups(ladders) == [1, 0, 0, 1, 0, 0]


def test_runs_that_are_restored_one_by_one_are_no_steps(laboratory: Lab) -> None:
    laboratory.run_all()
    assert [record.step for record in laboratory.results.records()] == [None] * 4


def test_after_a_server_died_the_next_step_starts_on_restored_data(ladders: Lab) -> None:
    def die_in_second_step(run: Run, server: Server) -> None:
        if not servers:
            server.deaths = iter([None, "killed"])
            server.exit_reason = lambda: next(server.deaths, "killed")
        servers.append(run.run_id)

    servers: list[str] = []
    ladders.bench.on_run = die_in_second_step
    ladders.run_all()
    records = ladders.results.records()
    failed = [index for index, record in enumerate(records) if record.status == "failed"]
    assert failed
    assert len(servers) == 3, "the dead server's ladder was begun again, the other target's once"
    again = next(record for record in records if record.run.run_id == servers[1])
    assert again.step == LadderStep(1)
    assert ladders.bench.alive == set()


def test_an_interrupted_ladder_is_gone_on_with_on_restored_data(ladders: Lab) -> None:
    def ctrl_c(event: object) -> None:
        events.append(event)
        if len(ladders.results.records()) == 2 and type(event).__name__ == "RunStarted":
            os.kill(os.getpid(), signal.SIGINT)

    events = ladders.events
    ladders.events = type("Told", (), {"append": staticmethod(ctrl_c)})()
    assert ladders.run_all().interrupted
    assert ladders.bench.alive == set()
    ladders.events = []
    assert ladders.run_all().complete
    steps = [record.step.number for record in ladders.results.records()]
    assert steps == [1, 2, 1, 1, 2, 3]


def test_a_server_that_does_not_start_fails_each_step_of_its_ladder(ladders: Lab) -> None:
    def refuse(run: Run, server: Server) -> None:
        if run.cell.target == "mysql:9.7":
            raise ConfigureError("mysql did not start", "[ERROR] no ink")

    ladders.bench.on_run = refuse
    outcome = ladders.run_all()
    assert (outcome.good, outcome.failed) == (3, 3)


def test_redo_of_earlier_steps_counts_for_the_gate(ladders: Lab) -> None:
    server = ladders.bench.fresh_server(ladders.study.targets[0], ladders.bench.obtain(ladders.study.targets[0], print))
    positions = [TelemetryRow(second, "engine.redo.lsn", 100.0 + 5 * second, "bytes") for second in range(11)]
    held = RetainedServer(ladders.study)
    second = held.first(ladders.plan.runs[0], server).after(positions)
    assert second.step == LadderStep(2, 50.0)
    assert second.after(positions).step == LadderStep(3, 100.0)
    assert gate_facts("innodb", {}, {}, is_flash=None, step=second.step).redo_bytes_before == 50.0
    assert LadderServer(server).after(positions).step is None


def test_the_stored_record_holds_the_step(ladders: Lab) -> None:
    ladders.run_all()
    run_id = ladders.results.records()[1].run.run_id
    stored = json.loads((ladders.results.path / "runs" / run_id / "record.json").read_text())
    assert stored["step"]["number"] == 2
