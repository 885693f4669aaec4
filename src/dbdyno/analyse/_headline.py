"""Gives the answer a headline: who is fastest and where, or why nobody is."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analyse._cells import CellJudgement
from dbdyno.analyse._crossovers import is_behind_at_other_connections
from dbdyno.analyse._pairs import Place, pair_at
from dbdyno.analyse._phrases import listed
from dbdyno.analyse._standing import are_all_slower, fastest_first, has_comparison, rivals_to_settle
from dbdyno.core import Comparison, format_memory, target_title


def headline_of(
    best_places: Sequence[Place], places: dict[Place, list[CellJudgement]], comparisons: Sequence[Comparison]
) -> str:
    """Return who is fastest at the best place of each workload, route and memory size.

    Where it is slower than another with other connections, the headline says so.

    Parameters
    ----------
    best_places : of each of these the place of the highest throughput
    """
    leaders: dict[str, list[Place]] = {}
    for place in best_places:
        leaders.setdefault(target_title(leader_at(place, places[place], comparisons)), []).append(place)
    if list(leaders) == [""]:
        groups = [judgement for place in best_places for judgement in places[place]]
        if not any(judgement.decides for judgement in groups):
            return "No run has settled"
        if any(rivals_to_settle(fastest_first(places[place], comparisons)[0], places[place]) for place in best_places):
            return "No clear winner: some runs have not settled"
        compared_places = [place for place in best_places if has_comparison(places[place])]
        if not compared_places:
            return "No comparison: no two targets have settled at one place"
        fastest_pairs = [_fastest_pair(place, places[place], comparisons) for place in compared_places]
        if all(pair is not None and pair.verdict == "same" for pair in fastest_pairs):
            return "The fastest two are equally fast, to within 3 %"
        if any(pair is None or pair.is_significant for pair in fastest_pairs):
            return "No clear winner"
        return "No difference shown between the fastest two"
    peak_words = "" if _are_ahead_everywhere(best_places, places, comparisons) else " at peak throughput"
    if len(best_places) == 1 and peak_words:
        return _headline_by_connections(best_places[0], places, comparisons)
    if len(leaders) == 1:
        return f"{next(iter(leaders))} is fastest{peak_words}{_everywhere_words(best_places)}"
    if len({place[:2] for place in best_places}) > 1:
        leader_words = [
            f"{leader or 'no clear winner'} at {len(won_places)} of {len(best_places)}"
            for leader, won_places in leaders.items()
        ]
        return f"Fastest{peak_words}: {', '.join(leader_words)}"
    leader_words = [
        f"{leader or 'no clear winner'} with {listed([format_memory(place[2]) for place in won_places])}"
        for leader, won_places in leaders.items()
    ]
    return f"Fastest{peak_words}: {', '.join(leader_words)}"


def _are_ahead_everywhere(
    best_places: Sequence[Place], places: dict[Place, list[CellJudgement]], comparisons: Sequence[Comparison]
) -> bool:
    """Return whether no target that is fastest at a best place is slower than another with other connections."""
    leaders = [(place, leader_at(place, places[place], comparisons)) for place in best_places]
    return not any(
        leader and is_behind_at_other_connections(leader, place[:3], comparisons) for place, leader in leaders
    )


def _headline_by_connections(
    best_place: Place, places: dict[Place, list[CellJudgement]], comparisons: Sequence[Comparison]
) -> str:
    """Return who is fastest with which connections, where that is not the same target with all of them."""
    concurrencies: dict[str, list[str]] = {}
    for place in sorted(places):
        if place[:3] == best_place[:3] and has_comparison(places[place]):
            leader = target_title(leader_at(place, places[place], comparisons))
            concurrencies.setdefault(leader, []).append(f"{place[3]:,}")
    words = [f"{leader or 'no clear winner'} with {listed(numbers)}" for leader, numbers in concurrencies.items()]
    return f"Fastest: {', '.join(words)} connections"


def _fastest_pair(place: Place, group: Sequence[CellJudgement], comparisons: Sequence[Comparison]) -> Comparison | None:
    """Return the comparison of the fastest two at a place; None where no bench ran both in one round."""
    ranked = [judgement.cell.target for judgement in fastest_first(group, comparisons)]
    return pair_at(place, ranked[0], ranked[1], comparisons) if len(ranked) > 1 else None


def _everywhere_words(places: Sequence[Place]) -> str:
    """Return that something holds for all values of what places differ in, with a blank before it."""
    phrases = (" for every workload", " on every route", " at every memory size")
    return "".join(phrase for axis, phrase in enumerate(phrases) if len({place[axis] for place in places}) > 1)


def leader_at(place: Place, group: Sequence[CellJudgement], comparisons: Sequence[Comparison]) -> str:
    """Return the target that is significantly fastest at a place; empty if none is, or an unsettled one may be.

    A difference can be significant and too small to matter: then both are equally fast, as the sentence on them says.
    """
    ranked = fastest_first(group, comparisons)
    best, name = ranked[0], ranked[0].cell.target
    if not best.decides or rivals_to_settle(best, ranked):
        return ""
    pairs = [pair_at(place, name, rival.cell.target, comparisons) for rival in ranked[1:] if rival.decides]
    known_pairs = [pair for pair in pairs if pair is not None]
    return name if known_pairs and len(known_pairs) == len(pairs) and are_all_slower(known_pairs) else ""
