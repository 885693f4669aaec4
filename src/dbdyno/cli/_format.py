"""Formats numbers for the terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

_BARS = "▁▂▃▄▅▆▇█"


def plain(text: str) -> str:
    r"""Return text from anywhere without what would steer a terminal or turn the direction of writing; lines stay.

    >>> plain("a\x1b[31mb\u202e\nc\u00a0d")
    'a?[31mb?\nc\xa0d'
    """
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() or sign == "\n" or _is_space(sign) else "?" for sign in text)


def _is_space(sign: str) -> bool:
    return unicodedata.category(sign) == "Zs"


def tps_words(tps: float) -> str:
    """Return a throughput.

    >>> tps_words(4211.7), tps_words(87.43)
    ('4,212', '87.4')
    """
    return f"{tps:,.0f}" if tps >= 100 else f"{tps:.1f}"


def sparkline(values: Iterable[float]) -> str:
    """Return one bar a second, from zero to the largest.

    >>> sparkline([0, 5, 10])
    '▁▅█'
    """
    series = list(values)
    highest = max(series, default=0.0) or 1.0
    return "".join(_BARS[min(len(_BARS) - 1, int(value / highest * len(_BARS)))] for value in series)


def duration_words(duration_ns: int) -> str:
    """Return a time left, no finer than it can be known.

    >>> duration_words(400_300_000_000), duration_words(42_700_000_000)
    ('6 min 40 s', '40 s')
    """
    from dbdyno.core import format_duration  # late: help is answered without it

    return format_duration(round(duration_ns / 1e10) * 10**10) if duration_ns >= 10**10 else "a few seconds"
