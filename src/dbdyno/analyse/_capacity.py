"""Answers where each target peaks, how far it falls beyond, and what more memory brings.

A peak is a set: the concurrencies that can't be told from the best one. It is read off the measured levels, never off
a fitted law; the law is there to be drawn where it comes within ten percent of every point.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dbdyno.analyse._cells import CellJudgement
from dbdyno.analyse._words import (
    change_words,
    faster_words,
    is_vague_ratio,
    listed,
    percent_words,
    plus_minus,
    ratio_words,
)
from dbdyno.core import counted, format_memory, target_title
from dbdyno.stats import LogDifference, LogLevel, Peak, ScalabilityFit, bounded_exp, compare, fit_scalability, peak

_MOST_SENTENCES = 6
_MOST_COLLAPSES = 3


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
    """One target with one memory budget, over its concurrencies.

    Parameters
    ----------
    levels : by concurrency, of cells with a trusted level that lasts
    unsettled : concurrencies that were measured and whose level has not settled: they are in nothing that is said
    steps : from each concurrency to the next
    falls : from the best concurrency to each at which throughput collapsed
    fit : the law of scalability; None below six concurrencies. Draw it only when `fit.is_shown`
    more_memory : from the next smaller memory budget, each at its own best concurrency; None for the smallest
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

    @property
    def is_open(self) -> bool:
        """Return whether the best concurrency is the highest measured, so that more may lie beyond."""
        return self.peak.best == max(self.levels)

    @property
    def best(self) -> LogLevel:
        """Level at the best concurrency."""
        return self.levels[self.peak.best]


Curve = tuple[str, str, str, int]


def judge_capacity(judgements: Sequence[CellJudgement]) -> list[CapacityJudgement]:
    """Every target and memory budget that was measured at two concurrencies or more, in the order of the judgements."""
    curves: dict[Curve, dict[int, LogLevel]] = {}
    unsettled: dict[Curve, list[int]] = {}
    for group in judgements:
        if group.decides and group.level is not None:
            cell = group.cell
            curve_key = (cell.workload, cell.route, cell.target, cell.tier_bytes)
            curves.setdefault(curve_key, {})[cell.concurrency] = group.level
        elif group.trusted and not group.is_settled:
            cell = group.cell
            unsettled.setdefault((cell.workload, cell.route, cell.target, cell.tier_bytes), []).append(cell.concurrency)
    peaks = {curve: peak(levels) for curve, levels in curves.items()}
    return [
        replace(
            _judged(curve, levels, peaks[curve], _more_memory(curve, curves, peaks)),
            unsettled=tuple(sorted(unsettled.get(curve, ()))),
        )
        for curve, levels in curves.items()
        if len(levels) > 1
    ]


def capacity_sentences(found: Sequence[CapacityJudgement]) -> list[str]:
    """Return what the curves say, for people; the collapses and the largest memory budgets first, at most six."""
    several_tiers = len({each.tier_bytes for each in found}) > 1
    ordered = sorted(found, key=lambda each: (not each.falls, -each.tier_bytes))
    several_workloads = len({(each.workload, each.route) for each in found}) > 1
    return [_sentence(each, several_tiers, several_workloads) for each in ordered[:_MOST_SENTENCES]]


def collapse_sentence(found: Sequence[CapacityJudgement]) -> str:
    """Return which targets fall clearly below their peak as connections grow, at the largest memory where any does."""
    fallen = [each for each in found if each.falls]
    if not fallen:
        return ""
    tier_bytes = max(each.tier_bytes for each in fallen)
    here = [(each, min(each.falls, key=lambda step: step.ratio)) for each in fallen if each.tier_bytes == tier_bytes]
    here.sort(key=lambda pair: pair[1].ratio)
    named = [
        f"{target_title(each.target)} by {percent_words(1 - step.ratio)} at {counted(step.after, 'connection')}"
        for each, step in here[:_MOST_COLLAPSES]
    ]
    others = f", and {counted(len(here) - len(named), 'other')}" if len(here) > len(named) else ""
    where = f" at {format_memory(tier_bytes)}" if len({each.tier_bytes for each in found}) > 1 else ""
    if len(here) == 1:
        name, _, fall = named[0].rpartition(" by ")
        return f"{name} collapses beyond its peak{where}: {fall} less."
    return f"{counted(len(here), 'target')} collapse beyond their peaks{where}: {', '.join(named)}{others}."


