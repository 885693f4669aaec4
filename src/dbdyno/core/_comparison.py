"""Defines what is found of two targets that were measured at the same place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["different", "slightly different", "same", "undecided", "not settled"]
"""Verdict on two levels compared. `not settled`: a run behind one has no lasting level, so nothing is decided."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Describes two targets at the same tier, concurrency, workload and route.

    Parameters
    ----------
    concurrency : connections; 0 of a comparison on average over all numbers of them
    ratio, low, high : throughput of `left` over `right` with its 95 % interval
    p_adjusted : two-sided, Holm over the pairs of the same place; None where the spread between repeats is assumed,
        and where nothing could be tested
    is_significant : whether there is a difference at all, small or not
    repeats_needed : repeats that would decide; None when decided or not foreseeable
    assumed_spread : standard deviation between repeats, on the scale ln(TPS), that was assumed for want of repeats; the
        verdict holds if repeats spread by that. None where it was measured
    stands_to : the spread up to which an assumed one would leave the difference significant; None without
    remedy : of a verdict ``not settled``: which runs have no level and what would settle them
    """

    left: str
    right: str
    workload: str
    tier_bytes: int
    concurrency: int
    route: str
    ratio: float
    low: float
    high: float
    p_adjusted: float | None
    verdict: Verdict
    repeats_needed: int | None = None
    is_significant: bool = False
    assumed_spread: float | None = None
    stands_to: float | None = None
    remedy: str = ""


_WIDEST = 16
"""Times as much as the lower end of a ratio's interval, above which its upper end makes it say nothing."""


def is_vague_ratio(low: float, high: float) -> bool:
    """Return whether the interval of a ratio says nothing: its ends are more than a factor of four off the middle.

    >>> is_vague_ratio(0.5, 2.0), is_vague_ratio(0.1, 10.0)
    (False, True)
    """
    return not high <= _WIDEST * low
