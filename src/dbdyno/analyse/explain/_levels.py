"""Estimates how far each part of a cell's time may be off, by moderated spread and never less than the noise.

Spread is looked at on the log scale, as that of throughput is: the same part in all cells tells how far it usually
spreads, for a wait that is rare spreads much wider than processor time does. Where too few cells repeated a part, those
of its split (statements, the client's, the threads') stand in for it. Parts that are 0 or negative in some run (the
rest, attempts thrown away) are a family by themselves, on the scale of their share of T. Parts of one run share its
luck, so however many they are, their spreads together are never known better than the repeats of the runs allow.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from dbdyno.analyse.explain._part import Breakdown
from dbdyno.core import Cell
from dbdyno.stats import (
    LEAST_SHARED_DF,
    MODERATED_FROM_CELLS,
    PRIOR_SPREAD,
    LogLevel,
    logarithmic_mean,
    moderated_spread,
    noise_interval,
    pooled_spread,
)

TOTAL = "total"
PAIRED_FROM = 4
"""Rounds from which on runs of the same round are compared in pairs, as levels are."""
_K = TypeVar("_K", bound=Hashable)
Key = tuple[Cell, str]
Runs = Mapping[Cell, Sequence[Breakdown]]


@dataclass(frozen=True, slots=True)
class PartLevel:
    """A part of a cell: its mean over the repeats, in milliseconds, with its standard error.

    Parameters
    ----------
    level : mean and error in milliseconds, for what compares levels
    assumed_spread : between repeats, relative, where it is assumed for want of repeats; None where it was seen
    """

    level: LogLevel
    assumed_spread: float | None = None


NOTHING = PartLevel(LogLevel(0.0, 0.0, math.inf, 1, 0.0))
"""Of a part that a cell does not have."""


def part_levels(runs: Runs) -> dict[Key, PartLevel]:
    """Every part of every cell, and T itself as `TOTAL`."""
    values = {(cell, name): own for cell, members in runs.items() for name, own in _values(members).items()}
    most_df = float(sum(max(len(members) - 1, 0) for members in runs.values()))
    levels: dict[Key, PartLevel] = {}
    for keys in _families({key: (key[1], own) for key, own in values.items()}):
        levels |= _family_levels(keys, values, runs, most_df)
    return levels


def paired_errors(runs: Runs, pairs: Sequence[tuple[Cell, Cell]]) -> dict[tuple[Cell, Cell, str], LogLevel]:
    """Differences right - left of runs of the same rounds, where a pair of cells has enough of them.

    The spread of such differences is moderated over the parts and places of the pairs that are given together.
    """
    found: dict[tuple[Cell, Cell, str], _PairedValues] = {}
    rounds = 0
    for left, right in pairs:
        both = _same_rounds(runs.get(left, ()), runs.get(right, ()))
        if len(both) >= PAIRED_FROM:
            rounds += len(both) - 1
            found |= {(left, right, name): own for name, own in _paired_values(both).items()}
    levels: dict[tuple[Cell, Cell, str], LogLevel] = {}
    for keys in _families({key: (key[2], own.values) for key, own in found.items()}):
        spread = moderated_spread([[value / found[key].scale for value in found[key].differences] for key in keys])
        for key, sd, df in zip(keys, spread.sd, spread.df, strict=True):
            values, sd_ms = found[key].differences, sd * found[key].scale
            se = sd_ms / math.sqrt(len(values))
            levels[key] = LogLevel(float(np.mean(values)), se, max(min(df, rounds), 1.0), len(values), sd_ms)
    return levels


@dataclass(frozen=True, slots=True)
class _PairedValues:
    """Differences of a part in each round, its values on both sides, and the size that their spread is measured by."""

    differences: list[float]
    values: list[float]
    scale: float


def _values(members: Sequence[Breakdown]) -> dict[str, list[float]]:
    """Part -> its milliseconds in each run, 0 where a run does not have it."""
    parts = [{part.part_id: part.ms for part in run.parts} for run in members]
    names = dict.fromkeys(name for own in parts for name in own)
    return {TOTAL: [run.total_ms for run in members]} | {name: [own.get(name, 0.0) for own in parts] for name in names}


def _families(named: Mapping[_K, tuple[str, Sequence[float]]]) -> list[list[_K]]:
    """Keys whose spreads are looked at together.

    Parameters
    ----------
    named : key -> its part and the part's values
    """
    has_log = {key: min(values) > 0 for key, (_, values) in named.items()}
    repeated = Counter(name for key, (name, values) in named.items() if has_log[key] and len(values) > 1)
    families: dict[str, list[_K]] = {}
    for key, (name, _) in named.items():
        own = name if repeated[name] >= MODERATED_FROM_CELLS else name.partition(".")[0]
        families.setdefault(own if has_log[key] else "others", []).append(key)
    return list(families.values())


def _family_levels(
    keys: Sequence[Key], values: Mapping[Key, Sequence[float]], runs: Runs, most_df: float
) -> dict[Key, PartLevel]:
    scales, groups = {}, []
    for key in keys:
        first = [
            own for own, run in zip(values[key], runs[key[0]], strict=True) if run.run is None or not run.run.is_further
        ]
        if min(values[key]) > 0:
            scales[key] = float(np.mean(values[key]))
            groups.append([math.log(own) for own in first] or [0.0])
        else:
            scales[key] = float(np.mean(values[key[0], TOTAL]))
            groups.append([own / scales[key] for own in first] or [0.0])
    spread, pooled = moderated_spread(groups), pooled_spread(groups)
    found = {}
    for key, group, sd, df in zip(keys, groups, spread.sd, spread.df, strict=True):
        noise = _noise(key[1], runs[key[0]]) / max(scales[key], 1e-300)
        found[key] = _level(values[key], scales[key], noise, _known(group, (sd, df), pooled, most_df))
    return found


Known = tuple[float, float, bool]
"""Standard deviation between repeats, its degrees of freedom, and whether it is assumed."""


def _known(group: Sequence[float], own: tuple[float, float], pooled: tuple[float, float], most_df: float) -> Known:
    sd, df = own
    if not math.isnan(sd) and (df > 0):
        return sd, max(min(df, most_df), 1.0), False
    if pooled[1] >= LEAST_SHARED_DF:
        return pooled[0], min(pooled[1], most_df), False
    return max(PRIOR_SPREAD, pooled[0] if pooled[1] else 0.0), math.inf, True


def _level(values: Sequence[float], scale: float, noise: float, known: Known) -> PartLevel:
    sd, df, is_assumed = known
    se = math.hypot(sd, noise) if is_assumed else max(sd / math.sqrt(len(values)), noise)
    level = LogLevel(float(np.mean(values)), scale * se, df, len(values), scale * sd)
    return PartLevel(level, sd if is_assumed else None)


def _noise(name: str, members: Sequence[Breakdown]) -> float:
    """Standard error of the mean over the runs from the seconds inside them, in milliseconds."""
    halves = [run.noise_share * run.total_ms if name == TOTAL else _half_ms(name, run) for run in members]
    return math.sqrt(sum((half / 1.96) ** 2 for half in halves)) / len(halves)


def _half_ms(name: str, run: Breakdown) -> float:
    part = run.by_id().get(name)
    if part is None:
        return 0.0
    if part.series_ms is None or len(part.series_ms) < 2:
        return run.noise_share * abs(part.ms)  # as noisy as the whole, for want of its own seconds
    return noise_interval(part.series_ms).half_width


def _same_rounds(left: Iterable[Breakdown], right: Iterable[Breakdown]) -> list[tuple[Breakdown, Breakdown]]:
    """Runs of both cells by the round that they share; none of cells that were repeated for their spread."""
    sides = [{run.run.repeat: run for run in side if run.run} for side in (left, right)]
    if any(run.run and run.run.is_further for side in sides for run in side.values()):
        return []
    return [(sides[0][repeat], sides[1][repeat]) for repeat in sorted(sides[0].keys() & sides[1].keys())]


def _paired_values(both: Sequence[tuple[Breakdown, Breakdown]]) -> dict[str, _PairedValues]:
    sides = [_values([pair[index] for pair in both]) for index in (0, 1)]
    zeros = [0.0] * len(both)
    found = {}
    for name in dict.fromkeys([*sides[0], *sides[1]]):
        before, after = (side.get(name, zeros) for side in sides)
        is_log = min(*before, *after) > 0
        means = float(np.mean(before)), float(np.mean(after))
        scale = logarithmic_mean(*means) if is_log else max(float(np.mean(side[TOTAL])) for side in sides)
        found[name] = _PairedValues([b - a for a, b in zip(before, after, strict=True)], [*before, *after], scale)
    return found
