"""Answers the study's question for each workload and route, with a number, an interval and conditions.

Sentences are made from findings: this module adds no numbers. They are about the places where most work
was done (the best concurrency of a tier), because that is what a reader means by "how fast is it".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from dbdyno.analyse._averages import average_namer, average_sentences, averages_by_panel
from dbdyno.analyse._capacity import CapacityJudgement
from dbdyno.analyse._cells import CellJudgement
from dbdyno.analyse._diff import compare_quantiles, is_supported
from dbdyno.analyse._fastest_by_memory import memory_size_sentences
from dbdyno.analyse._headline import headline_of
from dbdyno.analyse._memory import memory_gains, memory_sentence
from dbdyno.analyse._pairs import Panel, Place, by_place, distance_words, place_of, turned
from dbdyno.analyse._phrases import faster_words, span_words
from dbdyno.analyse._place_sentences import place_sentence, single_target_sentence, subject_and_reference
from dbdyno.analyse._places import load_words, place_words
from dbdyno.analyse._routes import route_orders, route_sentence
from dbdyno.analyse._shapes import shape_sentences
from dbdyno.analyse._standing import (
    fastest_first,
    has_comparison,
)
from dbdyno.analyse._upgrades import upgrade_sentence, upgrades, version_title
from dbdyno.analyse._words import assumed_words
from dbdyno.core import Comparison, counted, is_vague_ratio, target_title, verb_for

_MOST_SCENARIOS = 8
"""Workloads and routes of which a sentence is made, where there are several."""
_OTHERS = "imported:"
"""Before the name of a workload that dbdyno does not have, or that no log names."""
_TWO = 2
_MANY_SENTENCES = 4
"""From so many on, what all of them assume is said once, after those that a reader needs first."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Holds the answer in words.

    Parameters
    ----------
    headline : a short title that says the finding
    sentences : who is fastest; whether that holds at other memory sizes; the shape of the curves; further ones for the
        workload, or one for each workload and route; what more memory, upgrades and other routes bring; then a tally
    lead_count : how many of them a reader needs first
    """

    headline: str
    sentences: tuple[str, ...]
    lead_count: int = 2


def answer(
    judgements: Sequence[CellJudgement],
    comparisons: Sequence[Comparison],
    averages: Sequence[Comparison] = (),
    capacity: Sequence[CapacityJudgement] = (),
) -> Answer:
    """Return the answer that the findings give.

    Parameters
    ----------
    averages : comparisons of the targets on average over all concurrencies, as `compare_averages` returns them
    capacity : how throughput grows with connections, as `judge_capacity` returns it
    """
    places = by_place(judgements)
    if not places:
        return Answer("No answer", ("There is no good run yet, so there is nothing to compare.",))
    spread = _common_spread(comparisons)
    if spread is None:
        return _answer(places, judgements, comparisons, averages, capacity)
    unconditional = [replace(judgement, assumed_spread=None) for judgement in judgements]
    short = _answer(
        by_place(unconditional),
        unconditional,
        [replace(pair, assumed_spread=None) for pair in comparisons],
        [replace(pair, assumed_spread=None) for pair in averages],
        [replace(curve, assumed_spread=None) for curve in capacity],
    )
    if len(short.sentences) < _MANY_SENTENCES:
        return _answer(places, judgements, comparisons, averages, capacity)
    condition = f"All of this holds {assumed_words(spread)}, which is assumed: cells were run once."
    lead, further = short.sentences[: short.lead_count], short.sentences[short.lead_count :]
    return Answer(short.headline, (*lead, condition, *further), short.lead_count + 1)


def _common_spread(comparisons: Sequence[Comparison]) -> float | None:
    """Return the spread between repeats that all comparisons assume; None where one assumes another, or none."""
    spreads = {pair.assumed_spread for pair in comparisons}
    return spreads.pop() if len(spreads) == 1 else None


def _answer(
    places: dict[Place, list[CellJudgement]],
    judgements: Sequence[CellJudgement],
    comparisons: Sequence[Comparison],
    averages: Sequence[Comparison],
    capacity: Sequence[CapacityJudgement],
) -> Answer:
    """Return the answer, in which each sentence has the spread that it assumes."""
    best_places = _best_places(places)
    named_places = _places_to_name(best_places, places)
    shapes = shape_sentences(named_places, places, comparisons, capacity)
    if not comparisons:
        first, *others = [single_target_sentence(place, places[place], list(places)) for place in named_places]
        return Answer("Throughput", (first, *shapes, *others), max(1 + len(shapes), 2))
    average_words = average_sentences(
        averages, named_places, average_namer(judgements, [place_of(pair) for pair in comparisons])
    )
    pairs_by_panel = averages_by_panel(averages) if average_words else {}
    place = named_places[0]
    is_one_load = len({key[:2] for key in named_places}) == 1
    loads = [place] if is_one_load else named_places
    memory_sizes, differing_places = memory_size_sentences(loads, best_places, places, comparisons)
    described_places = [
        place,
        *(other for other in loads[1:] if not _is_covered_by_average(places[other], pairs_by_panel)),
    ]
    first, *others = [place_sentence(described_place, places, comparisons) for described_place in described_places]
    p99_words = _p99_sentence(place, places, comparisons)
    lead_sentences = list(filter(None, (first, *memory_sizes[:1], *shapes, p99_words)))
    memory = memory_sentence(memory_gains(judgements, place), place[3], load_words(place, places))
    further_sentences = (
        *average_words.values(),
        memory,
        *_upgrade_and_route_sentences(judgements, comparisons, averages, place),
        _tally_sentence(comparisons, [*described_places, *differing_places]),
    )
    sentences = (*lead_sentences, *filter(None, (*others, *memory_sizes[1:], *further_sentences)))
    return Answer(headline_of(best_places, places, comparisons), sentences, max(len(lead_sentences), 2))


def _is_covered_by_average(
    group: Sequence[CellJudgement], pairs_by_panel: Mapping[Panel, Sequence[Comparison]]
) -> bool:
    """Return whether the average over a place's concurrencies compares all the targets that the place does."""
    pairs = pairs_by_panel.get(group[0].place[:3], ())
    averaged_targets = {target for pair in pairs for target in (pair.left, pair.right)}
    return all(judgement.decides and judgement.cell.target in averaged_targets for judgement in group)


