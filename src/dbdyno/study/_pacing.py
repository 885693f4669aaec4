"""Defines when transactions are due: at once, after a pause, by the clock, or as fast as an objective is met.

Each kind is written as people say it: ``think = "100ms"``, ``rates = ["500/s for 30s", "500/s to 2000/s over 1min"]``,
``slo = "p99 < 20ms"``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from dbdyno.core import StudyError, format_duration, parse_duration_ns
from dbdyno.study._toml_text import decimal_text, float_text

Arrivals = Literal["poisson", "constant"]
ThinkLaw = Literal["exponential", "constant"]
HIGHEST_PER_S = 10_000_000.0

_RATE = r"(\d+(?:\.\d+)?)\s*/\s*s"
_STEP_RE = re.compile(rf"{_RATE}\s+for\s+(.+)")
_RAMP_RE = re.compile(rf"{_RATE}\s+to\s+{_RATE}\s+over\s+(.+)")
_SLO_RE = re.compile(r"p(\d{1,2}(?:\.\d+)?)\s*<\s*(.+)")


@dataclass(frozen=True, slots=True)
class Think:
    """Pause of a connection after each transaction; it belongs to no time that is measured."""

    mean_ns: int
    law: ThinkLaw = "exponential"


@dataclass(frozen=True, slots=True)
class Stretch:
    """Describes the rate in a stretch of time; it changes in a straight line."""

    duration_ns: int
    from_per_s: float
    to_per_s: float

    def __str__(self) -> str:
        """Format it as a study file does.

        >>> str(parse_stretch("500/s to 2000/s over 1min"))
        '500.0/s to 2000.0/s over 60s'
        """
        start, end = float_text(self.from_per_s), float_text(self.to_per_s)
        if start == end:
            return f"{start}/s for {duration_text(self.duration_ns)}"
        return f"{start}/s to {end}/s over {duration_text(self.duration_ns)}"


@dataclass(frozen=True, slots=True)
class Search:
    """Describes the highest rate that meets a service-level objective, found by probing rates.

    Parameters
    ----------
    quantile : of the response time, 0 to 1, that must stay below `response_ns`
    precision : the search ends when the lowest broken rate is so much, relatively, above the highest held
    settle_ns : of each probe, not judged; the window of the study is that of each probe
    """

    quantile: float
    response_ns: int
    first_per_s: float
    precision: float
    settle_ns: int

    @property
    def slo(self) -> str:
        """Format it as a study file does.

        >>> Search(0.999, 20_000_000, 100.0, 0.05, 0).slo
        'p99.9 < 20ms'
        """
        return f"p{decimal_text(round(self.quantile * 100, 9))} < {duration_text(self.response_ns)}"


@dataclass(frozen=True, slots=True)
class Pacing:
    """Says when the next transaction is due: by at most one kind, and without any at once (closed loop)."""

    rate_per_s: float | None = None
    arrivals: Arrivals = "poisson"
    think: Think | None = None
    stretches: tuple[Stretch, ...] = ()
    search: Search | None = None

    @property
    def is_closed(self) -> bool:
        """Return whether the next transaction waits for the last: response times then leave out waits for a stall."""
        return self.rate_per_s is None and not self.stretches and self.search is None

    @property
    def words(self) -> str:
        """The kind in words.

        >>> Pacing().words, Pacing(rate_per_s=500).words
        ('closed loop', '500 a second')
        """
        if self.think is not None:
            return f"closed loop, {self.think.law} think time of {format_duration(self.think.mean_ns)}"
        if self.stretches:
            return "varied rate: " + ", ".join(map(str, self.stretches))
        if self.search is not None:
            return f"highest rate with {self.search.slo}"
        return "closed loop" if self.rate_per_s is None else f"{self.rate_per_s:,.10g} a second"


CLOSED_LOOP = Pacing()


def parse_stretch(text: str) -> Stretch:
    """Return a stretch of a varied rate.

    Raises
    ------
    ValueError : its text completes "must be ..."

    >>> parse_stretch("500/s for 30s")
    Stretch(duration_ns=30000000000, from_per_s=500.0, to_per_s=500.0)
    """
    step, ramp = _STEP_RE.fullmatch(text.strip()), _RAMP_RE.fullmatch(text.strip())
    match = step or ramp
    if match is None:
        raise ValueError('segments such as "500/s for 30s" or "500/s to 2000/s over 60s"')
    start_per_s, end_per_s = float(match[1]), float(match[2] if ramp else match[1])
    if max(start_per_s, end_per_s) > HIGHEST_PER_S:
        raise ValueError(f"rates of at most {HIGHEST_PER_S:,.0f}/s")
    return Stretch(parse_pause(match[match.lastindex or 1]), start_per_s, end_per_s)


def parse_slo(text: str) -> tuple[float, int]:
    """Return quantile and response time of a service-level objective.

    Raises
    ------
    ValueError : its text completes "must be ..."

    >>> parse_slo("p99.9 < 20ms")
    (0.999, 20000000)
    """
    match = _SLO_RE.fullmatch(text.strip())
    quantile = round(float(match[1]) / 100, 9) if match else 0.0
    if match is None or not 0 < quantile < 1:
        raise ValueError('a quantile and its limit, such as "p99 < 20ms"')
    return quantile, parse_pause(match[2])


def parse_pause(text: str) -> int:
    """Return nanoseconds of a duration above 0.

    Raises
    ------
    ValueError : its text completes "must be ..."
    """
    try:
        duration_ns = parse_duration_ns(text)
    except StudyError as error:
        raise ValueError('a duration such as "100ms" or "2s"') from error
    if duration_ns <= 0:
        raise ValueError("a duration above 0")
    return duration_ns


def duration_text(duration_ns: int) -> str:
    """Return a duration as a study file has it, exact.

    >>> duration_text(30_000_000_000), duration_text(100_000_000), duration_text(1_500_000)
    ('30s', '100ms', '1.5ms')
    """
    if duration_ns % 10**9 == 0:
        return f"{duration_ns // 10**9}s"
    return f"{duration_ns // 10**6}.{duration_ns % 10**6:06d}".rstrip("0").rstrip(".") + "ms"
