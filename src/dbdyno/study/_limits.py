"""What a server of ours may take of the machine beyond what its own settings say."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dbdyno.core import StudyError, parse_bytes

_FORM_RE = re.compile(r"tier(?:\s*\*\s*(?P<factor>\d+(?:\.\d+)?))?(?:\s*\+\s*(?P<more>[\d.]+\s*[A-Za-z]+))?")
FORMS = 'a memory size such as "3GB", or one that follows the tier: "tier + 512MB", "tier * 1.5", "tier * 1.25 + 256MB"'


@dataclass(frozen=True, slots=True)
class MemoryLimit:
    """Memory of the server's process with its page cache: a share of the tier and a size beside it.

    >>> MemoryLimit(1.5, 1 << 28).bytes_at(1 << 30) >> 20
    1792
    """

    tier_factor: float
    more_bytes: int

    def bytes_at(self, tier_bytes: int) -> int:
        """The limit at a memory budget, whole mebibytes."""
        return round((self.tier_factor * tier_bytes + self.more_bytes) / (1 << 20)) << 20

    def __str__(self) -> str:
        """As a study file says it; reading it gives the same limit."""
        more = _written(self.more_bytes) if self.more_bytes else ""
        if not self.tier_factor:
            return more
        tier = "tier" if self.tier_factor == 1 else f"tier * {self.tier_factor!r}"
        return f"{tier} + {more}" if more else tier


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
        raise ValueError("more than the tier: a server needs memory beside its buffer pool or block cache")
    return limit


def _written(count: int) -> str:
    for unit, size in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if count % size == 0:
            return f"{count // size}{unit}"
    return str(count)


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds that the operating system holds a server of ours to; None: whatever this machine has."""

    memory: MemoryLimit | None = None


UNBOUNDED = Limits()