def _upgrade_and_route_sentences(
    judgements: Sequence[CellJudgement], comparisons: Sequence[Comparison], averages: Sequence[Comparison], place: Place
) -> Iterator[str]:
    """Yield what upgrades brought (two targets alone show it already), and whether a route changes the order."""
    namer = average_namer(judgements, [place_of(pair) for pair in comparisons])
    if len({judgement.cell.target for judgement in judgements}) > _TWO:
        yield upgrade_sentence(upgrades(judgements, comparisons, averages), place, namer)
    yield from (route_sentence(order, namer) for order in route_orders(comparisons))


def answer_place(judgements: Sequence[CellJudgement]) -> Place | None:
    """Return the place that the answer's first sentence is about; None where no run succeeded."""
    places = by_place(judgements)
    return _places_to_name(_best_places(places), places)[0] if places else None


def _best_places(places: dict[Place, list[CellJudgement]]) -> list[Place]:
    """Return for each workload, route and tier the place of the highest throughput; large tiers first.

    Where targets are compared comes before where one stands alone, levels that have settled before others.
    """
    best: dict[tuple[str, str, int], tuple[tuple[bool, bool, float], Place]] = {}
    for place, group in places.items():
        is_decided, tps = max((judgement.decides, judgement.tps_mean or 0.0) for judgement in group)
        rank, panel = (has_comparison(group), is_decided, tps), place[:3]
        if panel not in best or rank > best[panel][0]:
            best[panel] = (rank, place)
    return sorted((place for _, place in best.values()), key=lambda place: (place[0], place[1], -place[2]))


def _places_to_name(best_places: Sequence[Place], places: dict[Place, list[CellJudgement]]) -> list[Place]:
    """Return the largest and the smallest tier of the only workload; of several workloads or routes, each largest.

    Where targets are compared comes before where one stands alone, what has a name before what no log names.
    """
    scenarios: dict[tuple[str, str], list[Place]] = {}
    for place in best_places:
        scenarios.setdefault(place[:2], []).append(place)
    if len(scenarios) == 1:
        return [best_places[0], best_places[-1]] if len(best_places) > 1 else list(best_places)
    largest_places = [
        max(group, key=lambda place: (_comparable_target_count(places[place]) > 1, place[2]))
        for group in scenarios.values()
    ]
    largest_places.sort(
        key=lambda place: (place[0].startswith(_OTHERS), -_comparable_target_count(places[place]), place[0], place[1])
    )
    return largest_places[:_MOST_SCENARIOS]


