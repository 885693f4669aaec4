"""Answers which parts the difference of two cells' times consists of, and which of them are decided.

The difference of T is the sum of the differences of its parts, exactly, for the mean over the repeats as for each of
them. A part is *decided* when its difference is beyond chance (Holm over the parts of the pair that can count) and at
least 3 % of the smaller T; *small* when it is known to be less than that; else *undecided*. A part can count when both
its sides together are 3 % of the smaller T: the size of a part says nothing on whether its sides differ, so leaving
small ones out of the family costs no rigour (independent filtering: Bourgon, Gentleman, Huber, PNAS 107, 2010).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from dbdyno.analyse._phrases import merged_reasons
from dbdyno.analyse.explain._levels import (
    NOTHING,
    TOTAL,
    Key,
    PartLevel,
    Runs,
    compared_runs,
    mean_times,
    paired_errors,
    part_levels,
)
from dbdyno.analyse.explain._part import REST, Breakdown, Part, mean_parts, mean_work
from dbdyno.core import Cell, Comparison
from dbdyno.stats import LogLevel, holm, split_by_factors, t_quantile, two_sided_p, welch_df

LEAST_SHARE = 0.03
"""Share of the smaller T: a part's difference below it decides nothing."""
_ALPHA = 0.05
PartVerdict = Literal["decided", "small", "undecided"]
_VERDICTS: Mapping[str, PartVerdict] = {"different": "decided", "slightly different": "small", "same": "small"}
"""Verdict of a comparison -> that of the whole difference."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Describes a difference right - left in milliseconds per transaction with its interval.

    Parameters
    ----------
    low, high : at 95 %; of parts at the level at which Holm tests them, so that it leaves 0 out where the test does
    p_adjusted : two-sided, Holm over the parts; None where the spread is assumed
    """

    left_ms: float
    right_ms: float
    low: float
    high: float
    p_adjusted: float | None
    verdict: PartVerdict

    @property
    def ms(self) -> float:
        """Return the difference, right minus left."""
        return self.right_ms - self.left_ms


@dataclass(frozen=True, slots=True)
class PartGap:
    """Describes a part's difference, and the two factors that it is made of.

    Parameters
    ----------
    left_work, right_work : how much of `unit` a transaction took; None where the part has none, or where a side spent
        time on it of which the server counted no work, such as MyRocks under counters of InnoDB
    by_work_ms, by_cost_ms : what more work, and what dearer work, contributes (LMDI); they add up to the difference
    """

    part_id: str
    words: str
    difference: Difference
    unit: str = ""
    left_work: float | None = None
    right_work: float | None = None
    by_work_ms: float | None = None
    by_cost_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Gap:
    """Describes the difference of two cells, right - left.

    Parameters
    ----------
    total : of T
    parts : all of both, the largest difference first; empty where a side has nothing but T
    left_named_share, right_named_share : closing checks: what the parts make of T, unrescaled
    repeats : runs behind the side with fewer
    is_paired : runs of the same rounds were compared, and no others
    assumed_spread : between repeats, relative, where it was assumed for want of repeats
    missing : why parts are missing
    """

    left: Cell
    right: Cell
    total: Difference
    parts: tuple[PartGap, ...]
    left_named_share: float | None
    right_named_share: float | None
    repeats: int
    is_paired: bool = False
    assumed_spread: float | None = None
    missing: str = ""

    @property
    def named_ms(self) -> float:
        """Return the sum of the differences of all parts but the rest."""
        return sum(part.difference.ms for part in self.parts if part.part_id != REST)

    @property
    def is_decided(self) -> bool:
        """Return whether one side takes longer beyond chance, by 3 % or more."""
        return self.total.verdict == "decided"

    def judged_by(self, pair: Comparison | None) -> Gap:
        """Return the gap with the whole difference decided as the answer decides it, by the ratio of the throughputs.

        T is connections over throughput where connections never rest, so both are one finding. The ratio decides more:
        if the repeats of a slow target are far apart in milliseconds, they may still all be several times the other's.
        Its interval becomes one in milliseconds at the geometric mean of both times, so it excludes 0 if the ratio's
        excludes 1.

        Parameters
        ----------
        pair : comparison of the throughputs, left over right; None, or one without an interval, changes nothing
        """
        if pair is None or not 0 < pair.low <= pair.high < math.inf:
            return self
        left_ms, right_ms = self.total.left_ms, self.total.right_ms
        middle_ms = math.sqrt(left_ms * right_ms)
        low_ms, high_ms = (middle_ms * (math.sqrt(ratio) - 1 / math.sqrt(ratio)) for ratio in (pair.low, pair.high))
        verdict = _VERDICTS.get(pair.verdict, "undecided")
        return replace(self, total=Difference(left_ms, right_ms, low_ms, high_ms, pair.p_adjusted, verdict))

    def with_verdict(self, verdict: PartVerdict) -> tuple[PartGap, ...]:
        """Return parts of a verdict, the largest difference first."""
        return tuple(part for part in self.parts if part.difference.verdict == verdict)


