"""What is seen of several benches while they run: lines with the bench's name in a log, a view in a terminal."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from dbdyno import lab
from dbdyno.cli._fleet import FleetView, fleet_progress
from dbdyno.cli._progress import ShownStudy, progress
from dbdyno.core import Cell, Run, RunRecord, TotalFigures

CELL = Cell("mysql:9.7", 64 << 20, 4, "sysbench/oltp_read_only", "socket")


def run(repeat: int) -> Run:
    return Run(CELL, repeat, repeat - 1, 1, "")


def finished(repeat: int) -> lab.RunFinished:
    record = RunRecord(
        run(repeat), "mysql", "9.7.0", "innodb", "good", figures=TotalFigures(tps_mean=100.0, tps_half_width=1.0)
    )
    return lab.RunFinished(record, repeat, 4)


def test_each_line_of_a_log_names_its_bench(capsys: pytest.CaptureFixture[str]) -> None:
    with fleet_progress(["a", "bench2"], ShownStudy(10**9), quiet=False) as on_event:
        on_event("", lab.StudyStarted("s", 2, 4, 1))
        on_event("a", lab.BenchReady({"hostname": "db1", "logical_cpu_count": 8, "memory_bytes": 1 << 34}))
        on_event("bench2", finished(2))
        on_event("a", lab.BenchLost("no power"))
    lines = capsys.readouterr().err.splitlines()
    assert [line.split()[0] for line in lines] == ["resuming:", "a", "bench2", "a"]
    assert "db1" in lines[1] and "2/4" in lines[2] and "no power" in lines[3]


def test_quiet_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    with fleet_progress(["a", "b"], ShownStudy(10**9), quiet=True) as on_event:
        on_event("a", finished(1))
    assert capsys.readouterr().err == ""


def test_the_view_has_a_run_of_each_bench_and_one_bar() -> None:
    console = Console(file=io.StringIO(), width=120, force_terminal=True)
    view = FleetView(console, ["a", "b"], ShownStudy(10**9))
    view.on_event("", lab.StudyStarted("s", 2, 4, 1))
    for bench, number in (("a", 1), ("b", 2)):
        view.on_event(bench, lab.RunStarted(run(number), number, 4))
        view.on_event(bench, lab.SecondMeasured(run(number), "window", 3, 12, 100.0 * number, None, 0, None))
    view.on_event("a", finished(1))
    view.on_event("a", lab.RunStarted(run(3), 3, 4))
    with console.capture() as captured:
        console.print(view)
    lines = [line for line in captured.get().splitlines() if line.strip()]
    runs = [line.split()[:3] for line in lines if "run " in line]
    assert runs == [["a", "run", "3/4"], ["b", "run", "2/4"]]
    assert sum("left" in line for line in lines) == 1
    assert " 50 %" in lines[-1]


def test_a_bench_that_is_lost_within_a_run_shows_none() -> None:
    console = Console(file=io.StringIO(), width=120, force_terminal=True)
    view = FleetView(console, ["a", "b"], ShownStudy(10**9))
    view.on_event("", lab.StudyStarted("s", 2, 4, 0))
    for bench, number in (("a", 1), ("b", 2)):
        view.on_event(bench, lab.RunStarted(run(number), number, 4))
        view.on_event(bench, lab.SecondMeasured(run(number), "window", 3, 12, 100.0, None, 0, None))
    view.on_event("b", lab.BenchLost("no power"))
    with console.capture() as captured:
        console.print(view)
    runs = [line.split()[:3] for line in captured.get().splitlines() if "run " in line]
    assert runs == [["a", "run", "1/4"]]


@pytest.mark.parametrize("has_workloads", [True, False])
def test_a_run_names_its_workload_where_a_study_has_several(
    capsys: pytest.CaptureFixture[str], has_workloads: bool
) -> None:
    with progress(ShownStudy(10**9, has_workloads), quiet=False) as on_event:
        on_event(finished(1))
    with fleet_progress(["a"], ShownStudy(10**9, has_workloads), quiet=False) as on_bench_event:
        on_bench_event("a", finished(1))
    words = "4 connections · sysbench/oltp_read_only · socket" if has_workloads else "4 connections · socket"
    assert [words in line for line in capsys.readouterr().err.splitlines()] == [True, True]
