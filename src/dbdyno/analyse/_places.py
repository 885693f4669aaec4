"""Names places in words: memory, connections, workload and route, as far as a study varies them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence

from dbdyno.analyse._pairs import ALL_CONCURRENCIES, Place
from dbdyno.core import counted, format_memory


def place_words(place: Place, places: Sequence[Place]) -> str:
    """Return a place in words; what is the same at all places of the study is left out."""
    return place_namer(places)(place)


def load_words(place: Place, places: Iterable[Place]) -> str:
    """Return the workload and the route of a place, after other words; without what is the same at all places."""
    has_workloads, has_routes = _varied_axes(places)
    return _load_words(place, has_workloads=has_workloads, has_routes=has_routes)


def place_namer(places: Iterable[Place]) -> Callable[[Place], str]:
    """Return `place_words` for many places of one study: what they differ in is looked up once."""
    has_workloads, has_routes = _varied_axes(places)
    return functools.partial(_place_words, has_workloads=has_workloads, has_routes=has_routes)


def panel_namer(places: Iterable[Place]) -> Callable[[Place], str]:
    """Return a function that names a place as `place_namer` does, without its connections."""
    has_workloads, has_routes = _varied_axes(places)
    return functools.partial(_panel_words, has_workloads=has_workloads, has_routes=has_routes)


def _varied_axes(places: Iterable[Place]) -> tuple[bool, bool]:
    """Return whether a study has several workloads, and several routes."""
    distinct_places = set(places)
    has_workloads, has_routes = (len({place[axis] for place in distinct_places}) > 1 for axis in (0, 1))
    return has_workloads, has_routes


def _place_words(place: Place, *, has_workloads: bool, has_routes: bool) -> str:
    if place[3] == ALL_CONCURRENCIES:
        panel = _panel_words(place, has_workloads=has_workloads, has_routes=has_routes)
        return f"{panel}, on average over all numbers of connections"
    words = _load_words(place, has_workloads=has_workloads, has_routes=has_routes)
    return f"{format_memory(place[2])} and {counted(place[3], 'connection')}{words}"


def _panel_words(place: Place, *, has_workloads: bool, has_routes: bool) -> str:
    return format_memory(place[2]) + _load_words(place, has_workloads=has_workloads, has_routes=has_routes)


def _load_words(place: Place, *, has_workloads: bool, has_routes: bool) -> str:
    workload, route, _, _ = place
    words = f", {workload.partition('/')[2] or workload}" if has_workloads else ""
    return f"{words}, {route}" if has_routes else words
