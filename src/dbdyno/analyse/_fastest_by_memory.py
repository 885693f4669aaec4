"""Answers whether the same target is fastest at every memory size, each at its best number of connections.

A memory size differs from the one that the answer begins with where another target is fastest, where one is and none
was, or where a target that may be the fastest is shown to be behind another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from dbdyno.analyse._cells import CellJudgement
from dbdyno.analyse._headline import leader_at
from dbdyno.analyse._pairs import Place, distance_words, pair_at
from dbdyno.analyse._phrases import faster_words
from dbdyno.analyse._place_sentences import place_sentence, subject_and_reference
from dbdyno.analyse._places import place_words
from dbdyno.analyse._standing import are_all_slower, fastest_first, has_comparison, rivals_to_settle, standing_words
from dbdyno.analyse._variation import most_assumed_spread
from dbdyno.analyse._words import assumed_words
from dbdyno.core import Comparison, counted, is_vague_ratio, target_title

_FASTEST, _EQUAL, _OPEN, _UNKNOWN, _CHANGING = "fastest", "equal", "open", "unknown", "changing"
_TWO = 2
Places = Mapping[Place, list[CellJudgement]]


def memory_size_sentences(
    named_places: Sequence[Place], best_places: Sequence[Place], places: Places, comparisons: Sequence[Comparison]
) -> tuple[list[str], list[Place]]:
    """Return who is fastest at the smallest memory that differs, or that it holds at all sizes; and places so named.

    Of several workloads or routes, the sentences say how many of them hold, and name the others.

    Parameters
    ----------
    named_places : the places of workloads and routes that the answer names, each of the largest memory compared
    best_places : the best place of each workload, route and memory size
    """
    counts: Counter[str] = Counter()
    sentences: list[str] = []
    differing_places: list[Place] = []
    for named_place in named_places:
        others = _other_sizes(named_place, best_places)
        if not others or (len(named_places) > 1 and not any(has_comparison(places[place]) for place in others)):
            continue
        differing_place = _differing_place(named_place, others, places, comparisons)
        if differing_place is not None:
            differing_places.append(differing_place)
            sentences.append(_differing_sentence(differing_place, places, comparisons))
        elif len(named_places) == 1:
            sentences.append(_holding_sentence(named_place, others, places, comparisons))
        counts[_CHANGING if differing_place else _finding(named_place, places, comparisons)[0]] += 1
    if len(named_places) > 1 and counts:
        is_first_differing = bool(differing_places) and differing_places[0][:2] == named_places[0][:2]
        sentences.insert(int(is_first_differing), _counts_sentence(counts, named_places))
    return sentences, differing_places


def _counts_sentence(counts: Counter[str], named_places: Sequence[Place]) -> str:
    """Return in how many workloads or routes the same is found at all memory sizes."""
    has_workloads, has_routes = (len({place[axis] for place in named_places}) > 1 for axis in (0, 1))
    total = counts.total()
    if has_workloads and has_routes:
        loads = f"{counted(total, 'combination')} of workload and route"
    else:
        loads = counted(total, "workload" if has_workloads else "route")
    clauses = {
        _CHANGING: "who is fastest depends on memory",
        _FASTEST: "one target is fastest at all memory sizes",
        _EQUAL: "the fastest two are equally fast at all memory sizes",
        _OPEN: "no target is clearly fastest at any memory size",
    }
    (first, clause), *others = [(counts[kind], clause) for kind, clause in clauses.items() if counts[kind]]
    which = f"{first} of " if others else "each of " if total > 1 else ""
    return f"In {which}{loads}, {clause}{''.join(f'; in {count}, {words}' for count, words in others)}."


def _other_sizes(named_place: Place, best_places: Sequence[Place]) -> list[Place]:
    """Return the best places of the other memory sizes, the smallest first."""
    others = [place for place in best_places if place[:2] == named_place[:2] and place[2] != named_place[2]]
    return sorted(others, key=lambda place: place[2])


def _differing_place(
    named_place: Place, others: Sequence[Place], places: Places, comparisons: Sequence[Comparison]
) -> Place | None:
    """Return the place of the smallest memory whose finding is another, or that has none; None where none differs."""
    finding = _finding(named_place, places, comparisons)
    for place in others:
        other_finding = _finding(place, places, comparisons)
        is_other = _UNKNOWN in other_finding or other_finding != finding
        if is_other or (finding[0] != _FASTEST and _is_turned(named_place, place, places, comparisons)):
            return place
    return None


def _finding(place: Place, places: Places, comparisons: Sequence[Comparison]) -> tuple[str, str]:
    """Return what is shown of a place: the target that is fastest, or why there is none; of unknown memory nothing."""
    group = places[place]
    if place[2] and (leader := leader_at(place, group, comparisons)):
        return _FASTEST, leader
    pair = _fastest_pair(place, places, comparisons)
    if pair is None or not place[2] or rivals_to_settle(fastest_first(group, comparisons)[0], group):
        return _UNKNOWN, ""
    return _EQUAL if pair.verdict == "same" else _OPEN, ""


def _rivals(place: Place, places: Places, comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Return the comparisons of the fastest target of a place, which is on the left, with the others; nearest first."""
    best, *others = fastest_first(places[place], comparisons)
    pairs = [pair_at(place, best.cell.target, other.cell.target, comparisons) for other in others if other.decides]
    return sorted((pair for pair in pairs if pair is not None), key=lambda pair: pair.ratio) if best.decides else []


