"""Presents sysbench to the import: surveys a log; reads, judges and prepares one run for the store."""

from __future__ import annotations

import re

import numpy as np

from dbdyno.core import TotalFigures
from dbdyno.imports._run import PartFacts, RunInput, ToolRun, Wrong
from dbdyno.imports._tool import Tool, no_run
from dbdyno.imports.sysbench._figures import RunFigures, percentile_of, run_figures
from dbdyno.imports.sysbench._intervals import Intervals, read_intervals
from dbdyno.imports.sysbench._judge import judge_log
from dbdyno.imports.sysbench._log import SysbenchRun, is_sysbench, log_parts, read_run
from dbdyno.imports.sysbench._report import COUNTS
from dbdyno.store import JsonValue
from dbdyno.tables import Column, Table, Texts

COLUMN_OF_PERCENTILE = {50: "p50_ns", 95: "p95_ns", 99: "p99_ns"}
_NS_PER_MS = 1e6


def seconds_table(intervals: Intervals, interval_s: int, percentile: int | None) -> Table:
    """Return one row per interval line, placed at its first second; what the log does not say is null.

    Parameters
    ----------
    interval_s : length of an interval; a line after skipped reports covers them, too
    percentile : which one the latencies are; None when nobody says
    """
    count = len(intervals)
    widths_s = intervals.widths_s(interval_s)
    columns: dict[str, Column] = {
        "second": intervals.end_s - widths_s,
        "phase": Texts.repeated("window", count),
        "duration_ns": widths_s * 10**9,
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
        columns["backlog"] = np.rint(intervals.queue)
    if percentile is not None:
        latency_ns = np.rint(intervals.latency_ms * _NS_PER_MS)
        columns["tool_percentile"] = np.full(count, float(percentile))
        columns["tool_percentile_ns"] = latency_ns
        if percentile in COLUMN_OF_PERCENTILE:
            columns[COLUMN_OF_PERCENTILE[percentile]] = latency_ns
    return Table(columns)


_TAIL = 16 * 1024
_END_RE = re.compile(
    r"^\[ *(\d{1,9})s ?\] (?:thds|threads|timestamp|Interm)|^(\d{1,9}),\d{1,7}(?:,\d{1,15}\.\d\d){8}\s*$", re.MULTILINE
)
_TOTAL_RE = re.compile(r"^ {4}(?:total time|time elapsed): +(\d{1,9}\.\d+)s", re.MULTILINE)


def survey(text: str) -> tuple[PartFacts, ...]:
    """Return the runs of a log, by their heads and tails."""
    return tuple(
        PartFacts(
            part.head,
            part.head.threads or _commonest_thread_count(text[part.start : part.end]),
            part.first_line,
            *_duration_and_end(text[max(part.start, part.end - _TAIL) : part.end]),
        )
        for part in log_parts(text)
    )


def why_none(text: str) -> tuple[str, int]:
    """Return why a log holds no run."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("FATAL: "):
            return f"no run in it: {line[:200]}", number
    return no_run(text, "no run of sysbench in it")


def read(source: RunInput) -> ToolRun:
    """Read one run with everything that the store keeps of it."""
    run = read_run(source.text, log_parts(source.text)[source.part_index])
    figures = run_figures(run, source.workload)
    judgement = judge_log(run, figures, source.threads)
    is_known = judgement.status != "failed"
    return ToolRun(
        head=run.head,
        judgement=judgement,
        tool=figures.tool,
        figures=TotalFigures(
            window_s=figures.window_s,
            tps_mean=figures.tps_mean if is_known else None,
            tps_half_width=figures.tps_half_width if is_known else None,
            qps_mean=figures.qps_mean,
            latency_ns=figures.latency_ns,
            transactions=figures.transactions,
            statements=figures.statements,
            errors=figures.errors,
        ),
        seconds=seconds_table(run.intervals, figures.interval_s, percentile_of(run)) if len(run.intervals) else (),
        intervals=_whole_run_table(run, figures),
        start=_start_facts(run),
        end=_end_facts(run),
        wrong=_run_problems(run),
    )


def _commonest_thread_count(text: str) -> int | None:
    """Return the number of threads that most interval lines name: for a log that lost its head."""
    seen = read_intervals(text).threads
    if not len(seen):
        return None
    values, counts = np.unique(seen, return_counts=True)
    return int(values[counts.argmax()]) or None


def _duration_and_end(tail: str) -> tuple[int, bool]:
    """Return seconds that the run lasted, and whether it went to its end."""
    end_matches = _END_RE.findall(tail)
    total = _TOTAL_RE.search(tail)
    if end_matches:
        return int(end_matches[-1][0] or end_matches[-1][1]), total is not None
    return (round(float(total[1])), True) if total else (0, False)


def _whole_run_table(run: SysbenchRun, figures: RunFigures) -> Table | tuple[()]:
    """Return the histogram of the whole run as one row: the log has none of its seconds."""
    if figures.histogram is None:
        return ()
    clock = "response_histogram" if run.head.rate_per_s else "service_histogram"
    counts = {"second": 0, "completed": figures.transactions, "failed": 0, "rolled_back": 0}
    texts = {"phase": "window", "kind": "transaction", "type": "all, whole run", "retries_json": "{}"}
    texts |= {"errors_json": "{}", clock: figures.histogram}
    columns: dict[str, Column] = {name: np.array([count]) for name, count in counts.items()}
    return Table(columns | {name: Texts.repeated(text, 1) for name, text in texts.items()})


def _run_problems(run: SysbenchRun) -> Wrong:
    """Return what is wrong in the run; last what the tool itself complained of, or that the end is missing."""
    if run.fatal:
        last_problem = (run.fatal[0][0], f"FATAL: {run.fatal[0][1][:200]}")
    elif not run.is_complete:
        last_problem = (run.last_line, "the log ends here, without a whole last report")
    else:
        return run.diagnostics
    return (*run.diagnostics, last_problem)


def _start_facts(run: SysbenchRun) -> dict[str, JsonValue]:
    """Return what the log says of the run before it begins."""
    head = run.head
    ordered_facts = {"threads": head.threads, "interval_s": head.interval_s, "rate_per_s": head.rate_per_s}
    further_facts = {"warm_up_s": head.warm_up_s, "test": head.test or None, "options": dict(head.options)}
    line_facts = {"first_line": run.first_line, "last_line": run.last_line}
    return {"version": head.version or None, **ordered_facts, **further_facts, **line_facts}


def _end_facts(run: SysbenchRun) -> dict[str, JsonValue]:
    """Return the tool's own reports, as printed."""
    if not run.reports:
        return {}
    reports: list[JsonValue] = [
        {
            **{name: int(value) if name in COUNTS else value for name, value in report.values.items()},
            "rates_per_s": dict(report.rates),
            "standard_deviations": dict(report.deviations),
            "percentile": report.percentile,
            "percentile_ms": report.percentile_ms,
            "is_whole": report.is_whole,
        }
        for report in run.reports
    ]
    return {"reports": reports, "unfinished": run.unfinished}


SYSBENCH = Tool(
    name="sysbench",
    title="sysbench",
    names="sysbench",
    is_log=is_sysbench,
    survey=survey,
    why_none=why_none,
    read=read,
    versions_differ="versions differ in the default distribution of keys",
)
