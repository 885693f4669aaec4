"""Judges claims about many cells at once: the range they lie in, or that two engines are equal in all of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dbdyno.analyse import CellJudgement
from dbdyno.analyse.claims._catalogue import Claim, Published
from dbdyno.analyse.claims._cell_index import CellIndex, NotSettled, Undecidable, decides, measured_level
from dbdyno.analyse.claims._result import ClaimResult
from dbdyno.analyse.claims._sides import in_unit, other_side
from dbdyno.core import counted, verb_for
from dbdyno.stats import LogDifference, compare, holm, verdict_of

FEWEST_CELLS = 20
"""Pairs of cells from which on their 5-95 % range is more than its extremes."""
_OUTSIDE = 0.10


def check_range(claim: Claim, index: CellIndex, report: Published) -> ClaimResult:
    """Check that the cells' 5-95 % range lies in the printed one; more than a tenth clearly outside refute it."""
    pairs = index.pairs(claim.at, other_side(claim), report.engines)
    if len(pairs) < FEWEST_CELLS:
        raise Undecidable(f"a range needs {FEWEST_CELLS} pairs of cells; there are {len(pairs)}")
    differences, unsettled_words = _settled_differences(pairs)
    if not differences:
        raise NotSettled(unsettled_words)
    middle, low, high = _median_and_range(claim, differences)
    print_low, print_high = claim.values[0] - claim.tolerance, claim.values[1] + claim.tolerance
    ends = [in_unit(claim, difference) for difference in differences]
    outside_count = sum(top < print_low or bottom > print_high for _, bottom, top in ends)
    words = f"{_cells_of(outside_count, differences)} clearly {verb_for(outside_count, 'lies', 'lie')} outside"
    if outside_count > _OUTSIDE * len(differences):
        return ClaimResult("does not hold", words, middle, low, high)
    if unsettled_words:
        return ClaimResult("not settled", unsettled_words, middle, low, high)
    if print_low <= low and high <= print_high:
        return ClaimResult("holds", words, middle, low, high)
    return ClaimResult("can't be told", f"the cells' range goes beyond it, and only {words}", middle, low, high)


def check_same(claim: Claim, index: CellIndex, report: Published) -> ClaimResult:
    """Check that two engines are the same within the margin in every cell; one cell that clearly differs refutes it."""
    differences, unsettled_words = _settled_differences(index.pairs(claim.at, other_side(claim), report.engines))
    if not differences:
        raise NotSettled(unsettled_words)
    margin = -float(np.log1p(-claim.values[0]))
    adjusted = holm([difference.p for difference in differences])
    differ_count = sum(
        verdict_of(difference, p, margin) == "different" for difference, p in zip(differences, adjusted, strict=True)
    )
    same_count = sum(difference.is_same(margin) for difference in differences)
    middle, low, high = _median_and_range(claim, differences)
    if differ_count:
        words = f"{_cells_of(differ_count, differences)} clearly {verb_for(differ_count, 'differs', 'differ')} by more"
        return ClaimResult("does not hold", words, middle, low, high)
    if unsettled_words:
        return ClaimResult("not settled", unsettled_words, middle, low, high)
    if same_count < len(differences):
        words = f"{_cells_of(same_count, differences)} {verb_for(same_count, 'is', 'are')} clearly the same"
        return ClaimResult("can't be told", words, middle, low, high)
    all_words = "all " if len(differences) > 1 else ""
    grid_cells = len(report.workloads) * len(report.routes) * len(report.tiers_bytes) * len(report.concurrencies)
    if len(differences) < grid_cells:
        words = f"the same in {all_words}{counted(len(differences), 'available cell')} of {grid_cells}"
        return ClaimResult("can't be told", words, middle, low, high)
    return ClaimResult("holds", f"in {all_words}{counted(len(differences), 'cell')}", middle, low, high)


def _cells_of(count: int, differences: Sequence[LogDifference]) -> str:
    return f"{count} of {counted(len(differences), 'cell')}"


def _settled_differences(pairs: Sequence[tuple[CellJudgement, CellJudgement]]) -> tuple[list[LogDifference], str]:
    """Return differences of the pairs of which both have levels that last, and how many have not."""
    firm_pairs = [pair for pair in pairs if all(decides(group) for group in pair)]
    unsettled_count = len(pairs) - len(firm_pairs)
    pairs_words = counted(len(pairs), "pair of cells", "pairs of cells")
    verb = verb_for(unsettled_count, "has", "have")
    words = f"{unsettled_count} of {pairs_words} {verb} unsettled runs" if unsettled_count else ""
    return [compare(measured_level(left).level, measured_level(right).level) for left, right in firm_pairs], words


def _median_and_range(claim: Claim, differences: Sequence[LogDifference]) -> tuple[float, float, float]:
    """Return the median and 5-95 % range of the cells, in the claim's unit."""
    values = [in_unit(claim, difference)[0] for difference in differences]
    low, middle, high = (float(end) for end in np.quantile(values, (0.05, 0.5, 0.95)))
    return middle, low, high
