"""What comes in while a run is driven: records of the load generator, readings of the samplers, and what ends it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from dbdyno.core import DbdynoError
from dbdyno.hosts import PipedProcess
from dbdyno.measure._figures import quota_rows, quota_share
from dbdyno.measure._live import AFTER, LiveLength
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
from dbdyno.measure._watch import WatchedServer
from dbdyno.measure.client._curve import CostCurve
from dbdyno.measure.telemetry import STOP_S, SamplerGroup, Telemetry
from dbdyno.stats import Course
from dbdyno.store import SecondRow, TelemetryRow


class ServerProcess(WatchedServer, Protocol):
    """What measuring wants to know of a server."""

    def death(self) -> str | None:
        """How it ended, in words; None while it runs or when it can't be seen."""


@dataclass(slots=True)
class Collector:
    """All that is known of a run so far."""

    process: PipedProcess
    server: ServerProcess
    station: SamplerGroup
    on_second: Callable[[SecondRow], None]
    client_has_own_cpus: bool
    curve: CostCurve | None = None
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
                self.station.start(record.monotonic_ns)
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

    def stop_sampling(self, patience_s: float = STOP_S) -> None:
        """End the samplers and keep what they saw; nothing happens the second time."""
        if self.sampling:
            self.sampling = False
            self.telemetry = self.station.stop(self.seconds_count, patience_s)
            self.quota = quota_rows(self.telemetry.rows)

    @property
    def open_loop(self) -> bool:
        """Whether times run from when a transaction was due."""
        return self.start is not None and self.start.open_loop

    def row(self, record: IntervalRecord) -> SecondRow:
        """A second as it is stored; its share of a quota is known only once the samplers have stopped."""
        share = quota_share(self.quota, {record.second})
        return second_row(
            record,
            open_loop=self.open_loop,
            curve=self.curve,
            quota_share=share,
            client_has_own_cpus=self.client_has_own_cpus,
        )

    def _take_second(self, record: IntervalRecord) -> None:
        self.intervals.append(record)
        row = self.row(record)
        self.on_second(row if self.live is None else replace(row, phase=self._followed(self.live, row)))
        if self.server.death():
            self.process.interrupt()  # nothing more is to be had; the load would only wait for its time to pass

    def _followed(self, live: LiveLength, row: SecondRow) -> str:
        """The phase that a second is taken for when it comes; the load is ended with the window."""
        was_over = self.is_ended_in_order
        course = live.take(row.second, row.tps, self.station.fresh())
        if self.on_course is not None:
            self.on_course(course)
        if self.is_ended_in_order and not was_over:
            self.process.interrupt()
        return AFTER if course.phase == "over" else course.phase

    @property
    def is_ended_in_order(self) -> bool:
        """Whether the run had come to its end by itself when its load was interrupted."""
        return self.live is not None and self.live.course.phase == "over"

    @property
    def asks_server(self) -> bool:
        """Whether the server's own state has a say in how long the run is."""
        return self.live is not None and bool(self.live.facts)
