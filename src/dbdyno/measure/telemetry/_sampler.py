"""Samples sources on the load's own second boundaries; a run's samplers start and stop together.

The row of second k holds what happened between boundary k and boundary k + 1: rates of counters over the time that
really passed between the two readings, levels as they stood at the end.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from dbdyno.core import Caveat, HostError, counted
from dbdyno.hosts import FileWatch
from dbdyno.store import TelemetryRow


class Clock(Protocol):
    """CLOCK_MONOTONIC of this machine, in nanoseconds."""

    def now_ns(self) -> int:
        """Return the time."""

    def wait_until_ns(self, when_ns: int) -> bool:
        """Wait; return False if stopped before."""


class MonotonicClock:
    """Reads the real clock, with a switch that ends all waiting beyond a given moment."""

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._last_ns = 0

    def now_ns(self) -> int:
        """See `Clock`."""
        return time.monotonic_ns()

    def wait_until_ns(self, when_ns: int) -> bool:
        """See `Clock`."""
        left_s = (when_ns - self.now_ns()) / 1e9
        is_stopped = self._stopped.wait(left_s) if left_s > 0 else self._stopped.is_set()
        return not is_stopped or when_ns <= self._last_ns

    def stop(self, last_ns: int) -> None:
        """End every wait, now and later, for a moment after `last_ns`, which must have passed."""
        self._last_ns = last_ns
        self._stopped.set()


@dataclass(frozen=True, slots=True)
class Reading:
    """Describes a number as the system gives it.

    Parameters
    ----------
    kind : a counter only grows and is stored as its rate per second; a gauge is stored unchanged
    unit : of the stored value: of the rate for a counter
    """

    metric: str
    value: float
    unit: str
    kind: Literal["counter", "gauge"] = "counter"


class Source(Protocol):
    """Something that can be read once a second. Raises OSError, ValueError or a database error when it can't."""

    @property
    def name(self) -> str:
        """For caveats and for the lateness metric."""

    def read(self) -> Sequence[Reading]:
        """Read now."""


SECOND_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class SourceGroup:
    """Sources that one thread reads.

    Parameters
    ----------
    watch : reads the files that they parse; None: they ask a server
    """

    sources: Sequence[Source]
    watch: FileWatch | None = None


