"""Reads the log of HammerDB's virtual users, as written or as printed: which runs it holds.

Also the report of a job, which is one JSON document with one run.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dbdyno.core import json_value
from dbdyno.imports._lines import line_of
from dbdyno.imports._run import LogPart, RunHeader
from dbdyno.imports.hammerdb._clock import clock_s

_RAMP_RE = re.compile(r"^.{0,20}?Vuser 1:Beginning rampup time of (\d{1,6}) minutes", re.MULTILINE)
_RESULT = (
    r"TEST RESULT : System achieved (?:(\d{1,15}) NOPM from (\d{1,15}) (.{1,40}?) TPM|"
    r"(\d{1,15}) (.{1,40}?) TPM at (\d{1,15}) NOPM)"
)
RESULT_RE = re.compile(rf"^.{{0,20}}?Vuser 1:{_RESULT}", re.MULTILINE)
_QUOTED_RE = re.compile(rf'^ *"?{_RESULT}', re.MULTILINE)
_NEXT_RE = re.compile(r"^(?:Vuser 1 created|Hammerdb Log @)", re.MULTILINE | re.IGNORECASE)
_TRACES_RE = re.compile(
    rf"^(?:Hammerdb Log @|.{{0,20}}?Vuser \d+:|HammerDB CLI v)|{_RESULT}|\"hammerdb-job-report",
    re.MULTILINE | re.IGNORECASE,
)
_DURATION_RE = re.compile(r"^.{0,20}?Vuser 1:Timing test period of (\d{1,6}) in minutes", re.MULTILINE)
_COMPLETE_RE = re.compile(r"^.{0,20}?Vuser 1:Test complete", re.MULTILINE)
_USERS_RE = re.compile(r"^.{0,20}?Vuser 1:(\d{1,7}) Active Virtual Users configured", re.MULTILINE)
_SESSIONS_RE = re.compile(r"= (\d{1,9}) Active Sessions configured", re.MULTILINE)
_CREATED_RE = re.compile(r"^(\d{1,7}) Virtual Users Created with Monitor VU", re.MULTILINE)
_WORKING_RE = re.compile(r"^.{0,20}?Vuser (\d{1,7}):Processing \d+ transactions", re.MULTILINE)
_STAMP_RE = re.compile(r"^Timestamp 1 @ ([^\n]{1,60})$", re.MULTILINE)
_VERSION_RE = re.compile(r"HammerDB(?: CLI)? v(\d[\w.]{0,20})")
_SERVER_RE = re.compile(r"^.{0,20}?Vuser \d{1,7}:DBVersion:(\d[\w.+-]{0,60})", re.MULTILINE)
_COUNTER_RE = re.compile(r"^\d+ (MariaDB|MySQL|PostgreSQL) tpm", re.MULTILINE)
_FAILED_RE = re.compile(r"^.{0,20}?Vuser (\d{1,7}):FINISHED FAILED", re.MULTILINE)
_ERROR_RES = (
    ("error of a virtual user (code not in the log)", re.compile(r"^Error in Virtual User \d+: ", re.MULTILINE)),
    ("procedure error (code not in the log)", re.compile(r"Procedure Error set RAISEERROR", re.IGNORECASE)),
)


@dataclass(frozen=True, slots=True)
class Facts:
    """Holds what a run's text says. None: it does not.

    Parameters
    ----------
    window : characters between the lines that open and close the timed minutes
    window_clock_s : when those were written, by the log's own time stamps
    failed_users : that ended with an error
    errors : kind -> count
    """

    nopm: int | None
    tpm: int | None
    users: int | None
    ramp_minutes: int | None
    minutes: int | None
    window: tuple[int, int] | None
    window_clock_s: tuple[int, int] | None
    failed_users: int
    errors: Mapping[str, int]


def is_hammerdb(text: str) -> bool:
    """Return whether a text shows traces of HammerDB."""
    return _TRACES_RE.search(text) is not None


def job_report(text: str) -> dict[str, Any] | None:
    """Return the report of a job of TPROC-C; None when the text is something else."""
    if not text.lstrip().startswith("{") or "hammerdb-job-report" not in text[:4096]:
        return None
    try:
        document = json_value(text)
    except ValueError:
        return None
    result = document.get("result") if isinstance(document, dict) else None
    return document if isinstance(result, dict) and isinstance(result.get("nopm"), int) else None


@functools.lru_cache(maxsize=1)  # each run of a log reads it again
def log_parts(text: str) -> tuple[LogPart, ...]:
    """Return the timed runs of a log; runs whose beginning is missing are found by their results."""
    if job_report(text) is not None:
        return (LogPart(_job_run_header(job_report(text) or {}), 0, len(text), 1),)
    anchors = [match.start() for match in _RAMP_RE.finditer(text)] or [m.start() for m in RESULT_RE.finditer(text)]
    if not anchors:
        quoted = _QUOTED_RE.search(text)
        return (LogPart(_run_header(text), 0, len(text), 1),) if quoted else ()
    starts = [0]
    for previous_anchor, anchor in itertools.pairwise(anchors):
        previous_end = RESULT_RE.search(text, previous_anchor, anchor) or _RAMP_RE.search(text, previous_anchor, anchor)
        opening = _NEXT_RE.search(text, previous_end.end() if previous_end else previous_anchor, anchor)
        starts.append(opening.start() if opening else anchor)
    if not _RAMP_RE.search(text):  # results alone, one below the other
        starts = [0, *(match.end() for match in list(RESULT_RE.finditer(text))[:-1])]
    spans = zip(starts, [*starts[1:], len(text)], strict=True)
    return tuple(LogPart(_run_header(text[a:b], text), a, b, line_of(text, a)) for a, b in spans)


def log_facts(text: str) -> Facts:
    """Return facts of one run."""
    report = job_report(text)
    if report is not None:
        return _job_facts(report)
    result = RESULT_RE.search(text) or _QUOTED_RE.search(text)
    ramp, duration, complete = _RAMP_RE.search(text), _DURATION_RE.search(text), _COMPLETE_RE.search(text)
    window = (duration.end(), complete.start()) if duration and complete and duration.end() < complete.start() else None
    return Facts(
        nopm=int(result[1] or result[6]) if result else None,
        tpm=int(result[2] or result[4]) if result else None,
        users=_virtual_users(text),
        ramp_minutes=int(ramp[1]) if ramp else None,
        minutes=int(duration[1]) if duration else None,
        window=window,
        window_clock_s=_window_clock(text, window),
        failed_users=len({match[1] for match in _FAILED_RE.finditer(text)}),
        errors={name: n for name, pattern in _ERROR_RES if (n := len(pattern.findall(text)))},
    )


def _virtual_users(text: str) -> int | None:
    sessions, users, created = _SESSIONS_RE.search(text), _USERS_RE.search(text), _CREATED_RE.search(text)
    if sessions or users:
        return int((sessions or users or [0, 0])[1]) or None
    if created:
        return max(int(created[1]) - 1, 0) or None
    return len({match[1] for match in _WORKING_RE.finditer(text)}) or None


def _window_clock(text: str, window: tuple[int, int] | None) -> tuple[int, int] | None:
    """Return when the lines around the window were written: a time stamp stands above each line."""
    if window is None:
        return None
    stamps = []
    for place in (text.rfind("\n", 0, window[0]), window[1]):
        stamp_start = text.rfind("\nTimestamp 1 @ ", max(place - 200, 0), place)
        match = _STAMP_RE.match(text, stamp_start + 1) if stamp_start >= 0 else None
        stamps.append(clock_s(match[1]) if match else None)
    start, end = stamps
    return (start, end) if start is not None and end is not None and start < end else None


def _run_header(text: str, whole_log: str = "") -> RunHeader:
    facts = log_facts(text)
    version = _VERSION_RE.search(text) or _VERSION_RE.search(whole_log)
    server = _SERVER_RE.search(text)
    return RunHeader(
        version=version[1] if version else "",
        threads=facts.users,
        test="tpcc/hammerdb",
        lead_s=60 * (facts.ramp_minutes or 0),
        family=_server_family(text, server[1] if server else ""),
        server_version=server[1] if server else "",
    )


def _server_family(text: str, version: str) -> str:
    """Return MariaDB by its own driver or version; MySQL's driver also drives its forks, so alone it proves nothing."""
    result, counter = RESULT_RE.search(text), _COUNTER_RE.search(text)
    name = (result[3] or result[5] if result else "") or (counter[1] if counter else "")
    if name == "MariaDB" or "mariadb" in version.lower():
        return "mariadb"
    return "" if name in ("", "MySQL") else name.lower().replace(" ", "-")


