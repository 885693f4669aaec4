"""Reads the figures of one run off a sysbench log. Pure; invents nothing where the log is silent.

Throughput is the mean of the interval lines with its noise, as of every run; the tool's own total is also stored. The
percentile of the run is the one that the tool printed at the end: percentiles of single seconds are never averaged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from dbdyno.core import LatencyNs, ToolFigures
from dbdyno.imports.sysbench._intervals import FloatArray, IntArray, Intervals
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
    """Holds the figures of a run; see `dbdyno.core.RunRecord` for units. None means that the log does not say.

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
    """Return the figures of one run of a workload."""
    intervals, reports = run.intervals, run.reports if run.is_complete else ()
    interval_s, is_told, missing_count = _interval_length(intervals, run.head.interval_s)
    widths_s = intervals.widths_s(interval_s)
    mean, half_width = _throughput_means(intervals, widths_s, interval_s, reports)
    transactions = _reports_total(reports, "transactions", "events")
    summed_transactions = _summed(intervals.tps, widths_s)
    statements = _reports_total(reports, "statements", "queries")
    encoded = encoded_histogram(reports)
    percentile = percentile_of(run)
    qps = intervals.qps
    is_tpcc = workload == ORDERS_ROLLBACKS
    elapsed_s = reports[-1].values.get("elapsed_s") if reports else None
    return RunFigures(
        interval_s=interval_s,
        interval_is_told=is_told,
        missing=missing_count,
        window_s=float(widths_s.sum()) if len(intervals) else elapsed_s or 0.0,
        tps_mean=mean,
        tps_half_width=half_width,
        qps_mean=_summed(qps, widths_s) / float(widths_s.sum())
        if qps is not None and len(qps)
        else _printed_rate(reports, "queries"),
        transactions=round(summed_transactions) if transactions is None else transactions,
        transactions_are_summed=transactions is None and len(intervals) > 0,
        statements=statements if statements is not None else 0 if qps is None else round(_summed(qps, widths_s)),
        latency_ns=_run_latency(reports, encoded),
        tool=_tool_figures(run, reports, percentile),
        histogram=encoded[0] if encoded else None,
        errors=_errors_by_name(reports, intervals, widths_s, IGNORED_OR_ORDERED if is_tpcc else IGNORED),
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
    option_text = run.head.options.get("percentile", "")
    return (
        int(option_text) or None if option_text.isascii() and option_text.isdigit() and len(option_text) <= 3 else None
    )


def _interval_length(intervals: Intervals, ordered_s: int | None) -> tuple[int, bool, int]:
    """Return the length of an interval, whether that is stated, and how many lines are missing."""
    end_s = intervals.end_s
    steps = np.diff(end_s)
    if ordered_s:
        length, is_told = ordered_s, True
    elif len(steps):
        length, is_told = int(steps.min()), bool((steps == steps[0]).all())
    else:
        length, is_told = (int(end_s[0]) if len(end_s) else 1) or 1, False
    expected_count = int(end_s[-1] - end_s[0]) // length + 1 if len(end_s) else 0
    return length, is_told, max(expected_count - len(end_s), 0)


def _summed(rates: FloatArray, widths_s: IntArray) -> float:
    return float((rates * widths_s).sum())


def _throughput_means(
    intervals: Intervals, widths_s: IntArray, interval_s: int, reports: Sequence[Report]
) -> tuple[float | None, float | None]:
    if len(intervals) >= 2:
        # A line after skipped reports stands for all of them: noise needs one value per interval.
        interval = noise_interval(np.repeat(intervals.tps, np.maximum(np.rint(widths_s / interval_s), 1).astype(int)))
        is_even = bool((widths_s == interval_s).all())
        mean = interval.mean if is_even else _summed(intervals.tps, widths_s) / float(widths_s.sum())
        return mean, interval.half_width
    if len(intervals) == 1:
        return float(intervals.tps[0]), None
    return _printed_rate(reports, "transactions"), None


def _printed_rate(reports: Sequence[Report], name: str) -> float | None:
    """Return the rate that the tool printed for the whole run; of several reports none covers it, so it is computed."""
    if len(reports) == 1:
        eps = reports[0].values.get("eps") if name == "transactions" else None
        printed_rate = reports[0].rates.get(name, eps)
        if printed_rate is not None:
            return printed_rate
    total = (
        _reports_total(reports, name, "events")
        if name == "transactions"
        else _reports_total(reports, name, "statements")
    )
    elapsed_s = reports[-1].values.get("elapsed_s") if reports else None
    return total / elapsed_s if total is not None and elapsed_s else None


def _reports_total(reports: Sequence[Report], name: str, fallback_name: str) -> int | None:
    """Return the sum over all reports, each of which counts from the one before on; None unless all have the count."""
    counts = [report.count(name) if name in report.values else report.count(fallback_name) for report in reports]
    known_counts = [count for count in counts if count is not None]
    return sum(known_counts) if known_counts and len(known_counts) == len(counts) else None


def _run_latency(reports: Sequence[Report], encoded: tuple[str, int] | None) -> LatencyNs | None:
    max_ns = _to_ns(max((r.values["max_ms"] for r in reports if "max_ms" in r.values), default=None))
    if encoded is not None:
        quantiles = latency_of(merged_histogram([encoded[0]]))
        return quantiles and LatencyNs(quantiles.p50, quantiles.p95, quantiles.p99, quantiles.p999, max_ns)
    if not _reports_total(reports, "events", "transactions"):
        return None
    ns_by_percentile = {reports[0].percentile: _to_ns(reports[0].percentile_ms)} if len(reports) == 1 else {}
    if max_ns is None and not any(ns_by_percentile.values()):
        return None
    return LatencyNs(ns_by_percentile.get(50), ns_by_percentile.get(95), ns_by_percentile.get(99), None, max_ns)


def _tool_figures(run: SysbenchRun, reports: Sequence[Report], percentile: int | None) -> ToolFigures:
    single_report = reports[0] if len(reports) == 1 else None
    latencies = run.intervals.latency_ms[~np.isnan(run.intervals.latency_ms)]
    total_ms = sum(r.values.get("sum_ms", 1e3 * r.values.get("sum_s", 0.0)) for r in reports)
    events = sum(r.values.get("events", 0.0) for r in reports)
    mean_ms = single_report.values.get("avg_ms") if single_report else total_ms / events if events else None
    return ToolFigures(
        tool=f"sysbench {run.head.version}".strip(),
        percentile=percentile,
        percentile_ns=_to_ns(single_report.percentile_ms) if single_report else None,
        second_percentile_ns_median=_to_ns(float(np.median(latencies))) if percentile and len(latencies) else None,
        min_ns=_to_ns(min((r.values["min_ms"] for r in reports if "min_ms" in r.values), default=None)),
        mean_ns=_to_ns(mean_ms),
        max_ns=_to_ns(max((r.values["max_ms"] for r in reports if "max_ms" in r.values), default=None)),
        tps=_printed_rate(reports, "transactions"),
        elapsed_s=reports[-1].values.get("elapsed_s") if reports else None,
        rate_per_s=run.head.rate_per_s or None,
    )


def _errors_by_name(
    reports: Sequence[Report], intervals: Intervals, widths_s: IntArray, ignored_title: str
) -> dict[str, int]:
    counts = {}
    deadlocks = _reports_total(reports, "deadlocks", "deadlocks")
    if deadlocks:
        counts[DEADLOCKS] = deadlocks
    for name, count_name, rates in (
        (ignored_title, "ignored_errors", intervals.errors if deadlocks is None else None),
        (RECONNECTS, "reconnects", intervals.reconnects),
    ):
        count = _reports_total(reports, count_name, count_name)
        if count is None and rates is not None:
            count = round(_summed(rates, widths_s))
        if count:
            counts[name] = count
    return counts


def _to_ns(value_ms: float | None) -> int | None:
    return None if value_ms is None else round(value_ms * 1e6)
