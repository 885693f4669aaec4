"""Estimates how far the best of a group is ahead of all others at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dbdyno.stats._compare import compare
from dbdyno.stats._spread import LogLevel, bounded_exp, half_width


@dataclass(frozen=True, slots=True)
class Lead:
    """Holds the throughput of the best over that of the next best.

    Parameters
    ----------
    best, next_best : names
    ratio : above 1, unless all are equal
    low, high : 95 % interval that holds for all others together, not for the one that happens to be next
    """

    best: str
    next_best: str
    ratio: float
    low: float
    high: float


def lead(levels: Mapping[str, LogLevel], alpha: float = 0.05) -> Lead | None:
    """Return the lead of the best of a group; None when it is alone.

    Parameters
    ----------
    levels : by name, on the scale ln(TPS)

    >>> leader = lead({name: LogLevel(mean, 0.01, 99.0, 3, 0.02) for name, mean in (("a", 7.0), ("b", 6.9))})
    >>> leader.best, round(leader.ratio, 3), round(leader.low, 3), round(leader.high, 3)
    ('a', 1.105, 1.075, 1.136)
    """
    if len(levels) < 2:
        return None
    best = max(levels, key=lambda name: levels[name].mean)
    differences = {name: compare(levels[best], level) for name, level in levels.items() if name != best}
    quantile = 1 - alpha / (2 * len(differences))
    halves = {
        name: half_width(quantile, difference.se, difference.df, difference.noise_se)
        for name, difference in differences.items()
    }
    low = min(difference.difference - halves[name] for name, difference in differences.items())
    high = min(difference.difference + halves[name] for name, difference in differences.items())
    next_best = min(differences, key=lambda name: differences[name].difference)
    return Lead(best, next_best, differences[next_best].ratio, bounded_exp(low), bounded_exp(high))
