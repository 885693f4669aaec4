"""Names places in words: memory, connections, workload and route, as far as a study varies them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence

from dbdyno.analyse._pairs import ALL_CONCURRENCIES, Place
from dbdyno.core import counted, format_memory

AVERAGE_WORDS = ", on average over all numbers of connections"
"""Ends the name of a place that has `ALL_CONCURRENCIES`."""


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


def _varied_axes(places: Iterable[Place]) -> tuple[bool, bool]:
    """Return whether a study has several workloads, and several routes."""
    distinct_places = set(places)
    has_workloads, has_routes = (len({place[axis] for place in distinct_places}) > 1 for axis in (0, 1))
    return has_workloads, has_routes


def _place_words(place: Place, *, has_workloads: bool, has_routes: bool) -> str:
    _, _, tier_bytes, concurrency = place
    words = _load_words(place, has_workloads=has_workloads, has_routes=has_routes)
    if concurrency == ALL_CONCURRENCIES:
        return f"{format_memory(tier_bytes)}{words}{AVERAGE_WORDS}"
    return f"{format_memory(tier_bytes)} and {counted(concurrency, 'connection')}{words}"


def _load_words(place: Place, *, has_workloads: bool, has_routes: bool) -> str:
    workload, route, _, _ = place
    words = f", {workload.partition('/')[2] or workload}" if has_workloads else ""
    return f"{words}, {route}" if has_routes else words
