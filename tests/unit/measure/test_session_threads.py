"""Session threads: what is read of the sampler's records, and what is refused."""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from dbdyno.core import HostError, MeasureError
from dbdyno.hosts import Completed, LocalHost, PipedProcess
from dbdyno.measure.telemetry import SessionThreads, ThreadsPlace

SAMPLE = Path(__file__).parents[3] / "contract" / "samples" / "threads-records.jsonl"


def _sample() -> list[dict[str, Any]]:
    return [json.loads(line) for line in SAMPLE.read_text().splitlines()]


def _watched(records: list[dict[str, Any]]) -> SessionThreads:
    place = ThreadsPlace(LocalHost(), Path("/none"), 1)
    return SessionThreads(place, list(records))


def test_states_of_a_second_are_threads_and_add_up_to_the_sessions() -> None:
    rows = {row.metric: row.value for row in _watched(_sample()).rows(10)}
    assert rows["sessions.count"] == 8
    assert rows["sessions.on_cpu"] == 1.2
    assert rows["sessions.wait.redo_flush"] == 4.0
    assert rows["background.page_cleaner.on_cpu"] == 0.003
    waits = sum(value for metric, value in rows.items() if metric.startswith("sessions.wait."))
    assert rows["sessions.running"] + waits == pytest.approx(8)


def test_a_second_in_which_a_connection_has_no_thread_yet_is_left_out() -> None:
    start, second, end = _sample()
    watched = _watched([{**start, "sessions": 6}, {**second, "sessions": 6}, {**second, "second": 1}, end])
    assert {row.second for row in watched.rows(2)} == {1}
    assert "1 of 2 seconds" in watched.caveats(2)[0].text


def test_seconds_after_the_run_are_left_out() -> None:
    assert _watched(_sample()).rows(0) == []


@pytest.mark.parametrize(
    ("record", "change", "word"),
    [
        ("end", {"pooled": 3}, "thread pool"),
        ("end", {"reason": "refused"}, "refused"),
        ("end", {"reason": "open files"}, "limit of open files"),
        ("second", {"sessions": 3}, "thread pool"),
        ("second", {"sessions": 7}, "only 7 of 8 connections"),
        ("start", {"sessions": 0, "connections": 0}, "not visible"),
    ],
)
def test_threads_that_do_not_stand_for_sessions_give_a_caveat_and_no_rows(
    record: str, change: dict[str, Any], word: str
) -> None:
    changed = [{**line, **change} if line["record"] == record else line for line in _sample()]
    watched = _watched(changed)
    assert watched.rows(10) == []
    (caveat,) = watched.caveats(5)
    assert caveat.code == "session-threads" and word in caveat.text


def test_stacks_without_a_name_are_kept_and_latches_by_call_are_not_among_them() -> None:
    assert _watched(_sample()).facts()["not_named"] == []
    unnamed = _sample()
    unnamed[-1]["stacks"][1]["class_by_call"] = "not_named"
    (stack,) = _watched(unnamed).facts()["not_named"]  # type: ignore[misc]
    assert stack == {"samples": 8, "frames": ["mariadbd+0xe241f3"]}


def test_a_record_of_another_version_is_an_error() -> None:
    records = _sample()
    del records[-1]["stacks"][1]["class_by_call"]
    with pytest.raises(MeasureError):
        _watched(records).stacks()


def _program(folder: Path, text: str) -> Path:
    program = folder / "dbdyno-load"
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("echo 'error: not permitted' >&2; exit 3", "not permitted"),
        ("kill -9 $$", "ended"),
    ],
)
def test_a_sampler_that_fails_costs_a_caveat(tmp_path: Path, text: str, word: str) -> None:
    watched = SessionThreads(ThreadsPlace(LocalHost(), _program(tmp_path, text), os.getpid()))
    watched.start(time.monotonic_ns(), os.getpid())
    watched.stop(0)
    assert watched.rows(1) == []
    assert word in watched.caveats(5)[0].text


def test_a_sampler_killed_in_mid_run_leaves_the_seconds_that_it_told(tmp_path: Path) -> None:
    start, second, _ = SAMPLE.read_text().splitlines()
    program = _program(tmp_path, f"echo '{start}'; echo '{second}'; kill -9 $$")
    watched = SessionThreads(ThreadsPlace(LocalHost(), program, os.getpid()))
    watched.start(time.monotonic_ns(), os.getpid())
    watched.stop(5)
    assert {row.second for row in watched.rows(5)} == {0}
    assert "4 of 5" in watched.caveats(5)[0].text


class LostProcess:
    """A sampler on a host that is lost after its first second."""

    pid = start_ticks = 1

    def lines(self, tick: Callable[[], None] | None = None) -> Iterator[str]:
        yield from SAMPLE.read_text().splitlines()[:2]
        raise HostError("the connection to db1 is lost", "", "", fault="network")

    def interrupt(self) -> None: ...

    def wait(self, timeout_s: float) -> Completed:
        return Completed((), 0, "", "")


class LostHost(LocalHost):
    def spawn_piped(self, *_: Any, **__: Any) -> Any:
        return cast("PipedProcess", LostProcess())


def test_a_host_that_is_lost_in_mid_run_leaves_the_seconds_that_were_told() -> None:
    watched = SessionThreads(ThreadsPlace(LostHost(), Path("/none"), os.getpid()))
    watched.start(time.monotonic_ns(), os.getpid())
    watched.stop(5)
    assert {row.second for row in watched.rows(5)} == {0}
