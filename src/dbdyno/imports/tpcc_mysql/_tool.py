"""Presents tpcc-mysql to the import: finds the runs of a log; reads, judges and prepares one of them."""

from __future__ import annotations

import math
import re

import numpy as np

from dbdyno.core import Caveat, LatencyNs, OrderRates, ToolFigures, TotalFigures, TypeFigures, counted
from dbdyno.imports._caveats import (
    about_coverage,
    about_intervals,
    about_totals,
    about_window,
    interval_of,
    judgement,
    throughput,
)
from dbdyno.imports._lines import line_of, window_table
from dbdyno.imports._run import LogPart, PartFacts, RunHeader, RunInput, ToolRun
from dbdyno.imports._tool import Tool, no_run
from dbdyno.imports.tpcc_mysql._lines import Interval, read_lines
from dbdyno.imports.tpcc_mysql._results import LastReport, TypeCounts, read_results
from dbdyno.tables import Column, Table

TYPES = ("new_order", "payment", "order_status", "delivery", "stock_level")
_HEAD_RE = re.compile(r"^\*{3,} ###easy### TPC-C Load Generator \*+", re.MULTILINE)
_TRACES_RE = re.compile(
    r"###easy### TPC-C Load Generator|^\s*\d+, trx: \d+,? |^ *\d+, \d+\(\d+\):[\d.]+\|?[\d.]*, \d+\(|^<TpmC>",
    re.MULTILINE,
)
_FACTS = {
    name: re.compile(expression, re.MULTILINE)
    for name, expression in (
        ("threads", r"^ *\[connection\]: (\d{1,7})\s*$"),
        ("lead_s", r"^ *\[rampup\]: (\d{1,7}) \(sec\.\)"),
        ("measure_s", r"^ *\[measure\]: (\d{1,7}) \(sec\.\)"),
        ("warehouses", r"^ *\[warehouse\]: (\d{1,9})\s*$"),
        ("interval_s", r"^option i with value '(\d{1,7})'"),
    )
}
_SERVER_RE = re.compile(r"^ *\[server\]: (\S{1,255})", re.MULTILINE)
_SOCKET_RE = re.compile(r"^option S \(socket\) with value '([^']{1,255})'", re.MULTILINE)


def _is_log(text: str) -> bool:
    return _TRACES_RE.search(text) is not None


def _log_parts(text: str) -> tuple[LogPart, ...]:
    starts = [match.start() for match in _HEAD_RE.finditer(text)]
    if not starts or read_lines(text[: starts[0]])[0]:
        starts.insert(0, 0)
    spans = [(a, b) for a, b in zip(starts, [*starts[1:], len(text)], strict=True) if _has_run(text[a:b])]
    return tuple(LogPart(_run_header(text[a:b]), a, b, line_of(text, a)) for a, b in spans)


def _has_run(text: str) -> bool:
    return "MEASURING START" in text or read_results(text).is_whole or bool(read_lines(text)[0])


def _run_header(text: str) -> RunHeader:
    facts = _header_numbers(text)
    server, socket = _SERVER_RE.search(text), _SOCKET_RE.search(text)
    options = {"mysql_socket": socket[1]} if socket else {"mysql_host": server[1]} if server else {}
    return RunHeader(
        threads=facts.get("threads"),
        interval_s=facts.get("interval_s") or None,
        test="tpcc/tpcc-mysql",
        options=options,
        lead_s=facts.get("lead_s", 0),
    )


def _header_numbers(text: str) -> dict[str, int]:
    return {name: int(match[1]) for name, expression in _FACTS.items() if (match := expression.search(text))}


def survey(text: str) -> tuple[PartFacts, ...]:
    """Return the runs of a log."""
    part_facts = []
    for part in _log_parts(text):
        part_text = text[part.start : part.end]
        results, facts = read_results(part_text), _header_numbers(part_text)
        part_facts.append(
            PartFacts(
                part.head,
                part.head.threads,
                part.first_line,
                results.seconds or facts.get("measure_s", 0),
                "measure_s" in facts,
            )
        )
    return tuple(part_facts)


def read(source: RunInput) -> ToolRun:
    """Read one run with everything that the store keeps of it."""
    part = _log_parts(source.text)[source.part_index]
    part_text = source.text[part.start : part.end]
    intervals, problems = read_lines(part_text)
    results = read_results(part_text)
    length, is_told = interval_of(
        np.array([interval.end_s for interval in intervals], dtype=float), part.head.interval_s
    )
    rates = np.array([sum(interval.counts) for interval in intervals], dtype=float) / length
    total = _total_tps(results)
    mean, half_width = throughput(rates, total)
    failure = "" if mean else "no transaction was completed" if mean == 0 else _no_run_words(part_text)
    remarks = [
        about_intervals(len(intervals), length, is_told=is_told),
        about_coverage(float(len(intervals) * length), results.seconds),
        about_totals(total, mean),
        _percentiles_caveat(intervals),
        _counted_rollbacks_caveat(),
        about_window(len(intervals) * length or results.seconds or 0),
    ]
    last_line = part.last_line(part_text)
    end_problems = () if results.is_whole else ((last_line, "the log ends here, without a whole last report"),)
    return ToolRun(
        head=part.head,
        judgement=judgement(
            failure, [_cut_off_caveat(results, intervals), _damaged_log_caveat(problems, intervals)], remarks
        ),
        tool=ToolFigures("tpcc-mysql", tps=total, elapsed_s=results.seconds, max_ns=_longest_ns(intervals)),
        figures=TotalFigures(
            window_s=float(len(intervals) * length or results.seconds or 0),
            tps_mean=mean or None,
            tps_half_width=half_width if mean else None,
            latency_ns=LatencyNs(None, None, None, None, _longest_ns(intervals)) if _longest_ns(intervals) else None,
            transactions=sum(t.completed for t in results.types) or sum(sum(interval.counts) for interval in intervals),
            errors=_errors_by_type(results),
            retries=sum(t.repeats for t in results.types),
        ),
        types=_type_figures(results, intervals),
        orders=_order_rates(results),
        seconds=_seconds_table(intervals, length, rates),
        start={**_header_numbers(part_text), "first_line": part.first_line, "last_line": last_line},
        end={"tpmc": results.tpmc, "measured_s": results.seconds} if results.is_whole else {},
        wrong=tuple((part.first_line - 1 + line, words) for line, words in problems) + end_problems,
    )


