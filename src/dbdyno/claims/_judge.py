"""Every claim of a report held against judged cells, each by the rule that its row names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType

from dbdyno.analyse import CellJudgement, listed
from dbdyno.claims._book import Book, CannotTell
from dbdyno.claims._catalogue import Claim, Kind, Published
from dbdyno.claims._levels import tell_collapse, tell_level, tell_peak, tell_plateau
from dbdyno.claims._outcome import Told
from dbdyno.claims._ranges import tell_range, tell_same, tell_typical
from dbdyno.claims._ratios import tell_first, tell_lead, tell_memory, tell_ratio
from dbdyno.core import format_memory


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A claim and what the results say of it."""

    claim: Claim
    told: Told


def judge_claims(
    report: Published,
    judgements: Sequence[CellJudgement],
    closing: Callable[[int], Sequence[CellJudgement]],
    other_rows: Mapping[str, str] = MappingProxyType({}),
) -> list[JudgedClaim]:
    """All claims of a report, in its order.

    Parameters
    ----------
    judgements : every cell, as `dbdyno.analyse.judge_cells` gives them
    closing : the same by the last so many seconds of the runs, as `dbdyno.analyse.closing_cells` gives them
    other_rows : workloads whose rows are known to be others than the report's, and which they are
    """

    @cache
    def book(last_s: int) -> Book:
        return Book(tuple(closing(last_s) if last_s else judgements), last_s, other_rows)

    return [JudgedClaim(claim, _told(claim, book(claim.last_s), report)) for claim in report.claims]


def _told(claim: Claim, book: Book, report: Published) -> Told:
    try:
        return _as_far_as_named(_RULES[claim.kind](claim, book, report), claim, book, report)
    except CannotTell as silence:
        return Told("can't be told", str(silence))


def _as_far_as_named(told: Told, claim: Claim, book: Book, report: Published) -> Told:
    """A figure for which the report names no memory is not refuted by results that lack some of the report's."""
    if told.outcome != "does not hold" or claim.kind not in ("level", "ratio") or claim.at.tier_bytes is not None:
        return told
    missing = [format_memory(tier) for tier in report.tiers_bytes if tier not in book.tiers_bytes]
    if not missing:
        return told
    reason = f"{told.reason}; but no memory is named, and {listed(missing)} is not in the results"
    return replace(told, outcome="can't be told", reason=reason)


def _tell_shape(claim: Claim, book: Book, _report: Published) -> Told:
    """No rule tells it; where its cells are not even there, that is the nearer reason."""
    book.cells(replace(claim.at, concurrency=None))
    raise CannotTell(claim.reason)


_RULES: Mapping[Kind, Callable[[Claim, Book, Published], Told]] = {
    "level": tell_level,
    "peak": tell_peak,
    "collapse": tell_collapse,
    "plateau": tell_plateau,
    "first": tell_first,
    "lead": tell_lead,
    "ratio": tell_ratio,
    "memory": tell_memory,
    "typical": tell_typical,
    "range": tell_range,
    "same": tell_same,
    "shape": _tell_shape,
}
