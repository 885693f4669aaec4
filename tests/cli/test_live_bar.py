"""What the bar of a terminal says: how many runs are done, and how long the rest takes."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from rich.console import Console

from dbdyno import lab
from dbdyno.cli._progress import LiveView, ShownStudy
from dbdyno.core import Cell, Run, RunRecord

RUN = Run(Cell("mariadb:11.8", 64 << 20, 4, "sysbench/oltp_read_write", "socket"), 1, 0, 1, "")


def _view(done: int, total: int) -> LiveView:
    view = LiveView(Console(width=120, quiet=True), ShownStudy(60 * 10**9))
    view.on_event(lab.StudyStarted("s", 2, total, done))
    return view


def _finish(view: LiveView, number: int, total: int) -> None:
    view.on_event(lab.RunFinished(RunRecord(RUN, "mariadb", "11.8.6", "innodb", "failed"), number, total))


def _share(view: LiveView) -> str:
    return view.bar().plain.split("%")[0].split()[-1]


def test_a_failed_run_made_again_is_one_of_those_that_were_missing() -> None:
    view = _view(19, 20)
    view.on_event(lab.RunStarted(RUN, 3, 20))
    assert _share(view) == "95"
    _finish(view, 3, 20)
    assert _share(view) == "100"


def test_runs_of_further_rounds_are_part_of_the_whole() -> None:
    view = _view(3, 4)
    view.on_event(lab.RunStarted(RUN, 4, 4))
    _finish(view, 4, 4)
    view.on_event(lab.FurtherRepeats(3, 2, 1, 2))
    view.on_event(lab.RunStarted(RUN, 5, 5))
    assert _share(view) == "67"
    for number in (5, 6):
        _finish(view, number, number)
    assert _share(view) == "100"


def test_a_study_resumed_within_a_further_round_is_not_more_than_done() -> None:
    view = _view(4, 4)
    view.on_event(lab.RunStarted(RUN, 7, 7))
    assert _share(view) == "80"
    _finish(view, 7, 7)
    assert _share(view) == "100"


def test_the_time_left_shrinks_while_a_run_is_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = [0.0]
    monkeypatch.setattr("dbdyno.cli._progress.time", SimpleNamespace(monotonic=lambda: now_s[0]))
    view = _view(0, 11)
    view.on_event(lab.RunStarted(RUN, 1, 11))
    now_s[0] = 60.0
    _finish(view, 1, 11)
    view.on_event(lab.RunStarted(RUN, 2, 11))
    now_s[0] = 110.0
    assert view.bar().plain.endswith("9 min 10 s left")


def test_what_comes_before_the_first_event_of_an_engine_is_no_empty_line() -> None:
    console = Console(width=120)
    view = LiveView(console, ShownStudy(60 * 10**9))
    view.on_event(lab.StudyStarted("s", 2, 4, 0))
    with console.capture() as captured:
        console.print(view)
    assert captured.get().strip() == "… getting ready"
