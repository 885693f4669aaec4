"""A wall clock that is set while a study runs: no run ends before it began, and each that it concerns says so."""

from __future__ import annotations

import time
from typing import Any

import pytest

from dbdyno.core import ConfigureError, Run
from dbdyno.lab import SecondMeasured

Lab = Any  # the fixture of conftest.py, which can't be imported by name
HOUR_NS = 3600 * 10**9


def set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    real = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real() - HOUR_NS)


def test_a_clock_set_back_under_a_load_is_told_and_turns_no_time_around(
    laboratory: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, was_set = laboratory.events.append, []

    def on_event(event: object) -> None:
        told(event)
        if isinstance(event, SecondMeasured) and not was_set:
            was_set.append(event)
            set_back(monkeypatch)

    laboratory.events = type("Events", (list,), {"append": lambda self, event: on_event(event)})()
    laboratory.run_all()
    for record in laboratory.results.records():
        assert record.span.started_ns <= record.span.ended_ns < record.span.started_ns + 60 * 10**9
    first = laboratory.results.records()[0]
    (caveat,) = [caveat for caveat in first.caveats if caveat.code == "clock-jump"]
    assert " 3600.0 s" in caveat.text


def test_a_clock_set_back_before_a_run_failed_is_told_too(laboratory: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(run: Run, server: object) -> None:
        set_back(monkeypatch)
        raise ConfigureError("it did not start")

    laboratory.bench.on_run = fail
    laboratory.run_all()
    first = laboratory.results.records()[0]
    assert first.status == "failed"
    assert first.span.started_ns <= first.span.ended_ns
    assert [caveat.code for caveat in first.caveats] == ["clock-jump"]
