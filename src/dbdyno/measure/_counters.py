"""Sums what counters grew by over the window, from the rates that were sampled each second. Pure.

A rate stands for the time between two readings; when each was taken is known from the boundary it was meant for and the
sampler's lateness. So rate times time gives back the difference of the two readings, also where a slow server skipped
some, and a stored run gives its deltas again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dbdyno.store import JsonValue, TelemetryRow

_LATENESS = "sampler.{}.lateness"
_SOURCES = {"engine": "status"}
"""Prefix of metrics -> name of the source that reads them, where the two differ."""
_WANTED = ("engine.", "server.", "disk.")
_GROWS = ("/s", "cpus")


@dataclass(frozen=True, slots=True)
class CounterDelta:
    """Describes one counter or level over the window.

    Parameters
    ----------
    delta : of a counter: how much it grew in the seconds that are covered; None of a level
    begin, end, highest : of a level; None of a counter
    covered_s : seconds of the window between the readings that it rests on
    """

    name: str
    unit: str
    covered_s: float
    delta: float | None = None
    begin: float | None = None
    end: float | None = None
    highest: float | None = None

    def to_json(self) -> dict[str, JsonValue]:
        """Convert to what is stored: a counter with its delta, a level with its three values."""
        common: dict[str, JsonValue] = {"name": self.name, "unit": self.unit, "covered_s": round(self.covered_s, 3)}
        if self.delta is not None:
            return {**common, "kind": "counter", "delta": self.delta}
        return {**common, "kind": "gauge", "begin": self.begin, "end": self.end, "highest": self.highest}


def window_counters(rows: Iterable[TelemetryRow], first_second: int, seconds_count: int) -> tuple[CounterDelta, ...]:
    """Return deltas of every counter of server and disk over the window, levels with begin, end and highest value.

    A counter that could not be read at all is not among them: not known is not zero.

    >>> rows = [TelemetryRow(s, "engine.redo.bytes", 100.0, "bytes/s") for s in range(4)]
    >>> [(c.name, c.delta, c.covered_s) for c in window_counters(rows, 1, 2)]
    [('engine.redo.bytes', 200.0, 2.0)]
    """
    series: dict[str, dict[int, float]] = defaultdict(dict)
    units: dict[str, str] = {}
    for row in rows:
        if row.value is not None and row.second < first_second + seconds_count:
            series[row.metric][row.second] = row.value
            units[row.metric] = row.unit
    counters = []
    for name in sorted(series):
        if name.startswith(_WANTED) and max(series[name]) >= first_second:
            grows = units[name].endswith(_GROWS)
            counters.append((_counter_growth if grows else _gauge_level)(name, units[name], series, first_second))
    return tuple(counters)


def _counter_growth(name: str, unit: str, series: Mapping[str, Mapping[int, float]], first_second: int) -> CounterDelta:
    values, prefix = series[name], name.partition(".")[0]
    lateness = series.get(_LATENESS.format(_SOURCES.get(prefix, prefix)), {})
    # A counter that went back, and one read for the first time, has no rate in that second. The reading at boundary 0
    # has no row at all.
    read_seconds = sorted({*values, *lateness})
    previous_second = dict(zip(read_seconds, [-1, *read_seconds], strict=False))
    spans = {
        second: _rate_span_s(previous_second[second], second, lateness, first_second)
        for second in values
        if second >= first_second
    }
    delta = sum(values[second] * span for second, span in spans.items())
    return CounterDelta(name, "s" if unit == "cpus" else unit.removesuffix("/s"), sum(spans.values()), delta=delta)


def _gauge_level(name: str, unit: str, series: Mapping[str, Mapping[int, float]], first_second: int) -> CounterDelta:
    levels = [value for second, value in sorted(series[name].items()) if second >= first_second]
    return CounterDelta(name, unit, float(len(levels)), begin=levels[0], end=levels[-1], highest=max(levels))


def _rate_span_s(previous_second: int, second: int, lateness_ns: Mapping[int, float], first_second: int) -> float:
    """Return the seconds in the window that the rate of a second stands for; `previous_second` was read before it.

    The row of second k is of the reading at boundary k + 1. Readings that were skipped across the beginning of the
    window leave a rate of which only a part belongs to it.
    """
    begin_s = previous_second + 1 + lateness_ns.get(previous_second, 0.0) / 1e9
    end_s = second + 1 + lateness_ns.get(second, 0.0) / 1e9
    return end_s - (max(begin_s, float(first_second)) if previous_second < first_second - 1 else begin_s)


def counters_document(
    deltas: Sequence[CounterDelta], window_s: float, transactions: int, absent: Sequence[str]
) -> dict[str, JsonValue]:
    """Build the document kept with the run; `absent` names the counters that the server does not have."""
    return {
        "window_s": window_s,
        "transactions": transactions,
        "counters": [delta.to_json() for delta in deltas],
        "absent": list(absent),
    }
