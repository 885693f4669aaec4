"""Answers the study's question for each workload and route, with a number, an interval and conditions.

Sentences are made from findings: this module adds no numbers. They are about the places where most work
was done (the best concurrency of a tier), because that is what a reader means by "how fast is it".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dbdyno.analyse._averages import average_namer, average_sentences, averages_by_panel
from dbdyno.analyse._cells import CellJudgement
from dbdyno.analyse._diff import compare_quantiles, is_supported
from dbdyno.analyse._headline import headline_of
from dbdyno.analyse._memory import memory_gains, memory_sentence
from dbdyno.analyse._pairs import Panel, Place, by_place, distance_words, pair_at, place_of, turned
from dbdyno.analyse._phrases import faster_words, listed_or_counted, slower_words, span_words
from dbdyno.analyse._places import load_words, place_words
from dbdyno.analyse._routes import route_orders, route_sentence
from dbdyno.analyse._settled import remedy_words
from dbdyno.analyse._standing import (
    are_all_slower,
    fastest_first,
    has_comparison,
    rivals_to_settle,
    rivals_words,
    standing_words,
)
from dbdyno.analyse._upgrades import is_newer, upgrade_sentence, upgrades, version_title
from dbdyno.analyse._variation import most_assumed_spread
from dbdyno.analyse._words import assumed_words, cell_level_words, vague_words
from dbdyno.core import Comparison, counted, is_vague_ratio, target_title, verb_for

_MOST_SCENARIOS = 8
"""Workloads and routes of which a sentence is made, where there are several."""
_OTHERS = "imported:"
"""Before the name of a workload that dbdyno does not have, or that no log names."""
_TESTED_TOGETHER = "several comparisons are tested together"
_TWO = 2
_FEW_RIVALS = 2
"""Up to so many, the answer names each."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Holds the answer in words.

    Parameters
    ----------
    headline : a short title that says the finding
    sentences : one or two for the workload, or one for each workload and route; what more memory, upgrades and
        other routes bring; then a tally
    """

    headline: str
    sentences: tuple[str, ...]


def answer(
    judgements: Sequence[CellJudgement], comparisons: Sequence[Comparison], averages: Sequence[Comparison] = ()
) -> Answer:
    """Return the answer that the findings give.

    Parameters
    ----------
    averages : comparisons of the targets on average over all concurrencies, as `compare_averages` returns them
    """
    places = by_place(judgements)
    if not places:
        return Answer("No answer", ("There is no good run yet, so there is nothing to compare.",))
    best_places = _best_places(places)
    named_places = _places_to_name(best_places, places)
    if not comparisons:
        return Answer(
            "Throughput", tuple(_single_target_sentence(place, places[place], list(places)) for place in named_places)
        )
    average_words = average_sentences(
        averages, named_places, average_namer(judgements, [place_of(pair) for pair in comparisons])
    )
    pairs_by_panel = averages_by_panel(averages) if average_words else {}
    place, *other_places = named_places
    described_places = [
        place,
        *(other for other in other_places if not _is_covered_by_average(places[other], pairs_by_panel)),
    ]
    sentences = [_place_sentence(described_place, places, comparisons) for described_place in described_places]
    sentences.insert(1, _p99_sentence(place, places, comparisons))
    memory = memory_sentence(memory_gains(judgements, place), place[3], load_words(place, places))
    further_sentences = (
        *average_words.values(),
        memory,
        *_upgrade_and_route_sentences(judgements, comparisons, averages, place),
        _tally_sentence(comparisons, described_places),
    )
    return Answer(headline_of(best_places, places, comparisons), tuple(filter(None, (*sentences, *further_sentences))))


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


def _place_sentence(place: Place, places: dict[Place, list[CellJudgement]], comparisons: Sequence[Comparison]) -> str:
    """Return who is fastest at a place, by how much, and who is not judged."""
    ranked = fastest_first(places[place], comparisons)
    best, unsettled_groups = ranked[0], [judgement for judgement in ranked if not judgement.decides]
    where = place_words(place, list(places))
    if not best.decides:
        return f"No run has settled at {where}. For one, {remedy_words(best.unsettled, target_title)}."
    rivals = [rival for rival in ranked[1:] if rival.decides]
    pair_by_rival = {rival.cell: pair_at(place, best.cell.target, rival.cell.target, comparisons) for rival in rivals}
    known_pairs = [pair for pair in pair_by_rival.values() if pair is not None]
    apart_groups = [rival for rival in rivals if pair_by_rival[rival.cell] is None]
    if not known_pairs:
        alone_words = _single_target_sentence(place, [best, *apart_groups], list(places))
        return f"{alone_words}{_unsettled_words(unsettled_groups)}"
    if len(ranked) == 2:
        return f"{_two_targets_words(best, ranked[1], known_pairs[0], where)}{_assumed_spread_words(known_pairs)}."
    among = " of those compared" if apart_groups else " that settled" if rivals_to_settle(best, ranked) else ""
    if len(known_pairs) > _FEW_RIVALS:
        words = _many_targets_words(best, known_pairs, where, among)
    else:
        words = _leader_words(best, known_pairs, where, among)
        words += "".join(f"; {distance_words(pair)}{_undecided_words(pair)}" for pair in known_pairs[1:])
    excluded_words = f"{_apart_words(best, apart_groups)}{_unsettled_words(unsettled_groups)}"
    return f"{words}{_assumed_spread_words(known_pairs)}.{excluded_words}"


def _two_targets_words(best: CellJudgement, other: CellJudgement, pair: Comparison, where: str) -> str:
    """Return how two targets compare at a place; for two versions of one server: the newer against the older."""
    subject, reference = _subject_and_reference(best, other)
    turned_pair = pair if subject is best else turned(pair)
    names = target_title(subject.cell.target), version_title(reference.cell.target, subject.cell.target)
    subject_level, reference_level = (cell_level_words(judgement, "TPS") for judgement in (subject, reference))
    levels = f"{subject_level}{',' if subject.is_vague else ''} against {reference_level}"
    repeats_words = _repeats_words(pair)
    if pair.verdict in ("different", "slightly different"):
        share, interval = faster_words(turned_pair.ratio, turned_pair.low, turned_pair.high)
        margin_words = "" if pair.verdict == "different" else ", less than the 3 % that count"
        is_turned = (turned_pair.ratio > 1) != ((subject.tps_mean or 0.0) > (reference.tps_mean or 0.0))
        rounds_words = " in the rounds of both" if is_turned else ""
        levels += " over all rounds" if is_turned else ""
        return f"{names[0]} is {share} {names[1]} at {where}{rounds_words} ({interval}{margin_words}): {levels}"
    if is_vague_ratio(pair.low, pair.high):
        reason = f"the runs differ too much to compare {names[0]} with {names[1]}"
        return f"Not decided at {where}: {reason} ({levels}){repeats_words}"
    percent_slower = slower_words(1 / turned_pair.ratio, 1 / turned_pair.high, 1 / turned_pair.low)
    if pair.verdict == "same":
        return f"{names[0]} and {names[1]} are equally fast at {where}, to within 3 %: {levels}"
    comparison_words = f"{names[0]} is {percent_slower} than {names[1]} ({levels})"
    return f"{_open_words(pair, where)}: {comparison_words}{repeats_words}"


def _p99_sentence(place: Place, places: Mapping[Place, list[CellJudgement]], comparisons: Sequence[Comparison]) -> str:
    """Compare the 99th percentiles of two targets whose throughput was compared; empty where they are unknown.

    It has no milliseconds: means over the repeats decide, and tables show the percentile of all transactions together.
    """
    if len({key[:2] for key in places}) > 1 or any(len(group) > 2 for group in places.values()):
        return ""
    ranked_groups = [fastest_first(group, comparisons) for group in places.values() if len(group) == 2]
    pairs = [_subject_and_reference(best, other) for best, other in ranked_groups]
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


def _subject_and_reference(best: CellJudgement, other: CellJudgement) -> tuple[CellJudgement, CellJudgement]:
    """Return the subject and its reference: the newer version of one server, else the faster target, comes first."""
    return (other, best) if is_newer(other, best) else (best, other)


def _many_targets_words(best: CellJudgement, pairs: Sequence[Comparison], where: str, among: str) -> str:
    """Return which of four targets or more is fastest at a place, if one is, and how the others stand to it.

    Parameters
    ----------
    among : of which targets it is the fastest, where that is not all
    """
    name, tps = target_title(best.cell.target), cell_level_words(best, "TPS")
    rivals = sorted(pairs, key=_ratio)
    standing = "; ".join(standing_words(rivals))
    if are_all_slower(rivals):
        return f"{name} is {_rank_words(among)} at {where}: {tps}. {standing}"
    return f"No clear winner at {where}: {name} reaches {tps}; {standing}"


def _rank_words(among: str) -> str:
    return f"the fastest{among}" if among else "fastest"


def _leader_words(best: CellJudgement, pairs: Sequence[Comparison], where: str, among: str) -> str:
    """Return how the fastest compares with the next one; it is not called the fastest where a slower one may be it.

    Parameters
    ----------
    pairs : with all others that have settled, the fastest of them first
    among : of which targets it is the fastest, where that is not all
    """
    pair, rival_pairs = pairs[0], [pair for pair in pairs if not are_all_slower([pair])]
    name, tps, rival_title = target_title(best.cell.target), cell_level_words(best, "TPS"), target_title(pair.right)
    if are_all_slower([pair]):
        margin_words = "" if pair.verdict == "different" else ", less than the 3 % that count"
        if rival_pairs:
            are_same = all(pair.verdict == "same" for pair in rival_pairs)
            tps += f", but {rivals_words(rival_pairs)} {'is as fast, to within 3 %' if are_same else 'may be as fast'}"
        rank_words = "ahead" if rival_pairs else _rank_words(among)
        return f"{name} is {rank_words} at {where}: {tps}. {distance_words(pair)}{margin_words}"
    if pair.verdict == "same":
        return f"{name} ({tps}) and {rival_title} are equally fast at {where}, to within 3 %: {distance_words(pair)}"
    if is_vague_ratio(pair.low, pair.high):
        reason = f"the runs differ too much to compare {name} ({tps}) with {rival_title}"
        return f"Not decided at {where}: {reason}{_repeats_words(pair)}"
    pair_words = f" between the fastest two{among}"
    return f"{_open_words(pair, where, pair_words)}: {distance_words(pair)} than {name} ({tps}){_repeats_words(pair)}"


def _repeats_words(pair: Comparison) -> str:
    return f"; about {pair.repeats_needed} repeats would decide" if pair.repeats_needed else ""


def _open_words(pair: Comparison, where: str, pair_words: str = "") -> str:
    """Begin the sentence of an undecided comparison: its interval, which is for it alone, may exclude equality.

    Parameters
    ----------
    pair_words : which of several targets are compared; empty where there are two
    """
    if pair.low <= 1.0 <= pair.high:
        return f"No difference shown{pair_words} at {where}"
    return f"Not decided{pair_words} at {where}, where {_TESTED_TOGETHER}"


def _undecided_words(pair: Comparison) -> str:
    if pair.verdict != "undecided" or is_vague_ratio(pair.low, pair.high):
        return ""
    return ", undecided" if pair.low <= 1.0 <= pair.high else f", not decided, as {_TESTED_TOGETHER}"


def _unsettled_words(groups: Sequence[CellJudgement]) -> str:
    """Name the targets that are not compared, as their throughput has not settled."""
    if not groups:
        return ""
    targets_words = listed_or_counted([target_title(group.cell.target) for group in groups], "target")
    return f" Not compared: {targets_words}, whose throughput has not settled."


def _apart_words(best: CellJudgement, groups: Sequence[CellJudgement]) -> str:
    """Name the targets that have settled and are not compared with the best, as no bench ran both in one round."""
    if not groups:
        return ""
    targets_words = listed_or_counted([target_title(group.cell.target) for group in groups], "target")
    return f" Not compared with {target_title(best.cell.target)}: {targets_words}, as no bench ran both in one round."


def _assumed_spread_words(pairs: Sequence[Comparison]) -> str:
    words = assumed_words(most_assumed_spread(pairs))
    return f", {words}" if words else ""


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


def _single_target_sentence(place: Place, group: Sequence[CellJudgement], places: Sequence[Place]) -> str:
    best, *others = fastest_first(group)
    tps = cell_level_words(best, "TPS")
    caveat_words = "" if best.is_settled else "; its throughput has not settled"
    runs = counted(len(best.judged), "run")
    if best.is_vague:
        runs = vague_words(best)
        tps = tps.replace(f", {runs}", "")
    words = f"{target_title(best.cell.target)} reaches {tps} at {place_words(place, places)} ({runs}){caveat_words}."
    return words + _apart_words(best, [other for other in others if other.decides])
