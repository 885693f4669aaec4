"""What the samplers saw in a run's window."""

from __future__ import annotations

import itertools
import statistics
from collections import defaultdict
from dataclasses import dataclass

from dbdyno.store import Results

_ENGINE = "engine."


@dataclass(frozen=True, slots=True)
class Window:
    """The seconds of one run that were judged.

    Parameters
    ----------
    tps : of each second
    wrote : whether any statement of the run changed rows
    metrics : metric -> reading of each second; rates as they are
    units : metric -> unit; rates end in ``/s``
    """

    tps: tuple[float, ...]
    wrote: bool
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


def read_window(results: Results, run_id: str) -> Window:
    """The window of a stored run."""
    seconds = results.seconds(run_id).select(["second", "phase", "tps", "writes"]).to_pylist()
    judged = {row["second"]: row["tps"] for row in seconds if row["phase"] == "window"}
    found: dict[str, dict[int, float]] = defaultdict(dict)
    units: dict[str, str] = {}
    for row in results.telemetry(run_id).select(["second", "metric", "value", "unit"]).to_pylist():
        if row["second"] in judged and row["value"] is not None:
            found[row["metric"]][row["second"]] = row["value"]
            units[row["metric"]] = row["unit"]
    metrics = {name: tuple(values[second] for second in sorted(values)) for name, values in found.items()}
    return Window(tuple(judged.values()), any(row["writes"] for row in seconds), metrics, units)
