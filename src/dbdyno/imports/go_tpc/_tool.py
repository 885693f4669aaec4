"""Presents go-tpc to the import: finds the runs of a log; reads, judges and prepares one of them."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from dbdyno.core import Caveat, LatencyNs, OrderRates, ToolFigures, TotalFigures, TypeFigures, counted
from dbdyno.imports._caveats import about_coverage, about_intervals, about_totals, about_window, judgement, throughput
from dbdyno.imports._lines import window_table
from dbdyno.imports._run import PartFacts, RunInput, ToolRun
from dbdyno.imports._tool import Tool, no_run
from dbdyno.imports.go_tpc._rows import Row, read_rows
from dbdyno.imports.go_tpc._runs import RunRows, head_of, runs_of
from dbdyno.tables import Table

_TRACES_RE = re.compile(
    r"^[> \t]*\[(?:Current|Summary)\] |\"Prefix\" ?: ?\"\[(?:Current|Summary)|^\| *\[(?:Current|Summary)\]|^tpmC: ",
    re.MULTILINE,
)
_ERROR_RE = re.compile(r"execute run failed, err .{0,2000}?\bError (\d{4})\b")
_ERR = "_ERR"
_QUERY_RE = re.compile(r"Q\d{1,2}$")
_CONTRADICTION = 0.25
_UNKNOWN_ERROR = "error (code not in the log)"


def _is_log(text: str) -> bool:
    return _TRACES_RE.search(text) is not None


def survey(text: str) -> tuple[PartFacts, ...]:
    """Return the runs of a log."""
    runs = runs_of(read_rows(text)[0])
    heads = [head_of(text, runs, index) for index in range(len(runs))]
    windows = [_window_s(run, _interval_s(run, head.interval_s)[0]) for run, head in zip(runs, heads, strict=True)]
    return tuple(
        PartFacts(head, head.threads, run.first_line, round(window_s))
        for head, run, window_s in zip(heads, runs, windows, strict=True)
    )


def read(source: RunInput) -> ToolRun:
    """Read one run with everything that the store keeps of it."""
    rows, problems = read_rows(source.text)
    runs = runs_of(rows)
    run, head = runs[source.part_index], head_of(source.text, runs, source.part_index)
    length, is_told = _interval_s(run, head.interval_s)
    rates = np.array([_count(interval) for interval in run.intervals], dtype=float) / length
    total = _total_tps(run)
    mean, half_width = throughput(rates, total)
    window_s = _window_s(run, length)
    failure = "" if mean else "no transaction completed" if mean == 0 else "the log has neither intervals nor a summary"
    types, has_contradictions = _type_figures(run.summary)
    errors = _errors_by_code(source.text, run, len(runs))
    remarks = [
        about_intervals(len(rates), length, is_told=is_told),
        about_coverage(float(len(rates) * length), _elapsed_s(run)),
        about_totals(total, mean),
        _quantiles_caveat(run.summary, has_contradictions),
        Caveat(
            "rollbacks-counted",
            "new orders that roll back on purpose (1 %) count as done",
        ),
        _stopped_users_caveat(errors, head.options),
        about_window(window_s),
    ]
    transactions = int(_count(run.summary) if run.summary else sum(_count(interval) for interval in run.intervals))
    last_line = (
        runs[source.part_index + 1].first_line - 1 if source.part_index + 1 < len(runs) else source.text.count("\n") + 1
    )
    first_line = run.first_line if source.part_index else 1
    part_problems = tuple((line, words) for line, words in problems if first_line <= line <= last_line)
    end_problems = () if run.summary else ((run.last_line, "the log ends here, without a summary"),)
    return ToolRun(
        head=head,
        judgement=judgement(failure, [_cut_off_caveat(run), _damaged_log_caveat(part_problems, run)], remarks),
        tool=ToolFigures("go-tpc", tps=total, elapsed_s=_elapsed_s(run), max_ns=_longest_ns(types)),
        figures=TotalFigures(
            window_s=window_s,
            tps_mean=mean or None,
            tps_half_width=half_width if mean else None,
            latency_ns=LatencyNs(None, None, None, None, _longest_ns(types)) if _longest_ns(types) else None,
            transactions=transactions,
            errors=errors,
        ),
        types=types,
        orders=_order_rates(run),
        seconds=_seconds_table(run, length, rates),
        start={"threads": head.threads, "interval_s": head.interval_s, "options": dict(head.options)},
        end={"tpmc": run.tpmc, "tpm_total": run.tpm_total},
        wrong=part_problems + end_problems,
    )


def _counts_completed(row: Row) -> bool:
    """Return whether a row counts completed transactions: no errors, no queries of the mixed benchmark."""
    return not row.operation.endswith(_ERR) and _QUERY_RE.match(row.operation) is None


def _count(rows: tuple[Row, ...]) -> float:
    return sum(row.values["count"] for row in rows if _counts_completed(row))


def _interval_s(run: RunRows, ordered_s: int | None) -> tuple[int, bool]:
    """Return the length of an interval: ordered, else the time that its lines say they took."""
    durations_s = [max((row.values.get("takes(s)", 0.0) for row in rows), default=0.0) for rows in run.intervals]
    return (
        (ordered_s, True) if ordered_s else (max(round(float(np.median(durations_s))), 1) if durations_s else 1, False)
    )


def _window_s(run: RunRows, length: int) -> float:
    return float(len(run.intervals) * length) or _elapsed_s(run) or 0.0


def _elapsed_s(run: RunRows) -> float | None:
    return max((row.values.get("takes(s)", 0.0) for row in run.summary), default=0.0) or None


def _total_tps(run: RunRows) -> float | None:
    elapsed_s = _elapsed_s(run)
    return _count(run.summary) / elapsed_s if elapsed_s else None


def _order_rates(run: RunRows) -> OrderRates | None:
    if run.tpmc is None:
        return None
    total = _total_tps(run)
    return OrderRates(run.tpmc, run.tpm_total if run.tpm_total is not None else None if total is None else 60 * total)


def _seconds_table(run: RunRows, length: int, rates: np.ndarray) -> Table | tuple[()]:
    if not len(rates):
        return ()
    failed_counts = [sum(row.values["count"] for row in rows if row.operation.endswith(_ERR)) for rows in run.intervals]
    end_s = (np.arange(len(rates), dtype=float) + 1) * length
    return window_table(end_s, length, {"tps": rates, "errors_per_s": np.array(failed_counts, dtype=float) / length})


def _type_figures(summary: tuple[Row, ...]) -> tuple[tuple[TypeFigures, ...], bool]:
    """Return figures by type, and whether quantiles were left out because they contradict the sum of the times."""
    failed_by_operation = {
        row.operation.removesuffix(_ERR): int(row.values["count"]) for row in summary if row.operation.endswith(_ERR)
    }
    completed_rows = [row for row in summary if not row.operation.endswith(_ERR)]
    return tuple(_type_figures_of_row(row, failed_by_operation.get(row.operation, 0)) for row in completed_rows), any(
        _is_contradictory(row) for row in completed_rows
    )


def _type_figures_of_row(row: Row, failed: int) -> TypeFigures:
    values, count = row.values, int(row.values["count"])
    duration_s = values.get("takes(s)", 0.0)
    total_ms, mean_ms = values.get("sum(ms)"), values.get("avg(ms)")
    is_wrong = _is_contradictory(row)
    if is_wrong and total_ms is not None:
        mean_ms = total_ms / count
    latency = None if is_wrong else _latency(values)
    rate = count / duration_s if duration_s else values.get("tpm", 0.0) / 60
    mean_ns = None if mean_ms is None else mean_ms * 1e6
    return TypeFigures(row.operation.lower(), count, failed, 0, 0, rate, mean_ns, latency)


def _latency(values: Mapping[str, float]) -> LatencyNs | None:
    def ns(name: str) -> int | None:
        return round(values[name] * 1e6) if name in values else None

    latency = LatencyNs(ns("50th(ms)"), ns("95th(ms)"), ns("99th(ms)"), ns("99.9th(ms)"), ns("max(ms)"))
    return latency if any((latency.p50, latency.p95, latency.p99, latency.p999, latency.max)) else None


def _is_contradictory(row: Row) -> bool:
    """Return whether the printed mean is not that of the printed sum: some builds took nanoseconds for milliseconds."""
    count, total_ms, mean_ms = row.values["count"], row.values.get("sum(ms)"), row.values.get("avg(ms)")
    if not count or total_ms is None or mean_ms is None:
        return False
    return abs(mean_ms - total_ms / count) > _CONTRADICTION * total_ms / count + 1.0


def _longest_ns(types: tuple[TypeFigures, ...]) -> int | None:
    return max((t.latency_ns.max for t in types if t.latency_ns and t.latency_ns.max is not None), default=None)


def _errors_by_code(text: str, run: RunRows, runs: int) -> dict[str, int]:
    """Count errors by code where the log holds messages of this run alone, else by the summary."""
    counts: dict[str, int] = {}
    for code in _ERROR_RE.findall(text) if runs == 1 else ():
        counts[code] = counts.get(code, 0) + 1
    in_summary = int(sum(row.values["count"] for row in run.summary if row.operation.endswith(_ERR)))
    unknown_count = in_summary - sum(counts.values())
    return counts | ({_UNKNOWN_ERROR: unknown_count} if unknown_count > 0 else {})


def _stopped_users_caveat(errors: Mapping[str, int], options: Mapping[str, str]) -> Caveat | None:
    if not errors or "ignore_error" in options:
        return None
    text = "by default a user ends at its first error; the log does not say whether an option changed that"
    return Caveat("users-may-have-stopped", f"{sum(errors.values()):,} transactions failed: {text}")


def _quantiles_caveat(summary: tuple[Row, ...], has_contradictions: bool) -> Caveat:
    if has_contradictions:
        text = "printed means and quantiles contradict the printed sum of the times: left out, means are of the sum"
        return Caveat("quantiles-contradict", text)
    if not any(name.endswith("th(ms)") for row in summary for name in row.values):
        return Caveat("no-percentile", "the log holds no quantiles of the whole run")
    if any("50th(ms)" in row.values for row in summary):
        text = (
            "quantiles are of single types, in steps of up to 6 %, none below 1 ms or above 16 s; there are "
            "none over all transactions"
        )
    else:
        text = (
            "quantiles are of single types, the upper edges of 27 buckets up to 16 s; there are none over "
            "all transactions"
        )
    return Caveat("coarse-quantiles", text)


def _cut_off_caveat(run: RunRows) -> Caveat | None:
    if run.summary:
        return None
    return Caveat("cut-off", "the log ends without a summary: whether the run continued is unknown")


def _damaged_log_caveat(problems: tuple[tuple[int, str], ...], run: RunRows) -> Caveat | None:
    if len(problems) <= 0.01 * max(sum(len(rows) for rows in run.intervals), 1):
        return None
    return Caveat(
        "damaged-log", f"{counted(len(problems), 'line')} of the log can't be read, the first is line {problems[0][0]}"
    )


GO_TPC = Tool(
    name="go-tpc",
    title="go-tpc",
    names=r"go[-_]?tpc|tiup[-_]bench",
    is_log=_is_log,
    survey=survey,
    why_none=lambda text: no_run(text, "no run of go-tpc in it"),
    read=read,
    versions_differ="versions differ in their buckets",
)