def _job_run_header(report: Mapping[str, Any]) -> RunHeader:
    facts, job = _job_facts(report), _mapping(report, "job")
    name = str(job.get("database_display", ""))
    return RunHeader(
        version=str(job.get("hdb_version", "")).removeprefix("v")[:40],
        threads=facts.users,
        test="tpcc/hammerdb",
        lead_s=60 * (facts.ramp_minutes or 0),
        family="" if name in ("", "MySQL") else name.lower().replace(" ", "-")[:40],
        server_version=str(job.get("release", ""))[:60],
    )


def _job_facts(report: Mapping[str, Any]) -> Facts:
    result, config = _mapping(report, "result"), _mapping(report, "benchmark_config")
    users = _count(result, "active_virtual_users") or _count(config, "virtual_users")
    return Facts(
        nopm=_count(result, "nopm"),
        tpm=_count(result, "tpm"),
        users=users or None,
        ramp_minutes=_count(config, "rampup_minutes"),
        minutes=_count(config, "duration_minutes"),
        window=None,
        window_clock_s=None,
        failed_users=0,
        errors={},
    )


def _mapping(document: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = document.get(key)
    return value if isinstance(value, dict) else {}


def _count(document: Mapping[str, Any], key: str) -> int | None:
    value = document.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**15 else None
