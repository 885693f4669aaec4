"""What the samplers saw in a run's window."""

from __future__ import annotations

import itertools
import statistics
from collections import defaultdict
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from dbdyno.store import Results

_ENGINE = "engine."
# A run has some two hundred metrics a second; the rules look at these.
_NEEDED = (
    "client.cpu.system",
    "client.cpu.user",
    "engine.bytes.dirty",
    "engine.lsm.memtable_bytes",
    "engine.pool.misses",
    "engine.redo.checkpoint_age",
    "engine.redo.checkpoint_limit",
    "engine.redo.waits",
    "engine.table_cache.opened_tables",
    "engine.table_cache.overflows",
    "host.cpu.idle",
    "memory.available",
    "server.resident",
)


@dataclass(frozen=True, slots=True)
class Window:
    """The seconds of one run that were judged.

    Parameters
    ----------
    tps : of each second
    metrics : metric -> reading of each second; rates as they are
    units : metric -> unit; rates end in ``/s``
    """

    tps: tuple[float, ...]
    metrics: dict[str, tuple[float, ...]]
    units: dict[str, str]

    def median(self, *names: str) -> float | None:
        """Middle of the sum of metrics over the seconds; None when one was not sampled."""
        series = [self.metrics.get(name) for name in names]
        told = [values for values in series if values]
        if len(told) < len(names):
            return None
        return statistics.median(map(sum, zip(*told, strict=False)))

    def counters(self) -> dict[str, tuple[float, ...]]:
        """The server's own counters by neutral name; rates summed up, so that they grow as the server's do."""
        return {
            name.removeprefix(_ENGINE): tuple(itertools.accumulate(values)) if "/" in self.units[name] else values
            for name, values in self.metrics.items()
            if name.startswith(_ENGINE)
        }


NO_WINDOW = Window((), {}, {})
"""Of a server that was not driven."""


def read_window(results: Results, run_id: str) -> Window:
    """The window of a stored run."""
    seconds = results.seconds(run_id, ("second", "phase", "tps")).to_pylist()
    judged = {row["second"]: row["tps"] for row in seconds if row["phase"] == "window"}
    found: dict[str, dict[int, float]] = defaultdict(dict)
    units: dict[str, str] = {}
    table = results.telemetry(run_id, ("second", "metric", "value", "unit"))
    for row in table.filter(pc.is_in(table["metric"], pa.array(_NEEDED))).to_pylist():
        if row["second"] in judged and row["value"] is not None:
            found[row["metric"]][row["second"]] = row["value"]
            units[row["metric"]] = row["unit"]
    metrics = {name: tuple(values[second] for second in sorted(values)) for name, values in found.items()}
    return Window(tuple(judged.values()), metrics, units)


def wrote(results: Results, run_id: str) -> bool | None:
    """Whether any statement of a run changed rows; None where its writes were not counted."""
    counts = [count for count in results.seconds(run_id, ("writes",))["writes"].to_pylist() if count is not None]
    return any(count > 0 for count in counts) if counts else None
