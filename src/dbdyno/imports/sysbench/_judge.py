"""Judges whether an imported run can be trusted, and lists what limits it and what its log does not say."""

from __future__ import annotations

from dbdyno.core import Caveat, counted
from dbdyno.imports._caveats import about_intervals, about_totals, about_window, judgement
from dbdyno.imports._diagnostic import escaped_line
from dbdyno.imports._run import RunVerdict
from dbdyno.imports.sysbench._figures import RunFigures, percentile_of
from dbdyno.imports.sysbench._log import SysbenchRun

DAMAGED_SHARE_LIMIT = 0.01


def judge_log(run: SysbenchRun, figures: RunFigures, threads: int) -> RunVerdict:
    """Return failed when the log has no throughput, suspect when it was cut off or damaged, else good.

    Parameters
    ----------
    threads : of the cell
    """
    remarks = _remark_caveats(run, figures, threads) if figures.tps_mean is not None else []
    return judgement(
        _failure_reason(run, figures),
        (_cut_off_caveat(run), _forced_shutdown_caveat(run), _damaged_log_caveat(run)),
        remarks,
    )


def _failure_reason(run: SysbenchRun, figures: RunFigures) -> str:
    if run.fatal and not run.is_complete:
        return f"sysbench gave up: {escaped_line(run.fatal[0][1], 200).removesuffix(', aborting...')}"
    if figures.tps_mean is None:
        return "the log has neither interval lines nor a whole last report"
    if figures.tps_mean == 0 and run.intervals.reads is not None and run.intervals.reads.any() and not run.reports:
        return (
            "its lines count no transactions, and without a final report dbdyno can't distinguish events "
            "from statements"
        )
    if figures.tps_mean == 0:
        return "no transaction completed"
    return ""


def _cut_off_caveat(run: SysbenchRun) -> Caveat | None:
    if run.is_complete:
        return None
    place_words = f" after second {int(run.intervals.end_s[-1])}" if len(run.intervals) else ""
    end_words = "in the middle of its last report" if run.reports else f"without a last report{place_words}"
    return Caveat("cut-off", f"the log ends {end_words}: whether the run continued is unknown")


def _forced_shutdown_caveat(run: SysbenchRun) -> Caveat | None:
    if run.unfinished is None:
        return None
    return Caveat("forced-shutdown", f"shut down by force with {run.unfinished:,} transactions in progress")


def _damaged_log_caveat(run: SysbenchRun) -> Caveat | None:
    count = len(run.diagnostics)
    if count <= DAMAGED_SHARE_LIMIT * max(len(run.intervals), 1):
        return None
    return Caveat(
        "damaged-log", f"{counted(count, 'line')} of the log can't be read, the first is line {run.diagnostics[0][0]}"
    )


def _remark_caveats(run: SysbenchRun, figures: RunFigures, threads: int) -> list[Caveat]:
    caveats = (
        about_intervals(len(run.intervals), figures.interval_s, is_told=figures.interval_is_told),
        _missing_intervals_caveat(figures),
        None if figures.transactions_are_summed else about_totals(figures.tool.tps, figures.tps_mean),
        _summed_counts_caveat(figures),
        _events_counted_caveat(run),
        _rollbacks_caveat(figures),
        _percentiles_caveat(run, figures),
        _varying_threads_caveat(run, threads),
        _open_loop_caveat(run),
        about_window(figures.window_s),
    )
    return [caveat for caveat in caveats if caveat]


def _missing_intervals_caveat(figures: RunFigures) -> Caveat | None:
    if not figures.missing:
        return None
    text = (
        f"{figures.missing:,} interval lines are missing between the first and the last; sysbench skips late "
        "reports, and the next one covers their time and counts for it"
    )
    return Caveat("missing-intervals", text)


def _summed_counts_caveat(figures: RunFigures) -> Caveat | None:
    if not figures.transactions_are_summed:
        return None
    return Caveat("counts-summed", "no total in the log: counts are the rates of its intervals added up, rounded")


def _events_counted_caveat(run: SysbenchRun) -> Caveat | None:
    if not run.counts_events:
        return None
    text = "the run opened no transactions: its events are counted in their place, in the seconds by their statements"
    return Caveat("events-counted", text)


def _rollbacks_caveat(figures: RunFigures) -> Caveat | None:
    if not figures.rollbacks_are_errors or not figures.errors:
        return None
    text = (
        "sysbench-tpcc counts a new order that it rolls back on purpose (1 % of them, 0.43 % of all) as done and as an "
        "ignored error: real errors look the same"
    )
    return Caveat("rollbacks-counted", text)


def _percentiles_caveat(run: SysbenchRun, figures: RunFigures) -> Caveat | None:
    if figures.histogram is not None:
        text = "the histogram comes from the log: its steps are 1.8 % wide"
        return Caveat("coarse-histogram", text)
    percentile = percentile_of(run)
    if percentile is None:
        is_off = run.intervals.percentile == 0 or any(report.percentile_is_off for report in run.reports)
        reason = "percentiles were switched off" if is_off else "the log does not say which percentile its lines show"
        return Caveat("no-percentile", f"{reason}: response time quantiles are unknown")
    seconds = f"there is only the median of per-second p{percentile}, not a quantile of the run"
    if figures.tool.second_percentile_ns_median is None:
        seconds = "no quantile of response times is known"
    if figures.tool.percentile_ns is None:
        return Caveat("no-histogram", f"no histogram and no p{percentile} of the whole run in the log: {seconds}")
    steps = "" if run.head.version.startswith("0.") else ", in steps of 1.8 %"
    text = f"no histogram in the log: p{percentile} of the run is the one that the tool printed{steps}"
    return Caveat("no-histogram", f"{text}; no other quantile is known")


def _varying_threads_caveat(run: SysbenchRun, threads: int) -> Caveat | None:
    seen = run.intervals.threads
    if not len(seen) or (seen == threads).all():
        return None
    return Caveat(
        "threads-vary", f"{int(seen.min()):,} to {int(seen.max()):,} threads in interval lines, not {threads:,}"
    )


def _open_loop_caveat(run: SysbenchRun) -> Caveat | None:
    if not run.head.rate_per_s:
        return None
    text = (
        f"open loop at {run.head.rate_per_s:,}/s: response times begin when a transaction was due, but sysbench drops "
        "what still waits at the end uncounted"
    )
    return Caveat("dropped-backlog", text)
