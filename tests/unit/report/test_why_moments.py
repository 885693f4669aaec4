"""Stalls, waves and knees of a stored study: planted ones are told, and what short windows can't tell is said."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from dbdyno.analyse.explain import ROW_LOCKS, Knee
from dbdyno.core import Cell, Run
from dbdyno.report import analyse_study, markdown_text, page_text, print_why, why_object, why_of
from dbdyno.report._series import run_series
from dbdyno.report.why._choice import moment_lines, step_lines
from dbdyno.report.why._moments import _cell_run_seconds, _knee_words
from dbdyno.store import StoredRun
from explained_study import PlantedTimes

PAIR = ("mariadb:11.8", "mysql:9.7")
USUAL = {"on_cpu": 0.3, "run_queue": 0.2, "wait.client": 0.2, "wait.redo_flush": 0.2, "wait.latch": 0.1}
MODES = ("nice", "system", "irq", "softirq", "steal")
BUSY = {
    target: {
        "host.cpu.user": user,
        "host.cpu.idle": 2 - user,
        **{f"host.cpu.{mode}": 0.0 for mode in (*MODES, "iowait")},
    }
    for target, user in ((PAIR[0], 1.98), (PAIR[1], 1.0))
}
STALLS = (3, 7, 11)


class _Stalling(PlantedTimes):
    """On one target some seconds commit a fifth, while nine of ten sessions wait for room in the redo log."""

    def stored(self, run: Run) -> StoredRun:
        found = super().stored(run)
        if run.cell.target != PAIR[1]:
            return found
        telemetry = []
        for row in found.telemetry:
            if row.second in STALLS and row.metric.startswith("sessions.") and row.metric != "sessions.count":
                row = replace(row, value=0.1 * row.value)
            telemetry.append(row)
            if row.metric == "sessions.count":
                waiting = 0.9 * row.value if row.second in STALLS else 0.0
                telemetry.append(replace(row, metric="sessions.wait.redo_space", value=waiting))
        seconds = [replace(row, tps=row.tps / 5) if row.second in STALLS else row for row in found.seconds]
        return replace(found, seconds=seconds, telemetry=telemetry)


def test_stalls_and_knees_are_told_everywhere(tmp_path: Path) -> None:
    planted = _Stalling({}, states=dict.fromkeys(PAIR, USUAL), metrics=BUSY)
    analysis = analyse_study(planted.write(tmp_path / "stalling"))
    why = why_of(analysis, PAIR, "512MB,16")
    (stalls,) = why.course.moments
    assert (stalls.cell.target, stalls.kind, stalls.runs) == (PAIR[1], "stalls", 3)
    assert stalls.seconds == 3 * len(STALLS)
    assert stalls.ranking is not None
    assert stalls.ranking.causes[0].cause.cause_id == "redo-small"
    assert stalls.ranking.causes[0].grade == "explained by"
    knees = {knee.cells[0].target: knee for knee in why.course.knees}
    assert (knees[PAIR[0]].resource, knees[PAIR[0]].reached_at) == ("processors", 1)
    assert knees[PAIR[1]].resource == ""
    console = Console(width=1000, file=io.StringIO(), record=True)
    print_why(analysis, why, console)
    lines = [*step_lines(why), *moment_lines(why)]
    assert len(lines) == len(why.steps) + 2 + 2
    assert all(line in console.export_text(clear=False) for line in lines)
    shown = why_of(analysis)
    for text in (markdown_text(analysis.results), page_text(analysis.results)):
        assert all(line.replace("+", "").split(":")[0] in text for line in moment_lines(shown))
    found = json.loads(json.dumps(why_object(analysis, why), allow_nan=False))
    assert found["moments"][0]["causes"]["ranked"][0]["id"] == "redo-small"
    assert {knee["target"]: knee["resource"] for knee in found["knees"]} == {PAIR[0]: "processors", PAIR[1]: None}
    assert all(step["causes"]["ranked"] for step in found["steps"])


def test_a_run_shows_its_session_threads_by_state_second_by_second(tmp_path: Path) -> None:
    planted = _Sparse({}, states={target: {**USUAL, "wait.sleep": 0.001} for target in PAIR})
    results = planted.write(tmp_path / "states")
    run_id = next(record.run.run_id for record in results.records() if record.run.cell.target == PAIR[1])
    panels = run_series(results, run_id)["panels"]
    (panel,) = (panel for panel in panels if panel["title"] == "What the session threads do")
    lines = {line["name"]: line for line in panel["lines"]}
    means = [line["v"].mean() for line in panel["lines"]]
    assert means == sorted(means, reverse=True)
    assert "SLEEP()" not in lines, "of one thread in a thousand"
    redo = lines["room in the redo log"]
    assert redo["s"][redo["v"] > 0].tolist() == list(STALLS)
    latches = lines["latches"]
    assert (latches["v"] == 0).tolist() == [second % 3 != 0 for second in latches["s"]]
    assert 5 not in latches["s"] and latches["after_gaps"].tolist() == [6]
    others = [panel["title"] for panel in panels if panel["key"] == "other"]
    assert "sessions.wait.sleep" in others and "sessions.count" in others


class _Sparse(_Stalling):
    """Latches are waited for in every third second only; in second 5 nothing was sampled."""

    def stored(self, run: Run) -> StoredRun:
        found = super().stored(run)
        telemetry = [
            row
            for row in found.telemetry
            if not (row.metric == "sessions.wait.latch" and row.second % 3)
            and not (row.second == 5 and row.metric.startswith(("sessions.", "background.")))
        ]
        return replace(found, telemetry=telemetry)


def test_seconds_without_a_wait_count_and_seconds_without_samples_do_not(tmp_path: Path) -> None:
    planted = _Sparse(
        {}, states=dict.fromkeys(PAIR, USUAL), metrics={name: {"background.purge.on_cpu": 0.5} for name in PAIR}
    )
    analysis = analyse_study(planted.write(tmp_path / "sparse"))
    (stalls,) = why_of(analysis, PAIR, "512MB,16").course.moments
    assert stalls.ranking is not None
    latch = next(part.difference for part in stalls.ranking.gap.parts if part.part_id == "thread.latch")
    # Seen in 0 of 3, 1 of 2 and 2 of 3 sampled seconds, of 10 % of the sessions.
    assert latch.left_ms / stalls.ranking.gap.total.left_ms == pytest.approx(0.042, rel=0.25)
    run = next(_cell_run_seconds(analysis, stalls.cell))
    for metric in ("sessions.wait.latch", "background.purge.on_cpu"):
        assert np.flatnonzero(np.isnan(run.metrics[metric])).tolist() == [4]
    assert run.metrics["sessions.wait.latch"][0] == 0.0


@pytest.mark.parametrize(("resource", "bounds"), [(ROW_LOCKS, 2), ("device", 0)])
def test_the_use_of_a_row_lock_is_told_as_an_upper_bound(resource: str, bounds: int) -> None:
    cells = tuple(Cell(PAIR[0], 512 << 20, connections, "w", "socket") for connections in (16, 64))
    assert _knee_words(Knee(cells, ({resource: 1.0},) * 2, resource, 16, 0.5)).count("at most") == bounds
    spare = _knee_words(Knee(cells, ({resource: 0.9, "client": 0.4},) * 2))
    assert ("90 %" in spare, "40 %" in spare) == (resource == "device", resource != "device")


@pytest.mark.parametrize(
    ("stops_at", "words"), [(0.99, "0.99 connections."), (1.0, "1 connection."), (7.4, "connections.")]
)
def test_throughput_that_levels_off_at_one_connection_has_no_plural(stops_at: float, words: str) -> None:
    cells = tuple(Cell(PAIR[0], 512 << 20, connections, "w", "socket") for connections in (1, 4))
    assert _knee_words(Knee(cells, ({"processors": 1.0},) * 2, "processors", 1, 0.5, stops_at)).endswith(words)


def test_processors_that_others_and_the_hypervisor_took_are_told() -> None:
    cells = tuple(Cell(PAIR[0], 512 << 20, connections, "w", "socket") for connections in (16, 64))
    knee = Knee(cells, ({"processors": 1.0},) * 2, "processors", 16, 0.5, by_others=0.07, by_hypervisor=0.25)
    assert re.search(r"\(100 % [^,]+, 7 % [^,]*\bother\b[^,]*, 25 % [^,]*\bhypervisor\)", _knee_words(knee))


def test_short_windows_without_stalls_say_what_they_can_t_tell(tmp_path: Path) -> None:
    analysis = analyse_study(PlantedTimes({}).write(tmp_path / "short"))
    why = why_of(analysis, PAIR)
    assert why.course.moments == ()
    assert why.course.window_s == 12
    assert len(moment_lines(why)) == 2