@dataclass(slots=True)
class Sampler:
    """Reads a group of sources until its clock says stop. One thread drives it.

    Lateness (from the boundary to the moment the source was asked) and cost (how long the answer took) are
    recorded for each source, so that a reader can see how far a reading may be off.
    """

    group: SourceGroup
    clock: Clock
    rows: list[TelemetryRow] = field(default_factory=list)
    failures: list[tuple[str, int, str]] = field(default_factory=list)
    _last: dict[str, tuple[int, Mapping[str, Reading]]] = field(default_factory=dict)

    def run(self, start_ns: int) -> None:
        """Sample every boundary from `start_ns` on; boundaries missed by a slow source are left out, not made up."""
        boundary = 0
        watch = self.group.watch
        is_kept = watch is not None and watch.keeps_instants
        while self.clock.wait_until_ns(instant_ns := start_ns + boundary * SECOND_NS):
            try:
                read_ns = None if watch is None else watch.at(instant_ns)
            except HostError as error:
                self.failures.append(("host", boundary - 1, error.what))
                return
            if is_kept and read_ns is None and self.clock.now_ns() >= instant_ns + SECOND_NS:
                boundary += 1  # the host stood still at that instant: what it shows now is of a later one
                continue
            for source in self.group.sources:
                self._sample(source, boundary, start_ns, read_ns)
            to_come = boundary if is_kept else -((start_ns - self.clock.now_ns()) // SECOND_NS)
            boundary = max(boundary + 1, to_come)

    def _sample(self, source: Source, boundary: int, start_ns: int, read_ns: int | None) -> None:
        began_ns = self.clock.now_ns()
        asked_ns = began_ns if read_ns is None else read_ns
        try:
            readings = {reading.metric: reading for reading in source.read()}
        except Exception as error:  # a failing source costs a caveat, never the run
            self.failures.append((source.name, boundary - 1, f"{type(error).__name__}: {error}"))
            return
        second = boundary - 1
        if second >= 0:
            if source.name in self._last:
                last_ns, last_readings = self._last[source.name]
                self.rows += stored_rows(second, readings, last_readings, (asked_ns - last_ns) / 1e9)
            lateness_ns = asked_ns - (start_ns + boundary * SECOND_NS)
            cost_ns = self.clock.now_ns() - began_ns
            self.rows.append(TelemetryRow(second, f"sampler.{source.name}.lateness", lateness_ns, "ns"))
            self.rows.append(TelemetryRow(second, f"sampler.{source.name}.cost", cost_ns, "ns"))
        self._last[source.name] = (asked_ns, readings)

    def caveats(self, seconds_count: int) -> tuple[Caveat, ...]:
        """Return a caveat for each source that failed in the first `seconds_count` seconds: count and first words."""
        texts: dict[str, list[str]] = {}
        for name, second, text in self.failures:
            if second < seconds_count:  # after the last one a process may be gone, as it should be
                texts.setdefault(name, []).append(text)
        return tuple(
            Caveat(
                "telemetry-incomplete", f"telemetry '{name}' could not be read {counted(len(t), 'time')}: {t[0][:200]}"
            )
            for name, t in texts.items()
        )


def stored_rows(
    second: int, now: Mapping[str, Reading], before: Mapping[str, Reading], elapsed_s: float
) -> list[TelemetryRow]:
    """Return rows of one second. A counter that was not there before, or went back, gives none: not known is not zero.

    >>> before = {"x": Reading("x", 10, "ops/s")}
    >>> stored_rows(3, {"x": Reading("x", 25, "ops/s")}, before, elapsed_s=1.5)
    [TelemetryRow(second=3, metric='x', value=10.0, unit='ops/s')]
    """
    rows = []
    for metric, reading in now.items():
        if reading.kind == "gauge":
            rows.append(TelemetryRow(second, metric, float(reading.value), reading.unit))
        elif metric in before and reading.value >= before[metric].value and elapsed_s > 0:
            rate = (reading.value - before[metric].value) / elapsed_s
            rows.append(TelemetryRow(second, metric, rate, reading.unit))
    return rows


STOP_S = 5.0


@dataclass(frozen=True, slots=True)
class Telemetry:
    """Describes what the samplers saw."""

    rows: tuple[TelemetryRow, ...] = ()
    caveats: tuple[Caveat, ...] = ()

    def joined(self, rows: Sequence[TelemetryRow], caveats: Sequence[Caveat]) -> Telemetry:
        """Add what another sampler saw."""
        all_rows = sorted((*self.rows, *rows), key=lambda row: (row.second, row.metric))
        return Telemetry(tuple(all_rows), (*self.caveats, *caveats))


class SamplerGroup:
    """Runs one thread per group, so that a server slow to answer does not make the machine's readings late."""

    def __init__(self, groups: Sequence[SourceGroup]) -> None:
        self._clock = MonotonicClock()
        self._samplers = [Sampler(group, self._clock) for group in groups if group.sources]
        self._threads: list[threading.Thread] = []
        self._start_ns = 0
        self._handed_out: dict[int, int] = {}

    def start(self, start_ns: int) -> None:
        """Begin; `start_ns` is the monotonic time at which second 0 begins."""
        self._start_ns = start_ns
        for sampler in self._samplers:
            thread = threading.Thread(target=sampler.run, args=(start_ns,), daemon=True, name="dbdyno-sampler")
            thread.start()
            self._threads.append(thread)

    def fresh(self) -> list[TelemetryRow]:
        """Return what has come since the last time this was asked."""
        rows: list[TelemetryRow] = []
        for index, sampler in enumerate(self._samplers):
            count = len(sampler.rows)  # its thread goes on appending
            rows += sampler.rows[self._handed_out.get(index, 0) : count]
            self._handed_out[index] = count
        return rows

    def stop(self, seconds_count: int, timeout_s: float = STOP_S) -> Telemetry:
        """End and hand over the first `seconds_count` seconds, the last of them included although it has just passed.

        A thread stuck in its source is left and named; all together are given `timeout_s`.
        """
        self._clock.stop(self._start_ns + seconds_count * SECOND_NS)
        deadline = time.monotonic() + timeout_s
        for thread in self._threads:
            thread.join(max(deadline - time.monotonic(), 0.0))
        for sampler in self._samplers:
            if sampler.group.watch is not None:
                sampler.group.watch.close()
        caveats = [caveat for sampler in self._samplers for caveat in sampler.caveats(seconds_count)]
        if any(thread.is_alive() for thread in self._threads):
            caveats.append(Caveat("telemetry-incomplete", f"a sampler did not answer within {timeout_s:g} s"))
        rows = [row for sampler in self._samplers for row in tuple(sampler.rows) if row.second < seconds_count]
        return Telemetry(tuple(sorted(rows, key=lambda row: (row.second, row.metric))), tuple(caveats))
