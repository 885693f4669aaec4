"""Finds the pair and the place that a request names, or the one that is shown when it names none."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analyse._answer import answer_place
from dbdyno.analyse._pairs import Place
from dbdyno.analyse._places import place_words
from dbdyno.analyse.explain._explanation import Explanation
from dbdyno.core import RequestError, StudyError, format_memory, parse_bytes
from dbdyno.nearest import nearest

_MOST_NAMED = 8


def choose_place(explanation: Explanation, place_text: str = "", targets: Sequence[str] = ()) -> Place | None:
    """Return the requested place, else that of the study's answer; None where no cell can be explained.

    Parameters
    ----------
    place_text : memory, connections, workload and route between commas, as many as needed; of several places that
        fit, the first of the answer's order: most memory, then most work
    targets : that both must have been judged there

    Raises
    ------
    RequestError : there is no such place, or not for these targets
    """
    cells = explanation.cells_at
    candidates = [place for place in cells if all(target in cells[place] for target in targets)]
    if targets and not candidates:
        raise RequestError(
            f"{' and '.join(targets)} have no place in common that can be compared",
            "each needs a good, settled run at the same memory, connections, workload and route",
            "dbdyno show DIR lists the cells and why runs are missing",
        )
    words = [word.strip() for word in place_text.split(",") if word.strip()]
    matching_places = [place for place in candidates if all(_is_match(word, place) for word in words)]
    if place_text and not (words and matching_places):
        raise RequestError(
            f"no cell that can be explained matches '{place_text}'",
            f"known are {_known_words(sorted(candidates)) or 'none'}",
            f"write for example --at {_typed_place(max(candidates))}" if candidates else "",
        )
    best = answer_place([group for group in explanation.judgements if group.place in matching_places])
    return best if best in matching_places else next(iter(matching_places), None)


def _known_words(places: Sequence[Place]) -> str:
    """Name each of a few places; of many the values of each of their properties."""
    if len(places) <= _MOST_NAMED:
        return "; ".join(place_words(place, places) for place in places)
    workloads, routes, tiers, concurrencies = (list(dict.fromkeys(values)) for values in zip(*places, strict=True))
    values_by_word = {
        "memory": [format_memory(tier) for tier in sorted(tiers)],
        "connections": [str(concurrency) for concurrency in sorted(concurrencies)],
        "workload": workloads,
        "route": routes,
    }
    several = {word: values for word, values in values_by_word.items() if len(values) > 1}
    return "; ".join(f"{word} {', '.join(values)}" for word, values in several.items())


def _typed_place(place: Place) -> str:
    """Return memory and connections of a place as `--at` takes them."""
    _, _, tier_bytes, concurrency = place
    memory = f"{format_memory(tier_bytes).replace(' ', '').replace('iB', 'B')}," if tier_bytes else ""
    return f"{memory}{concurrency}"


def choose_pair(targets: Sequence[str], pair: Sequence[str] = ()) -> tuple[str, str] | None:
    """Return the requested pair, checked; None if none is requested: two of a place are chosen.

    Parameters
    ----------
    targets : of the study

    Raises
    ------
    RequestError : a name is not one of the study's targets, or both are the same
    """
    if not pair:
        return None
    for name in pair:
        if name not in targets:
            raise RequestError(f"'{name}' is not a target of this study", "", nearest(name, targets))
    left, right = pair
    if left == right:
        raise RequestError(f"'{left}' can't be compared with itself", "", "name two targets with --pair A B")
    return left, right


def _is_match(word: str, place: Place) -> bool:
    workload, route, tier_bytes, concurrency = place
    if word.isdecimal():
        return int(word) == concurrency
    if word in (workload, workload.partition("/")[2], route):
        return True
    try:
        return parse_bytes(word) == tier_bytes
    except StudyError:
        return False
