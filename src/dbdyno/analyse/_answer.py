"""The question of the study, answered in at most three sentences, each with a number, an interval and conditions.

Sentences are made from findings: nothing here holds a number of its own. They are about the places where most work
was done (the best concurrency of a tier), because that is what a reader means by "how fast is it".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dbdyno.analyse._cells import CellJudgement
from dbdyno.analyse._pairs import Place, by_place, place_of
from dbdyno.analyse._words import counted, listed, plus_minus, ratio_words
from dbdyno.core import Comparison, format_memory

MOST_SENTENCES = 3


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer in words.

    Parameters
    ----------
    headline : a short title that says the finding
    sentences : at most three
    """

    headline: str
    sentences: tuple[str, ...]


def answer(judgements: Sequence[CellJudgement], comparisons: Sequence[Comparison]) -> Answer:
    """The answer that the findings give."""
    places = by_place(judgements)
    if not places:
        return Answer("No answer", ("No cell has a good run, so there is nothing to say.",))
    best = _best_places(places)
    chosen = _telling(best)
    if not comparisons:
        return Answer("What it does", tuple(_alone(place, places[place], list(places)) for place in chosen))
    told = [_told(place, places[place], comparisons) for place in chosen]
    headline = _headline(best, places, comparisons)
    return Answer(headline, (*told[: MOST_SENTENCES - 1], _tally(comparisons)))


def place_words(place: Place, places: Sequence[Place]) -> str:
    """A place in words; what is the same at all places of the study is left out."""
    workload, route, tier_bytes, concurrency = place
    words = f"with {format_memory(tier_bytes)} at {counted(concurrency, 'connection')}"
    if len({other[0] for other in places}) > 1:
        words += f", {workload.rsplit('/', 1)[-1]}"
    if len({other[1] for other in places}) > 1:
        words += f", {route}"
    return words


def pair_at(place: Place, better: str, other: str, comparisons: Sequence[Comparison]) -> Comparison | None:
    """The comparison of two targets at a place, turned so that `better` is on the left."""
    for pair in comparisons:
        if place_of(pair) == place and {pair.left, pair.right} == {better, other}:
            return pair if pair.left == better else turned(pair)
    return None


def turned(pair: Comparison) -> Comparison:
    """The same comparison seen from the other side.

    >>> pair = Comparison("a", "b", "w", 1, 1, "socket", 2.0, 1.6, 2.5, 0.01, "different")
    >>> turned(pair).left, turned(pair).ratio, turned(pair).low, turned(pair).high
    ('b', 0.5, 0.4, 0.625)
    """
    low = 1 / pair.high
    high = 1 / pair.low if pair.low > 0 else float("inf")
    return Comparison(
        pair.right,
        pair.left,
        pair.workload,
        pair.tier_bytes,
        pair.concurrency,
        pair.route,
        1 / pair.ratio,
        low,
        high,
        pair.p_adjusted,
        pair.verdict,
        pair.repeats_needed,
    )


def _best_places(places: dict[Place, list[CellJudgement]]) -> list[Place]:
    """For each workload, route and tier the place of the highest throughput; large tiers first."""
    best: dict[tuple[str, str, int], tuple[float, Place]] = {}
    for place, group in places.items():
        top = max(judgement.tps_mean or 0.0 for judgement in group)
        key = place[:3]
        if key not in best or top > best[key][0]:
            best[key] = (top, place)
    return sorted((place for _, place in best.values()), key=lambda place: (place[0], place[1], -place[2]))


def _telling(best: Sequence[Place]) -> list[Place]:
    """The largest and the smallest tier of the first workload: what fits beside the tally."""
    first = [place for place in best if place[:2] == best[0][:2]]
    return [first[0], first[-1]] if len(first) > 1 else list(best[: MOST_SENTENCES - 1])


def _ordered(group: Sequence[CellJudgement]) -> list[CellJudgement]:
    return sorted(group, key=lambda judgement: -(judgement.tps_mean or 0.0))


def _told(place: Place, group: Sequence[CellJudgement], comparisons: Sequence[Comparison]) -> str:
    where = place_words(place, [place_of(pair) for pair in comparisons])
    ordered = _ordered(group)
    best = ordered[0]
    pairs = [pair_at(place, best.cell.target, other.cell.target, comparisons) for other in ordered[1:]]
    known = [pair for pair in pairs if pair is not None]
    if not known:
        return _alone(place, [best], [place_of(pair) for pair in comparisons])
    tps = plus_minus(best.tps_mean or 0.0, best.tps_low or 0.0, best.tps_high or 0.0)
    words = f"{where[0].upper()}{where[1:]} {_first_of(best.cell.target, tps, known[0])}"
    return f"{words}{_last_of(known[-1]) if len(known) > 1 else ''}."


