"""Arranges the seconds of a run and its telemetry as panels on one time axis, and thins their lines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbdyno.analyse.explain import NOT_NAMED, THREAD_PARTS
from dbdyno.store import StoredStudy
from dbdyno.tables import Table, Texts, holds_nan

MOST_POINTS = 600
_NS = 1e-6
_SESSIONS_ON_CPU, _SESSION_STATES = "sessions.on_cpu", r"sessions\.(on_cpu|run_queue|wait\.\w+)"
_MOST_STATES, _LEAST_STATE_SHARE = 8, 0.05
"""Lines that can be told apart, and the share of the threads that a state must have in some second."""
_SECOND_COLUMNS = (
    *("second", "phase", "duration_ns", "tps", "p50_ns", "p95_ns", "p99_ns", "tool_percentile", "tool_percentile_ns"),
    *("errors", "retries", "failed", "errors_per_s", "reconnects_per_s", "backlog"),
    *("client_use_share", "client_busy_share", "client_cpu_wait_share", "client_cpu_ns_per_statement"),
    *("client_wake_batch", "lateness_ns_p99", "lateness_ns_max"),
)
"""Columns that panels draw."""


@dataclass(frozen=True, slots=True)
class PanelKind:
    """Describes a panel under the throughput of a run.

    Parameters
    ----------
    pattern : of the metrics it draws; the first panel that takes a metric keeps it
    is_drawn_at_zero : also where nothing but zeros is known; else readers may add the metrics themselves
    """

    title: str
    pattern: str
    is_drawn_at_zero: bool = True


PANELS = (
    PanelKind(
        "CPU of the machine by mode",
        r"((host|iostat|vmstat|mpstat|dstat)\.)?cpu\.(user|nice|system|iowait|irq|softirq|steal)$",
    ),
    PanelKind("CPU of server and client", r"(server|client)\.cpu\.\w+$"),
    PanelKind("Disk bytes", r"(disk|(vmstat|dstat)\.disk|iostat\..+)\.(read|written)_bytes$"),
    PanelKind("Disk operations and flushes", r"(disk|dstat\.disk|iostat\..+)\.(reads|writes|flushes)$"),
    PanelKind("Syncs requested by the server", r".*fsyncs?$"),
    PanelKind("Redo and log written", r".*(redo\.bytes|wal_bytes|binlog\.bytes)$"),
    PanelKind("Checkpoint age", r".*checkpoint_(age|limit)$"),
    PanelKind("Dirty pages", r".*(pages\.dirty|bytes\.dirty)$"),
    PanelKind("Pages read, written and flushed", r".*pages\.(read|written|flushed)$"),
    PanelKind("Compaction and memtable flush", r".*lsm\.(compaction_(read|write)_bytes|flush_bytes)$"),
    PanelKind("Write stalls and compactions waiting", r".*lsm\.(stall|compaction_queue).*$"),
    PanelKind("Purge history", r".*history\.length$"),
    PanelKind("Row lock waits and deadlocks", r".*(rowlock\.waits|deadlocks)$"),
    PanelKind("CPU quota of the client", r"client\.quota\.(cores|periods|throttled)$"),
    PanelKind("Memory of server and client", r"(server|client)\.resident$"),
    PanelKind("Waiting for CPU, disk, memory", r"pressure\..*$"),
    PanelKind("Network bytes", r"(network\.\w+|dstat\.network)\.(received|sent)_bytes$", is_drawn_at_zero=False),
    PanelKind("Network packets", r"network\.\w+\.(received|sent)_packets$", is_drawn_at_zero=False),
    PanelKind("TCP segments sent again", r"network\.tcp\.retransmitted$", is_drawn_at_zero=False),
)


def run_series(results: StoredStudy, run_id: str) -> dict[str, Any]:
    """Return panels of one run, every second of it, and its phases.

    A panel has a title, a unit and lines. A line has seconds and values as arrays, for how many seconds a value stands
    as a rule (`step`), and the seconds before which values are missing (`after_gaps`).
    """
    table = results.seconds(run_id, _SECOND_COLUMNS)
    seconds = table.numbers("second")
    own_panels = _own_panels(seconds, table, is_imported=results.study.imported is not None)
    session_panel, *telemetry_panels = _telemetry_panels(results, run_id)
    panels = [*own_panels[:2], session_panel, *own_panels[2:], *telemetry_panels]
    return {
        "phases": _phase_stretches(seconds, table.texts("phase")),
        "panels": [panel for panel in panels if panel["lines"]],
        "seconds": len(seconds),
    }


def without_gaps(seconds: NDArray[np.int64], tps: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return throughput with 0 for each second that dbdyno's load generator did not report, as it is judged.

    >>> [part.tolist() for part in without_gaps(np.array([3, 4, 7]), np.array([9.0, 8.0, 9.0]))]
    [[3, 4, 5, 6, 7], [9.0, 8.0, 0.0, 0.0, 9.0]]
    """
    if not len(seconds):
        return seconds, tps
    every_second = np.arange(seconds.min(), seconds.max() + 1)
    filled = np.zeros(len(every_second))
    filled[seconds - seconds.min()] = tps
    return every_second, filled


