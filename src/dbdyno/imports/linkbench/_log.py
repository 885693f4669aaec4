"""Reads the log of LinkBench: where its request phases stand in it, and what each says."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass

from dbdyno.imports._lines import NUMBER, line_of
from dbdyno.imports._run import LogPart, RunHeader, Wrong
from dbdyno.imports.linkbench._csv import NO_REQUESTS, STATS_HEAD, TypeStats

_N = NUMBER
_DONE_RE = re.compile(
    r"REQUEST PHASE COMPLETED\. (\d{1,15}) requests done in (\d{1,9}) seconds\. ?Requests/second = (\d{1,12})"
)
_STARTED_RE = re.compile(r"Requester thread #(\d{1,7}) started: will do (\d{1,15}) ops after (\d{1,9}) second warmup")
_PROGRESS_RE = re.compile(
    rf"(\d{{1,15}})/(\d{{1,18}}) requests finished: {_N}% complete at ({_N}) ops/sec ({_N})/(\d{{1,12}}) secs elapsed"
)
_TYPE_RE = re.compile(
    r"\b([A-Z][A-Z_]{1,40}) count = (\d{1,15})\s+"
    + r"\s+".join(rf"p{p} = \[({_N}),({_N})\]ms" for p in (25, 50, 75, 95, 99))
    + rf"\s+max = ({_N})ms\s+mean = ({_N})ms"
)
_TYPE_LIKE_RE = re.compile(r"\b[A-Z][A-Z_]{1,40} count = \d{1,15}\s.*$", re.MULTILINE)
_THREAD_RE = re.compile(r"ThreadID = (\d{1,7}) ([A-Z][A-Z_]{1,40}) total[oO]ps = \d{1,15} totalErrors = (\d{1,15}) ")
_ABORTED_RE = re.compile(r"Benchmark did not complete cleanly: (\d{1,7})/(\d{1,7}) request threads aborted")
_LOADED_RE = re.compile(r"LOAD PHASE COMPLETED\.")
_TRACES_RE = re.compile(
    r"REQUEST PHASE COMPLETED\.|LOAD PHASE COMPLETED\.|Requester thread #\d+ started|requests finished: |"
    rf"^{STATS_HEAD}",
    re.MULTILINE,
)
STEP_S = 10.0
"""Progress lines nearer to each other than this are put together: they are printed by count, not by time."""


@dataclass(frozen=True, slots=True)
class Phase:
    """Describes a request phase.

    Parameters
    ----------
    requests, seconds, rate : as printed at its end; None where that is missing
    progress : seconds since its beginning and requests done, both rising
    types : of its statistics, the load phase's left out
    failed : requests that failed, by type, as its threads say
    aborted : threads that gave up, and of how many; None where none is said to have
    """

    requests: int | None
    seconds: int | None
    rate: int | None
    progress: tuple[tuple[float, int], ...]
    types: tuple[TypeStats, ...]
    failed: Mapping[str, int]
    aborted: tuple[int, int] | None
    wrong: Wrong


def is_linkbench(text: str) -> bool:
    """Return whether a text shows traces of LinkBench."""
    return _TRACES_RE.search(text) is not None


@functools.lru_cache(maxsize=1)  # each run of a log reads it again
def log_parts(text: str) -> tuple[LogPart, ...]:
    """Return the request phases of a log; a table of statistics alone counts as one."""
    phase_ends = [_end_of_line(text, match.end()) for match in _DONE_RE.finditer(text)]
    starts = [0, *phase_ends]
    spans = [(a, b) for a, b in zip(starts, [*phase_ends, len(text)], strict=True) if _has_phase(text[a:b])]
    return tuple(LogPart(_run_header(text[a:b]), a, b, line_of(text, a)) for a, b in spans)


def _end_of_line(text: str, position: int) -> int:
    """End of the line, with the line behind it that says how many threads gave up."""
    end = text.find("\n", position) + 1 or len(text)
    next_end = text.find("\n", end) + 1 or len(text)
    return next_end if _ABORTED_RE.search(text, end, next_end) else end


def _has_phase(text: str) -> bool:
    return bool(_DONE_RE.search(text) or _STARTED_RE.search(text) or _PROGRESS_RE.search(text) or STATS_HEAD in text)


def _run_header(text: str) -> RunHeader:
    threads = {match[1] for match in _STARTED_RE.finditer(text)}
    first_start = _STARTED_RE.search(text)
    warm_up_s = int(first_start[3]) if first_start else 0
    return RunHeader(threads=len(threads) or None, warm_up_s=warm_up_s or None, test="linkbench", lead_s=warm_up_s)


def read_phase(text: str) -> Phase:
    """Return one request phase."""
    load_lines = list(_LOADED_RE.finditer(text))
    phase_start = load_lines[-1].end() if load_lines else 0
    summary, aborted = _DONE_RE.search(text), _ABORTED_RE.search(text)
    types = {match[1]: _type_stats(match) for match in _TYPE_RE.finditer(text, phase_start)}
    whole_line_starts = {match.start() for match in _TYPE_RE.finditer(text)}
    problems = [
        (line_of(text, match.start()), f"not a whole line of statistics: {match[0].strip()[:120]}")
        for match in _TYPE_LIKE_RE.finditer(text)
        if match.start() not in whole_line_starts
    ]
    return Phase(
        requests=int(summary[1]) if summary else None,
        seconds=int(summary[2]) if summary else None,
        rate=int(summary[3]) if summary else None,
        progress=_progress_points(text),
        types=tuple(stats for name, stats in types.items() if name not in NO_REQUESTS),
        failed=_failed_by_type(text),
        aborted=(int(aborted[1]), int(aborted[2])) if aborted else None,
        wrong=tuple(problems),
    )


def _progress_points(text: str) -> tuple[tuple[float, int], ...]:
    """Return points at least `STEP_S` apart: threads print as they reach a count, so lines may come in disorder."""
    points = sorted((float(match[4]), int(match[1])) for match in _PROGRESS_RE.finditer(text))
    spaced_points = [(0.0, 0)]
    for at_s, count in points:
        if at_s - spaced_points[-1][0] >= STEP_S and count > spaced_points[-1][1]:
            spaced_points.append((at_s, count))
    return tuple(spaced_points) if len(spaced_points) > 1 else ()


def _type_stats(match: re.Match[str]) -> TypeStats:
    p50, p95, p99, maximum, mean = (float(match[index]) for index in (6, 10, 12, 13, 14))
    return TypeStats(match[1], int(match[2]), p50, p95, p99, maximum, mean)


def _failed_by_type(text: str) -> dict[str, int]:
    last_counts = {(match[1], match[2]): int(match[3]) for match in _THREAD_RE.finditer(text)}
    failed_by_type: dict[str, int] = {}
    for (_, name), count in last_counts.items():
        if name not in NO_REQUESTS:
            failed_by_type[name] = failed_by_type.get(name, 0) + count
    return failed_by_type