def _first_of(best: str, tps: str, pair: Comparison) -> str:
    ratio = ratio_words(pair.ratio, pair.low, pair.high)
    if pair.verdict in ("different", "slightly different"):
        clearly = "" if pair.verdict == "different" else ", a difference below 3 %"
        number, interval = ratio.split(", ", 1)
        return f"{best} does most: {tps} TPS, {number} times as much as {pair.right} ({interval}){clearly}"
    if pair.verdict == "same":
        return f"{best} ({tps} TPS) and {pair.right} do the same to within 3 % (ratio {ratio})"
    more = f"; about {pair.repeats_needed} repeats would decide" if pair.repeats_needed else ""
    return f"{best} ({tps} TPS) and {pair.right} can't be told apart (ratio {ratio}{more})"


def _last_of(pair: Comparison) -> str:
    """How far behind the last one is."""
    number, interval = ratio_words(1 / pair.ratio, 1 / pair.high, 1 / max(pair.low, 1e-9)).split(", ", 1)
    if pair.verdict == "undecided":
        return f"; {pair.right} is undecided too (ratio {number}, {interval})"
    return f"; {pair.right} does {number} times as much as the first ({interval})"


def _tally(comparisons: Sequence[Comparison]) -> str:
    total = len(comparisons)
    different = [pair for pair in comparisons if pair.verdict == "different"]
    undecided = sum(pair.verdict == "undecided" for pair in comparisons)
    same = total - len(different) - undecided
    places = len({place_of(pair) for pair in comparisons})
    parts = [f"Of {counted(total, 'comparison')} at {counted(places, 'place')}"]
    parts.append(f"different by 3 % or more {len(different)}, less or none {same}, undecided {undecided}")
    text = ": ".join(parts)
    if different:
        widest = max((max(pair, turned(pair), key=lambda side: side.ratio) for pair in different), key=_ratio)
        where = place_words(place_of(widest), [place_of(pair) for pair in comparisons])
        number, interval = ratio_words(widest.ratio, widest.low, widest.high).split(", ", 1)
        text += f"; the widest gap is {where}: {widest.left} does {number} times as much as {widest.right} ({interval})"
    return text + "."


def _ratio(pair: Comparison) -> float:
    return pair.ratio


def _alone(place: Place, group: Sequence[CellJudgement], places: Sequence[Place]) -> str:
    best = _ordered(group)[0]
    where = place_words(place, places)
    tps = plus_minus(best.tps_mean or 0.0, best.tps_low or 0.0, best.tps_high or 0.0)
    return f"{where[0].upper()}{where[1:]} {best.cell.target} does {tps} TPS ({counted(len(best.judged), 'run')})."


def _headline(
    best: Sequence[Place], places: dict[Place, list[CellJudgement]], comparisons: Sequence[Comparison]
) -> str:
    leaders: dict[str, list[Place]] = {}
    for place in best:
        leaders.setdefault(_leader(place, places[place], comparisons), []).append(place)
    if list(leaders) == [""]:
        return "At their best, the first two can't be told apart"
    if len(leaders) == 1:
        return f"{next(iter(leaders))} does most{' at every memory size' if len(best) > 1 else ''}"
    if len({place[:2] for place in best}) > 1:
        parts = [f"{leader or 'no clear lead'} at {len(won)} of {len(best)}" for leader, won in leaders.items()]
        return "Who does most: " + ", ".join(parts)
    parts = [
        f"{leader or 'nobody clearly'} with {listed([format_memory(place[2]) for place in won])}"
        for leader, won in leaders.items()
    ]
    return "Who does most: " + ", ".join(parts)


def _leader(place: Place, group: Sequence[CellJudgement], comparisons: Sequence[Comparison]) -> str:
    """The target that significantly does most at a place; empty when none does."""
    ordered = [judgement.cell.target for judgement in _ordered(group)]
    pairs = [pair_at(place, ordered[0], other, comparisons) for other in ordered[1:]]
    wins = [pair is not None and pair.p_adjusted < 0.05 for pair in pairs]
    return ordered[0] if wins and all(wins) else ""
