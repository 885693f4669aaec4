"""A study repeats cells that are not known well enough, and only those; a resumed one does so, too."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from typing import Any

import pytest

from dbdyno.core import ConfigureError, Run
from dbdyno.lab import FurtherRepeats

Lab = Any  # the fixture of conftest.py, which can't be imported by name
Server = Any


@pytest.fixture
def lab(laboratory: Lab) -> Lab:
    laboratory.study = replace(laboratory.study, concurrencies=(4,), repeats=2, repeats_max=4)
    return laboratory


def refuse_once(lab: Lab) -> Run:
    """One of its runs will fail, so that its cell has one good run only."""
    doomed = lab.plan.runs[2]

    def refuse(run: Run, server: Server) -> None:
        if run == doomed:
            raise ConfigureError("it did not start", "[ERROR] no ink")

    lab.bench.on_run = refuse
    return doomed


def told(lab: Lab) -> list[tuple[int, int]]:
    return [(event.repeat, event.runs) for event in lab.events if isinstance(event, FurtherRepeats)]


def test_a_study_whose_cells_are_sure_ends_after_the_repeats_that_are_made_in_any_case(lab: Lab) -> None:
    outcome = lab.run_all()
    assert outcome.complete
    assert len(lab.results.records()) == 4
    assert told(lab) == [(3, 0)]
    entry = next(entry for entry in lab.results.journal() if entry.event == "further-repeats")
    assert (entry.facts["sure"], entry.facts["cells"]) == (2, 2)


def test_only_the_cell_that_is_not_sure_is_run_again(lab: Lab) -> None:
    doomed = refuse_once(lab)
    outcome = lab.run_all()
    records = lab.results.records()
    further = [record.run for record in records if record.run.repeat > 2]
    assert [run.cell for run in further] == [doomed.cell]
    assert all(run.is_further for run in further)
    assert (outcome.good, outcome.failed, outcome.missing) == (4, 1, 0)
    assert told(lab) == [(3, 1), (4, 0)]


def test_the_same_command_makes_nothing_twice(lab: Lab) -> None:
    refuse_once(lab)
    lab.run_all()
    before = list(lab.bench.ran)
    lab.run_all()
    assert lab.bench.ran == before


def test_further_repeats_that_were_interrupted_are_made_by_the_same_command(lab: Lab) -> None:
    doomed = refuse_once(lab)
    refuse = lab.bench.on_run

    def ctrl_c(run: Run, server: Server) -> None:
        refuse(run, server)
        if run.repeat == 3:
            os.kill(os.getpid(), signal.SIGINT)

    lab.bench.on_run = ctrl_c
    outcome = lab.run_all()
    assert outcome.interrupted
    assert outcome.missing == 1, "the further repeat is known to be needed"
    lab.bench.on_run = refuse
    assert lab.run_all().missing == 0
    assert [r.run.cell for r in lab.results.records() if r.run.repeat == 3] == [doomed.cell]
