"""Defines the result of a claim (a verdict, the recomputed figure, the printed one), and joins two verdicts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from dbdyno.core import Caveat, short_number, short_percent

Outcome = Literal["holds", "does not hold", "can't be told", "not settled"]
"""`not settled`: it rests on a run without a level that lasts, and the arithmetic does not refute it."""
WIDEST = 0.25
"""Half-width as a share of the figure from which an interval is too wide to uphold a print."""
_FAR = 2.0
"""Ratio from which on a difference in percent says little."""
_FARTHEST = 1_000
"""Ratio from which on a further digit says nothing."""
_WEIGHT: Mapping[Outcome, int] = {"holds": 0, "can't be told": 1, "not settled": 2, "does not hold": 3}


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """Holds what the results say of a claim.

    Parameters
    ----------
    own, low, high : the recomputed figure with its interval, in the claim's unit; None where there is none
    reason : why it is not upheld; of a claim that holds, what else to know
    counted : what was counted for it, with the figures that the very data give
    figures : those of them that are held to the print; of pairs of cells the least and the largest
    gives_print : whether that calculation gives the print; None where the data are not those of the report
    caveats : what else weakens it
    """

    outcome: Outcome
    reason: str = ""
    own: float | None = None
    low: float | None = None
    high: float | None = None
    counted: str = ""
    figures: tuple[float, ...] = ()
    gives_print: bool | None = None
    caveats: tuple[Caveat, ...] = ()


def within(value: float, rounding: float, own: float, low: float, high: float) -> ClaimResult:
    """Hold a printed figure against an interval, widened by what rounding took from the print.

    >>> within(13385, 0.5, 13390.0, 13050.0, 13740.0).outcome, within(14000, 0.5, 13390.0, 13050.0, 13740.0).reason
    ('holds', 'the printed figure is 4.6 % above the recomputed figure, outside its interval')
    """
    if not low - rounding <= value <= high + rounding:
        return ClaimResult(
            "does not hold",
            f"the printed figure is {_distance_words(value, own)} recomputed figure, outside its interval",
            own,
            low,
            high,
        )
    if max(high - own, own - low) > WIDEST * abs(own):
        return ClaimResult("can't be told", "the interval is too wide to confirm a figure", own, low, high)
    return ClaimResult("holds", "", own, low, high)


def _distance_words(value: float, own: float) -> str:
    """Return where a print lies, completed by "recomputed figure".

    >>> _distance_words(14000, 13390), _distance_words(4900, 287.8), _distance_words(5, 0)
    ('4.6 % above the', '17 times the', 'more than 1,000 times the')
    """
    times = value / own if own else math.inf
    if times > _FARTHEST:
        return f"more than {_FARTHEST:,} times the"
    if times >= _FAR:
        return f"{short_number(times, 3)} times the"
    return f"{short_percent(abs(times - 1))} {'above' if times > 1 else 'below'} the"


def join_results(first: ClaimResult, *others: ClaimResult) -> ClaimResult:
    """Join several parts of a claim: the weakest decide, and give the reasons; the figure is that of the first.

    >>> join_results(ClaimResult("holds", own=1.0), ClaimResult("can't be told", "why")).outcome
    "can't be told"
    """
    results = (first, *others)
    outcome = max((result.outcome for result in results), key=_WEIGHT.__getitem__)
    reasons = dict.fromkeys(result.reason for result in results if result.outcome == outcome and result.reason)
    return replace(first, outcome=outcome, reason="; ".join(reasons))
