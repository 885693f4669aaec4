"""All samplers of a run: started when the load says when its second 0 begins, stopped when it has ended."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from dbdyno.core import Caveat
from dbdyno.measure.telemetry._clock import MonotonicClock
from dbdyno.measure.telemetry._reading import Source
from dbdyno.measure.telemetry._sampler import SECOND_NS, Sampler
from dbdyno.store import TelemetryRow

STOP_S = 5.0


@dataclass(frozen=True, slots=True)
class Telemetry:
    """What the samplers saw."""

    rows: tuple[TelemetryRow, ...] = ()
    caveats: tuple[Caveat, ...] = ()


class SamplerGroup:
    """One thread a group, so that a server slow to answer does not make the machine's readings late."""

    def __init__(self, groups: Sequence[Sequence[Source]]) -> None:
        self._clock = MonotonicClock()
        self._samplers = [Sampler(tuple(group), self._clock) for group in groups if group]
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
        """What has come since the last time this was asked."""
        found: list[TelemetryRow] = []
        for index, sampler in enumerate(self._samplers):
            count = len(sampler.rows)  # its thread goes on appending
            found += sampler.rows[self._handed_out.get(index, 0) : count]
            self._handed_out[index] = count
        return found

    def stop(self, seconds_count: int, patience_s: float = STOP_S) -> Telemetry:
        """End and hand over the first `seconds_count` seconds, the last of them included although it has just passed.

        A thread stuck in its source is left and named; all together are given `patience_s`.
        """
        self._clock.stop(self._start_ns + seconds_count * SECOND_NS)
        deadline = time.monotonic() + patience_s
        for thread in self._threads:
            thread.join(max(deadline - time.monotonic(), 0.0))
        caveats = [caveat for sampler in self._samplers for caveat in sampler.caveats(seconds_count)]
        if any(thread.is_alive() for thread in self._threads):
            caveats.append(Caveat("telemetry-incomplete", f"a sampler did not answer within {patience_s:g} s"))
        rows = [row for sampler in self._samplers for row in tuple(sampler.rows) if row.second < seconds_count]
        return Telemetry(tuple(sorted(rows, key=lambda row: (row.second, row.metric))), tuple(caveats))
