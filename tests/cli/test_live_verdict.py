"""What a terminal shows of a run whose length is left to it, while it is driven and when it is done."""

from __future__ import annotations

import re
from functools import partial

from rich.console import Console

from dbdyno import lab
from dbdyno.analyse._course import unsettled_words
from dbdyno.cli._progress import LiveView, ShownStudy, done_line
from dbdyno.core import Cell, Run, RunCourse, RunRecord, TotalFigures
from dbdyno.stats import Course, StopCheck
from each_moment import acted_at

RUN = Run(Cell("mariadb:11.8", 64 << 20, 4, "sysbench/oltp_read_write", "socket"), 1, 0, 1, "")


def shown(phase: str, second: int, most: int, course: Course) -> str:
    console = Console(width=120)
    view = LiveView(console, ShownStudy(10**10))
    view.on_event(lab.RunStarted(RUN, 1, 4))
    view.on_event(lab.SecondMeasured(RUN, phase, second, most, 512.0, 20_000_000, 0, 0.03, course))
    with console.capture() as captured:
        console.print(view)
    return captured.get()


def test_a_warm_up_says_what_has_not_settled() -> None:
    course = Course(seen_s=132, unsettled=("throughput drifting", "dirty data"))
    text = shown("warm-up", 132, 1800, course)
    assert re.search(r"warm-up 132/1800 s .*\bmost\b", text)
    assert f": {', '.join(map(unsettled_words, course.unsettled))}" in text


def test_a_window_says_how_sure_it_is() -> None:
    check = StopCheck(180, 0, 500.0, 9.0, 40.0, 0.0)
    course = Course(seen_s=330, warm_up_s=146, warm_up_end="state", settled=True, passes=1, last_check=check)
    assert "1 of 3 times" in shown("window", 184, 900, course)


def test_a_run_may_finish_at_any_moment_of_the_drawing() -> None:
    moment, has_more = 0, True
    finished = lab.RunFinished(RunRecord(RUN, "mariadb", "11.8.6", "innodb", "failed"), 1, 4)
    while has_more:
        moment += 1
        view = LiveView(Console(width=120, quiet=True), ShownStudy(10**10))
        view.on_event(lab.RunStarted(RUN, 1, 4))
        has_more = acted_at(moment, partial(view.on_event, finished), view.__rich__)
    assert moment > 1


def test_a_finished_run_says_where_it_ended_and_why() -> None:
    course = RunCourse(146, "state", (), 146, 386, "certainty", (), (), 2700)
    record = RunRecord(
        RUN,
        "mariadb",
        "11.8.6",
        "innodb",
        "good",
        figures=TotalFigures(tps_mean=500.0, tps_half_width=9.0),
        course=course,
    )
    line = done_line(lab.RunFinished(record, 1, 4), ShownStudy(10**10))
    assert re.findall(r"(\d+) s\b", line) == ["146", "146", "386"]