def _comparable_target_count(group: Sequence[CellJudgement]) -> int:
    """Return targets at a place that are known and have settled."""
    return sum(judgement.decides and judgement.runs[0].family != "unknown" for judgement in group)


def _p99_sentence(place: Place, places: Mapping[Place, list[CellJudgement]], comparisons: Sequence[Comparison]) -> str:
    """Compare the 99th percentiles of two targets whose throughput was compared; empty where they are unknown.

    It has no milliseconds: means over the repeats decide, and tables show the percentile of all transactions together.
    """
    if len({key[:2] for key in places}) > 1 or any(len(group) > 2 for group in places.values()):
        return ""
    ranked_groups = [fastest_first(group, comparisons) for group in places.values() if len(group) == 2]
    pairs = [subject_and_reference(best, other) for best, other in ranked_groups]
    changes = compare_quantiles([(reference, subject) for subject, reference in pairs], "p99")
    place_pair = next((pair for pair in pairs if pair[0].place == place), None)
    change = next((change for change in changes if place_pair and change.new == place_pair[0].cell), None)
    if place_pair is None or (change is not None and change.verdict == "not settled"):
        return ""
    if change is None:
        are_own = all(run.imported is None for group in place_pair for run in group.judged)
        return _NO_P99 if are_own and not all(is_supported(group, "p99") for group in place_pair) else ""
    subject, reference = place_pair
    names = target_title(subject.cell.target), version_title(reference.cell.target, subject.cell.target)
    if change.verdict in ("different", "slightly different"):
        share, interval = faster_words(change.ratio, change.low, change.high, "longer", "shorter")
        return f"The p99 of {names[0]} is {share} that of {names[1]} ({interval})."
    if change.verdict == "same":
        return "Their p99 is the same to within 3 %."
    repeats_words = f"; about {change.repeats_needed} repeats would decide" if change.repeats_needed else ""
    if is_vague_ratio(change.low, change.high):
        return f"Not decided in p99: the runs are too unlike to compare{repeats_words}."
    open_words = "No difference shown" if change.low <= 1 <= change.high else "Not decided"
    span = span_words(change.low, change.high, "longer", "shorter")
    return f"{open_words} in p99: that of {names[0]} is {span} than that of {names[1]}{repeats_words}."


_NO_P99 = "Not compared in p99: fewer than 20 transactions of a target are beyond it; longer windows give more."


def _tally_sentence(comparisons: Sequence[Comparison], named_places: Sequence[Place]) -> str:
    """Return how many comparisons show what, and the widest gap, if no sentence names its place."""
    total = len(comparisons)
    if total == 1 and place_of(comparisons[0]) in named_places:
        return ""
    different_pairs = [pair for pair in comparisons if pair.verdict == "different"]
    undecided_count = sum(pair.verdict == "undecided" for pair in comparisons)
    unsettled_count = sum(pair.verdict == "not settled" for pair in comparisons)
    same_count = total - len(different_pairs) - undecided_count - unsettled_count
    place_count = len({place_of(pair) for pair in comparisons})
    text = f"{len(different_pairs):,} of {counted(total, 'comparison')}"
    text += f" at {counted(place_count, 'place')}" if place_count > 1 else ""
    text += f" {verb_for(len(different_pairs), 'shows', 'show')} a difference of at least 3 %"
    verbs = (("shows", "show", "less or none"), ("is", "are", "undecided"), ("has", "have", "not settled"))
    for count, (singular, plural, words) in zip((same_count, undecided_count, unsettled_count), verbs, strict=True):
        text += f"; {count:,} {verb_for(count, singular, plural)} {words}" if count else ""
    if different_pairs:
        widest = max((max(pair, turned(pair), key=_ratio) for pair in different_pairs), key=_ratio)
        where = place_words(place_of(widest), [place_of(pair) for pair in comparisons])
        text += (
            ""
            if place_of(widest) in named_places
            else f". The widest gap is at {where}: {distance_words(widest)} than {target_title(widest.left)}"
        )
    return text + "."


def _ratio(pair: Comparison) -> float:
    return pair.ratio
