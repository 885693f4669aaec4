"""Answers whether another route to the server, such as a network, changes the order of the targets."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from dbdyno.analyse._pairs import Place, place_of, turned
from dbdyno.analyse._words import counted, faster_words
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
    """

    base: str
    other: str
    decided: tuple[tuple[Comparison, Comparison], ...]

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
            orders.append(RouteOrder(base, route, tuple(turned_pairs)))
    return orders


def route_sentence(order: RouteOrder, place_words: Callable[[Place], str]) -> str:
    """Return whether the order changes, in one sentence; with what turns round the widest."""
    base_words, other_words = over_words(order.base), over_words(order.other)
    if not order.decided:
        return f"Unknown whether the order changes {other_words}: no comparison shows a difference on both routes."
    total, reversed_pairs = len(order.decided), order.reversed_pairs()
    if not reversed_pairs:
        subject = "the one comparison that shows" if total == 1 else f"all {total} comparisons that show"
        verb = "agrees" if total == 1 else "agree"
        return f"The order {other_words} is the same as {base_words}: {subject} a difference on both routes {verb}."
    base_pair, other_pair = reversed_pairs[0]
    widest_words = (
        f"{target_title(base_pair.left)} is {_lead_words(base_pair)} {target_title(base_pair.right)} {base_words} and "
        f"{_lead_words(other_pair)} it {other_words}"
    )
    count_words = counted(len(reversed_pairs), "comparison")
    where = place_words(place_of(base_pair)).removesuffix(f", {order.base}")
    return (
        f"The order {other_words} differs from that {base_words} in {count_words} of {total}. The widest is at "
        f"{where}: {widest_words}."
    )


def _rank(route: str) -> tuple[int, str]:
    routes = list(_ROUTE_WORDS)
    return (routes.index(route) if route in routes else len(routes), route)


def _lead_words(pair: Comparison) -> str:
    return faster_words(pair.ratio, pair.low, pair.high)[0]
