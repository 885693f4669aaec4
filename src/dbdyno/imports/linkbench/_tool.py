"""Presents LinkBench to the import: reads one request phase from its log and its CSV files."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from dbdyno.core import Caveat, LatencyNs, ToolFigures, TotalFigures, TypeFigures
from dbdyno.imports._caveats import about_totals, about_window, judgement, throughput
from dbdyno.imports._run import PartFacts, RunInput, ToolRun, Wrong
from dbdyno.imports._tool import Companion, Tool, no_run
from dbdyno.imports.linkbench._csv import STATS_HEAD, STREAM_HEAD, TypeStats, read_stats, read_stream
from dbdyno.imports.linkbench._log import Phase, is_linkbench, log_parts, read_phase
from dbdyno.tables import Table, Texts

STATS, STREAM = "csv-statistics", "csv-stream"
_FAILED = "failed request (code not in the log)"
_NO_TIME = "only counts and times by type: how long the run was is not in it"


def survey(text: str) -> tuple[PartFacts, ...]:
    """Return the request phases of a log."""
    part_facts = []
    for part in log_parts(text):
        phase = read_phase(text[part.start : part.end])
        part_facts.append(PartFacts(part.head, part.head.threads, part.first_line, round(_window_s(phase))))
    return tuple(part_facts)


def read(source: RunInput) -> ToolRun:
    """Read one run with everything that the store keeps of it."""
    parts = log_parts(source.text)
    part = parts[source.part_index]
    part_text = source.text[part.start : part.end]
    phase = read_phase(part_text)
    stats, stats_problems = _run_stats(source, part_text, phase, len(parts))
    failed_by_type, stream_problems = _failed_requests(source, phase, len(parts))
    end_s, rates = _request_rates(phase)
    total = None if phase.rate is None else float(phase.rate)
    mean, half_width = throughput(rates, total)
    failure = "" if mean else "no request completed" if mean == 0 else _NO_TIME if stats else _no_run_words(part_text)
    remarks = [
        _progress_caveat(rates),
        about_totals(total, mean),
        _rate_caveat(phase),
        _quantiles_caveat(stats),
        about_window(_window_s(phase)),
    ]
    transactions = phase.requests if phase.requests is not None else phase.progress[-1][1] if phase.progress else 0
    last_line = part.last_line(part_text)
    is_table = part_text.lstrip().startswith(STATS_HEAD)
    end_problems = (
        () if phase.rate is not None or is_table else ((last_line, "the log ends here, in its request phase"),)
    )
    problems = (*phase.wrong, *(stats_problems if is_table else ()))
    return ToolRun(
        head=part.head,
        judgement=judgement(failure, [_cut_off_caveat(phase), _aborted_requesters_caveat(phase)], remarks),
        tool=ToolFigures("LinkBench", tps=total, elapsed_s=phase.seconds, max_ns=_longest_ns(stats)),
        figures=TotalFigures(
            window_s=_window_s(phase),
            tps_mean=mean or None,
            tps_half_width=half_width if mean else None,
            latency_ns=LatencyNs(None, None, None, None, _longest_ns(stats)) if stats else None,
            transactions=transactions,
            errors={_FAILED: sum(failed_by_type.values())} if any(failed_by_type.values()) else {},
        ),
        types=tuple(
            _type_figures(type_stats, failed_by_type.get(type_stats.name, 0), _window_s(phase)) for type_stats in stats
        ),
        seconds=_seconds_table(end_s, rates),
        start={"threads": part.head.threads, "warm_up_s": part.head.warm_up_s, "first_line": part.first_line},
        end={"requests": phase.requests, "seconds": phase.seconds, "requests_per_s": phase.rate},
        wrong=tuple((part.first_line - 1 + line, words) for line, words in problems) + end_problems,
        companions_wrong={STATS: () if is_table else stats_problems, STREAM: stream_problems},
    )


def _window_s(phase: Phase) -> float:
    return float(phase.seconds or (phase.progress[-1][0] if phase.progress else 0.0))


def _run_stats(source: RunInput, part_text: str, phase: Phase, part_count: int) -> tuple[tuple[TypeStats, ...], Wrong]:
    """Return statistics by type: of the log, else of the table that is the log, else of the file next to one run."""
    if phase.types:
        return phase.types, ()
    text = part_text if STATS_HEAD in part_text else source.companions.get(STATS, "") if part_count == 1 else ""
    return read_stats(text)


def _failed_requests(source: RunInput, phase: Phase, part_count: int) -> tuple[Mapping[str, int], Wrong]:
    if phase.failed or STREAM not in source.companions or part_count > 1:
        return phase.failed, ()
    totals, problems = read_stream(source.companions[STREAM])
    return totals.failed, problems


def _request_rates(phase: Phase) -> tuple[np.ndarray, np.ndarray]:
    """Return ends of intervals in seconds, and requests per second in each, from the points of progress."""
    if not phase.progress:
        return np.empty(0), np.empty(0)
    at_s, count = (np.array(column, dtype=float) for column in zip(*phase.progress, strict=True))
    return at_s, np.diff(count) / np.diff(at_s)


def _seconds_table(end_s: np.ndarray, rates: np.ndarray) -> Table | tuple[()]:
    if not len(rates):
        return ()
    columns = {
        "second": np.rint(end_s[:-1]).astype(np.int64),
        "phase": Texts.repeated("window", len(rates)),
        "duration_ns": np.rint(np.diff(end_s) * 1e9).astype(np.int64),
        "tps": rates,
    }
    return Table(columns)


def _type_figures(stats: TypeStats, failed_count: int, seconds: float) -> TypeFigures:
    quantiles = [round(value * 1e6) for value in (stats.p50_ms, stats.p95_ms, stats.p99_ms)]
    latency = LatencyNs(quantiles[0], quantiles[1], quantiles[2], None, round(stats.max_ms * 1e6))
    rate = stats.count / seconds if seconds else 0.0
    return TypeFigures(stats.name.lower(), stats.count, failed_count, 0, 0, rate, stats.mean_ms * 1e6, latency)


def _longest_ns(stats: tuple[TypeStats, ...]) -> int | None:
    return max((round(type_stats.max_ms * 1e6) for type_stats in stats), default=None)


def _no_run_words(text: str) -> str:
    return "the request phase started but did not finish" if "Requester thread" in text else "the log holds no requests"


def _cut_off_caveat(phase: Phase) -> Caveat | None:
    if phase.rate is not None:
        return None
    place_words = f" after second {phase.progress[-1][0]:.0f}" if phase.progress else ""
    return Caveat("cut-off", f"the log ends in its request phase{place_words}: whether it continued is unknown")


def _aborted_requesters_caveat(phase: Phase) -> Caveat | None:
    if phase.aborted is None:
        return None
    text = f"{phase.aborted[0]:,} of {phase.aborted[1]:,} requesters gave up, so the load was lower"
    return Caveat("users-failed", text)


def _progress_caveat(rates: np.ndarray) -> Caveat:
    if not len(rates):
        text = "no progress lines: throughput is the total that the tool printed, and its noise is unknown"
        return Caveat("no-intervals", text)
    text = (
        "intervals are those between its progress lines, about ten seconds or more: they hide shorter stalls and "
        "whether throughput had settled"
    )
    return Caveat("long-intervals", text)


def _rate_caveat(phase: Phase) -> Caveat | None:
    if phase.rate is None:
        return None
    text = "the printed rate counts from before its connections are open, cuts fractions off and counts failed requests"
    return Caveat("rate-with-connecting", text)


def _quantiles_caveat(stats: tuple[TypeStats, ...]) -> Caveat:
    if not stats:
        return Caveat("no-percentile", "no statistics by type: response times are unknown")
    text = (
        "quantiles are of single types, the upper edges of buckets of 0.1 ms below 1 ms, 1 ms below 100 ms, 100 ms "
        "below 1 s; there are none over all requests"
    )
    return Caveat("coarse-quantiles", text)


LINKBENCH = Tool(
    name="linkbench",
    title="LinkBench",
    names=r"linkbench",
    is_log=is_linkbench,
    survey=survey,
    why_none=lambda text: no_run(text, "no request phase of LinkBench in it"),
    read=read,
    versions_differ="versions differ in what they print",
    companions=(
        Companion(STATS, r"csv-?stats|final-stats", re.compile(rf"\A\s*{STATS_HEAD}")),
        Companion(STREAM, r"csv-?stream|streaming-stats", re.compile(rf"\A\s*{STREAM_HEAD}")),
    ),
)
