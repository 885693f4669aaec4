"""Reads the transaction counter: commits and rollbacks per minute, in its own log or between other lines."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from dbdyno.imports._lines import line_of
from dbdyno.imports._run import Wrong
from dbdyno.imports.hammerdb._clock import clock_s

READING_RE = re.compile(r"^(\d{1,15}) ([A-Za-z][\w ]{0,40}?) tpm(?: @ ([^\n]{1,60}))?[ \t]*$", re.MULTILINE)
_LIKE_RE = re.compile(r"^\S*\d+ [A-Za-z][\w ]{0,40} tp(?:m\b.*)?$", re.MULTILINE)
_SERIES_RE = re.compile(r'"[A-Za-z][\w ]{0,40} tpm"\s*:\s*\{')
_MOST = 1_000_000


@dataclass(frozen=True, slots=True)
class CounterReading:
    """Describes one reading.

    Parameters
    ----------
    tpm : transactions a minute over the time since the reading before
    at_s : by the counter's clock, from some beginning; None where it wrote none
    place : character in the text
    """

    tpm: int
    at_s: int | None
    place: int


def read_counter(text: str) -> tuple[tuple[CounterReading, ...], Wrong]:
    r"""Return readings of a counter's log, of a capture of the command line, or of a job's ``tcount``.

    >>> found, wrong = read_counter("600 MySQL tpm\n720 MySQL tpm @ Mon Apr 14 13:18:44 BST 2025\n")
    >>> [reading.tpm for reading in found], found[1].at_s is not None, wrong
    ([600, 720], True, ())
    """
    series = _SERIES_RE.search(text)
    if series and not READING_RE.search(text):
        return _json_readings(
            text, text.rfind("{", 0, series.start()) if "{" in text[: series.start()] else series.start()
        )
    readings = [
        CounterReading(int(m[1]), clock_s(m[3]) if m[3] else None, m.start()) for m in READING_RE.finditer(text)
    ]
    places = {reading.place for reading in readings}
    problems = [
        (line_of(text, match.start()), f"not a whole reading of the counter: {match[0].strip()[:120]}")
        for match in _LIKE_RE.finditer(text)
        if match.start() not in places
    ]
    return tuple(readings[:_MOST]), tuple(problems)


def _json_readings(text: str, start: int) -> tuple[tuple[CounterReading, ...], Wrong]:
    try:
        document, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError) as error:
        return (), ((line_of(text, start), f"not JSON: {error}"),)
    if not isinstance(document, dict):
        return (), ((line_of(text, start), "not JSON: the readings are not in an object"),)
    values = next((v for k, v in document.items() if str(k).endswith(" tpm") and isinstance(v, dict)), {})
    readings = [
        CounterReading(int(tpm), clock_s(str(clock_text)), start)
        for clock_text, tpm in values.items()
        if isinstance(tpm, str | int) and str(tpm).isascii() and str(tpm).isdigit() and len(str(tpm)) <= 15
    ]
    return tuple(readings), ()
