"""Reads what the samplers saw in a run's window."""

from __future__ import annotations

import itertools
import statistics
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from dbdyno.core import IDLE_TIMES
from dbdyno.store import Results
from dbdyno.tables import Table

_ENGINE = "engine."
_SECOND = ("second", "phase", "tps")
_READING = ("second", "metric", "value", "unit")
# A run has some two hundred metrics a second; the rules look at these.
_NEEDED = (
    "client.cpu.system",
    "client.cpu.user",
    "engine.bytes.dirty",
    "engine.lsm.compaction_queue",
    "engine.lsm.memtable_bytes",
    "engine.pool.misses",
    "engine.redo.checkpoint_age",
    "engine.redo.checkpoint_limit",
    "engine.redo.waits",
    "engine.table_cache.opened_tables",
    "engine.table_cache.overflows",
    *IDLE_TIMES,
    "memory.available",
    "server.limit.anonymous",
    "server.resident",
)


@dataclass(frozen=True, slots=True)
class Window:
    """Describes the seconds of one run that were judged.

    Parameters
    ----------
    tps : of each second
    metrics : metric -> reading of each second; rates unchanged
    units : metric -> unit; rates end in ``/s``
    seconds : metric -> seconds in which it was read, counted from the first of the window
    """

    tps: tuple[float, ...]
    metrics: dict[str, tuple[float, ...]]
    units: dict[str, str]
    seconds: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def tps_at(self, name: str) -> tuple[float, ...]:
        """Return the throughput of the seconds in which a metric was read; of all where it never was."""
        return tuple(self.tps[second] for second in self.seconds.get(name, range(len(self.tps))))

    def median(self, *names: str) -> float | None:
        """Return the middle of the sum of metrics over the seconds; None when one was not sampled."""
        series = [self.metrics.get(name) for name in names]
        sampled = [values for values in series if values]
        if len(sampled) < len(names):
            return None
        return statistics.median(map(sum, zip(*sampled, strict=False)))

    def counters(self) -> dict[str, tuple[float, ...]]:
        """Return the server's own counters by neutral name; rates summed up, so that they grow as the server's do."""
        return {
            name.removeprefix(_ENGINE): tuple(itertools.accumulate(values)) if "/" in self.units[name] else values
            for name, values in self.metrics.items()
            if name.startswith(_ENGINE)
        }


NO_WINDOW = Window((), {}, {})
"""Of a server that was not driven."""


def read_window(results: Results, run_id: str) -> Window:
    """Return the window of a stored run."""
    tps_by_second = {
        second: tps for second, phase, tps in _table_rows(results.seconds(run_id, _SECOND)) if phase == "window"
    }
    values_by_metric: dict[str, dict[int, float]] = defaultdict(dict)
    units: dict[str, str] = {}
    table = results.telemetry(run_id, _READING)
    for second, metric, value, unit in _table_rows(table.at(table.texts("metric").among(_NEEDED))):
        if second in tps_by_second and value is not None:
            values_by_metric[metric][second] = value
            units[metric] = unit
    metrics = {name: tuple(values[second] for second in sorted(values)) for name, values in values_by_metric.items()}
    place = {second: index for index, second in enumerate(tps_by_second)}
    seconds = {name: tuple(place[second] for second in sorted(values)) for name, values in values_by_metric.items()}
    return Window(tuple(tps_by_second.values()), metrics, units, seconds)


def _table_rows(table: Table) -> Iterator[tuple[Any, ...]]:
    return zip(*(table.values(name) for name in table.columns), strict=True)


def wrote(results: Results, run_id: str) -> bool | None:
    """Return whether any statement of a run changed rows; None where its writes were not counted."""
    counts = [count for count in results.seconds(run_id, ("writes",)).values("writes") if count is not None]
    return any(count > 0 for count in counts) if counts else None
