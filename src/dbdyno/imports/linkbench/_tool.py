"""Presents LinkBench to the import: reads one request phase from its log and its CSV files."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from dbdyno.core import Caveat, LatencyNs, ToolFigures, TypeFigures
from dbdyno.imports._caveats import about_totals, about_window, judgement, throughput
from dbdyno.imports._run import PartFacts, Source, ToolRun, Wrong
from dbdyno.imports._tool import Companion, Tool, no_run
from dbdyno.imports.linkbench._csv import STATS_HEAD, STREAM_HEAD, TypeStats, read_stats, read_stream
from dbdyno.imports.linkbench._log import Phase, is_linkbench, log_parts, read_phase
from dbdyno.tables import Table, Texts

STATS, STREAM = "csv-statistics", "csv-stream"
_FAILED = "failed request (code not in the log)"
_NO_TIME = "only counts and times by type: how long the run was is not in it"


def survey(text: str) -> tuple[PartFacts, ...]:
    """The request phases of a log."""
    found = []
    for part in log_parts(text):
        phase = read_phase(text[part.start : part.end])
        found.append(PartFacts(part.head, part.head.threads, part.first_line, round(_window_s(phase))))
    return tuple(found)


def read(source: Source) -> ToolRun:
    """One run with everything that the store keeps of it."""
    parts = log_parts(source.text)
    part = parts[source.part_index]
    own = source.text[part.start : part.end]
    phase = read_phase(own)
    stats, stats_wrong = _stats(source, own, phase, len(parts))
    failed, stream_wrong = _failed(source, phase, len(parts))
    ends, rates = _rates(phase)
    total = None if phase.rate is None else float(phase.rate)
    mean, half = throughput(rates, total)
    failure = "" if mean else "no request completed" if mean == 0 else _NO_TIME if stats else _why_nothing(own)
    remarks = [
        _about_progress(rates),
        about_totals(total, mean),
        _about_rate(phase),
        _about_quantiles(stats),
        about_window(_window_s(phase)),
    ]
    last_line = part.first_line + own.rstrip("\n").count("\n")
    is_table = own.lstrip().startswith(STATS_HEAD)
    ending = () if phase.rate is not None or is_table else ((last_line, "the log ends here, in its request phase"),)
    own_wrong = (*phase.wrong, *(stats_wrong if is_table else ()))
    return ToolRun(
        head=part.head,
        judgement=judgement(failure, [_cut_off(phase), _aborted(phase)], remarks),
        tool=ToolFigures("LinkBench", tps=total, elapsed_s=phase.seconds, max_ns=_longest(stats)),
        window_s=_window_s(phase),
        tps_mean=mean or None,
        tps_half_width=half if mean else None,
        latency_ns=LatencyNs(None, None, None, None, _longest(stats)) if stats else None,
        transactions=phase.requests if phase.requests is not None else phase.progress[-1][1] if phase.progress else 0,
        errors={_FAILED: sum(failed.values())} if any(failed.values()) else {},
        types=tuple(_type(each, failed.get(each.name, 0), _window_s(phase)) for each in stats),
        seconds=_seconds(ends, rates),
        start={"threads": part.head.threads, "warm_up_s": part.head.warm_up_s, "first_line": part.first_line},
        end={"requests": phase.requests, "seconds": phase.seconds, "requests_per_s": phase.rate},
        wrong=tuple((part.first_line - 1 + line, words) for line, words in own_wrong) + ending,
        companions_wrong={STATS: () if is_table else stats_wrong, STREAM: stream_wrong},
    )


def _window_s(phase: Phase) -> float:
    return float(phase.seconds or (phase.progress[-1][0] if phase.progress else 0.0))


def _stats(source: Source, own: str, phase: Phase, parts: int) -> tuple[tuple[TypeStats, ...], Wrong]:
    """Statistics by type: of the log, else of the table that is the log, else of the file beside a single run."""
    if phase.types:
        return phase.types, ()
    text = own if STATS_HEAD in own else source.companions.get(STATS, "") if parts == 1 else ""
    return read_stats(text)


def _failed(source: Source, phase: Phase, parts: int) -> tuple[Mapping[str, int], Wrong]:
    if phase.failed or STREAM not in source.companions or parts > 1:
        return phase.failed, ()
    totals, wrong = read_stream(source.companions[STREAM])
    return totals.failed, wrong


def _rates(phase: Phase) -> tuple[np.ndarray, np.ndarray]:
    """Ends of intervals in seconds, and requests per second in each, from the points of progress."""
    if not phase.progress:
        return np.empty(0), np.empty(0)
    at_s, count = (np.array(column, dtype=float) for column in zip(*phase.progress, strict=True))
    return at_s, np.diff(count) / np.diff(at_s)


def _seconds(ends: np.ndarray, rates: np.ndarray) -> Table | tuple[()]:
    if not len(rates):
        return ()
    columns = {
        "second": np.rint(ends[:-1]).astype(np.int64),
        "phase": Texts.repeated("window", len(rates)),
        "duration_ns": np.rint(np.diff(ends) * 1e9).astype(np.int64),
        "tps": rates,
    }
    return Table(columns)


def _type(stats: TypeStats, failed: int, seconds: float) -> TypeFigures:
    quantiles = [round(value * 1e6) for value in (stats.p50_ms, stats.p95_ms, stats.p99_ms)]
    latency = LatencyNs(quantiles[0], quantiles[1], quantiles[2], None, round(stats.max_ms * 1e6))
    rate = stats.count / seconds if seconds else 0.0
    return TypeFigures(stats.name.lower(), stats.count, failed, 0, 0, rate, stats.mean_ms * 1e6, latency)


def _longest(stats: tuple[TypeStats, ...]) -> int | None:
    return max((round(each.max_ms * 1e6) for each in stats), default=None)


def _why_nothing(text: str) -> str:
    return "the request phase started but did not finish" if "Requester thread" in text else "the log holds no requests"


def _cut_off(phase: Phase) -> Caveat | None:
    if phase.rate is not None:
        return None
    after = f" after second {phase.progress[-1][0]:.0f}" if phase.progress else ""
    return Caveat("cut-off", f"the log ends in its request phase{after}: whether it went on is not known")


def _aborted(phase: Phase) -> Caveat | None:
    if phase.aborted is None:
        return None
    text = f"{phase.aborted[0]:,} of {phase.aborted[1]:,} requesters gave up, and with them their load"
    return Caveat("users-failed", text)


def _about_progress(rates: np.ndarray) -> Caveat:
    if not len(rates):
        text = "no progress lines: throughput is the total that the tool printed, and its noise is unknown"
        return Caveat("no-intervals", text)
    text = "intervals are those between its progress lines, about ten seconds or more: shorter stalls are hidden"
    return Caveat("long-intervals", text)


def _about_rate(phase: Phase) -> Caveat | None:
    if phase.rate is None:
        return None
    text = "the printed rate counts from before its connections are open, cuts fractions off and counts failed requests"
    return Caveat("rate-with-connecting", text)


def _about_quantiles(stats: tuple[TypeStats, ...]) -> Caveat:
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
