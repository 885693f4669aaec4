"""The seconds of a run with its telemetry, as panels of lines on one time axis; and how lines are thinned."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dbdyno.store import Results

MOST_POINTS = 600
_NS = 1e-6


@dataclass(frozen=True, slots=True)
class PanelKind:
    """A panel under the throughput of a run.

    Parameters
    ----------
    pattern : of the metrics it draws; the first panel that takes a metric keeps it
    """

    title: str
    pattern: str


PANELS = (
    PanelKind(
        "CPU of the machine by mode",
        r"((host|iostat|vmstat|mpstat|dstat)\.)?cpu\.(user|nice|system|iowait|irq|softirq|steal)$",
    ),
    PanelKind("CPU of server and client", r"(server|client)\.cpu\.\w+$"),
    PanelKind("Disk bytes", r"(disk|(vmstat|dstat)\.disk|iostat\..+)\.(read|written)_bytes$"),
    PanelKind("Disk operations and flushes", r"(disk|dstat\.disk|iostat\..+)\.(reads|writes|flushes)$"),
    PanelKind("Syncs asked for by the server", r".*fsyncs?$"),
    PanelKind("Redo and log written", r".*(redo\.bytes|wal_bytes|binlog\.bytes)$"),
    PanelKind("Checkpoint age", r".*checkpoint_(age|limit)$"),
    PanelKind("Dirty pages", r".*(pages\.dirty|bytes\.dirty)$"),
    PanelKind("Pages read, written and flushed", r".*pages\.(read|written|flushed)$"),
    PanelKind("Compaction and memtable flush", r".*lsm\.(compaction_bytes|flush_bytes)$"),
    PanelKind("Write stalls and compactions waiting", r".*lsm\.(stall|compaction_queue).*$"),
    PanelKind("Purge history", r".*history\.length$"),
    PanelKind("Row lock waits and deadlocks", r".*(rowlock\.waits|deadlocks)$"),
    PanelKind("Processor quota of the client", r"client\.quota\.(cores|periods|throttled)$"),
    PanelKind("Memory of server and client", r"(server|client)\.resident$"),
    PanelKind("Waiting for CPU, disk, memory", r"pressure\..*$"),
)


def run_series(results: Results, run_id: str) -> dict[str, Any]:
    """Panels of one run, every second of it: title, unit, and lines of second and value; phases."""
    table = results.seconds(run_id)
    seconds = [int(second) for second in table["second"].to_pylist()]
    columns = {name: table[name].to_pylist() for name in table.column_names if name not in ("run_id", "second")}
    panels = [*_own_panels(seconds, columns), *_telemetry_panels(results, run_id)]
    return {
        "phases": _phases(seconds, columns.get("phase", [])),
        "panels": [panel for panel in panels if panel["lines"]],
        "seconds": len(seconds),
    }


def thinned(
    seconds: Sequence[float], values: Sequence[float], most: int = MOST_POINTS
) -> tuple[list[float], list[float]]:
    """Points whose line looks the same: of each bucket the least and the greatest value, in order of time.

    >>> thinned([0, 1, 2, 3, 4, 5, 6, 7], [1, 9, 2, 3, 4, 0, 5, 6], most=4)
    ([0, 1, 5, 7], [1, 9, 0, 6])
    """
    if len(values) <= most:
        return list(seconds), list(values)
    kept: set[int] = set()
    for bucket in np.array_split(np.arange(len(values)), max(most // 2, 1)):
        part = np.asarray(values, dtype=np.float64)[bucket]
        kept |= {int(bucket[int(part.argmin())]), int(bucket[int(part.argmax())])}
    indices = sorted(kept)
    return [seconds[index] for index in indices], [values[index] for index in indices]


def _own_panels(seconds: Sequence[int], columns: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
    def line(name: str, column: str, scale: float = 1.0) -> dict[str, Any] | None:
        return _line(name, seconds, columns.get(column, []), scale)

    errors = [line(name, name) for name in ("errors", "retries", "failed")]
    errors += [line("errors", "errors_per_s"), line("reconnects", "reconnects_per_s")]
    told = next((share for share in columns.get("tool_percentile", []) if share is not None), None)
    return [
        _panel("Throughput", "transactions/s", [line("throughput", "tps")], key="tps"),
        _panel(
            "Response time of each second",
            "ms",
            [
                *(line(f"p{quantile}", f"p{quantile}_ns", _NS) for quantile in (50, 95, 99)),
                line(f"p{told:g}", "tool_percentile_ns", _NS) if told not in (None, 50, 95, 99) else None,
            ],
            key="latency",
            log=True,
        ),
        _panel("Errors and retries", "a second", [found for found in errors if found and any(found["v"])]),
        _panel(
            "Client: what it used of what it can do here",
            "share",
            [
                line("used", "client_use_share"),
                line("busiest worker busy", "client_busy_share"),
                line("waiting for a processor", "client_cpu_wait_share"),
            ],
            key="client",
        ),
        _panel("Client: CPU time a statement", "µs", [line("CPU", "client_cpu_ns_per_statement", 1e-3)], log=True),
        _panel("Client: connections a wake-up serves", "count", [line("batch", "client_wake_batch")]),
        _panel(
            "Client: sent later than due",
            "ms",
            [line("p99", "lateness_ns_p99", _NS), line("latest", "lateness_ns_max", _NS)],
        ),
        _panel(
            "Transactions waiting to be sent", "count", [x for x in [line("backlog", "backlog")] if x and any(x["v"])]
        ),
    ]


def _telemetry_panels(results: Results, run_id: str) -> list[dict[str, Any]]:
    table = results.telemetry(run_id)
    lines: dict[str, tuple[list[int], list[float]]] = {}
    units: dict[str, str] = {}
    rows = zip(*(table[name].to_pylist() for name in ("second", "metric", "value", "unit")), strict=True)
    for second, metric, value, unit in rows:
        found = lines.setdefault(metric, ([], []))
        found[0].append(second)
        found[1].append(value)
        units[metric] = unit
    panels = []
    left = dict.fromkeys(sorted(lines))
    for kind in PANELS:
        taken = [metric for metric in left if re.fullmatch(kind.pattern, metric)]
        for metric in taken:
            del left[metric]
        for unit in dict.fromkeys(units[metric] for metric in taken):
            alike = [metric for metric in taken if units[metric] == unit]
            drawn = [_line(metric, *lines[metric]) for metric in alike]
            panels.append(_panel(kind.title, unit, drawn))
    others = [_panel(metric, units[metric], [_line(metric, *lines[metric])], key="other") for metric in left]
    return [*panels, *others]


def _panel(
    title: str, unit: str, lines: Sequence[dict[str, Any] | None], *, key: str = "", log: bool = False
) -> dict[str, Any]:
    return {"title": title, "unit": unit, "lines": [line for line in lines if line], "key": key, "log": log}


def _line(name: str, seconds: Sequence[int], values: Sequence[Any], scale: float = 1.0) -> dict[str, Any] | None:
    known = [(second, value) for second, value in zip(seconds, values, strict=False) if value is not None]
    if not known:
        return None
    return {"name": name, "s": [int(second) for second, _ in known], "v": [float(v) * scale for _, v in known]}


def _phases(seconds: Sequence[int], phases: Sequence[str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for second, phase in zip(seconds, phases, strict=False):
        if found and found[-1]["phase"] == phase:
            found[-1]["to"] = second
        else:
            found.append({"phase": phase, "from": second, "to": second})
    return [{**span, "from": span["from"] - 0.5, "to": span["to"] + 0.5} for span in found]
