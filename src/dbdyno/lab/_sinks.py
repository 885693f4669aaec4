"""Hands each event of a study to its three sinks: the journal, the live log and the console, in this order.

The journal keeps what a later reader needs, and is on the disk before anything else receives it. The live log shows
others what happens right now. The console is the caller's function.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict

from dbdyno.core import Run
from dbdyno.lab import _events as events
from dbdyno.store import MACHINE_EXAMINED, JsonValue, LiveLog, ResultsWriter

_FOLDER_CHECK_S = 1.0
_RATES = ("tps", "qps", "p95_ns", "errors", "client_use_share", "connections")


@contextmanager
def event_stream(writer: ResultsWriter, console: events.OnEvent) -> Iterator[events.OnEvent]:
    """Give the function that emits an event; the live log is removed at the end.

    When the console can't be written any more, nobody sees how the study goes on. That interrupts it like Ctrl-C, by
    the same signal; later events no longer go to the console.
    """
    live_sink = LiveSink(writer.live)
    is_console_lost = False

    def emit(event: events.Event) -> None:
        nonlocal is_console_lost
        if (entry := journal_entry(event)) is not None:
            name, facts = entry
            writer.append(name, **facts)
        live_sink.take(event)
        if is_console_lost:
            return
        try:
            console(event)
        except OSError as error:
            is_console_lost = True
            emit(events.OutputLost(error.strerror or str(error)))
            os.kill(os.getpid(), signal.SIGINT)

    try:
        yield emit
    finally:
        live_sink.close()


def journal_entry(event: events.Event) -> tuple[str, Mapping[str, JsonValue]] | None:
    """Name and facts of an event's line in the journal; None for events that it does not keep."""
    match event:
        case events.RunsSetAside(why, run_ids):
            return f"{why}-runs-set-aside", {"run_ids": list(run_ids)}
        case events.MissingFinishNoted(record):
            return "run-finished", {"run_id": record.run.run_id, "status": record.status, "noted_later": True}
        case events.StudyStarted():
            return "study-started", {"runs_total": event.runs_total, "runs_done": event.runs_done}
        case events.MachineExamined(facts):
            return MACHINE_EXAMINED, facts
        case events.OrphansRemoved(what):
            return "leftovers-removed", {"what": list(what)}
        case events.OrphansRemain():
            return "leftovers-remain", {}
        case events.PasswordExposed():
            return "password-exposed", {"server": event.server, "file": event.file, "mode": f"{event.mode:04o}"}
        case events.OthersRunning(what):
            return "others-running", {"what": list(what)}
        case events.TargetFailed() | events.ConditionUndecided() | events.ServerNotAudited():
            return _TARGET_ENTRIES[type(event)], asdict(event)
        case events.ServersAudited():
            return "servers-audited", _audit_facts(event)
        case events.FurtherRepeats():
            counts = {"sure": event.sure_count, "cells": event.cell_count}
            return "further-repeats", {"repeat": event.repeat, "runs": event.runs, **counts}
        case events.RunStarted(run):
            return "run-started", {"run_id": run.run_id, "order_index": run.order_index}
        case events.RunFinished(record):
            return "run-finished", {"run_id": record.run.run_id, "status": record.status}
        case events.BenchReady(facts):
            return "bench-ready", {"hostname": facts.get("hostname")}
        case events.BenchLost(reason):
            return "bench-lost", {"reason": reason}
        case events.OutputLost(reason):
            return "output-lost", {"reason": reason}
        case events.FolderLost(reason):
            return "study-interrupted", {"reason": reason}
        case events.StudyFinished(outcome):
            ending = "interrupted" if outcome.interrupted else "refused" if outcome.refused else "finished"
            return f"study-{ending}", {"missing": outcome.missing}
        case _:
            return None


_TARGET_ENTRIES: Mapping[type[events.Event], str] = {
    events.TargetFailed: "target-failed",
    events.ConditionUndecided: "condition-undecided",
    events.ServerNotAudited: "server-not-audited",
}


def _audit_facts(event: events.ServersAudited) -> dict[str, JsonValue]:
    findings: list[JsonValue] = [
        {"id": finding.rule_id, "severity": finding.severity, "what": finding.words, "favours": finding.favours}
        for finding in event.findings
    ]
    return {"place": event.place, "stopped": event.stops, "findings": findings}


class LiveSink:
    """Writes events to the live log. The caller holds the folder's lock: the log is emptied whenever a run begins."""

    def __init__(self, log: LiveLog, bench: str = "") -> None:
        self._log, self._bench = log, bench
        self._study: Mapping[str, JsonValue] = {}

    def close(self) -> None:
        """Remove the log."""
        self._log.close()

    def take(self, event: events.Event) -> None:
        """Write the event's line, if it has one."""
        match event:
            case events.StudyStarted():
                self._study = {**asdict(event), **({"bench": self._bench} if self._bench else {})}
                self._begin_log()
            case events.RunStarted():
                self._study = {**self._study, "runs_done": event.number - 1}
                self._begin_log()
                self._log.tell("run", {**_run_facts(event.run), "number": event.number})
            case events.RunPhaseEntered():
                self._log.tell("phase", {"phase": event.phase})
            case events.SecondMeasured():
                self._log.tell("second", _second_facts(event))
            case events.RunFinished():
                self._log.tell("finished", {"status": event.record.status})
            case _:
                if activity := activity_words(event):
                    self._log.tell("doing", {"text": activity})

    def _begin_log(self) -> None:
        self._log.begin()
        self._log.tell("study", self._study)


def _run_facts(run: Run) -> dict[str, JsonValue]:
    return {"run_id": run.run_id, "repeat": run.repeat, **asdict(run.cell)}


def _second_facts(event: events.SecondMeasured) -> dict[str, JsonValue]:
    facts: dict[str, JsonValue] = {name: getattr(event, name) for name in ("phase", "second", "seconds_count", *_RATES)}
    if event.course is not None:
        facts |= {"unsettled": list(event.course.unsettled), "passes": event.course.passes}
    return facts


@contextmanager
def watched_folder(writer: ResultsWriter) -> Iterator[None]:
    """Interrupt the study when its results folder is moved or removed: every run after that would be lost.

    A thread checks each second, because phases such as a restore emit nothing for minutes.
    """
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(_FOLDER_CHECK_S):
            if writer.folder_problem() is not None:
                os.kill(os.getpid(), signal.SIGINT)
                return

    thread = threading.Thread(target=watch, name="dbdyno-results-folder", daemon=True)
    try:
        thread.start()  # inside try: a Ctrl-C may come while start() waits
        yield
    finally:
        is_over.set()
        if thread.is_alive():
            thread.join()


def activity_words(event: events.Event) -> str:
    """Return what the study does before its runs, for people; empty for events that show no activity."""
    match event:
        case events.EngineProgress():
            return f"{event.target}: {event.text}"
        case events.FillStarted():
            return f"{event.target}: filling {event.dataset}"
        case events.FillAdvanced():
            share = 100 * event.rows_done // max(event.rows_total, 1)
            return f"{event.target}: {event.phase} {event.rows_done:,} of {event.rows_total:,} rows, {share} %"
        case events.ConditionAwaited() | events.FillAwaited():
            return event.words
        case events.ServerInspected():
            return f"{event.target}: starting the server for the audit"
        case events.ResultsComparing():
            return f"{event.target}: comparing results of the same events"
        case _:
            return ""
