"""Answers whether another route to the server, such as a network, changes the order of the targets."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from dbdyno.analyse._pairs import Place, place_of, turned
from dbdyno.analyse._phrases import counted, faster_words
from dbdyno.analyse._variation import most_assumed_spread
from dbdyno.analyse._words import assumed_words
from dbdyno.core import UNKNOWN_ROUTE, Comparison, target_title

_ROUTE_WORDS: Mapping[str, str] = MappingProxyType(
    {"socket": "through the Unix socket", "loopback": "over loopback", "network": "over the network"}
)
"""In the order in which they come before each other as what another route is held against."""


@dataclass(frozen=True, slots=True)
class RouteOrder:
    """Describes the order of targets on one route, against that on another.

    Parameters
    ----------
    decided : comparisons that show a difference on both routes, each as (base, other)
    shared_count : comparisons that were made on both routes, whatever they show
    """

    base: str
    other: str
    decided: tuple[tuple[Comparison, Comparison], ...]
    shared_count: int

    def reversed_pairs(self) -> list[tuple[Comparison, Comparison]]:
        """Return those of which the other target is ahead on the other route, the widest first."""
        pairs = [pair for pair in self.decided if (pair[0].ratio > 1) != (pair[1].ratio > 1)]
        return sorted(pairs, key=lambda pair: -abs(math.log(pair[0].ratio / pair[1].ratio)))


def over_words(route: str) -> str:
    """Return how clients reach the server by a route, in words.

    >>> over_words("network"), over_words("wan")
    ('over the network', 'over wan')
    """
    return _ROUTE_WORDS.get(route, f"over {route}")


def route_orders(comparisons: Sequence[Comparison]) -> list[RouteOrder]:
    """Return each further route against the first one, where the same targets were compared on both."""
    by_route: dict[str, dict[tuple[str, int, int, frozenset[str]], Comparison]] = {}
    for pair in comparisons:
        key = (pair.workload, pair.tier_bytes, pair.concurrency, frozenset((pair.left, pair.right)))
        by_route.setdefault(pair.route, {})[key] = pair
    base, *further_routes = sorted(by_route.keys() - {UNKNOWN_ROUTE}, key=_rank) or [""]
    orders = []
    for route in further_routes:
        shared_pairs = [
            (by_route[base][key], comparison) for key, comparison in by_route[route].items() if key in by_route[base]
        ]
        decided_pairs = [pair for pair in shared_pairs if all(comparison.verdict == "different" for comparison in pair)]
        turned_pairs = [
            (base_pair, other_pair if other_pair.left == base_pair.left else turned(other_pair))
            for base_pair, other_pair in decided_pairs
        ]
        if shared_pairs:
            orders.append(RouteOrder(base, route, tuple(turned_pairs), len(shared_pairs)))
    return orders


def route_sentence(order: RouteOrder, place_words: Callable[[Place], str]) -> str:
    """Return whether the order changes, in one sentence; with what turns round the widest."""
    base_words, other_words = over_words(order.base), over_words(order.other)
    total, reversed_pairs = len(order.decided), order.reversed_pairs()
    if not total:
        count_words = counted(order.shared_count, "comparison")
        return (
            f"Unknown whether the order changes {other_words}: none of {count_words} shows a difference on both routes."
        )
    undecided_count = order.shared_count - total
    undecided_words = f"; the other {undecided_count:,} decide nothing" if undecided_count > 1 else ""
    undecided_words = undecided_words or ("; the other one decides nothing" if undecided_count else "")
    spread_words = assumed_words(most_assumed_spread(comparison for pair in order.decided for comparison in pair))
    undecided_words = f"{f', {spread_words}' if spread_words else ''}{undecided_words}"
    if not reversed_pairs:
        subject = "the one comparison that shows" if total == 1 else f"all {total:,} comparisons that show"
        return f"The order {other_words} is as {base_words} in {subject} a difference on both routes{undecided_words}."
    base_pair, other_pair = reversed_pairs[0]
    widest_words = (
        f"{target_title(base_pair.left)} is {_lead_words(base_pair, target_title(base_pair.right))} {base_words} and "
        f"{_lead_words(other_pair, 'it')} {other_words}"
    )
    count_words = f"{len(reversed_pairs):,} of the {total:,} comparisons that show"
    if total == 1:
        count_words = "the one comparison that shows"
    where = place_words(place_of(base_pair)).removesuffix(f", {order.base}")
    return (
        f"The order {other_words} is the reverse of that {base_words} in {count_words} a difference on both routes"
        f"{undecided_words}. The widest is at {where}: {widest_words}."
    )


def _rank(route: str) -> tuple[int, str]:
    routes = list(_ROUTE_WORDS)
    return (routes.index(route) if route in routes else len(routes), route)


def _lead_words(pair: Comparison, right: str) -> str:
    share, interval = faster_words(pair.ratio, pair.low, pair.high)
    return f"{share} {right} ({interval})"
