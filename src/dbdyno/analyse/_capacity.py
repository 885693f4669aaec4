"""Answers where each target peaks, how far it falls beyond, and what more memory brings.

A peak is a set: the best concurrency and those that can't be told apart from it. It is read off the levels, never off
a fitted law; the law is there to be drawn where it comes within ten percent of every point.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dbdyno.analyse._cells import CellJudgement
from dbdyno.analyse._phrases import (
    faster_words,
    listed,
    plus_minus,
    ratio_words,
)
from dbdyno.analyse._settled import may_reach
from dbdyno.analyse._variation import most_assumed_spread
from dbdyno.analyse._words import assumed_words
from dbdyno.core import counted, format_memory, is_vague_ratio, short_percent, target_title, verb_for
from dbdyno.stats import (
    LogDifference,
    LogLevel,
    Peak,
    ScalabilityFit,
    bounded_exp,
    compare,
    fit_scalability,
    holm,
    peak,
    verdict_of,
)

_MOST_SENTENCES = 6
_MOST_FALLS = 3
# From this loss on, the words say that a target collapses; a tenth less is no collapse.
_COLLAPSE_LOSS = 1 / 3
_WHOLE_TIMES_FROM = 100
_LEAST_EXTENT = 2


@dataclass(frozen=True, slots=True)
class CapacityStep:
    """Holds what going from one place to a larger one brought.

    Parameters
    ----------
    before, after : connections, or bytes of memory
    ratio, low, high : throughput after over before, with its 95 % interval
    """

    before: int
    after: int
    ratio: float
    low: float
    high: float

    @property
    def is_gain(self) -> bool:
        """Return whether it clearly brought something."""
        return self.low > 1


@dataclass(frozen=True, slots=True)
class CapacityJudgement:
    """Describes one target with one memory budget, over its concurrencies.

    Parameters
    ----------
    levels : by concurrency, of cells with a trusted level that lasts
    unsettled : concurrencies that were measured and whose level has not settled: they are in nothing that is said
    possible_peaks : those of them that may do as much as the best
    steps : from each concurrency to the next
    falls : from the best concurrency to each higher one at which throughput is clearly lower
    fit : the law of scalability; None below six concurrencies. Draw it only when `fit.is_shown`
    plateau_start : fewest connections beyond which all more of them are shown to bring less than 3 %; None where that
        is not shown, or where throughput falls
    assumed_spread : of levels that were measured once, as of a `Comparison`; None where none was assumed
    more_memory : from the next smaller memory budget, each at its own best concurrency; None for the smallest, and
        where what has not settled may be the best of either
    """

    target: str
    workload: str
    route: str
    tier_bytes: int
    levels: Mapping[int, LogLevel]
    peak: Peak
    steps: tuple[CapacityStep, ...]
    falls: tuple[CapacityStep, ...]
    fit: ScalabilityFit | None
    more_memory: CapacityStep | None
    unsettled: tuple[int, ...] = ()
    possible_peaks: tuple[int, ...] = ()
    plateau_start: int | None = None
    assumed_spread: float | None = None

    @property
    def is_open(self) -> bool:
        """Return whether more may lie beyond: nothing higher was measured, or what has not settled may be better."""
        is_highest = self.peak.best == max((*self.levels, *self.unsettled))
        return is_highest or self.peak.best < max(self.possible_peaks, default=0)

    @property
    def deepest_fall(self) -> CapacityStep:
        """Return the fall with the largest loss; there must be one."""
        return min(self.falls, key=lambda step: step.ratio)

    @property
    def recovery(self) -> CapacityStep | None:
        """Return the first step from the deepest fall that brings it back: clearly more, and no fall from the peak."""
        lowest = self.deepest_fall.after
        larger = [n for n in sorted(self.levels) if n > lowest]
        differences = [compare(self.levels[n], self.levels[lowest]) for n in larger]
        adjusted = holm([difference.p for difference in differences])
        for n, difference, p in zip(larger, differences, adjusted, strict=True):
            if difference.ratio > 1 and verdict_of(difference, p) == "different" and n not in self.peak.falls:
                return _capacity_step(lowest, n, difference)
        return None

    @property
    def best(self) -> LogLevel:
        """Return the level at the best concurrency."""
        return self.levels[self.peak.best]


@dataclass(frozen=True, slots=True)
class LawPoint:
    """Holds transactions per second by the law of scalability at one concurrency, with its 95 % band."""

    concurrency: float
    tps: float
    low: float
    high: float


Curve = tuple[str, str, str, int]


def judge_capacity(judgements: Sequence[CellJudgement]) -> list[CapacityJudgement]:
    """Return every target and memory budget measured at two concurrencies or more, in the order of the judgements."""
    curves: dict[Curve, dict[int, LogLevel]] = {}
    settled_cells: dict[Curve, list[CellJudgement]] = {}
    unsettled_cells: dict[Curve, list[CellJudgement]] = {}
    for group in judgements:
        cell = group.cell
        curve_key = (cell.workload, cell.route, cell.target, cell.tier_bytes)
        if group.decides and group.level is not None:
            curves.setdefault(curve_key, {})[cell.concurrency] = group.level
            settled_cells.setdefault(curve_key, []).append(group)
        elif group.trusted and not group.is_settled:
            unsettled_cells.setdefault(curve_key, []).append(group)
    peaks = {curve: peak(levels) for curve, levels in curves.items()}
    possible_peaks = {
        curve: _possible_peaks(unsettled_cells.get(curve, ()), levels[peaks[curve].best])
        for curve, levels in curves.items()
    }
    known_peaks = {curve: top for curve, top in peaks.items() if not possible_peaks[curve]}
    unsettled = {
        curve: tuple(sorted(group.cell.concurrency for group in unsettled_cells.get(curve, ()))) for curve in curves
    }
    return [
        replace(
            _capacity_judgement(curve, levels, peaks[curve], _step_from_less_memory(curve, curves, known_peaks)),
            unsettled=unsettled[curve],
            possible_peaks=possible_peaks[curve],
            plateau_start=None if peaks[curve].falls else _plateau_start(levels, unsettled[curve]),
            assumed_spread=most_assumed_spread(settled_cells[curve]),
        )
        for curve, levels in curves.items()
        if len(levels) > 1
    ]


def _plateau_start(levels: Mapping[int, LogLevel], unsettled: Sequence[int]) -> int | None:
    """Return the fewest connections beyond which all more of them bring less than the margin; None if not shown.

    Each number is tested against all larger ones, the largest numbers first, up to the first that fails: so the tests
    need no adjustment. From less than twice the connections on, a curve is too short to be called level.
    """
    start, concurrencies = None, sorted(levels)
    for index in range(len(concurrencies) - 2, -1, -1):
        n, larger = concurrencies[index], concurrencies[index + 1 :]
        if any(m > n for m in unsettled) or not all(compare(levels[m], levels[n]).is_below() for m in larger):
            break
        start = n
    return start if start is not None and concurrencies[-1] >= _LEAST_EXTENT * start else None


def _possible_peaks(unsettled_groups: Sequence[CellJudgement], best: LogLevel) -> tuple[int, ...]:
    """Return the concurrencies whose level has not settled and may be as high as the best."""
    best_tps = math.exp(best.mean)
    return tuple(sorted(group.cell.concurrency for group in unsettled_groups if may_reach(group.unsettled, best_tps)))


def capacity_sentences(judgements: Sequence[CapacityJudgement]) -> list[str]:
    """Return what the curves say, for people; those that fall and the largest memory budgets first, at most six."""
    several_tiers = len({judgement.tier_bytes for judgement in judgements}) > 1
    ranked = sorted(judgements, key=lambda judgement: (not judgement.falls, -judgement.tier_bytes))
    several_workloads = len({(judgement.workload, judgement.route) for judgement in judgements}) > 1
    return [_sentence(judgement, several_tiers, several_workloads) for judgement in ranked[:_MOST_SENTENCES]]


def fall_sentence(judgements: Sequence[CapacityJudgement]) -> str:
    """Return which targets fall clearly below their peak as connections grow, at the largest memory where any does."""
    falling_curves = [judgement for judgement in judgements if judgement.falls]
    if not falling_curves:
        return ""
    tier_bytes = max(judgement.tier_bytes for judgement in falling_curves)
    deepest_curves: dict[str, CapacityJudgement] = {}
    for judgement in sorted(falling_curves, key=lambda judgement: judgement.deepest_fall.ratio):
        if judgement.tier_bytes == tier_bytes:
            deepest_curves.setdefault(judgement.target, judgement)
    several_workloads = len({(judgement.workload, judgement.route) for judgement in judgements}) > 1
    several_tiers = len({judgement.tier_bytes for judgement in judgements}) > 1
    where = f" at {format_memory(tier_bytes)}" if several_tiers else ""
    falling = list(deepest_curves.values())
    named = [curve for curve in falling if _collapses(curve)] or falling
    verb = "collapse" if _collapses(named[0]) else "fall"
    listed_curves = named[:_MOST_FALLS]
    spread_words = assumed_words(most_assumed_spread(listed_curves))
    where += f", {spread_words}" if spread_words else ""
    names_and_losses = [(target_title(curve.target), *_loss_words(curve, several_workloads)) for curve in listed_curves]
    if len(falling) == 1:
        name, (loss, interval), place = names_and_losses[0]
        return f"{name} {verb}s beyond its peak{where}: {loss} less{interval} {place}{_recovery_words(falling)}."
    subject = f"{counted(len(named), 'target')} {verb_for(len(named), f'{verb}s', verb)} beyond the peak{where}"
    is_one_place = len(listed_curves) > 1 and len({place for _, _, place in names_and_losses}) == 1
    losses = ", ".join(
        f"{name} by {loss}{interval}{'' if is_one_place else f' {place}'}"
        for name, (loss, interval), place in names_and_losses
    )
    losses += f", all {names_and_losses[0][2]}" if is_one_place else ""
    rest_count = len(falling) - len(listed_curves)
    rest_words = (
        f"; {counted(rest_count, 'other')} {verb_for(rest_count, 'falls', 'fall')} by less" if rest_count else ""
    )
    return f"{subject}: {losses}{_recovery_words(listed_curves)}{rest_words}."


def _recovery_words(curves: Sequence[CapacityJudgement]) -> str:
    """Return which of these curves are back at more connections than those of their deepest fall, after other words."""
    words = ""
    for curve in curves:
        if (step := curve.recovery) is not None:
            name = "it" if len(curves) == 1 else target_title(curve.target)
            share, interval = faster_words(step.ratio, step.low, step.high, "higher", "lower")
            words += f"; at {step.after:,}, {name} is back: {share} at {step.before:,} ({interval})"
    return words


def _collapses(judgement: CapacityJudgement) -> bool:
    return 1 - judgement.deepest_fall.ratio >= _COLLAPSE_LOSS


def _loss_words(judgement: CapacityJudgement, several_workloads: bool) -> tuple[tuple[str, str], str]:
    """Return the deepest loss, its interval in brackets, and where it is; no interval where it says nothing."""
    step = judgement.deepest_fall
    place = f"at {counted(step.after, 'connection')}{_load_words(judgement) if several_workloads else ''}"
    if is_vague_ratio(step.low, step.high):
        return (f"at least {short_percent(1 - step.high)}", ""), place
    share, interval = faster_words(step.ratio, step.low, step.high)
    return (share.removesuffix(" slower than"), f" ({interval})"), place


def peak_words(judgement: CapacityJudgement) -> str:
    """Return the connections of the peak, with those that can't be told apart from the best."""
    words = listed([f"{n:,}" for n in judgement.peak.concurrencies])
    return f"{words} or more" if judgement.is_open else words


