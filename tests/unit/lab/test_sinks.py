"""What a study under way tells those who look on: its run and its seconds, gone when it is over."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from dbdyno.lab import Event, RunFinished, RunStarted, SecondMeasured
from dbdyno.lab._sinks import LiveSink, watched_folder
from dbdyno.stats import Course
from dbdyno.store import LiveLog
from dbdyno.store._live import read_live

Lab = Any  # the fixture of conftest.py, which can't be imported by name


class Looking(list[Event]):
    """A list of events that reads, at each, what the folder tells just then."""

    def __init__(self, lab: Lab) -> None:
        super().__init__()
        self.lab = lab
        self.told: list[tuple[Event, list[str], Any]] = []

    def append(self, event: Event) -> None:
        super().append(event)
        entries = self.lab.results.live()
        self.told.append((event, [entry.event for entry in entries], entries[-1].facts if entries else {}))


def test_each_second_is_there_when_it_is_told(laboratory: Lab) -> None:
    laboratory.events = looking = Looking(laboratory)
    laboratory.run_all()
    seconds = [(kinds, facts) for event, kinds, facts in looking.told if isinstance(event, SecondMeasured)]
    assert len(seconds) == 4 * 3
    assert seconds[2][0] == ["study", "run", "phase", "phase", "second", "second", "second"]
    assert seconds[2][1]["phase"] == "window"
    assert seconds[2][1]["second"] == 2
    assert seconds[2][1]["tps"] > 0 and seconds[2][1]["qps"] > 0
    assert seconds[2][1]["connections"] in (1, 4)
    assert len(seconds[5][0]) == len(seconds[2][0])  # each run begins anew
    assert not (laboratory.results.path / "live.jsonl").exists()
    assert laboratory.results.verify() == ()


def test_what_an_open_run_has_come_to_is_told(tmp_path: Path, laboratory: Lab) -> None:
    log = LiveLog(tmp_path / "live.jsonl")
    run = laboratory.plan.runs[0]
    course = Course(seen_s=130, unsettled=("cache",), passes=0)
    sink = LiveSink(log)
    sink.take(RunStarted(run, 1, 4))
    sink.take(SecondMeasured(run, "warm-up", 130, 1800, 90.0, None, 0, None, course))
    last = read_live(tmp_path / "live.jsonl")[-1]
    sink.close()
    assert (last.facts["unsettled"], last.facts["passes"]) == (["cache"], 0)
    assert not (tmp_path / "live.jsonl").exists()


def test_a_study_that_breaks_off_leaves_nothing_behind(laboratory: Lab) -> None:
    def break_off(run: object, server: object) -> None:
        raise KeyError("paper jam")

    laboratory.bench.on_run = break_off
    with pytest.raises(KeyError):
        laboratory.run_all()
    assert not (laboratory.results.path / "live.jsonl").exists()


def test_a_disk_that_refuses_it_does_not_stop_the_study(laboratory: Lab) -> None:
    (laboratory.results.path / "live.jsonl").mkdir()
    outcome = laboratory.run_all()
    assert outcome.complete
    finished = [event for event in laboratory.events if isinstance(event, RunFinished)]
    assert len(finished) == 4


def test_an_interrupt_while_the_watch_of_the_folder_begins_ends_it(
    laboratory: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = threading.Thread.start

    def start_and_interrupt(self: threading.Thread) -> None:
        start(self)
        raise KeyboardInterrupt

    with laboratory.results.writing() as writer:
        monkeypatch.setattr(threading.Thread, "start", start_and_interrupt)
        with pytest.raises(KeyboardInterrupt), watched_folder(writer):
            pass
        monkeypatch.undo()
    assert "dbdyno-results-folder" not in [thread.name for thread in threading.enumerate()]
