"""Collects records and readings while a run is driven, judges its course second by second, and ends it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from dbdyno.core import Caveat, DbdynoError, RunCourse
from dbdyno.hosts import PipedProcess
from dbdyno.measure._drive import WatchedServer
from dbdyno.measure._figures import WINDOW, quota_rows, quota_share
from dbdyno.measure._records import (
    CountersRecord,
    EndRecord,
    IntervalRecord,
    LoadRecord,
    MessageRecord,
    ProbeRecord,
    StartRecord,
)
from dbdyno.measure._rows import second_row
from dbdyno.measure.client._use import ClientCapacity
from dbdyno.measure.telemetry import STOP_S, PerfRecording, SamplerGroup, SessionThreads, Telemetry
from dbdyno.stats import AdaptiveLengthRule, Course, Gates, Readings, ServerFacts, advanced, no_gates, server_gates
from dbdyno.store import SecondRow, TelemetryRow

WARM_UP = "warm-up"
AFTER = "after"
"""Seconds that were driven after the window had ended, while the load was being stopped."""
_CAP_TEXT = "the warm-up ended at its limit of {cap} s without settling: {what}"
_WINDOW_CAP_TEXT = "the window ended at its limit of {cap} s before its mean reached the target half-width"


@dataclass(slots=True)
class LiveLength:
    """Describes where a run is, and why.

    Parameters
    ----------
    facts : of the server; None: it is not asked
    """

    rule: AdaptiveLengthRule
    facts: ServerFacts | None = None
    course: Course = field(default_factory=Course)
    _tps: list[float] = field(default_factory=list)
    _readings: Readings = field(default_factory=Readings)

    def take(self, second: int, tps: float, telemetry: Iterable[TelemetryRow]) -> Course:
        """Take in a second; those that were never reported before it did nothing."""
        self._readings.add((row.second, row.metric, row.value) for row in telemetry)
        self._tps.extend([0.0] * (second - len(self._tps)))
        self._tps.append(tps)
        self.course = advanced(self.course, self._tps, self.rule, self._steady_state_checks)
        return self.course

    @property
    def _steady_state_checks(self) -> Gates:
        return no_gates if self.facts is None else server_gates(self.facts, self._readings, self._tps)


def with_course(intervals: Sequence[IntervalRecord], course: Course) -> list[IntervalRecord]:
    """Return the seconds of a run, each called by the phase that it turned out to be of."""
    return [replace(interval, phase=_phase_of_second(interval.second, course)) for interval in intervals]


def _phase_of_second(second: int, course: Course) -> str:
    if course.window_first_s is None or course.window_end_s is None:
        return WARM_UP if course.warm_up_s is None or second < course.warm_up_s else WINDOW
    if second < course.window_first_s:
        return WARM_UP
    return WINDOW if second < course.window_end_s else AFTER


def course_caveats(course: RunCourse | None, rule: AdaptiveLengthRule, *, asked: bool) -> list[Caveat]:
    """Return what a course leaves in doubt.

    Parameters
    ----------
    asked : whether the server's own state was to be looked at
    """
    if course is None:
        return []
    caveats = []
    if course.warm_up_end == "cap":
        unsettled_words = ", ".join(course.unsettled) or "too short to judge"
        caveats.append(Caveat("warm-up-cap", _CAP_TEXT.format(cap=rule.warm_up_s, what=unsettled_words)))
    if course.window_end == "cap":
        caveats.append(Caveat("window-cap", _WINDOW_CAP_TEXT.format(cap=rule.window_s)))
    if asked and course.gates_failed:
        text = f"the server's internal state changed in the window: {', '.join(course.gates_failed)}"
        caveats.append(Caveat("server-unsettled", text))
    if asked and course.gates_unread:
        text = f"dbdyno could not read whether the server had settled: {', '.join(course.gates_unread)}"
        caveats.append(Caveat("server-unread", text))
    return caveats


class MeasuredServer(WatchedServer, Protocol):
    """Describes what measuring wants to know of a server."""

    def exit_reason(self) -> str | None:
        """Return how it ended, in words; None while it runs or when it can't be seen."""