def level_interval(level: LogLevel) -> tuple[float, float, float]:
    """Return the throughput with its 95 % interval, TPS."""
    half = level.half_width()
    return math.exp(level.mean), math.exp(level.mean - half), bounded_exp(level.mean + half)


def law_points(judgement: CapacityJudgement, count: int) -> list[LawPoint]:
    """Return points of the law of scalability, evenly on a log scale; none where it does not come close enough."""
    fit = fit_scalability(judgement.levels) if judgement.fit is not None and judgement.fit.is_shown else None
    if fit is None:
        return []
    concurrencies = np.geomspace(min(judgement.levels), max(judgement.levels), count)
    columns = (concurrencies, fit.at(concurrencies), *fit.band(concurrencies))
    return [LawPoint(*values) for values in zip(*(column.tolist() for column in columns), strict=True)]


def _capacity_judgement(
    curve: Curve, levels: Mapping[int, LogLevel], top: Peak, more_memory: CapacityStep | None
) -> CapacityJudgement:
    workload, route, target, tier_bytes = curve
    concurrencies = sorted(levels)
    steps = tuple(_capacity_step(n, m, compare(levels[m], levels[n])) for n, m in itertools.pairwise(concurrencies))
    falls = tuple(_capacity_step(top.best, n, compare(levels[n], levels[top.best])) for n in top.falls)
    fit = fit_scalability(levels, draws=0)
    return CapacityJudgement(target, workload, route, tier_bytes, dict(levels), top, steps, falls, fit, more_memory)


