"""Parses times as HammerDB writes them: Tcl's date, or that of its jobs. Ignores zones: all are of one machine."""

from __future__ import annotations

import re
from datetime import UTC, datetime

_MONTHS = {name: number for number, name in enumerate("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1)}
_TCL_RE = re.compile(r"[A-Z][a-z]{2} ([A-Z][a-z]{2}) +(\d{1,2}) (\d\d):(\d\d):(\d\d) (?:\S{1,8} )?(\d{4})")
_JOB_RE = re.compile(r"(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)")


def clock_s(text: str) -> int | None:
    """Return seconds since some beginning; None when the text is no time.

    >>> clock_s("Mon Apr 14 13:18:44 BST 2025") - clock_s("Mon Apr 14 13:18:34 BST 2025")
    10
    >>> clock_s("2025-04-14 13:18:44") == clock_s("Mon Apr 14 13:18:44 CEST 2025"), clock_s("x")
    (True, None)
    """
    tcl = _TCL_RE.match(text)
    if tcl:
        month, day, hour, minute, second, year = tcl.groups()
        numbers = [int(year), _MONTHS.get(month, 0), *(int(word) for word in (day, hour, minute, second))]
    else:
        job = _JOB_RE.match(text)
        numbers = [int(word) for word in job.groups()] if job else []
    try:
        return int(datetime(*numbers, tzinfo=UTC).timestamp()) if numbers else None  # type: ignore[misc, arg-type]
    except ValueError:
        return None
