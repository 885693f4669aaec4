"""Converts the run under way, as the results folder reports it, for the page and for monitors."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dbdyno.analyse import verdict_words
from dbdyno.core import AnalysisError, Cell, format_memory
from dbdyno.stats import Course, noise_interval
from dbdyno.store import JournalEntry

FRESH_NS = 10 * 10**9
"""A second older than this is not shown as the current one."""
_MOST_SECONDS = 1800
_LEAST_WINDOW_S = 10


@dataclass(frozen=True, slots=True)
class LiveRun:
    """Holds what is known of the run under way.

    Parameters
    ----------
    doing : words of what happens before a run; empty during one
    cell : None before the first run
    number, repeat : of the run in the plan, from 1
    phase : restore, settle, load, warm-up, window, verify, recover, stop
    began_ns : Unix time of the run's start
    seconds : entries of its seconds, in order
    bench : that it runs on, of a study with several
    """

    doing: str = ""
    cell: Cell | None = None
    number: int = 0
    repeat: int = 0
    phase: str = ""
    began_ns: int = 0
    seconds: Sequence[JournalEntry] = field(default_factory=tuple)
    bench: str = ""

    @property
    def last(self) -> Mapping[str, Any] | None:
        """Return the newest second; None where there is none, or it is long ago."""
        if not self.seconds or time.time_ns() - self.seconds[-1].at_ns > FRESH_NS:
            return None
        return self.seconds[-1].facts

    @property
    def errors(self) -> int:
        """Return errors of the run so far."""
        return sum(int(_finite_number(entry.facts.get("errors")) or 0) for entry in self.seconds)

    def window(self) -> list[float]:
        """Return transactions per second of each second of the window so far."""
        return [
            _finite_number(entry.facts.get("tps")) or 0.0
            for entry in self.seconds
            if entry.facts.get("phase") == "window"
        ]


def live_run(entries: Sequence[JournalEntry]) -> LiveRun | None:
    """Return the run under way; None if nothing is known."""
    if not entries:
        return None
    run = next((entry for entry in reversed(entries) if entry.event == "run"), None)
    bench = next((str(entry.facts.get("bench", "")) for entry in entries if entry.event == "study"), "")
    if run is None:
        doing = next((str(e.facts.get("text", "")) for e in reversed(entries) if e.event == "doing"), "")
        return LiveRun(doing=doing or "getting ready", bench=bench)
    seconds = [entry for entry in entries if entry.event == "second"]
    phases = [entry for entry in entries if entry.event in ("phase", "second")]
    facts: Mapping[str, Any] = run.facts
    cell = Cell(
        str(facts.get("target", "")),
        int(_finite_number(facts.get("tier_bytes")) or 0),
        int(_finite_number(facts.get("concurrency")) or 0),
        str(facts.get("workload", "")),
        facts.get("route", "unknown"),
    )
    phase = str(phases[-1].facts.get("phase", "")) if phases else "start"
    number, repeat = (int(_finite_number(facts.get(name)) or 0) for name in ("number", "repeat"))
    return LiveRun("", cell, number, repeat, phase, run.at_ns, tuple(seconds), bench)


def live_object(run: LiveRun | None) -> dict[str, object] | None:
    """Return what the page draws; the newest half hour of a long run."""
    if run is None:
        return None
    if run.cell is None:
        return {"doing": run.doing, "bench": run.bench}
    shown_seconds = run.seconds[-_MOST_SECONDS:]
    last_second = run.last or {}
    return {
        "doing": "",
        "bench": run.bench,
        "target": run.cell.target,
        "memory": format_memory(run.cell.tier_bytes),
        "connections": run.cell.concurrency,
        "workload": run.cell.workload,
        "route": run.cell.route,
        "number": run.number,
        "repeat": run.repeat,
        "phase": run.phase,
        "began_ms": run.began_ns // 10**6,
        "second": last_second.get("second"),
        "seconds_count": last_second.get("seconds_count"),
        "is_at_most": isinstance(last_second.get("unsettled"), list),
        "first": len(run.seconds) - len(shown_seconds),
        "tps": [_finite_number(entry.facts.get("tps")) for entry in shown_seconds],
        "p95_ms": [_milliseconds(entry.facts.get("p95_ns")) for entry in shown_seconds],
        "is_window": [entry.facts.get("phase") == "window" for entry in shown_seconds],
        "qps": _finite_number(last_second.get("qps")),
        "errors": run.errors,
        "verdict": _warm_up_verdict(last_second),
        "client_use_share": _finite_number(last_second.get("client_use_share")),
        **_window_level(run.window()),
    }


def _warm_up_verdict(last_second: Mapping[str, Any]) -> str:
    """Return what keeps a warm-up going whose length is left to the run; empty in a window, whose level is shown."""
    unsettled, passes = last_second.get("unsettled"), _finite_number(last_second.get("passes"))
    if last_second.get("phase") == "window" or not isinstance(unsettled, list) or passes is None:
        return ""
    return verdict_words(Course(unsettled=tuple(map(str, unsettled)), passes=int(passes)))


def _window_level(window: Sequence[float]) -> dict[str, object]:
    """Return the mean of the window so far and how far its noise alone may take it."""
    if len(window) < _LEAST_WINDOW_S:
        return {"window_s": len(window), "mean": None, "half_width": None}
    try:
        interval = noise_interval(window)
    except AnalysisError:
        return {"window_s": len(window), "mean": None, "half_width": None}
    half_width = interval.half_width if math.isfinite(interval.half_width) else None
    return {"window_s": len(window), "mean": interval.mean, "half_width": half_width}


def _milliseconds(value: object) -> float | None:
    number = _finite_number(value)
    return None if number is None else round(number / 1e6, 3)


def _finite_number(value: object) -> float | None:
    """Return a finite number; None for anything else that a file may hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if math.isfinite(value) else None