def _step_from_less_memory(
    curve: Curve, curves: Mapping[Curve, Mapping[int, LogLevel]], known_peaks: Mapping[Curve, Peak]
) -> CapacityStep | None:
    """Return what more memory brought at the peak; None where either peak may be where nothing has settled."""
    smaller_curves = [
        other_curve for other_curve in curves if other_curve[:3] == curve[:3] and 0 < other_curve[3] < curve[3]
    ]
    if not smaller_curves:
        return None
    nearest_curve = max(smaller_curves, key=lambda other_curve: other_curve[3])
    if curve not in known_peaks or nearest_curve not in known_peaks:
        return None
    after, before = curves[curve][known_peaks[curve].best], curves[nearest_curve][known_peaks[nearest_curve].best]
    return _capacity_step(nearest_curve[3], curve[3], compare(after, before))


def _capacity_step(before: int, after: int, difference: LogDifference) -> CapacityStep:
    return CapacityStep(before, after, difference.ratio, *difference.interval())


def _sentence(judgement: CapacityJudgement, several_tiers: bool, several_workloads: bool) -> str:
    where = f" with {format_memory(judgement.tier_bytes)}" if several_tiers else ""
    where += _load_words(judgement) if several_workloads else ""
    tps = plus_minus(*level_interval(judgement.best))
    words = [
        f"{target_title(judgement.target)}{where} peaks at {counted(judgement.peak.best, 'connection')}: {tps} TPS"
    ]
    equal_concurrencies = [n for n in judgement.peak.concurrencies if n != judgement.peak.best]
    if equal_concurrencies:
        *others, last = equal_concurrencies
        connections = listed([*(f"{n:,}" for n in others), counted(last, "connection")])
        words.append(f"{connections} {verb_for(len(others) + last, 'shows', 'show')} no difference from it")
    if judgement.possible_peaks:
        words.append(f"its peak may be at {listed([f'{n:,}' for n in judgement.possible_peaks])} instead")
    elif judgement.is_open:
        words.append(_open_end_words(judgement))
    if judgement.unsettled:
        words.append(f"excluded because not settled: {listed([f'{n:,}' for n in judgement.unsettled])}")
    if judgement.falls:
        deepest_fall = judgement.deepest_fall
        share, interval = faster_words(deepest_fall.ratio, deepest_fall.low, deepest_fall.high, "higher", "lower")
        deepest = f" at {deepest_fall.after:,}" if len(judgement.falls) > 1 else ""
        verb = "collapses" if _collapses(judgement) else "falls"
        words.append(f"it {verb} {_extent_words(judgement)}: {share} the peak{deepest} ({interval})")
    if judgement.more_memory is not None:
        step = judgement.more_memory
        times = step.after / step.before
        times_words = f"{times:,.0f}" if times >= _WHOLE_TIMES_FROM else f"{times:.3g}"
        words.append(f"with {times_words} times the memory, its peak {_gain_words(step)}")
    return "; ".join(words) + "."


def _extent_words(judgement: CapacityJudgement) -> str:
    """Return where a curve falls: at one concurrency, from the first of several on, or at which."""
    falls = judgement.peak.falls
    if len(falls) > 1 and all(n in falls for n in judgement.levels if n >= falls[0]):
        return f"from {counted(falls[0], 'connection')} on"
    return f"at {listed([f'{n:,}' for n in falls])} connections"


def _load_words(judgement: CapacityJudgement) -> str:
    return f" ({judgement.workload.rsplit('/', 1)[-1]}, {judgement.route})"


def _gain_words(step: CapacityStep) -> str:
    if is_vague_ratio(step.low, step.high) or step.low <= 1 <= step.high:
        return f"shows no difference ({ratio_words(step.ratio, step.low, step.high)} times)"
    share, interval = faster_words(step.ratio, step.low, step.high, "higher", "lower")
    return f"is {share.removesuffix(' than').removesuffix(' as')} ({interval})"


def _open_end_words(judgement: CapacityJudgement) -> str:
    last_step = judgement.steps[-1]
    if last_step.is_gain:
        return "throughput still rises up to the highest concurrency measured, so the peak may lie beyond"
    return "this is the highest concurrency measured, so the peak may lie beyond"
