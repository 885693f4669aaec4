"""Answers which of several runs is fastest, all compared with all, and how far the first is ahead.

Each run stands for itself, so the spread between repeats is not seen but assumed: as cautiously as in a study without
repeats. Where cells were repeated, ask `judge_cells` and `compare_targets` instead. A pair of which a run has not
settled is not tested, as in a study: its verdict is ``not settled``, and such a run may hold any place.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from dbdyno.core import Verdict
from dbdyno.stats import (
    PRIOR_SPREAD,
    Lead,
    LogDifference,
    compare,
    holm,
    lead,
    rank_intervals,
    single_run_level,
    spreads_to_stand,
    verdict_of,
)


@dataclass(frozen=True, slots=True)
class RunPair:
    """Describes two runs compared; `better` has the higher mean.

    Parameters
    ----------
    p_adjusted : two-sided, Holm over all tested pairs of the group; it rests on the assumed spread, so it is never
        shown; None for a pair that is not tested
    stands_to : spread between repeats up to which the difference would stay significant; None where there is none
    """

    better: str
    worse: str
    difference: LogDifference
    p_adjusted: float | None
    verdict: Verdict
    stands_to: float | None = None

    @property
    def is_significant(self) -> bool:
        """Return whether there is a difference at all, small or not."""
        return self.p_adjusted is not None and self.p_adjusted < 0.05


@dataclass(frozen=True, slots=True)
class GroupJudgement:
    """Runs compared as one group.

    Parameters
    ----------
    spread : assumed between repeats, on the scale ln(TPS)
    ranks : places each run may hold; overlapping ones are ties
    lead : of the runs that have settled; None where there are fewer than two
    """

    spread: float
    pairs: tuple[RunPair, ...]
    ranks: Mapping[str, tuple[int, int]]
    lead: Lead | None


def compare_runs(
    means: Mapping[str, tuple[float, float]], spread: float = PRIOR_SPREAD, unsettled: Collection[str] = ()
) -> GroupJudgement:
    """Compare runs of which each was made once.

    Parameters
    ----------
    means : by name: mean, above zero, and noise half-width at 95 %, both in TPS
    spread : standard deviation between repeats that is assumed
    unsettled : names of runs that no finding may rest on

    >>> comparison = compare_runs({"a": (1300.0, 10.0), "b": (1000.0, 10.0)})
    >>> comparison.pairs[0].verdict, comparison.ranks, round(comparison.pairs[0].stands_to, 3)
    ('different', {'a': (1, 1), 'b': (2, 2)}, 0.095)
    >>> compare_runs({"a": (1300.0, 10.0), "b": (1000.0, 10.0)}, unsettled=["b"]).pairs[0].verdict
    'not settled'
    """
    levels = {name: single_run_level(mean, half, spread) for name, (mean, half) in means.items()}
    ordered_pairs = [sorted(pair, key=lambda name: -means[name][0]) for pair in itertools.combinations(levels, 2)]
    differences = [compare(levels[better], levels[worse]) for better, worse in ordered_pairs]
    tested = [index for index, pair in enumerate(ordered_pairs) if not set(pair) & set(unsettled)]
    p_values = [differences[index].p for index in tested]
    adjusted = dict(zip(tested, holm(p_values), strict=True))
    tested_levels = [(levels[ordered_pairs[index][0]], levels[ordered_pairs[index][1]]) for index in tested]
    limits = spreads_to_stand(tested_levels, [(spread, spread)] * len(tested), p_values)
    limit_by_index = dict(zip(tested, limits, strict=True))
    pairs = tuple(
        _run_pair((better, worse), difference, adjusted.get(index), limit_by_index.get(index))
        for index, ((better, worse), difference) in enumerate(zip(ordered_pairs, differences, strict=True))
    )
    wins = {(pair.better, pair.worse): pair.is_significant for pair in pairs}
    settled = {name: level for name, level in levels.items() if name not in unsettled}
    return GroupJudgement(spread, pairs, rank_intervals(list(levels), wins), lead(settled))


def _run_pair(
    names: tuple[str, str], difference: LogDifference, p_adjusted: float | None, stands_to: float | None
) -> RunPair:
    better, worse = names
    if p_adjusted is None:
        return RunPair(better, worse, difference, None, "not settled")
    return RunPair(better, worse, difference, p_adjusted, verdict_of(difference, p_adjusted), stands_to or None)
