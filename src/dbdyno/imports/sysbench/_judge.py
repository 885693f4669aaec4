"""Whether an imported run can be trusted, and what weakens it: everything that the log does not tell is said."""

from __future__ import annotations

from dbdyno.core import Caveat, RunStatus
from dbdyno.imports._complaint import printable
from dbdyno.imports._run import Judgement
from dbdyno.imports.sysbench._figures import RunFigures, percentile_of
from dbdyno.imports.sysbench._log import SysbenchRun

TOTALS_DIFFER_FROM = 0.005
DAMAGED_SHARE_LIMIT = 0.01
SHORT_S = 60


def judge(run: SysbenchRun, figures: RunFigures, threads: int) -> Judgement:
    """Failed when the log has no throughput, suspect when it was cut off or damaged, else good.

    Parameters
    ----------
    threads : of the cell
    """
    failure = _failure(run, figures)
    doubts = [] if failure else [caveat for caveat in (_cut_off(run), _forced(run), _damaged(run)) if caveat]
    remarks = _remarks(run, figures, threads) if figures.tps_mean is not None else []
    if failure:
        return Judgement("failed", failure, tuple(remarks))
    status: RunStatus = "suspect" if doubts else "good"
    return Judgement(status, "; ".join(doubt.text for doubt in doubts), (*doubts, *remarks))


def _failure(run: SysbenchRun, figures: RunFigures) -> str:
    if run.fatal and not run.is_complete:
        return f"sysbench gave up: {printable(run.fatal[0][1], 200)}"
    if figures.tps_mean is None:
        return "the log has neither interval lines nor a whole last report"
    if figures.tps_mean == 0 and run.intervals.reads is not None and run.intervals.reads.any() and not run.reports:
        return "its lines count no transactions, and without a last report events can't be told from statements"
    if figures.tps_mean == 0:
        return "no transaction was completed"
    return ""


def _cut_off(run: SysbenchRun) -> Caveat | None:
    if run.is_complete:
        return None
    after = f" after second {int(run.intervals.end_s[-1])}" if len(run.intervals) else ""
    what = "in the middle of its last report" if run.reports else f"without a last report{after}"
    return Caveat("cut-off", f"the log ends {what}: whether the run went on is not known")


def _forced(run: SysbenchRun) -> Caveat | None:
    if run.unfinished is None:
        return None
    return Caveat("forced-shutdown", f"shut down by force with {run.unfinished:,} transactions under way")


def _damaged(run: SysbenchRun) -> Caveat | None:
    count = len(run.complaints)
    if count <= DAMAGED_SHARE_LIMIT * max(len(run.intervals), 1):
        return None
    return Caveat("damaged-log", f"{count} lines of the log can't be read, the first is line {run.complaints[0][0]}")


def _remarks(run: SysbenchRun, figures: RunFigures, threads: int) -> list[Caveat]:
    found = (
        _intervals(run, figures),
        _missing(run, figures),
        _totals(figures),
        _counts(figures),
        _events(run),
        _percentiles(run, figures),
        _threads(run, threads),
        _open_loop(run),
        _short(figures),
    )
    return [caveat for caveat in found if caveat]


def _intervals(run: SysbenchRun, figures: RunFigures) -> Caveat | None:
    if not len(run.intervals):
        text = "no interval lines: throughput is the total that the tool printed, its noise is not known"
        return Caveat("no-intervals", text)
    if not figures.interval_is_told:
        text = f"the log does not say how long its intervals are: taken as {figures.interval_s} s from its lines"
        return Caveat("interval-unknown", text)
    if figures.interval_s != 1:
        text = f"intervals of {figures.interval_s} s: stalls shorter than that are hidden"
        return Caveat("long-intervals", text)
    return None


def _missing(run: SysbenchRun, figures: RunFigures) -> Caveat | None:
    if not figures.missing:
        return None
    text = (
        f"{figures.missing:,} interval lines are missing between the first and the last; sysbench leaves out reports "
        "that it is late for and lets the next one cover them, so they don't count as zero"
    )
    return Caveat("missing-intervals", text)


def _totals(figures: RunFigures) -> Caveat | None:
    if figures.tool.tps is None or not figures.tps_mean or figures.transactions_are_summed:
        return None
    share = figures.tool.tps / figures.tps_mean - 1
    if abs(share) < TOTALS_DIFFER_FROM:
        return None
    text = f"the tool's own total, {figures.tool.tps:,.2f} TPS, differs from the mean of its intervals by {share:+.1%}"
    return Caveat("totals-differ", text)


def _counts(figures: RunFigures) -> Caveat | None:
    if not figures.transactions_are_summed:
        return None
    return Caveat("counts-summed", "no total in the log: counts are the rates of its intervals added up, rounded")


def _events(run: SysbenchRun) -> Caveat | None:
    if not run.counts_events:
        return None
    text = "the run opened no transactions: its events are counted in their place, in the seconds by their statements"
    return Caveat("events-counted", text)


def _percentiles(run: SysbenchRun, figures: RunFigures) -> Caveat | None:
    if figures.histogram is not None:
        text = "the histogram comes from the log: its steps are 1.8 % wide"
        return Caveat("coarse-histogram", text)
    percentile = percentile_of(run)
    if percentile is None:
        is_off = run.intervals.percentile == 0 or any(report.percentile_is_off for report in run.reports)
        why = "percentiles were switched off" if is_off else "the log does not say which percentile its lines show"
        return Caveat("no-percentile", f"{why}: no quantile of response times is known")
    seconds = f"there is only the median of per-second p{percentile}, which is no quantile of the run"
    if figures.tool.second_percentile_ns_median is None:
        seconds = "no quantile of response times is known"
    if figures.tool.percentile_ns is None:
        return Caveat("no-histogram", f"no histogram and no p{percentile} of the whole run in the log: {seconds}")
    steps = "" if run.head.version.startswith("0.") else ", in steps of 1.8 %"
    text = f"no histogram in the log: p{percentile} of the run is the one that the tool printed{steps}"
    return Caveat("no-histogram", f"{text}; no other quantile is known")


def _threads(run: SysbenchRun, threads: int) -> Caveat | None:
    seen = run.intervals.threads
    if not len(seen) or (seen == threads).all():
        return None
    return Caveat(
        "threads-vary", f"{int(seen.min()):,} to {int(seen.max()):,} threads in interval lines, not {threads:,}"
    )


def _open_loop(run: SysbenchRun) -> Caveat | None:
    if not run.head.rate_per_s:
        return None
    text = (
        f"open loop at {run.head.rate_per_s:,}/s: response times begin when a transaction was due, but sysbench drops "
        "what still waits at the end uncounted"
    )
    return Caveat("dropped-backlog", text)


def _short(figures: RunFigures) -> Caveat | None:
    if figures.window_s >= SHORT_S:
        return None
    return Caveat(
        "short-window", f"the run lasted {figures.window_s:.3g} s: below {SHORT_S} s steadiness can't be judged"
    )
