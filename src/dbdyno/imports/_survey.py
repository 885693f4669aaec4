"""A first look into every log: checksum, which runs it holds, and what each says of itself. Done side by side."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dbdyno.imports._file_text import read_file_text
from dbdyno.imports.sysbench import Head, is_sysbench, log_parts, read_intervals

_TAIL = 16 * 1024
_END_RE = re.compile(r"^\[ *(\d{1,9})s ?\] thds: |^(\d{1,9}),\d{1,7}(?:,\d{1,15}\.\d\d){8}\s*$", re.MULTILINE)
_TOTAL_RE = re.compile(r"^ {4}(?:total time|time elapsed): +(\d{1,9}\.\d+)s", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PartFacts:
    """One run in a log.

    Parameters
    ----------
    threads : None when nothing tells
    first_line : from 1
    duration_s : by its last interval line or its total time, rounded; 0 when neither is there
    """

    head: Head
    threads: int | None
    first_line: int
    duration_s: int


@dataclass(frozen=True, slots=True)
class LogSurvey:
    """What the first look at a log gave.

    Parameters
    ----------
    parts : its runs, in order
    is_log : it has traces of sysbench, though perhaps no run
    why_none : why it has no run, for a complaint; empty when it has some, or is no matter
    problem : why it can't be read at all; empty when it can
    """

    sha256: str
    size: int
    parts: tuple[PartFacts, ...] = ()
    is_log: bool = False
    why_none: str = ""
    problem: str = ""
    line: int = 1


def survey_log(path: Path) -> LogSurvey:
    """Look into a log."""
    try:
        content = read_file_text(path)
    except OSError as error:
        return LogSurvey("", 0, problem=f"can't be read: {error.strerror or error}")
    if not content.sha256:
        return LogSurvey("", content.size, problem=content.complaints[0][1])
    text = content.text
    parts = tuple(
        PartFacts(
            part.head,
            part.head.threads or _threads_seen(text[part.start : part.end]),
            part.first_line,
            _duration_s(text[max(part.start, part.end - _TAIL) : part.end]),
        )
        for part in log_parts(text)
    )
    if parts:
        return LogSurvey(content.sha256, content.size, parts, is_log=True)
    why, line = _why_none(text)
    return LogSurvey(content.sha256, content.size, is_log=is_sysbench(text), why_none=why, line=line)


def _threads_seen(text: str) -> int | None:
    """The number of threads that most interval lines name: for a log that lost its head."""
    seen = read_intervals(text).threads
    if not len(seen):
        return None
    values, counts = np.unique(seen, return_counts=True)
    return int(values[counts.argmax()]) or None


def _duration_s(tail: str) -> int:
    ends = _END_RE.findall(tail)
    if ends:
        return int(ends[-1][0] or ends[-1][1])
    total = _TOTAL_RE.search(tail)
    return round(float(total[1])) if total else 0


def _why_none(text: str) -> tuple[str, int]:
    if not text.strip():
        return "the log is empty", 1
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("FATAL: "):
            return f"no run in it: {line[:200]}", number
    return "no run of sysbench 1.0 or 1.1 in it", 1
