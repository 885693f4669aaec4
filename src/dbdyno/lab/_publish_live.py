"""Events told to the results folder as well, so that others can look on while a study runs."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict

from dbdyno.core import Run
from dbdyno.lab import _events as events
from dbdyno.store import JsonValue, LiveLog, ResultsWriter

_FOLDER_LOOK_S = 1.0
_TOLD = ("phase", "second", "seconds_count", "tps", "qps", "p95_ns", "errors", "client_use_share", "connections")


@contextmanager
def publish_live(log: LiveLog, on_event: events.OnEvent) -> Iterator[events.OnEvent]:
    """Give a function that tells the log and then `on_event`; the log is removed at the end.

    The folder must be locked by the caller: the log is emptied whenever a run begins.
    """
    teller = _Teller(log)

    def both(event: events.Event) -> None:
        teller.tell(event)
        on_event(event)

    try:
        yield both
    finally:
        log.close()


@contextmanager
def stopping_without_folder(writer: ResultsWriter) -> Iterator[None]:
    """Interrupt the study when its results folder is moved or removed: every run after that would be lost.

    Looked at each second, by a thread of its own, because phases such as a restore tell nothing for minutes.
    """
    over = threading.Event()

    def watch() -> None:
        while not over.wait(_FOLDER_LOOK_S):
            if writer.folder_problem() is not None:
                os.kill(os.getpid(), signal.SIGINT)
                return

    thread = threading.Thread(target=watch, name="dbdyno-results-folder", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def stopping_without_output(on_event: events.OnEvent, writer: ResultsWriter) -> events.OnEvent:
    """Give a function that calls `on_event`, and interrupts the study when its output can't be written any more.

    The reader of a pipe has ended, or the terminal is gone: nobody sees how the study goes on. That is an interruption
    like Ctrl-C, so it takes the same way, by the same signal; what is told afterwards goes nowhere.
    """
    is_lost = False

    def tell(event: events.Event) -> None:
        nonlocal is_lost
        if is_lost:
            return
        try:
            on_event(event)
        except OSError as error:
            is_lost = True
            writer.append("output-lost", reason=error.strerror or str(error))
            os.kill(os.getpid(), signal.SIGINT)

    return tell


class _Teller:
    def __init__(self, log: LiveLog) -> None:
        self._log = log
        self._study: Mapping[str, JsonValue] = {}

    def tell(self, event: events.Event) -> None:
        match event:
            case events.StudyStarted():
                self._study = asdict(event)
                self._begin()
            case events.RunStarted():
                self._study = {**self._study, "runs_done": event.number - 1}
                self._begin()
                self._log.tell("run", {**_run(event.run), "number": event.number})
            case events.RunPhaseEntered():
                self._log.tell("phase", {"phase": event.phase})
            case events.SecondMeasured():
                self._log.tell("second", _second(event))
            case events.RunFinished():
                self._log.tell("finished", {"status": event.record.status})
            case events.EngineProgress():
                self._log.tell("doing", {"text": f"{event.target}: {event.text}"})
            case events.FillStarted():
                self._log.tell("doing", {"text": f"{event.target}: filling {event.dataset}"})
            case events.FillAdvanced():
                rows = f"{event.rows_done:,} of {event.rows_total:,} rows"
                self._log.tell("doing", {"text": f"{event.target}: {event.phase} {rows}"})
            case events.ConditionAwaited():
                self._log.tell("doing", {"text": event.words})
            case events.ResultsComparing():
                self._log.tell("doing", {"text": f"{event.target}: sending the events by which results are compared"})
            case _:
                pass

    def _begin(self) -> None:
        self._log.begin()
        self._log.tell("study", self._study)


def _run(run: Run) -> dict[str, JsonValue]:
    return {"run_id": run.run_id, "repeat": run.repeat, **asdict(run.cell)}


def _second(event: events.SecondMeasured) -> dict[str, JsonValue]:
    facts: dict[str, JsonValue] = {name: getattr(event, name) for name in _TOLD}
    if event.course is not None:
        facts |= {"unsettled": list(event.course.unsettled), "passes": event.course.passes}
    return facts
