"""Answers what more memory brings to each target.

A target's levels at two memory sizes are compared like those of two targets at a place; the p-values of one workload,
route and concurrency are adjusted together (Holm), because they are read together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dbdyno.analyse._cells import CellJudgement
from dbdyno.analyse._pairs import Place
from dbdyno.analyse._words import faster_words, is_vague_ratio, listed
from dbdyno.core import Verdict, counted, format_memory, target_title
from dbdyno.stats import compare, holm, verdict_of

_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class MemoryGain:
    """A target with more memory against itself with less.

    Parameters
    ----------
    less_bytes, more_bytes : the study's smallest and largest memory size at which the target has a level
    ratio, low, high : throughput with more over that with less, with its 95 % interval
    """

    target: str
    less_bytes: int
    more_bytes: int
    ratio: float
    low: float
    high: float
    verdict: Verdict


def memory_gains(judgements: Sequence[CellJudgement], place: Place) -> list[MemoryGain]:
    """The gain of each target at a place's workload, route and concurrency, the largest first.

    Targets without a level that lasts at both ends of the study's memory sizes are left out; none of a study with one.
    """
    workload, route, _, concurrency = place
    sizes = sorted({judgement.cell.tier_bytes for judgement in judgements})
    here = {
        (judgement.cell.target, judgement.cell.tier_bytes): judgement.level
        for judgement in judgements
        if judgement.decides and judgement.place[:2] == (workload, route) and judgement.cell.concurrency == concurrency
    }
    found = []
    for target in dict.fromkeys(target for target, _ in here):
        less, more = here.get((target, sizes[0])), here.get((target, sizes[-1]))
        if less is not None and more is not None and len(sizes) > 1:
            found.append((target, compare(more, less)))
    adjusted = holm([difference.p for _, difference in found])
    gains = [
        MemoryGain(target, sizes[0], sizes[-1], own.ratio, *own.interval(), verdict_of(own, p))
        for (target, own), p in zip(found, adjusted, strict=True)
    ]
    return sorted(gains, key=lambda gain: -gain.ratio)


def memory_sentence(gains: Sequence[MemoryGain], concurrency: int) -> str:
    """Return what more memory brings, in one sentence: of many targets to the first and last of them; empty of none."""
    if not gains:
        return ""
    less, more = format_memory(gains[0].less_bytes), format_memory(gains[0].more_bytes)
    where = f"With {more} instead of {less} at {counted(concurrency, 'connection')}"
    groups: dict[Verdict, list[MemoryGain]] = {}
    for gain in gains:
        is_told = gain.verdict in ("different", "slightly different") and not is_vague_ratio(gain.low, gain.high)
        groups.setdefault("different" if is_told else "same" if gain.verdict == "same" else "undecided", []).append(
            gain
        )
    told = groups.get("different", [])
    words = [_change_words(gain) for gain in (told if len(told) <= _MOST_NAMED else (told[0], told[-1]))]
    if len(told) > _MOST_NAMED:
        words.append(f"{len(told) - 2} others are in between")
    if alike := groups.get("same"):
        words.append(f"{_names(alike)} {'is' if len(alike) == 1 else 'are'} equally fast")
    if doubtful := groups.get("undecided"):
        words.append(f"no difference is shown for {_names(doubtful)}")
    return f"{where}, {', '.join(words)}."


def _change_words(gain: MemoryGain) -> str:
    share, interval = faster_words(gain.ratio, gain.low, gain.high)
    alone = share.removesuffix(" than").removesuffix(" as")  # than itself
    return f"{target_title(gain.target)} is {alone} ({interval})"


def _names(gains: Sequence[MemoryGain]) -> str:
    names = [target_title(gain.target) for gain in gains]
    return listed(names) if len(names) <= _MOST_NAMED else counted(len(names), "target")