def downsampled(seconds: ArrayLike, values: ArrayLike, most: int = MOST_POINTS) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return points whose line looks the same: of each bucket the least and the greatest value, in order of time.

    >>> kept = downsampled([0, 1, 2, 3, 4, 5, 6, 7], [1, 9, 2, 3, 4, 0, 5, 6], most=4)
    >>> [part.tolist() for part in kept]
    [[0, 1, 5, 7], [1, 9, 0, 6]]
    """
    times, value = np.asarray(seconds), np.asarray(values)
    if len(value) <= most:
        return times, value
    is_kept = np.zeros(len(value), dtype=np.bool_)
    buckets = max(most // 2, 1)
    size, longer_count = divmod(len(value), buckets)
    for start, count, width in ((0, longer_count, size + 1), (longer_count * (size + 1), buckets - longer_count, size)):
        bucket_values = value[start : start + count * width].reshape(count, width)
        bucket_starts = start + width * np.arange(count)
        is_kept[bucket_starts + bucket_values.argmin(axis=1)] = True
        is_kept[bucket_starts + bucket_values.argmax(axis=1)] = True
    return times[is_kept], value[is_kept]


def _own_panels(seconds: NDArray[np.int64], table: Table, *, is_imported: bool) -> list[dict[str, Any]]:
    lengths_s = np.maximum(np.rint(table.numbers("duration_ns") / 1e9), 1).astype(np.int64)
    times = _Times.of_lengths(seconds, lengths_s)

    def line(name: str, column: str, scale: float = 1.0) -> dict[str, Any] | None:
        return _line(name, times, _numbers(table, column), scale)

    throughput = line("throughput", "tps")
    if throughput and not is_imported:
        every_second, tps = without_gaps(throughput["s"], throughput["v"])
        throughput = _line("throughput", _Times.of_step(every_second, 1), tps)
    errors = [line(name, name) for name in ("errors", "retries", "failed")]
    errors += [line("errors", "errors_per_s"), line("reconnects", "reconnects_per_s")]
    percentiles = _numbers(table, "tool_percentile")
    tool_percentile = next(iter(percentiles[~np.isnan(percentiles)].tolist()), None)
    return [
        _panel("Throughput", "transactions/s", [throughput], key="tps"),
        _panel(
            "Response time of each second",
            "ms",
            [
                *(line(f"p{quantile}", f"p{quantile}_ns", _NS) for quantile in (50, 95, 99)),
                line(f"p{tool_percentile:g}", "tool_percentile_ns", _NS)
                if tool_percentile not in (None, 50, 95, 99)
                else None,
            ],
            key="latency",
            log=True,
        ),
        _panel(
            "Errors and retries",
            "a second",
            [error_line for error_line in errors if error_line and error_line["v"].any()],
        ),
        _panel(
            "Client: used share of its maximum rate",
            "share",
            [
                line("used", "client_use_share"),
                line("busiest worker busy", "client_busy_share"),
                line("waiting for a processor", "client_cpu_wait_share"),
            ],
            key="client",
        ),
        _panel("Client: CPU time per statement", "µs", [line("CPU", "client_cpu_ns_per_statement", 1e-3)], log=True),
        _panel("Client: connections served per wake-up", "count", [line("batch", "client_wake_batch")]),
        _panel(
            "Client: sent later than due",
            "ms",
            [line("p99", "lateness_ns_p99", _NS), line("latest", "lateness_ns_max", _NS)],
        ),
        _panel(
            "Transactions waiting to be sent", "count", [x for x in [line("backlog", "backlog")] if x and x["v"].any()]
        ),
    ]


def _telemetry_panels(results: StoredStudy, run_id: str) -> list[dict[str, Any]]:
    """Return the panel of session threads, which may have no line, and all others."""
    table = results.telemetry(run_id, ("second", "metric", "value", "unit"))
    if (table.texts("metric").codes < 0).any():
        table = table.at(table.texts("metric").codes >= 0)
    metrics, codes = table.texts("metric").names, table.texts("metric").codes
    seconds, values, unit_of_row = table.numbers("second"), _numbers(table, "value"), table.texts("unit")
    row_ends = np.cumsum(np.bincount(codes, minlength=len(metrics))).tolist()
    by_metric = np.argsort(codes, kind="stable")
    rows = {
        metric: by_metric[begin:end]
        for metric, begin, end in zip(metrics, [0, *row_ends], row_ends, strict=False)
        if end > begin
    }
    lines: dict[str, tuple[_Times, NDArray[np.float64]]] = {}
    times = _Times.of_step(seconds[:0], 1)
    for metric, row_indices in rows.items():
        metric_seconds = seconds[row_indices]
        if not np.array_equal(metric_seconds, times.seconds):  # most metrics are read in the same seconds
            times = _Times.of_step(metric_seconds, _usual_step(metric_seconds))
        lines[metric] = times, values[row_indices]
    units = {metric: unit_of_row.text(int(row_indices[-1])) for metric, row_indices in rows.items()}
    session_lines = _session_lines(lines)
    panels = [_panel("What the session threads do", "threads", list(session_lines.values()))]
    remaining_metrics = dict.fromkeys(sorted(lines.keys() - session_lines.keys()))
    for kind in PANELS:
        matching_metrics = [metric for metric in remaining_metrics if kind in _panel_kinds(metric)]
        if not kind.is_drawn_at_zero and not any(lines[metric][1].any() for metric in matching_metrics):
            continue
        for metric in matching_metrics:
            del remaining_metrics[metric]
        for unit in dict.fromkeys(units[metric] for metric in matching_metrics):
            unit_metrics = [metric for metric in matching_metrics if units[metric] == unit]
            unit_lines = [_line(metric, *lines[metric]) for metric in unit_metrics]
            panels.append(_panel(kind.title, unit, unit_lines))
    other_panels = [
        _panel(metric, units[metric], [_line(metric, *lines[metric])], key="other") for metric in remaining_metrics
    ]
    return [*panels, *other_panels]


def _session_lines(lines: Mapping[str, tuple[_Times, NDArray[np.float64]]]) -> dict[str, dict[str, Any]]:
    """Map metrics to lines of the states that matter in a run, most threads first, by their words.

    A wait that no sample found in a second has no row there, and had no thread.
    """
    if _SESSIONS_ON_CPU not in lines:
        return {}
    times = lines[_SESSIONS_ON_CPU][0]
    threads_by_metric: dict[str, NDArray[np.float64]] = {}
    for metric, (metric_times, values) in lines.items():
        if re.fullmatch(_SESSION_STATES, metric):
            threads = np.zeros(len(times.seconds))
            _, at, own_at = np.intersect1d(times.seconds, metric_times.seconds, return_indices=True)
            threads[at] = values[own_at]
            threads_by_metric[metric] = threads
    least = _LEAST_STATE_SHARE * sum(threads.mean() for threads in threads_by_metric.values())
    ranked_metrics = sorted(threads_by_metric, key=lambda metric: -threads_by_metric[metric].mean())
    states = {
        metric: THREAD_PARTS.get(f"thread.{metric.split('.')[-1]}", THREAD_PARTS[NOT_NAMED]).words
        for metric in ranked_metrics[:_MOST_STATES]
        if threads_by_metric[metric].max() >= least
    }
    session_lines = {metric: _line(words, times, threads_by_metric[metric]) for metric, words in states.items()}
    return {metric: line for metric, line in session_lines.items() if line}


@lru_cache(maxsize=4096)
def _panel_kinds(metric: str) -> frozenset[PanelKind]:
    """Return the panels that could draw a metric. The runs of a study share their metrics."""
    return frozenset(kind for kind in PANELS if re.fullmatch(kind.pattern, metric))


def _panel(
    title: str, unit: str, lines: Sequence[dict[str, Any] | None], *, key: str = "", log: bool = False
) -> dict[str, Any]:
    return {"title": title, "unit": unit, "lines": [line for line in lines if line], "key": key, "log": log}


def _numbers(table: Table, column: str) -> NDArray[np.float64]:
    """Return a column as numbers, NaN where it has none; empty where the table lacks it."""
    return table.numbers(column).astype(np.float64, copy=False) if column in table.columns else np.zeros(0)


def _usual_step(seconds: NDArray[np.int64]) -> int:
    """Return how far a sampler's readings are apart, at most, in three of four cases; 1 of a single reading.

    >>> _usual_step(np.array([0, 10, 21, 30, 90])), _usual_step(np.array([0, 1, 2, 60, 61])), _usual_step(np.array([5]))
    (11, 1, 1)
    """
    steps = np.sort(seconds[1:] - seconds[:-1])
    return max(int(steps[(3 * len(steps) - 1) // 4]), 1) if len(steps) else 1


@dataclass(frozen=True, slots=True)
class _Times:
    """Holds the seconds of a line's values. Lines share them: a run has thirty lines, and mostly one or two of these.

    Parameters
    ----------
    lengths_s : seconds that each value stands for
    step : how many that are as a rule
    after_gaps : seconds before which values are missing
    """

    seconds: NDArray[np.int64]
    lengths_s: NDArray[np.int64]
    step: int
    after_gaps: NDArray[np.int64]

    @classmethod
    def of_lengths(cls, seconds: NDArray[np.int64], lengths_s: NDArray[np.int64]) -> _Times:
        after_gaps = seconds[1:][seconds[1:] > seconds[:-1] + lengths_s[:-1]]
        return cls(seconds, lengths_s, int(np.median(lengths_s)) if len(lengths_s) else 1, after_gaps)

    @classmethod
    def of_step(cls, seconds: NDArray[np.int64], step: int) -> _Times:
        after_gaps = seconds[1:][seconds[1:] > seconds[:-1] + step]
        return cls(seconds, np.broadcast_to(np.int64(step), seconds.shape), step, after_gaps)


def _line(name: str, times: _Times, values: NDArray[np.float64], scale: float = 1.0) -> dict[str, Any] | None:
    """Return a line of those points that are known; None without one."""
    if not len(values):
        return None
    if holds_nan(values):
        is_known = ~np.isnan(values)
        if not is_known.any():
            return None
        times = _Times.of_lengths(times.seconds[is_known], times.lengths_s[is_known])
        values = values[is_known]
    scaled = values if scale == 1 else values * scale
    return {"name": name, "s": times.seconds, "v": scaled, "step": times.step, "after_gaps": times.after_gaps}


def _phase_stretches(seconds: NDArray[np.int64], phases: Texts) -> list[dict[str, Any]]:
    """Return stretches of one phase each, from half a second before their first second to as long after their last."""
    codes = phases.codes
    first_indices = np.flatnonzero(np.diff(codes, prepend=-2))  # -1 stands for an unknown phase
    last_indices = np.append(first_indices[1:], len(codes)) - 1
    spans = zip(
        phases.at(first_indices).tolist(), seconds[first_indices].tolist(), seconds[last_indices].tolist(), strict=True
    )
    return [{"phase": phase, "from": begin - 0.5, "to": end + 0.5} for phase, begin, end in spans]