def compare_breakdowns(runs: Runs, pairs: Sequence[tuple[Cell, Cell]]) -> list[Gap]:
    """Return the gap of each pair of cells.

    Parameters
    ----------
    runs : breakdowns of all cells that findings may rest on; each cell's have the same split
    pairs : left and right, of the same two targets at several places, or of a target's steps to more connections:
        the spread of their paired differences is moderated over them
    """
    return gaps_by_levels(runs, part_levels(runs), pairs)


def gaps_by_levels(runs: Runs, levels: Mapping[Key, PartLevel], pairs: Sequence[tuple[Cell, Cell]]) -> list[Gap]:
    """Compare as `compare_breakdowns`, from levels that are known already."""
    paired_levels = paired_errors(runs, pairs)
    gaps = [
        _gap(left, right, runs, levels, paired_levels) for left, right in pairs if runs.get(left) and runs.get(right)
    ]
    return [gap for gap in gaps if gap is not None]


def gap_of_pair(
    runs: Runs, levels: Mapping[Key, PartLevel], pairs: Sequence[tuple[Cell, Cell]], pair: tuple[Cell, Cell]
) -> Gap | None:
    """Return the gap of one pair of those whose paired differences are moderated together; None as of `_gap`."""
    return _gap(*pair, runs, levels, paired_errors(runs, pairs))


def _gap(
    left: Cell,
    right: Cell,
    runs: Runs,
    levels: Mapping[Key, PartLevel],
    paired_levels: Mapping[tuple[Cell, Cell, str], LogLevel],
) -> Gap | None:
    """Return the gap of a pair; None where several benches made its runs, and none made both cells in a round."""
    # The error of paired differences is that of their own mean, so runs of other rounds have no part in it.
    is_paired = (left, right, TOTAL) in paired_levels
    sides = compared_runs(runs[left], runs[right], is_paired=is_paired)
    if not sides[0]:
        return None
    if not is_paired and sides != (runs[left], runs[right]):
        levels = part_levels({**runs, left: sides[0], right: sides[1]})
    pair = _Pair(levels, left, right, paired_levels, (mean_times(sides[0]), mean_times(sides[1])))
    total = _part_differences([TOTAL], pair)[TOTAL]
    side_parts = [mean_parts(members) for members in sides]
    has_parts = all(side_parts)
    names = list(dict.fromkeys([*side_parts[0], *side_parts[1]])) if has_parts else []
    differences = _part_differences(names, pair)
    parts = [
        _part_gap(
            side_parts[0].get(name) or side_parts[1][name],
            differences[name],
            (mean_work(sides[0], name), mean_work(sides[1], name)),
        )
        for name in names
    ]
    assumed_spreads = [level.assumed_spread for cell in (left, right) if (level := levels[cell, TOTAL]).assumed_spread]
    reasons = merged_reasons(run.missing for cell in (left, right) for run in runs[cell])
    named_shares = [_named_share(members) if has_parts else None for members in sides]
    return Gap(
        left,
        right,
        total,
        tuple(sorted(parts, key=lambda part: -abs(part.difference.ms))),
        named_shares[0],
        named_shares[1],
        min(len(members) for members in sides),
        is_paired,
        max(assumed_spreads, default=None),
        "; ".join(reasons),
    )