def _fastest_pair(place: Place, places: Places, comparisons: Sequence[Comparison]) -> Comparison | None:
    return next(iter(_rivals(place, places, comparisons)), None)


def _is_turned(named_place: Place, other: Place, places: Places, comparisons: Sequence[Comparison]) -> bool:
    """Return whether a target that may be the fastest at one place is shown to be behind the fastest at another."""
    rivals = _rivals(named_place, places, comparisons)
    possible_leaders = {pair.right for pair in rivals if not are_all_slower([pair])} | {pair.left for pair in rivals}
    return any(
        pair.right in possible_leaders and are_all_slower([pair]) for pair in _rivals(other, places, comparisons)
    )


def _differing_sentence(place: Place, places: Places, comparisons: Sequence[Comparison]) -> str:
    leader = leader_at(place, places[place], comparisons)
    if not leader or len(places[place]) <= _TWO:
        return place_sentence(place, places, comparisons)
    rivals = _rivals(place, places, comparisons)
    where = f"{place_words(place, list(places))}{_spread_words(rivals)}"
    return f"{target_title(leader)} is fastest at {where}: {'; '.join(standing_words(rivals))}."


def _holding_sentence(
    named_place: Place, others: Sequence[Place], places: Places, comparisons: Sequence[Comparison]
) -> str:
    """Return that the finding is the same at all memory sizes, with the nearest two at the smallest."""
    kind, leader = _finding(named_place, places, comparisons)
    smallest, size_count = others[0], len(others) + 1
    is_pair = all(len(places[place]) <= _TWO for place in (named_place, *others))
    rivals = _rivals(smallest, places, comparisons)
    nearest = rivals[0]
    all_sizes = "both memory sizes" if size_count == _TWO else f"all {size_count} memory sizes"
    if kind == _FASTEST:
        claim = f"{target_title(leader)} is {'faster' if is_pair else 'fastest'} at {all_sizes}"
    elif kind == _EQUAL:
        names = f"{target_title(nearest.left)} and {target_title(nearest.right)}" if is_pair else "The fastest two"
        claim = f"{names} are equally fast at {all_sizes}, to within 3 %"
    else:
        claim = f"No target is clearly fastest at {'either' if size_count == _TWO else 'any'} memory size"
    where = f"{place_words(smallest, list(places))}{_spread_words(rivals[:1])}"
    is_vague = is_vague_ratio(nearest.low, nearest.high)
    if kind == _FASTEST and is_pair and not is_vague and not _is_older(smallest, places, comparisons):
        share, interval = faster_words(nearest.ratio, nearest.low, nearest.high)
        return f"{claim}; at {where}, it is {share.rpartition(' ')[0]} ({interval})."
    than_words = "" if kind == _FASTEST or is_vague else " than"
    than_words = f"{than_words} {target_title(nearest.left)}" if than_words else ""
    next_words = distance_words(nearest)
    if not is_pair and kind == _FASTEST:
        next_words = next_words.replace(" is ", " is next, ", 1)
    return f"{claim}; at {where}, {next_words}{than_words}."


def _is_older(place: Place, places: Places, comparisons: Sequence[Comparison]) -> bool:
    """Return whether the faster of two targets is the older version of one server: a change is told from old to new."""
    best, other = fastest_first(places[place], comparisons)
    return subject_and_reference(best, other)[0] is not best


def _spread_words(pairs: Sequence[Comparison]) -> str:
    words = assumed_words(most_assumed_spread(pairs))
    return f", {words}" if words else ""