@dataclass(slots=True)
class Collector:
    """Collects all that is known of a run so far.

    Parameters
    ----------
    here_ns : an instant of the load generator's monotonic clock, on that of this process
    """

    process: PipedProcess
    server: MeasuredServer
    samplers: SamplerGroup
    on_second: Callable[[SecondRow], None]
    capacity: ClientCapacity
    here_ns: Callable[[int], int]
    threads: SessionThreads | None = None
    recording: PerfRecording | None = None
    live: LiveLength | None = None
    on_course: Callable[[Course], None] | None = None
    start: StartRecord | None = None
    end: EndRecord | None = None
    intervals: list[IntervalRecord] = field(default_factory=list)
    messages: list[MessageRecord] = field(default_factory=list)
    probes: list[ProbeRecord] = field(default_factory=list)
    counters: list[CountersRecord] = field(default_factory=list)
    failure: DbdynoError | None = None
    telemetry: Telemetry = field(default_factory=Telemetry)
    quota: tuple[TelemetryRow, ...] = ()
    sampling: bool = True

    @property
    def seconds_count(self) -> int:
        """Seconds reported so far, from the first to the last."""
        return self.intervals[-1].second + 1 if self.intervals else 0

    def take(self, record: LoadRecord) -> None:
        """Keep a record; what it means for the run is done at once."""
        match record:
            case StartRecord():
                self.start = record
                here_ns = self.here_ns(record.monotonic_ns)
                if self.threads is not None:  # first: it must see the sessions idle
                    self.threads.start(here_ns, self.process.pid)
                if self.recording is not None:
                    self.recording.start()
                self.samplers.start(here_ns)
            case IntervalRecord():
                self._take_second(record)
            case MessageRecord():
                self.messages.append(record)
            case CountersRecord():
                self.counters.append(record)
            case ProbeRecord():
                self.probes.append(record)
            case EndRecord():
                self.end = record
                self.stop_sampling()  # now: once the process has been waited for, its last second can't be read

    def stop_sampling(self, timeout_s: float = STOP_S) -> None:
        """End the samplers and keep what they saw; nothing happens the second time."""
        if self.sampling:
            self.sampling = False
            if self.recording is not None:
                self.recording.stop()
            self.telemetry = self.samplers.stop(self.seconds_count, timeout_s)
            if self.threads is not None:
                self.threads.stop(self.seconds_count)
                self.telemetry = self.telemetry.joined(
                    self.threads.rows(self.seconds_count), self.threads.caveats(self.seconds_count)
                )
            self.quota = quota_rows(self.telemetry.rows)

    @property
    def open_loop(self) -> bool:
        """Return whether times run from when a transaction was due."""
        return self.start is not None and self.start.open_loop

    def row(self, record: IntervalRecord) -> SecondRow:
        """Return a second as it is stored; its share of a quota is known only once the samplers have stopped."""
        share = quota_share(self.quota, {record.second})
        return second_row(record, open_loop=self.open_loop, capacity=self.capacity, quota_share=share)

    def _take_second(self, record: IntervalRecord) -> None:
        self.intervals.append(record)
        row = self.row(record)
        self.on_second(row if self.live is None else replace(row, phase=self._follow_second(self.live, row)))
        if self.server.exit_reason():
            self.process.interrupt()  # nothing more can be measured; the load would only wait for its time to pass

    def _follow_second(self, live: LiveLength, row: SecondRow) -> str:
        """Return the phase that a second is taken for when it comes; the load is ended with the window."""
        was_over = self.is_ended_in_order
        course = live.take(row.second, row.tps, self.samplers.fresh())
        if self.on_course is not None:
            self.on_course(course)
        if self.is_ended_in_order and not was_over:
            self.process.interrupt()
        return AFTER if course.phase == "over" else course.phase

    @property
    def is_ended_in_order(self) -> bool:
        """Return whether the run had come to its end by itself when its load was interrupted."""
        return self.live is not None and self.live.course.phase == "over"

    @property
    def asks_server(self) -> bool:
        """Return whether the server's own state has a say in how long the run is."""
        return self.live is not None and bool(self.live.facts)
