"""Reads the figures of one run off a sysbench log. Pure; invents nothing where the log is silent.

Throughput is the mean of the interval lines with its noise, as of every run; the tool's own total stands beside it. The
percentile of the run is the one that the tool printed at the end: percentiles of single seconds are never averaged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from dbdyno.core import LatencyNs, ToolFigures
from dbdyno.imports.sysbench._intervals import Intervals
from dbdyno.imports.sysbench._log import SysbenchRun
from dbdyno.imports.sysbench._report import Report, encoded_histogram
from dbdyno.stats import noise_interval
from dbdyno.store import latency_of, merged_histogram

IGNORED, RECONNECTS = "ignored error (code not in the log)", "reconnect"
IGNORED_OR_ORDERED = "ignored error or ordered rollback (not told apart in the log)"
ORDERS_ROLLBACKS = "tpcc/sysbench-tpcc"
"""The workload whose scripts count a new order that they roll back on purpose as an ignored error."""
DEADLOCKS = "deadlock or lock wait timeout (code not in the log)"


@dataclass(frozen=True, slots=True)
class RunFigures:
    """Figures of a run; see `dbdyno.core.RunRecord` for units. None means that the log does not tell.

    Parameters
    ----------
    interval_s : length of an interval line
    interval_is_told : the log says it, or its lines leave no doubt
    missing : interval lines that should stand between the first and the last and do not
    rollbacks_are_errors : new orders that are to be rolled back are among the errors
    transactions_are_summed : from rates of seconds, for want of a total
    histogram : of the whole run, as it is stored
    """

    interval_s: int
    interval_is_told: bool
    missing: int
    window_s: float
    tps_mean: float | None
    tps_half_width: float | None
    qps_mean: float | None
    transactions: int
    transactions_are_summed: bool
    statements: int
    latency_ns: LatencyNs | None
    tool: ToolFigures
    histogram: str | None = None
    errors: dict[str, int] = field(default_factory=dict)
    rollbacks_are_errors: bool = False


def run_figures(run: SysbenchRun, workload: str = "") -> RunFigures:
    """The figures of one run of a workload."""
    intervals, reports = run.intervals, run.reports if run.is_complete else ()
    interval_s, is_told, missing = _interval(intervals, run.head.interval_s)
    mean, half = _throughput(intervals, reports)
    transactions = _total(reports, "transactions", "events")
    summed = float(intervals.tps.sum()) * interval_s
    statements = _total(reports, "statements", "queries")
    encoded = encoded_histogram(reports)
    percentile = percentile_of(run)
    qps = intervals.qps
    is_tpcc = workload.partition(" at ")[0] == ORDERS_ROLLBACKS
    elapsed_s = reports[-1].values.get("elapsed_s") if reports else None
    return RunFigures(
        interval_s=interval_s,
        interval_is_told=is_told,
        missing=missing,
        window_s=float(len(intervals) * interval_s) if len(intervals) else elapsed_s or 0.0,
        tps_mean=mean,
        tps_half_width=half,
        qps_mean=float(qps.mean()) if qps is not None and len(qps) else _rate(reports, "queries"),
        transactions=round(summed) if transactions is None else transactions,
        transactions_are_summed=transactions is None and len(intervals) > 0,
        statements=statements if statements is not None else 0 if qps is None else round(float(qps.sum()) * interval_s),
        latency_ns=_latency(reports, encoded),
        tool=_tool(run, reports, percentile),
        histogram=encoded[0] if encoded else None,
        errors=_errors(reports, intervals, interval_s, IGNORED_OR_ORDERED if is_tpcc else IGNORED),
        rollbacks_are_errors=is_tpcc,
    )


def percentile_of(run: SysbenchRun) -> int | None:
    """Return which percentile the log shows, by its lines, last report or echoed command; None: off or unknown."""
    if run.intervals.percentile is not None:
        return run.intervals.percentile or None
    if run.reports and run.reports[-1].percentile_is_off:
        return None
    if run.reports and run.reports[-1].percentile is not None:
        return run.reports[-1].percentile
    ordered = run.head.options.get("percentile", "")
    return int(ordered) or None if ordered.isascii() and ordered.isdigit() and len(ordered) <= 3 else None


def _interval(intervals: Intervals, told: int | None) -> tuple[int, bool, int]:
    """Length of an interval, whether that is told, and how many lines are missing."""
    ends = intervals.end_s
    steps = np.diff(ends)
    if told:
        length, is_told = told, True
    elif len(steps):
        length, is_told = int(steps.min()), bool((steps == steps[0]).all())
    else:
        length, is_told = (int(ends[0]) if len(ends) else 1) or 1, False
    expected = int(ends[-1] - ends[0]) // length + 1 if len(ends) else 0
    return length, is_told, max(expected - len(ends), 0)


def _throughput(intervals: Intervals, reports: Sequence[Report]) -> tuple[float | None, float | None]:
    if len(intervals) >= 2:
        found = noise_interval(intervals.tps)
        return found.mean, found.half_width
    if len(intervals) == 1:
        return float(intervals.tps[0]), None
    return _rate(reports, "transactions"), None


def _rate(reports: Sequence[Report], name: str) -> float | None:
    """The rate that the tool printed for the whole run; of several reports none covers it, so it is computed."""
    if len(reports) == 1:
        eps = reports[0].values.get("eps") if name == "transactions" else None
        printed = reports[0].rates.get(name, eps)
        if printed is not None:
            return printed
    total = _total(reports, name, "events") if name == "transactions" else _total(reports, name, "statements")
    elapsed_s = reports[-1].values.get("elapsed_s") if reports else None
    return total / elapsed_s if total is not None and elapsed_s else None


def _total(reports: Sequence[Report], name: str, other: str) -> int | None:
    """Sum over all reports, each of which counts from the one before on; None unless every one tells."""
    counts = [report.count(name) if name in report.values else report.count(other) for report in reports]
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


def _latency(reports: Sequence[Report], encoded: tuple[str, int] | None) -> LatencyNs | None:
    most = _ns(max((r.values["max_ms"] for r in reports if "max_ms" in r.values), default=None))
    if encoded is not None:
        found = latency_of(merged_histogram([encoded[0]]))
        return found and LatencyNs(found.p50, found.p95, found.p99, found.p999, most)
    if not _total(reports, "events", "transactions"):
        return None
    of = {reports[0].percentile: _ns(reports[0].percentile_ms)} if len(reports) == 1 else {}
    if most is None and not any(of.values()):
        return None
    return LatencyNs(of.get(50), of.get(95), of.get(99), None, most)


def _tool(run: SysbenchRun, reports: Sequence[Report], percentile: int | None) -> ToolFigures:
    only = reports[0] if len(reports) == 1 else None
    latencies = run.intervals.latency_ms[~np.isnan(run.intervals.latency_ms)]
    total_ms = sum(r.values.get("sum_ms", 1e3 * r.values.get("sum_s", 0.0)) for r in reports)
    events = sum(r.values.get("events", 0.0) for r in reports)
    mean_ms = only.values.get("avg_ms") if only else total_ms / events if events else None
    return ToolFigures(
        tool=f"sysbench {run.head.version}".strip(),
        percentile=percentile,
        percentile_ns=_ns(only.percentile_ms) if only else None,
        second_percentile_ns_median=_ns(float(np.median(latencies))) if percentile and len(latencies) else None,
        min_ns=_ns(min((r.values["min_ms"] for r in reports if "min_ms" in r.values), default=None)),
        mean_ns=_ns(mean_ms),
        max_ns=_ns(max((r.values["max_ms"] for r in reports if "max_ms" in r.values), default=None)),
        tps=_rate(reports, "transactions"),
        elapsed_s=reports[-1].values.get("elapsed_s") if reports else None,
        rate_per_s=run.head.rate_per_s or None,
    )


def _errors(reports: Sequence[Report], intervals: Intervals, interval_s: int, ignored: str) -> dict[str, int]:
    found = {}
    deadlocks = _total(reports, "deadlocks", "deadlocks")
    if deadlocks:
        found[DEADLOCKS] = deadlocks
    for name, count_name, rates in (
        (ignored, "ignored_errors", intervals.errors if deadlocks is None else None),
        (RECONNECTS, "reconnects", intervals.reconnects),
    ):
        count = _total(reports, count_name, count_name)
        if count is None and rates is not None:
            count = round(float(rates.sum()) * interval_s)
        if count:
            found[name] = count
    return found


def _ns(value_ms: float | None) -> int | None:
    return None if value_ms is None else round(value_ms * 1e6)
