"""Sources read on the load's own second boundaries.

The row of second k holds what happened between boundary k and boundary k + 1: rates of counters over the time that
really passed between the two readings, levels as they stood at the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dbdyno.core import Caveat
from dbdyno.measure.telemetry._clock import Clock
from dbdyno.measure.telemetry._reading import Reading, Source
from dbdyno.store import TelemetryRow

SECOND_NS = 1_000_000_000


@dataclass(slots=True)
class Sampler:
    """Reads a group of sources until its clock says stop. One thread drives it.

    Lateness (from the boundary to the moment the source was asked) and cost (how long the answer took) are
    recorded for each source, so that a reader can see how far a reading may be off.
    """

    sources: Sequence[Source]
    clock: Clock
    rows: list[TelemetryRow] = field(default_factory=list)
    failures: list[tuple[str, int, str]] = field(default_factory=list)
    _last: dict[str, tuple[int, Mapping[str, Reading]]] = field(default_factory=dict)

    def run(self, start_ns: int) -> None:
        """Sample every boundary from `start_ns` on; boundaries missed by a slow source are left out, not made up."""
        boundary = 0
        while self.clock.wait_until_ns(start_ns + boundary * SECOND_NS):
            for source in self.sources:
                self._sample(source, boundary, start_ns)
            boundary = max(boundary + 1, -((start_ns - self.clock.now_ns()) // SECOND_NS))  # the next to come

    def _sample(self, source: Source, boundary: int, start_ns: int) -> None:
        asked_ns = self.clock.now_ns()
        try:
            readings = {reading.metric: reading for reading in source.read()}
        except Exception as error:  # a source that fails costs a caveat, never the run
            self.failures.append((source.name, boundary - 1, f"{type(error).__name__}: {error}"))
            return
        second = boundary - 1
        if source.name in self._last and second >= 0:
            last_ns, last = self._last[source.name]
            self.rows += stored_rows(second, readings, last, (asked_ns - last_ns) / 1e9)
            lateness_ns = asked_ns - (start_ns + boundary * SECOND_NS)
            cost_ns = self.clock.now_ns() - asked_ns
            self.rows.append(TelemetryRow(second, f"sampler.{source.name}.lateness", lateness_ns, "ns"))
            self.rows.append(TelemetryRow(second, f"sampler.{source.name}.cost", cost_ns, "ns"))
        self._last[source.name] = (asked_ns, readings)

    def caveats(self, seconds_count: int) -> tuple[Caveat, ...]:
        """One for each source that failed in the first `seconds_count` seconds: how often, and its first words."""
        texts: dict[str, list[str]] = {}
        for name, second, text in self.failures:
            if second < seconds_count:  # after the last one a process may be gone, as it should be
                texts.setdefault(name, []).append(text)
        return tuple(
            Caveat("telemetry-incomplete", f"telemetry '{name}' could not be read {len(t)} times: {t[0][:200]}")
            for name, t in texts.items()
        )


def stored_rows(
    second: int, now: Mapping[str, Reading], before: Mapping[str, Reading], elapsed_s: float
) -> list[TelemetryRow]:
    """Rows of one second. A counter that was not there before, or went back, gives none: not known is not zero.

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
