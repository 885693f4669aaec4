"""Answers whether this machine is quiet enough to tell engines apart: compares one engine with itself.

What is called different there is a false alarm; how far repeats spread is the noise floor under every other study here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from dbdyno.analyse._cells import CellJudgement, judge_cells
from dbdyno.analyse._pairs import Place, compare_targets, place_of
from dbdyno.core import Comparison, RunRecord
from dbdyno.stats import smallest_detectable_ratio

MOST_DIFFERENCE = 0.03
WARN_DIFFERENCE = 0.015
LEAST_P = 0.01
Quiet = Literal["quiet", "restless", "not quiet"]


@dataclass(frozen=True, slots=True)
class SelfComparison:
    """Describes an engine compared with itself at one place.

    Parameters
    ----------
    pair : `left` over `right`
    tps : of both, in that order
    quiet : not quiet above 3 % or with p below 0.01, restless above 1.5 %
    """

    pair: Comparison
    tps: tuple[float, float]
    quiet: Quiet

    @property
    def difference(self) -> float:
        """Return how far apart both are, as a share."""
        return abs(math.log(self.pair.ratio))


@dataclass(frozen=True, slots=True)
class SelfCheck:
    """Holds what comparing an engine with itself has shown.

    Parameters
    ----------
    repeats : pairs of runs of each comparison, where all were made
    spread : typical standard deviation between repeats of a cell, on the scale ln(TPS); None without repeats
    prior_df : what the other cells are worth when a cell's spread is moderated by theirs, in repeats
    missing : comparisons that could not be made
    """

    comparisons: tuple[SelfComparison, ...]
    repeats: int
    spread: float | None
    prior_df: float
    missing: int

    @property
    def different(self) -> int:
        """Return comparisons that were called different."""
        return sum(comparison.pair.verdict == "different" for comparison in self.comparisons)

    @property
    def quiet(self) -> Quiet:
        """Return the worst of all comparisons."""
        order: tuple[Quiet, ...] = ("quiet", "restless", "not quiet")
        return max((comparison.quiet for comparison in self.comparisons), key=order.index, default="not quiet")

    def smallest_difference(self, repeats: int) -> float | None:
        """Return the smallest difference that so many repeats find with power 0.8, as a share; else None."""
        if self.spread is None or repeats < 2:
            return None
        return smallest_detectable_ratio(self.spread, 2 * (self.prior_df + repeats - 1), repeats) - 1


def judge_self_check(records: Sequence[RunRecord], first: str, second: str) -> SelfCheck:
    """Compare both names of the engine wherever they were to be driven.

    Parameters
    ----------
    records : of all planned runs; those that were never made count as missing
    first, second : names of the targets; a difference is `second` over `first`
    """
    cells = judge_cells(records)
    levels = {(cell.cell.target, cell.place): cell for cell in cells if cell.trusted and cell.level is not None}
    ordered_cells = [
        levels[name, place] for place in _places(cells) for name in (second, first) if (name, place) in levels
    ]
    pairs = compare_targets(ordered_cells)
    cell_levels = [cell.level for cell in ordered_cells if cell.level is not None and len(cell.judged) > 1]
    return SelfCheck(
        comparisons=tuple(_judge_pair(pair, levels) for pair in pairs),
        repeats=max((len(cell.judged) for cell in ordered_cells), default=0),
        spread=_median([level.sd for level in cell_levels]) if cell_levels else None,
        prior_df=max(_median([level.df - (level.repeats - 1) for level in cell_levels]), 0.0) if cell_levels else 0.0,
        missing=len(_places(cells)) - len(pairs),
    )


def _judge_pair(pair: Comparison, levels: Mapping[tuple[str, Place], CellJudgement]) -> SelfComparison:
    tps = tuple(levels[name, place_of(pair)].tps_mean or 0.0 for name in (pair.left, pair.right))
    difference = abs(math.log(pair.ratio))
    is_loud = difference > math.log1p(MOST_DIFFERENCE) or (pair.p_adjusted is not None and pair.p_adjusted < LEAST_P)
    quiet: Quiet = "not quiet" if is_loud else "restless" if difference > math.log1p(WARN_DIFFERENCE) else "quiet"
    return SelfComparison(pair, (tps[0], tps[1]), quiet)


def _places(cells: Sequence[CellJudgement]) -> list[Place]:
    return list(dict.fromkeys(cell.place for cell in cells))


def _median(values: Sequence[float]) -> float:
    sorted_values = sorted(values)
    return (sorted_values[(len(sorted_values) - 1) // 2] + sorted_values[len(sorted_values) // 2]) / 2
