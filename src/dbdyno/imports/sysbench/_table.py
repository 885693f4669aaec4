"""Interval lines as the table of seconds that the store keeps."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from dbdyno.imports.sysbench._intervals import FloatArray, Intervals

COLUMN_OF_PERCENTILE = {50: "p50_ns", 95: "p95_ns", 99: "p99_ns"}
_NS_PER_MS = 1e6


def seconds_table(intervals: Intervals, interval_s: int, percentile: int | None) -> pa.Table:
    """One row an interval, placed at its first second; what the log does not tell is left to be null.

    Parameters
    ----------
    interval_s : length of each
    percentile : which one the latencies are; None when nobody says
    """
    count = len(intervals)
    columns: dict[str, object] = {
        "second": intervals.end_s - interval_s,
        "phase": pa.repeat("window", count),
        "duration_ns": np.full(count, interval_s * 10**9, dtype=np.int64),
        "tps": intervals.tps,
        "connections_live": intervals.threads,
    }
    rates = {
        "qps": intervals.qps,
        "reads_per_s": intervals.reads,
        "writes_per_s": intervals.writes,
        "others_per_s": intervals.others,
        "errors_per_s": intervals.errors,
        "reconnects_per_s": intervals.reconnects,
    }
    columns |= {name: values for name, values in rates.items() if values is not None}
    if intervals.queue is not None:
        columns["backlog"] = _whole(intervals.queue)
    if percentile is not None:
        latency_ns = _whole(intervals.latency_ms * _NS_PER_MS)
        columns["tool_percentile"] = np.full(count, float(percentile))
        columns["tool_percentile_ns"] = latency_ns
        if percentile in COLUMN_OF_PERCENTILE:
            columns[COLUMN_OF_PERCENTILE[percentile]] = latency_ns
    return pa.table(columns)


def _whole(values: FloatArray) -> pa.Array:
    """Whole numbers; null where there is none."""
    unknown = np.isnan(values)
    return pa.array(np.rint(np.where(unknown, 0, values)).astype(np.int64), mask=unknown)
