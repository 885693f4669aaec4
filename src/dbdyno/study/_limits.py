"""Holds the bounds of our own servers, and how long a server may be silent."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dbdyno.core import StudyError, memory_text, parse_bytes
from dbdyno.study._toml_text import float_text

_FORM_RE = re.compile(r"tier(?:\s*\*\s*(?P<factor>\d+(?:\.\d+)?))?(?:\s*\+\s*(?P<more>[\d.]+\s*[A-Za-z]+))?")
FORMS = 'a memory size such as "3GB", or one that follows the tier: "tier + 512MB", "tier * 1.5", "tier * 1.25 + 256MB"'


@dataclass(frozen=True, slots=True)
class MemoryLimit:
    """Limits the memory of the server's process with its page cache: a share of the tier and a size added to it.

    >>> MemoryLimit(1.5, 1 << 28).bytes_at(1 << 30) >> 20
    1792
    """

    tier_factor: float
    more_bytes: int

    def bytes_at(self, tier_bytes: int) -> int:
        """Return the limit at a memory budget, whole mebibytes."""
        return round((self.tier_factor * tier_bytes + self.more_bytes) / (1 << 20)) << 20

    def __str__(self) -> str:
        """Format it as a study file does; reading it gives the same limit."""
        extra_words = memory_text(self.more_bytes) if self.more_bytes else ""
        if not self.tier_factor:
            return extra_words
        tier = "tier" if self.tier_factor == 1 else f"tier * {float_text(self.tier_factor)}"
        return f"{tier} + {extra_words}" if extra_words else tier


def parse_memory_limit(text: str) -> MemoryLimit:
    """Read a limit.

    Raises
    ------
    ValueError : it has another form, or is no more than the tier itself

    >>> str(parse_memory_limit("tier*1.5")), str(parse_memory_limit("3GB"))
    ('tier * 1.5', '3GB')
    """
    match = _FORM_RE.fullmatch(text.strip())
    try:
        if match is None:
            return MemoryLimit(0.0, parse_bytes(text))
        limit = MemoryLimit(float(match["factor"] or 1), parse_bytes(match["more"]) if match["more"] else 0)
    except StudyError as error:
        raise ValueError(FORMS) from error
    if limit.tier_factor < 1 or (limit.tier_factor == 1 and not limit.more_bytes):
        raise ValueError("more than the tier: a server needs memory besides its buffer pool or block cache")
    return limit


@dataclass(frozen=True, slots=True)
class StudyLimits:
    """Holds the bounds of each server that dbdyno starts.

    Parameters
    ----------
    memory : set by the operating system; None: all that this machine has
    connections : that its settings are chosen for; None: the study's largest concurrency
    """

    memory: MemoryLimit | None = None
    connections: int | None = None


UNBOUNDED = StudyLimits()


SECOND_NS = 10**9


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Holds times after which something counts as lost or undecided.

    Parameters
    ----------
    path_ns : nothing that is sent to another host is acknowledged; then the connection is lost
    answer_ns : a statement of the load is without any byte of an answer; then its connection is lost; None: never
    check_ns : of a query that reads whole tables; None: an hour for the sums of a table that was filled, without which
        the filling fails; ten minutes for a condition between tables, which is undecided then
    """

    path_ns: int = 10 * SECOND_NS
    answer_ns: int | None = 300 * SECOND_NS
    check_ns: int | None = None

    def check_words(self) -> list[str]:
        """Return the option of the load generator for such queries.

        >>> Timeouts(check_ns=90_000_000_000).check_words(), Timeouts().check_words()
        (['--check-timeout=90s'], [])
        """
        return [] if self.check_ns is None else [f"--check-timeout={self.check_ns // SECOND_NS}s"]


USUAL = Timeouts()
