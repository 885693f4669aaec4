"""Answers what more memory brings to each target.

A target's levels at two memory sizes are compared like those of two targets at a place; the p-values of one workload,
route and concurrency are adjusted together (Holm), because they are read together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dbdyno.analyse._cells import CellJudgement
from dbdyno.analyse._pairs import Place
from dbdyno.analyse._phrases import MOST_LISTED, common_span_words, faster_words, listed_or_counted, multiple_from
from dbdyno.analyse._variation import most_assumed_spread
from dbdyno.analyse._words import assumed_words
from dbdyno.core import Verdict, counted, format_memory, is_vague_ratio, target_title, verb_for
from dbdyno.stats import compare, holm, verdict_of


@dataclass(frozen=True, slots=True)
class MemoryGain:
    """Describes a target with more memory against itself with less.

    Parameters
    ----------
    less_bytes, more_bytes : the study's smallest and largest memory size at which the target has a level
    ratio, low, high : throughput with more over that with less, with its 95 % interval
    assumed_spread : as of a `dbdyno.core.Comparison`
    """

    target: str
    less_bytes: int
    more_bytes: int
    ratio: float
    low: float
    high: float
    verdict: Verdict
    assumed_spread: float | None = None


def memory_gains(judgements: Sequence[CellJudgement], place: Place) -> list[MemoryGain]:
    """Return the gain of each target at a place's workload, route and concurrency, the largest first.

    Targets without a level that lasts at both ends of the study's known memory sizes are left out; none of a study
    with one.
    """
    workload, route, _, concurrency = place
    sizes = sorted({judgement.cell.tier_bytes for judgement in judgements if judgement.cell.tier_bytes > 0})
    if len(sizes) < 2:
        return []
    cells = {
        (judgement.cell.target, judgement.cell.tier_bytes): judgement
        for judgement in judgements
        if judgement.decides and judgement.place[:2] == (workload, route) and judgement.cell.concurrency == concurrency
    }
    differences = []
    for target in dict.fromkeys(target for target, _ in cells):
        less_memory, more_memory = cells.get((target, sizes[0])), cells.get((target, sizes[-1]))
        if less_memory and more_memory and less_memory.level is not None and more_memory.level is not None:
            difference = compare(more_memory.level, less_memory.level)
            differences.append((target, difference, most_assumed_spread((more_memory, less_memory))))
    adjusted = holm([difference.p for _, difference, _ in differences])
    gains = [
        MemoryGain(
            target,
            sizes[0],
            sizes[-1],
            difference.ratio,
            *difference.interval(),
            verdict_of(difference, p),
            assumed_spread,
        )
        for (target, difference, assumed_spread), p in zip(differences, adjusted, strict=True)
    ]
    return sorted(gains, key=lambda gain: -gain.ratio)


def memory_sentence(gains: Sequence[MemoryGain], concurrency: int, load_words: str = "") -> str:
    """Return what more memory brings, in one sentence: of many targets to the first and last of them; empty of none.

    Parameters
    ----------
    load_words : workload and route, as they follow the connections; empty where the study has one of each
    """
    if not gains:
        return ""
    less_memory, more_memory = format_memory(gains[0].less_bytes), format_memory(gains[0].more_bytes)
    where = f"With {more_memory} instead of {less_memory} at {counted(concurrency, 'connection')}{load_words}"
    if spread_words := assumed_words(most_assumed_spread(gains)):
        where += f", {spread_words}"
    vague_gains = [gain for gain in gains if is_vague_ratio(gain.low, gain.high)]
    groups: dict[Verdict, list[MemoryGain]] = {}
    for gain in (gain for gain in gains if gain not in vague_gains):
        groups.setdefault("different" if gain.verdict == "slightly different" else gain.verdict, []).append(gain)
    clear_gains = groups.get("different", [])
    named_gains = clear_gains if len(clear_gains) <= MOST_LISTED else [clear_gains[0], clear_gains[-1]]
    least_multiple = multiple_from(gain.ratio for gain in named_gains)
    words = [_change_words(gain, least_multiple) for gain in named_gains]
    if len(clear_gains) > MOST_LISTED:
        words.append(f"{len(clear_gains) - 2} others are in between")
    if equal_gains := groups.get("same"):
        words.append(
            f"{_targets_words(equal_gains)} {verb_for(len(equal_gains), 'changes', 'change')} by less than 3 %"
        )
    if undecided_gains := groups.get("undecided"):
        span = common_span_words([(gain.low, gain.high) for gain in undecided_gains])
        is_even = all(gain.low <= 1 <= gain.high for gain in undecided_gains)
        open_words = "no difference is shown" if is_even else "nothing is decided"
        words.append(f"{open_words} for {_targets_words(undecided_gains)} ({span})")
    if vague_gains:
        words.append(f"{_targets_words(vague_gains)} cannot be compared, as the runs differ too much")
    return f"{where}, {', '.join(words)}."


def _change_words(gain: MemoryGain, least_multiple: float) -> str:
    share, interval = faster_words(gain.ratio, gain.low, gain.high, multiple_from=least_multiple)
    share_words = share.removesuffix(" than").removesuffix(" as")  # than itself
    return f"{target_title(gain.target)} is {share_words} ({interval})"


def _targets_words(gains: Sequence[MemoryGain]) -> str:
    return listed_or_counted([target_title(gain.target) for gain in gains], "target")