def _seconds_table(intervals: tuple[Interval, ...], length: int, rates: np.ndarray) -> Table | tuple[()]:
    if not intervals:
        return ()
    columns: dict[str, Column] = {"tps": rates}
    if any(interval.p95_ms is not None for interval in intervals):
        columns["tool_percentile"] = np.full(len(intervals), 95.0)
        p95 = [math.nan if interval.p95_ms is None else round(interval.p95_ms * 1e6) for interval in intervals]
        columns["tool_percentile_ns"] = np.array(p95, dtype=np.float64)
    return window_table(np.array([interval.end_s for interval in intervals], dtype=float), length, columns)


def _total_tps(results: LastReport) -> float | None:
    return sum(t.completed for t in results.types) / results.seconds if results.types and results.seconds else None


def _order_rates(results: LastReport) -> OrderRates | None:
    if results.tpmc is None or not results.types or not results.seconds:
        return None
    return OrderRates(results.tpmc, sum(t.completed for t in results.types) * 60 / results.seconds)


def _type_figures(results: LastReport, intervals: tuple[Interval, ...]) -> tuple[TypeFigures, ...]:
    if not results.seconds:
        return ()
    return tuple(
        _type_figures_of_counts(name, counts, results.seconds, _longest_of_type_ns(intervals, index))
        for index, (name, counts) in enumerate(zip(TYPES, results.types, strict=False))
    )


def _type_figures_of_counts(name: str, counts: TypeCounts, seconds: int, longest_ns: int | None) -> TypeFigures:
    mean_ns = None if counts.mean_ms is None else counts.mean_ms * 1e6
    latency = None if longest_ns is None else LatencyNs(None, None, None, None, longest_ns)
    rate = counts.completed / seconds
    return TypeFigures(name, counts.completed, counts.gave_up, counts.repeats, 0, rate, mean_ns, latency)


def _longest_of_type_ns(intervals: tuple[Interval, ...], index: int) -> int | None:
    values = [interval.max_ms[index] for interval in intervals if interval.max_ms is not None]
    return round(max(values) * 1e6) if values else None


def _longest_ns(intervals: tuple[Interval, ...]) -> int | None:
    maxima = [value for index in range(len(TYPES)) if (value := _longest_of_type_ns(intervals, index)) is not None]
    return max(maxima, default=None)


def _errors_by_type(results: LastReport) -> dict[str, int]:
    abandoned_count = sum(t.gave_up for t in results.types)
    return results.errors | (
        {"given up after its repeats (code not in the log)": abandoned_count} if abandoned_count else {}
    )


def _no_run_words(text: str) -> str:
    if "error at " in text:
        return "tpcc-mysql gave up with an error"
    return "the log has neither interval lines nor a whole last report"


def _cut_off_caveat(results: LastReport, intervals: tuple[Interval, ...]) -> Caveat | None:
    if results.is_whole:
        return None
    place_words = f" after second {intervals[-1].end_s}" if intervals else ""
    return Caveat(
        "cut-off", f"the log ends without a whole last report{place_words}: whether the run continued is unknown"
    )


def _damaged_log_caveat(problems: tuple[tuple[int, str], ...], intervals: tuple[Interval, ...]) -> Caveat | None:
    if len(problems) <= 0.01 * max(len(intervals), 1):
        return None
    return Caveat(
        "damaged-log", f"{counted(len(problems), 'line')} of the log can't be read, the first is line {problems[0][0]}"
    )


def _percentiles_caveat(intervals: tuple[Interval, ...]) -> Caveat:
    if any(interval.p95_ms is not None for interval in intervals):
        text = (
            "its percentiles are of New-Order alone and of one interval each, in steps of 1 ms: the percentiles of "
            "the run are unknown"
        )
        return Caveat("percentile-of-new-orders", text)
    if any(interval.max_ms is not None for interval in intervals) or not intervals:
        return Caveat("no-percentile", "the log holds no percentiles: no quantile of response times is known")
    text = "the log says neither which percentile its lines show nor whether in seconds or milliseconds: left out"
    return Caveat("no-percentile", text)


def _counted_rollbacks_caveat() -> Caveat:
    text = "new orders that roll back on purpose (1 %) count as done, also in TpmC"
    return Caveat("rollbacks-counted", text)


TPCC_MYSQL = Tool(
    name="tpcc-mysql",
    title="tpcc-mysql",
    names=r"tpcc(?:[-_]?mysql|[-_]?start)?",
    is_log=_is_log,
    survey=survey,
    why_none=lambda text: no_run(text, "no run of tpcc-mysql in it"),
    read=read,
    versions_differ="versions differ in what they print",
)
