"""Answers which of several runs is fastest, all compared with all, and how far the first is ahead.

Each run stands for itself, so the spread between repeats is not seen but assumed. Where cells were repeated, ask
`judge_cells` and `compare_targets` instead.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

from dbdyno.core import Verdict
from dbdyno.stats import (
    ASSUMED_SPREAD,
    Lead,
    LogDifference,
    compare,
    holm,
    lead,
    rank_intervals,
    single_run_level,
    verdict_of,
)


@dataclass(frozen=True, slots=True)
class RunPair:
    """Describes two runs compared; `better` has the higher mean.

    Parameters
    ----------
    p_adjusted : two-sided, Holm over all pairs of the group
    """

    better: str
    worse: str
    difference: LogDifference
    p_adjusted: float
    verdict: Verdict

    @property
    def is_significant(self) -> bool:
        """Return whether there is a difference at all, small or not."""
        return self.p_adjusted < 0.05


@dataclass(frozen=True, slots=True)
class GroupJudgement:
    """Runs compared as one group.

    Parameters
    ----------
    spread : assumed between repeats, on the scale ln(TPS)
    ranks : places each run may hold; overlapping ones are ties
    lead : None for a run alone
    """

    spread: float
    pairs: tuple[RunPair, ...]
    ranks: Mapping[str, tuple[int, int]]
    lead: Lead | None


def compare_runs(means: Mapping[str, tuple[float, float]], spread: float = ASSUMED_SPREAD) -> GroupJudgement:
    """Compare runs of which each was made once.

    Parameters
    ----------
    means : by name: mean, above zero, and noise half-width at 95 %, both in TPS
    spread : standard deviation between repeats that is assumed

    >>> comparison = compare_runs({"a": (1300.0, 10.0), "b": (1000.0, 10.0)})
    >>> comparison.pairs[0].verdict, comparison.ranks
    ('different', {'a': (1, 1), 'b': (2, 2)})
    """
    levels = {name: single_run_level(mean, half, spread) for name, (mean, half) in means.items()}
    ordered_pairs = [sorted(pair, key=lambda name: -means[name][0]) for pair in itertools.combinations(levels, 2)]
    differences = [compare(levels[better], levels[worse]) for better, worse in ordered_pairs]
    adjusted = holm([difference.p for difference in differences])
    pairs = tuple(
        RunPair(better, worse, difference, p, verdict_of(difference, p))
        for (better, worse), difference, p in zip(ordered_pairs, differences, adjusted, strict=True)
    )
    wins = {(pair.better, pair.worse): pair.is_significant for pair in pairs}
    return GroupJudgement(spread, pairs, rank_intervals(list(levels), wins), lead(levels))
