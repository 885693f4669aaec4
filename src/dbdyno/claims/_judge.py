"""Every claim of a report held against judged cells, each by the rule that its row names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from dbdyno.analyse import CellJudgement
from dbdyno.claims._book import Book, CannotTell
from dbdyno.claims._catalogue import Claim, Kind, Published
from dbdyno.claims._levels import tell_collapse, tell_level, tell_peak, tell_plateau
from dbdyno.claims._outcome import Told
from dbdyno.claims._ranges import tell_range, tell_same, tell_typical
from dbdyno.claims._ratios import tell_first, tell_lead, tell_memory, tell_ratio


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A claim and what the results say of it."""

    claim: Claim
    told: Told


def judge_claims(report: Published, judgements: Sequence[CellJudgement]) -> list[JudgedClaim]:
    """All claims of a report, in its order.

    Parameters
    ----------
    judgements : every cell, as `dbdyno.analyse.judge_cells` gives them
    """
    book = Book(tuple(judgements))
    return [JudgedClaim(claim, _told(claim, book, report)) for claim in report.claims]


def _told(claim: Claim, book: Book, report: Published) -> Told:
    try:
        return _RULES[claim.kind](claim, book, report)
    except CannotTell as silence:
        return Told("can't be told", str(silence))


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
