"""Claims about many cells at once: within which range they lie, that two engines are the same in all of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dbdyno.claims._book import Book, CannotTell
from dbdyno.claims._catalogue import Claim, Published
from dbdyno.claims._outcome import Told
from dbdyno.claims._ratios import other_side
from dbdyno.stats import LogDifference, compare, holm, verdict_of

FEWEST_CELLS = 20
"""Pairs of cells from which on their 5-95 % range is more than its extremes."""
_OUTSIDE = 0.10


def tell_range(claim: Claim, book: Book, report: Published) -> Told:
    """The cells' 5-95 % range lies in the printed one; where more than a tenth clearly lie outside, it does not."""
    found = _differences(claim, book, report)
    own, low, high = _spread(claim, found)
    first, last = claim.values[0] - claim.rounding, claim.values[1] + claim.rounding
    ends = [_in_unit(claim, each) for each in found]
    outside = sum(top < first or bottom > last for _, bottom, top in ends)
    words = f"{outside} of {len(found)} cells clearly lie outside"
    if outside > _OUTSIDE * len(found):
        return Told("does not hold", words, own, low, high)
    if first <= low and high <= last:
        return Told("holds", words, own, low, high)
    return Told("can't be told", f"the cells' range goes beyond it, and only {words}", own, low, high)


def tell_typical(claim: Claim, book: Book, report: Published) -> Told:
    """A figure of no named place holds when it lies in the 5-95 % range of the cells."""
    own, low, high = _spread(claim, _differences(claim, book, report))
    if low - claim.rounding <= claim.values[0] <= high + claim.rounding:
        return Told("holds", "somewhere in the range of the cells; the print names no place", own, low, high)
    return Told("does not hold", "outside the range of 5 to 95 % of the cells", own, low, high)


def tell_same(claim: Claim, book: Book, report: Published) -> Told:
    """Two engines are the same within the margin in every cell; one cell that clearly differs refutes it."""
    pairs = book.pairs(claim.at, other_side(claim), report.engines)
    found = [compare(left.level, right.level) for left, right in pairs]
    margin = -float(np.log1p(-claim.values[0]))
    adjusted = holm([each.p for each in found])
    differ = sum(verdict_of(each, p, margin) == "different" for each, p in zip(found, adjusted, strict=True))
    same = sum(each.is_same(margin) for each in found)
    own, low, high = _spread(claim, found)
    if differ:
        return Told("does not hold", f"{differ} of {len(found)} cells clearly differ by more", own, low, high)
    if same < len(found):
        return Told("can't be told", f"{same} of {len(found)} cells are the same beyond doubt", own, low, high)
    asked = len(report.workloads) * len(report.routes) * len(report.tiers_bytes) * len(report.concurrencies)
    if len(found) < asked:
        return Told("can't be told", f"the same in all {len(found)} cells that are here, of {asked}", own, low, high)
    return Told("holds", f"in all {len(found)} cells", own, low, high)


def _differences(claim: Claim, book: Book, report: Published) -> list[LogDifference]:
    pairs = book.pairs(claim.at, other_side(claim), report.engines)
    if len(pairs) < FEWEST_CELLS:
        raise CannotTell(f"{len(pairs)} pairs of cells have no range; {FEWEST_CELLS} would")
    return [compare(left.level, right.level) for left, right in pairs]


def _spread(claim: Claim, found: Sequence[LogDifference]) -> tuple[float, float, float]:
    """Median and 5-95 % range of the cells, in the claim's unit."""
    values = [_in_unit(claim, each)[0] for each in found]
    low, middle, high = (float(end) for end in np.quantile(values, (0.05, 0.5, 0.95)))
    return middle, low, high


def _in_unit(claim: Claim, found: LogDifference) -> tuple[float, float, float]:
    """A difference with its interval as ratio, or as the share by which the first lies below the second."""
    low, high = found.interval()
    if claim.unit == "below":
        return 1 - found.ratio, 1 - high, 1 - low
    return found.ratio, low, high
