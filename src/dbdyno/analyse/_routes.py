"""The question: does another route to the server, such as a network, change the order of the targets."""

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
    """The order of targets on one route, against that on another.

    Parameters
    ----------
    decided : comparisons that show a difference on both routes, each as (base, other)
    """

    base: str
    other: str
    decided: tuple[tuple[Comparison, Comparison], ...]

    def reversed_pairs(self) -> list[tuple[Comparison, Comparison]]:
        """Those of which the other target is ahead on the other route, the widest first."""
        found = [pair for pair in self.decided if (pair[0].ratio > 1) != (pair[1].ratio > 1)]
        return sorted(found, key=lambda pair: -abs(math.log(pair[0].ratio / pair[1].ratio)))


def over_words(route: str) -> str:
    """How clients reach the server by a route, in words.

    >>> over_words("network"), over_words("wan")
    ('over the network', 'over wan')
    """
    return _ROUTE_WORDS.get(route, f"over {route}")


def route_orders(comparisons: Sequence[Comparison]) -> list[RouteOrder]:
    """Each further route against the first one, where the same targets were compared on both."""
    at: dict[str, dict[tuple[str, int, int, frozenset[str]], Comparison]] = {}
    for pair in comparisons:
        key = (pair.workload, pair.tier_bytes, pair.concurrency, frozenset((pair.left, pair.right)))
        at.setdefault(pair.route, {})[key] = pair
    base, *others = sorted(at.keys() - {UNKNOWN_ROUTE}, key=_rank) or [""]
    orders = []
    for other in others:
        shared = [(at[base][key], there) for key, there in at[other].items() if key in at[base]]
        decided = [pair for pair in shared if all(side.verdict == "different" for side in pair)]
        turned_alike = [(here, there if there.left == here.left else turned(there)) for here, there in decided]
        if shared:
            orders.append(RouteOrder(base, other, tuple(turned_alike)))
    return orders


def route_sentence(found: RouteOrder, place_words: Callable[[Place], str]) -> str:
    """Whether the order changes, in one sentence; with what turns round the widest."""
    base, other = over_words(found.base), over_words(found.other)
    if not found.decided:
        return f"Unknown whether the order changes {other}: no comparison shows a difference on both routes."
    total, reversed_pairs = len(found.decided), found.reversed_pairs()
    if not reversed_pairs:
        one = "the one comparison that shows" if total == 1 else f"all {total} comparisons that show"
        agree = "agrees" if total == 1 else "agree"
        return f"The order {other} is the same as {base}: {one} a difference on both routes {agree}."
    here, there = reversed_pairs[0]
    widest = (
        f"{target_title(here.left)} is {_words(here)} {target_title(here.right)} {base} and {_words(there)} it {other}"
    )
    shown = counted(len(reversed_pairs), "comparison")
    where = place_words(place_of(here)).removesuffix(f", {found.base}")
    return f"The order {other} differs from that {base} in {shown} of {total}. The widest is at {where}: {widest}."


def _rank(route: str) -> tuple[int, str]:
    known = list(_ROUTE_WORDS)
    return (known.index(route) if route in known else len(known), route)


def _words(pair: Comparison) -> str:
    return faster_words(pair.ratio, pair.low, pair.high)[0]