@dataclass(frozen=True, slots=True)
class _Error:
    """Holds the standard error of a difference.

    Parameters
    ----------
    df : degrees of freedom of `se`
    noise_se : known standard error that is there however equal the rounds are; 0 where `se` has it already
    """

    se: float
    df: float
    noise_se: float = 0.0

    def p(self, difference: float) -> float:
        """Return the two-sided p-value, not adjusted."""
        p = two_sided_p(difference, self.se, self.df)
        return max(p, two_sided_p(difference, self.noise_se, math.inf)) if self.noise_se else p

    def half_width(self, quantile: float) -> float:
        """Return the half-width of the interval, beyond which `p` is below twice what the quantile leaves of 1."""
        return max(t_quantile(quantile, self.df) * self.se, t_quantile(quantile, math.inf) * self.noise_se)


@dataclass(frozen=True, slots=True)
class _Pair:
    """Holds levels of two cells by part, and the mean times of the runs that are compared."""

    levels: Mapping[Key, PartLevel]
    left: Cell
    right: Cell
    paired: Mapping[tuple[Cell, Cell, str], LogLevel]
    means: tuple[Mapping[str, float], Mapping[str, float]]

    def times_ms(self, name: str) -> tuple[float, float]:
        """Return a part's mean on both sides, 0 where a side does not have it."""
        return self.means[0].get(name, 0.0), self.means[1].get(name, 0.0)

    def error(self, name: str) -> _Error:
        """Return how far the difference may be off."""
        left, right = (self.levels.get((cell, name), NOTHING) for cell in (self.left, self.right))
        level = self.paired.get((self.left, self.right, name))
        if level is not None:
            return _Error(level.se, level.df, math.hypot(left.noise_ms, right.noise_ms))
        return _Error(math.hypot(left.level.se, right.level.se), welch_df(left.level, right.level))

    @property
    def is_assumed(self) -> bool:
        return any(self.levels[cell, TOTAL].assumed_spread is not None for cell in (self.left, self.right))

    @property
    def least_ms(self) -> float:
        """Return the smallest difference that counts."""
        return LEAST_SHARE * min(self.times_ms(TOTAL))


def _part_differences(names: Sequence[str], pair: _Pair) -> dict[str, Difference]:
    """Return differences of parts that are tested together."""
    times_ms = {name: pair.times_ms(name) for name in names}
    errors = {name: pair.error(name) for name in names}
    tested_names = [name for name in names if sum(map(abs, times_ms[name])) >= pair.least_ms]
    p_values = {name: errors[name].p(times_ms[name][1] - times_ms[name][0]) for name in tested_names}
    adjusted = dict(zip(tested_names, holm(list(p_values.values())), strict=True))
    ranks = {name: rank for rank, name in enumerate(sorted(tested_names, key=p_values.__getitem__))}
    differences = {}
    for name in names:
        left, right = times_ms[name]
        half = errors[name].half_width(1 - _ALPHA / 2 / max(len(tested_names) - ranks.get(name, 0), 1))
        delta, p = right - left, adjusted.get(name, 1.0)
        verdict = _verdict(delta, half, p, pair.least_ms)
        p_adjusted = None if pair.is_assumed else p
        differences[name] = Difference(left, right, delta - half, delta + half, p_adjusted, verdict)
    return differences


def _verdict(delta: float, half: float, p: float, least_ms: float) -> PartVerdict:
    if p < _ALPHA and abs(delta) >= least_ms:
        return "decided"
    return "small" if abs(delta) + half < least_ms else "undecided"


def _part_gap(part: Part, difference: Difference, works: tuple[float | None, float | None]) -> PartGap:
    times_ms = difference.left_ms, difference.right_ms
    if works[0] is None or works[1] is None or min(times_ms) < 0:
        return PartGap(part.part_id, part.words, difference)
    if any(ms > 0 and not work for ms, work in zip(times_ms, works, strict=True)):
        return PartGap(part.part_id, part.words, difference)
    left, right = (ms / work if work else None for ms, work in zip(times_ms, works, strict=True))
    # A side that did none of this work has no cost per unit: the whole difference is then one of work.
    costs = (right if left is None else left) or 0.0, (left if right is None else right) or 0.0
    by_work, by_cost = split_by_factors((works[0], costs[0]), (works[1], costs[1]))
    return PartGap(part.part_id, part.words, difference, part.unit, works[0], works[1], by_work, by_cost)


def _named_share(members: Sequence[Breakdown]) -> float:
    return sum(run.named_ms for run in members) / sum(run.total_ms for run in members)
