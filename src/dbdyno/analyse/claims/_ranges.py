"""Judges claims about many cells at once: the range they lie in, or that two engines are equal in all of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dbdyno.analyse import CellJudgement
from dbdyno.analyse.claims._catalogue import Claim, Published
from dbdyno.analyse.claims._cell_index import CellIndex, NotSettled, Undecidable, decides, measured_level
from dbdyno.analyse.claims._result import ClaimResult
from dbdyno.analyse.claims._sides import in_unit, other_side
from dbdyno.stats import LogDifference, compare, holm, verdict_of

FEWEST_CELLS = 20
"""Pairs of cells from which on their 5-95 % range is more than its extremes."""
_OUTSIDE = 0.10


def check_range(claim: Claim, index: CellIndex, report: Published) -> ClaimResult:
    """The cells' 5-95 % range lies in the printed one; where more than a tenth clearly lie outside, it does not."""
    pairs = index.pairs(claim.at, other_side(claim), report.engines)
    if len(pairs) < FEWEST_CELLS:
        raise Undecidable(f"a range needs {FEWEST_CELLS} pairs of cells; there are {len(pairs)}")
    found, unsettled = _differences(pairs)
    if not found:
        raise NotSettled(unsettled)
    own, low, high = _spread(claim, found)
    first, last = claim.values[0] - claim.tolerance, claim.values[1] + claim.tolerance
    ends = [in_unit(claim, each) for each in found]
    outside = sum(top < first or bottom > last for _, bottom, top in ends)
    words = f"{outside} of {len(found)} cells clearly lie outside"
    if outside > _OUTSIDE * len(found):
        return ClaimResult("does not hold", words, own, low, high)
    if unsettled:
        return ClaimResult("not settled", unsettled, own, low, high)
    if first <= low and high <= last:
        return ClaimResult("holds", words, own, low, high)
    return ClaimResult("can't be told", f"the cells' range goes beyond it, and only {words}", own, low, high)


def check_same(claim: Claim, index: CellIndex, report: Published) -> ClaimResult:
    """Two engines are the same within the margin in every cell; one cell that clearly differs refutes it."""
    found, unsettled = _differences(index.pairs(claim.at, other_side(claim), report.engines))
    if not found:
        raise NotSettled(unsettled)
    margin = -float(np.log1p(-claim.values[0]))
    adjusted = holm([each.p for each in found])
    differ = sum(verdict_of(each, p, margin) == "different" for each, p in zip(found, adjusted, strict=True))
    same = sum(each.is_same(margin) for each in found)
    own, low, high = _spread(claim, found)
    if differ:
        return ClaimResult("does not hold", f"{differ} of {len(found)} cells clearly differ by more", own, low, high)
    if unsettled:
        return ClaimResult("not settled", unsettled, own, low, high)
    if same < len(found):
        return ClaimResult("can't be told", f"{same} of {len(found)} cells are clearly the same", own, low, high)
    asked = len(report.workloads) * len(report.routes) * len(report.tiers_bytes) * len(report.concurrencies)
    if len(found) < asked:
        return ClaimResult("can't be told", f"the same in all {len(found)} available cells of {asked}", own, low, high)
    return ClaimResult("holds", f"in all {len(found)} cells", own, low, high)


def _differences(pairs: Sequence[tuple[CellJudgement, CellJudgement]]) -> tuple[list[LogDifference], str]:
    """Differences of the pairs of which both have levels that last, and how many have not."""
    firm = [pair for pair in pairs if all(decides(side) for side in pair)]
    left = len(pairs) - len(firm)
    words = f"{left} of {len(pairs)} pairs of cells have unsettled runs" if left else ""
    return [compare(measured_level(one).level, measured_level(other).level) for one, other in firm], words


def _spread(claim: Claim, found: Sequence[LogDifference]) -> tuple[float, float, float]:
    """Median and 5-95 % range of the cells, in the claim's unit."""
    values = [in_unit(claim, each)[0] for each in found]
    low, middle, high = (float(end) for end in np.quantile(values, (0.05, 0.5, 0.95)))
    return middle, low, high
