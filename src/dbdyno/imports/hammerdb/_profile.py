"""Reads time profiles: xtprof's report as text or as the JSON of a job, etprof's tables of older versions."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from dbdyno.core import LatencyNs, TypeFigures
from dbdyno.imports._lines import NUMBER, line_of
from dbdyno.imports._run import Wrong

TYPES: Mapping[str, str] = {
    "NEWORD": "new_order",
    "PAYMENT": "payment",
    "OSTAT": "order_status",
    "DELIVERY": "delivery",
    "SLEV": "stock_level",
}
"""Procedures of HammerDB by the names that dbdyno gives their transactions."""
_SUMMARY_RE = re.compile(
    r"^>{5} SUMMARY OF (\d{1,7}) ACTIVE VIRTUAL USERS : MEDIAN ELAPSED TIME : (\d{1,12})ms", re.MULTILINE
)
_PROC_RE = re.compile(r"^>{5} PROC: (\w{1,40})\s*$", re.MULTILINE)
_FIELD_RE = re.compile(rf"\b(CALLS|MIN|AVG|MAX|TOTAL|P99|P95|P75|P50|P25|SD): ({NUMBER})")
_JSON_RE = re.compile(r'\{\s*"(?:NEWORD|PAYMENT|OSTAT|DELIVERY|SLEV)"\s*:\s*\{')
_ROW_RE = re.compile(
    r"^Vuser (\d{1,7}):\|(neword|payment|delivery|slev|ostat) *\| *(\d{1,15})\| *[\d.]+% *\| *(\d{1,12})\|",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Profile:
    """Describes a profile over all users.

    Parameters
    ----------
    users : whose calls are in it; None where it does not say
    elapsed_s : from a user's first call to its last, the ramp-up included
    """

    types: tuple[TypeFigures, ...]
    users: int | None
    elapsed_s: float


def read_profiles(text: str) -> tuple[tuple[Profile, ...], Wrong]:
    """Return every profile in a text that is of all users together, in order, and what can't be read of them."""
    if _JSON_RE.search(text) and not _SUMMARY_RE.search(text):
        return _json_profiles(text)
    profiles = [_text_profile(match, block) for match, block in _heading_blocks(_SUMMARY_RE, text)]
    return tuple(profile for profile in profiles if profile.types), ()


def _heading_blocks(heading: re.Pattern[str], text: str) -> list[tuple[re.Match[str], str]]:
    """Return every heading with what stands below it, up to the next."""
    headings = list(heading.finditer(text))
    block_ends = [match.start() for match in headings[1:]] + [len(text)] * bool(headings)
    return [(match, text[match.end() : end]) for match, end in zip(headings, block_ends, strict=True)]


def users_in_tables(text: str) -> int:
    """Return how many users printed a table of etprof: each covers the calls of one user."""
    return len({match[1] for match in _ROW_RE.finditer(text)})


def read_tables(text: str, elapsed_s: float) -> Profile | None:
    """Return the tables of etprof added up: counts and means, no quantiles.

    Parameters
    ----------
    elapsed_s : of the run, ramp-up included, which the tables don't show
    """
    calls: dict[str, int] = {}
    total_us: dict[str, int] = {}
    for match in _ROW_RE.finditer(text):
        name = TYPES[match[2].upper()]
        calls[name] = calls.get(name, 0) + int(match[4])
        total_us[name] = total_us.get(name, 0) + int(match[3])
    if not calls or not elapsed_s:
        return None
    types = tuple(
        TypeFigures(name, n, 0, 0, 0, n / elapsed_s, 1e3 * total_us[name] / n if n else None, None)
        for name, n in calls.items()
    )
    return Profile(types, users_in_tables(text), elapsed_s)


def _text_profile(summary: re.Match[str], block: str) -> Profile:
    elapsed_s = int(summary[2]) / 1e3
    next_report = re.search(r"^.{0,40}Time Profile Report @|^>{5} VIRTUAL USER", block, re.MULTILINE)
    block = block[: next_report.start()] if next_report else block
    types = []
    for match, fields in _heading_blocks(_PROC_RE, block):
        values = {name: float(word) for name, word in _FIELD_RE.findall(fields)}
        if match[1] in TYPES and "CALLS" in values:
            types.append(
                _type_figures(TYPES[match[1]], {name.lower(): value for name, value in values.items()}, elapsed_s)
            )
    return Profile(tuple(types), int(summary[1]), elapsed_s)


def _json_profiles(text: str) -> tuple[tuple[Profile, ...], Wrong]:
    profiles, problems = [], []
    for match in _JSON_RE.finditer(text):
        try:
            document, _ = json.JSONDecoder().raw_decode(text, match.start())
        except (ValueError, RecursionError):
            problems.append((line_of(text, match.start()), "a time profile that is not whole JSON"))
            continue
        profile = profile_of_rows({name: row for name, row in document.items() if isinstance(row, dict)})
        if profile is not None:
            profiles.append(profile)
    return tuple(profiles), tuple(problems)


def profile_of_rows(rows: Mapping[str, Mapping[str, object]]) -> Profile | None:
    """Return a profile from the rows of a job's timings, by procedure."""
    types = []
    elapsed_s = 0.0
    for name, row in rows.items():
        values = {k.removesuffix("_ms"): number for k, v in row.items() if (number := _number(v)) is not None}
        if name in TYPES and "calls" in values and values.get("elapsed", 0) > 0:
            elapsed_s = values["elapsed"] / 1e3
            types.append(_type_figures(TYPES[name], values, elapsed_s))
    return Profile(tuple(types), None, elapsed_s) if types else None


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = str(value)
    return float(text) if re.fullmatch(NUMBER, text) else None


def _type_figures(name: str, values: Mapping[str, float], elapsed_s: float) -> TypeFigures:
    def ns(key: str) -> int | None:
        return round(values[key] * 1e6) if values.get(key, -1.0) >= 0 else None

    calls = max(int(values["calls"]), 0)
    latency = LatencyNs(ns("p50"), ns("p95"), ns("p99"), None, ns("max"))
    return TypeFigures(name, calls, 0, 0, 0, calls / elapsed_s if elapsed_s else 0.0, ns("avg"), latency)