def peak_words(found: CapacityJudgement) -> str:
    """Connections of the peak, those that can't be told from the best too."""
    words = listed([f"{n:,}" for n in found.peak.concurrencies])
    return f"{words} or more" if found.is_open else words


def level_interval(level: LogLevel) -> tuple[float, float, float]:
    """Throughput with its 95 % interval, TPS."""
    half = level.half_width()
    return math.exp(level.mean), math.exp(level.mean - half), bounded_exp(level.mean + half)


def _judged(
    curve: Curve, levels: Mapping[int, LogLevel], top: Peak, more_memory: CapacityStep | None
) -> CapacityJudgement:
    workload, route, target, tier_bytes = curve
    ordered = sorted(levels)
    steps = tuple(_step(n, m, compare(levels[m], levels[n])) for n, m in itertools.pairwise(ordered))
    falls = tuple(_step(top.best, n, compare(levels[n], levels[top.best])) for n in top.collapsed)
    fit = fit_scalability(levels, draws=0)
    return CapacityJudgement(target, workload, route, tier_bytes, dict(levels), top, steps, falls, fit, more_memory)


def _more_memory(
    curve: Curve, curves: Mapping[Curve, Mapping[int, LogLevel]], peaks: Mapping[Curve, Peak]
) -> CapacityStep | None:
    smaller = [other for other in curves if other[:3] == curve[:3] and 0 < other[3] < curve[3]]
    if not smaller:
        return None
    below = max(smaller, key=lambda other: other[3])
    after, before = curves[curve][peaks[curve].best], curves[below][peaks[below].best]
    return _step(below[3], curve[3], compare(after, before))


def _step(before: int, after: int, found: LogDifference) -> CapacityStep:
    return CapacityStep(before, after, found.ratio, *found.interval())


def _sentence(found: CapacityJudgement, several_tiers: bool, several_workloads: bool) -> str:
    where = f" with {format_memory(found.tier_bytes)}" if several_tiers else ""
    where += f" ({found.workload.rsplit('/', 1)[-1]}, {found.route})" if several_workloads else ""
    tps = plus_minus(*level_interval(found.best))
    words = [f"{target_title(found.target)}{where} peaks at {counted(found.peak.best, 'connection')}: {tps} TPS"]
    others = [f"{n:,}" for n in found.peak.concurrencies if n != found.peak.best]
    if others:
        words.append(f"{listed(others)} connections show no difference from it")
    if found.is_open:
        words.append(_open_end(found))
    if found.unsettled:
        words.append(f"excluded because not settled: {listed([f'{n:,}' for n in found.unsettled])}")
    if found.falls:
        deepest = min(found.falls, key=lambda step: step.ratio)
        since = f"it collapses from {found.falls[0].after:,} on, " if len(found.falls) > 1 else "it collapses "
        fall = change_words(deepest.ratio, deepest.low, deepest.high)
        words.append(f"{since}at {deepest.after:,} by {fall}")
    if found.more_memory is not None:
        step = found.more_memory
        words.append(f"with {step.after / step.before:.3g} times the memory, its peak {_gain_words(step)}")
    return "; ".join(words) + "."


def _gain_words(step: CapacityStep) -> str:
    if is_vague_ratio(step.low, step.high) or step.low <= 1 <= step.high:
        return f"shows no difference ({ratio_words(step.ratio, step.low, step.high)} times)"
    share, interval = faster_words(step.ratio, step.low, step.high, "higher", "lower")
    return f"is {share.removesuffix(' than').removesuffix(' as')} ({interval})"


def _open_end(found: CapacityJudgement) -> str:
    last = found.steps[-1]
    if last.is_gain:
        return "throughput still rises at the highest concurrency measured, so its peak is higher"
    return "this is the highest concurrency measured, so its peak may be higher"
