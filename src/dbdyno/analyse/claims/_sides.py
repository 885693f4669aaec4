"""Finds the two sides of a claim that compares, and their difference in its unit."""

from __future__ import annotations

from dataclasses import replace

from dbdyno.analyse.claims._catalogue import CellSelector, Claim
from dbdyno.stats import LogDifference


def other_side(claim: Claim) -> CellSelector:
    """Return the spot that is compared with: the claim's own, but for what `against` names."""
    overrides = {
        name: value
        for name in ("workload", "route", "tier_bytes", "engine", "concurrency")
        if (value := getattr(claim.against, name)) is not None
    }
    return replace(claim.at, **overrides)


def in_unit(claim: Claim, difference: LogDifference) -> tuple[float, float, float]:
    """Return a difference with its interval as ratio, or as the share by which the first lies below the second."""
    low, high = difference.interval()
    if claim.unit == "below":
        return 1 - difference.ratio, 1 - high, 1 - low
    if claim.unit == "above":
        return difference.ratio - 1, low - 1, high - 1
    return difference.ratio, low, high
