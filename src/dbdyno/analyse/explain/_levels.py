"""Estimates how far each part of a cell's time may be off, by moderated spread and never less than the noise.

Spread is looked at on the log scale, as that of throughput is: the same part in all cells shows how far it usually
spreads, for a wait that is rare spreads much wider than processor time does. Where too few cells repeated a part, those
of its split (statements, the client's, the threads') stand in for it. Parts that are 0 or negative in some run (the
rest, attempts thrown away) are a family by themselves, on the scale of their share of T. Parts of one run share its
luck, so however many they are, their spreads together are never known better than the repeats of the runs allow.

Where several benches made the runs of two cells, only rounds of which one bench made both are compared, in pairs from
two rounds on, as `dbdyno.analyse._pairs` compares throughputs: any other difference would be one of machines, too.
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
    LogLevel,
    assumed_spread_of_one,
    logarithmic_mean,
    moderated_spread,
    noise_interval,
    pooled_spread,
    rounds_to_pair,
)

TOTAL = "total"
_K = TypeVar("_K", bound=Hashable)
Key = tuple[Cell, str]
Runs = Mapping[Cell, Sequence[Breakdown]]


@dataclass(frozen=True, slots=True)
class PartLevel:
    """Describes a part of a cell: its mean over the repeats, in milliseconds, with its standard error.

    Parameters
    ----------
    level : mean and error in milliseconds, for what compares levels
    assumed_spread : between repeats, relative, where it is assumed for want of repeats; None where it was seen
    noise_ms : standard error that the seconds inside the runs give, however equal the runs are
    """

    level: LogLevel
    assumed_spread: float | None = None
    noise_ms: float = 0.0


NOTHING = PartLevel(LogLevel(0.0, 0.0, math.inf, 1, 0.0))
"""Level of a part that a cell does not have."""


def part_levels(runs: Runs) -> dict[Key, PartLevel]:
    """Return every part of every cell, and T itself as `TOTAL`."""
    values = {
        (cell, name): part_values
        for cell, members in runs.items()
        for name, part_values in _part_values(members).items()
    }
    most_df = float(sum(max(len(members) - 1, 0) for members in runs.values()))
    levels: dict[Key, PartLevel] = {}
    for keys in _spread_families({key: (key[1], part_values) for key, part_values in values.items()}):
        levels |= _family_levels(keys, values, runs, most_df)
    return levels


def paired_errors(runs: Runs, pairs: Sequence[tuple[Cell, Cell]]) -> dict[tuple[Cell, Cell, str], LogLevel]:
    """Return differences right - left of runs of the same rounds, where a pair of cells has enough of them.

    The spread of such differences is moderated over the parts and places of the pairs that are given together.
    """
    paired_parts: dict[tuple[Cell, Cell, str], _PairedValues] = {}
    rounds = 0
    shared_rounds = {(left, right): _paired_rounds(runs.get(left, ()), runs.get(right, ())) for left, right in pairs}
    panels = {
        (left.workload, left.route, left.tier_bytes) for (left, _), shared in shared_rounds.items() if len(shared) > 1
    }
    for (left, right), round_pairs in shared_rounds.items():
        are_across_benches = _are_across_benches(runs.get(left, ()), runs.get(right, ()))
        least_rounds = 2 if are_across_benches else rounds_to_pair(len(panels))
        if len(round_pairs) >= least_rounds:
            rounds += len(round_pairs) - 1
            paired_parts |= {
                (left, right, name): part_values for name, part_values in _paired_values(round_pairs).items()
            }
    levels: dict[tuple[Cell, Cell, str], LogLevel] = {}
    for keys in _spread_families({key: (key[2], part_values.values) for key, part_values in paired_parts.items()}):
        spread = moderated_spread(
            [[value / paired_parts[key].scale for value in paired_parts[key].differences] for key in keys]
        )
        for key, sd, df in zip(keys, spread.sd, spread.df, strict=True):
            values, sd_ms = paired_parts[key].differences, sd * paired_parts[key].scale
            se = sd_ms / math.sqrt(len(values))
            levels[key] = LogLevel(float(np.mean(values)), se, max(min(df, rounds), 1.0), len(values), sd_ms)
    return levels


@dataclass(frozen=True, slots=True)
class _PairedValues:
    """Holds differences of a part in each round, its values on both sides, and the size that scales their spread."""

    differences: list[float]
    values: list[float]
    scale: float


def _part_values(members: Sequence[Breakdown]) -> dict[str, list[float]]:
    """Map each part to its milliseconds in each run, 0 where a run does not have it."""
    run_parts = [{part.part_id: part.ms for part in run.parts} for run in members]
    names = dict.fromkeys(name for ms_by_part in run_parts for name in ms_by_part)
    return {TOTAL: [run.total_ms for run in members]} | {
        name: [ms_by_part.get(name, 0.0) for ms_by_part in run_parts] for name in names
    }


def _spread_families(named: Mapping[_K, tuple[str, Sequence[float]]]) -> list[list[_K]]:
    """Return keys whose spreads are looked at together.

    Parameters
    ----------
    named : key -> its part and the part's values
    """
    has_log = {key: min(values) > 0 for key, (_, values) in named.items()}
    repeated = Counter(name for key, (name, values) in named.items() if has_log[key] and len(values) > 1)
    families: dict[str, list[_K]] = {}
    for key, (name, _) in named.items():
        family = name if repeated[name] >= MODERATED_FROM_CELLS else name.partition(".")[0]
        families.setdefault(family if has_log[key] else "others", []).append(key)
    return list(families.values())


def _family_levels(
    keys: Sequence[Key], values: Mapping[Key, Sequence[float]], runs: Runs, most_df: float
) -> dict[Key, PartLevel]:
    scales, groups = {}, []
    for key in keys:
        first_values = [
            value
            for value, run in zip(values[key], runs[key[0]], strict=True)
            if run.run is None or not run.run.is_further
        ]
        if min(values[key]) > 0:
            scales[key] = float(np.mean(values[key]))
            groups.append([math.log(value) for value in first_values] or [0.0])
        else:
            scales[key] = float(np.mean(values[key[0], TOTAL]))
            groups.append([value / scales[key] for value in first_values] or [0.0])
    spread, pooled = moderated_spread(groups), pooled_spread(groups)
    levels = {}
    for key, sd, df in zip(keys, spread.sd, spread.df, strict=True):
        noise = _noise(key[1], runs[key[0]]) / max(scales[key], 1e-300)
        levels[key] = _part_level(values[key], scales[key], noise, _known_spread((sd, df), pooled, most_df))
    return levels


Known = tuple[float, float, bool]
"""Standard deviation between repeats, its degrees of freedom, and whether it is assumed."""


def _known_spread(cell_spread: tuple[float, float], pooled: tuple[float, float], most_df: float) -> Known:
    sd, df = cell_spread
    if not math.isnan(sd) and (df > 0):
        return sd, max(min(df, most_df), 1.0), False
    if pooled[1] >= LEAST_SHARED_DF:
        return pooled[0], min(pooled[1], most_df), False
    return assumed_spread_of_one(pooled[0] if pooled[1] else 0.0), math.inf, True


def _part_level(values: Sequence[float], scale: float, noise: float, spread: Known) -> PartLevel:
    sd, df, is_assumed = spread
    se = math.hypot(sd, noise) if is_assumed else max(sd / math.sqrt(len(values)), noise)
    level = LogLevel(float(np.mean(values)), scale * se, df, len(values), scale * sd)
    return PartLevel(level, sd if is_assumed else None, scale * noise)


def _noise(name: str, members: Sequence[Breakdown]) -> float:
    """Return the standard error of the mean over the runs from the seconds inside them, in milliseconds."""
    halves = [run.noise_share * run.total_ms if name == TOTAL else _half_ms(name, run) for run in members]
    return math.sqrt(sum((half / 1.96) ** 2 for half in halves)) / len(halves)


def _half_ms(name: str, run: Breakdown) -> float:
    part = run.by_id().get(name)
    if part is None:
        return 0.0
    if part.series_ms is None or len(part.series_ms) < 2:
        return run.noise_share * abs(part.ms)  # assumed as noisy as the whole, because it has no seconds of its own
    return noise_interval(part.series_ms).half_width


def compared_runs(
    left: Sequence[Breakdown], right: Sequence[Breakdown], *, is_paired: bool
) -> tuple[Sequence[Breakdown], Sequence[Breakdown]]:
    """Return the runs that are compared: if in pairs or over several benches, those of shared rounds, else all."""
    return runs_of_shared_rounds(left, right) if is_paired or _are_across_benches(left, right) else (left, right)


def runs_of_shared_rounds(
    left: Iterable[Breakdown], right: Iterable[Breakdown]
) -> tuple[tuple[Breakdown, ...], tuple[Breakdown, ...]]:
    """Return the runs of both cells in the rounds that they share, round by round."""
    round_pairs = _same_rounds(left, right)
    return tuple(pair[0] for pair in round_pairs), tuple(pair[1] for pair in round_pairs)


def _are_across_benches(left: Iterable[Breakdown], right: Iterable[Breakdown]) -> bool:
    return len({run.bench for run in (*left, *right)}) > 1


def mean_times(members: Sequence[Breakdown]) -> dict[str, float]:
    """Return the mean of every part over the runs of a cell in milliseconds, and of T itself as `TOTAL`."""
    return {name: float(np.mean(values)) for name, values in _part_values(members).items()}


def _same_rounds(left: Iterable[Breakdown], right: Iterable[Breakdown]) -> list[tuple[Breakdown, Breakdown]]:
    """Runs of both cells by the round of which one bench made both."""
    left_runs, right_runs = (
        {(run.run.repeat, run.bench): run for run in members if run.run} for members in (left, right)
    )
    return [(left_runs[key], right_runs[key]) for key in sorted(left_runs.keys() & right_runs.keys())]


def _paired_rounds(left: Sequence[Breakdown], right: Sequence[Breakdown]) -> list[tuple[Breakdown, Breakdown]]:
    """Runs of both cells by the round that they share; none of cells that were repeated for their spread."""
    is_repeated = any(run.run and run.run.is_further for run in (*left, *right))
    return [] if is_repeated else _same_rounds(left, right)


def _paired_values(round_pairs: Sequence[tuple[Breakdown, Breakdown]]) -> dict[str, _PairedValues]:
    side_values = [_part_values([pair[index] for pair in round_pairs]) for index in (0, 1)]
    zeros = [0.0] * len(round_pairs)
    paired_values = {}
    for name in dict.fromkeys([*side_values[0], *side_values[1]]):
        before, after = (values.get(name, zeros) for values in side_values)
        is_log = min(*before, *after) > 0
        means = float(np.mean(before)), float(np.mean(after))
        scale = logarithmic_mean(*means) if is_log else max(float(np.mean(values[TOTAL])) for values in side_values)
        paired_values[name] = _PairedValues(
            [b - a for a, b in zip(before, after, strict=True)], [*before, *after], scale
        )
    return paired_values
