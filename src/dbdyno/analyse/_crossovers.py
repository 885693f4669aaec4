"""Answers whether it changes with the number of connections which of two targets is faster.

A crossover takes two decided differences of opposite sign, at places that differ in their connections alone. What is
undecided shows none. The p-values of each place are adjusted together, as for the rest of the answer.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dbdyno.analyse._cells import CellJudgement
from dbdyno.analyse._pairs import Panel, Place, place_of, turned
from dbdyno.analyse._phrases import faster_words
from dbdyno.analyse._places import panel_namer
from dbdyno.analyse._standing import fastest_first, has_comparison
from dbdyno.analyse._variation import most_assumed_spread
from dbdyno.analyse._words import assumed_words
from dbdyno.core import Comparison, counted, is_vague_ratio, target_title


@dataclass(frozen=True, slots=True)
class Crossover:
    """Describes a target that is slower than another up to some connections, and faster from more on.

    Parameters
    ----------
    before, after : comparisons that show it, nothing decided between them; the overtaking target is on the left
    turn_count : how often the order of the two turns, over all concurrencies
    """

    before: Comparison
    after: Comparison
    turn_count: int

    @property
    def width(self) -> float:
        """Return how far apart the two differences are, on the scale ln(TPS)."""
        return math.log(self.after.ratio / self.before.ratio)


def crossover_of(target: str, other: str, panel: Panel, comparisons: Sequence[Comparison]) -> Crossover | None:
    """Return where the order of two targets turns the widest, over the connections of a panel; None if it does not."""
    decided_pairs = sorted(
        (
            pair if pair.left == target else turned(pair)
            for pair in comparisons
            if place_of(pair)[:3] == panel and {pair.left, pair.right} == {target, other} and _is_decided(pair)
        ),
        key=lambda pair: pair.concurrency,
    )
    turns = [
        (before, after) if after.ratio > 1 else (turned(before), turned(after))
        for before, after in itertools.pairwise(decided_pairs)
        if (before.ratio > 1) != (after.ratio > 1)
    ]
    crossovers = [Crossover(before, after, len(turns)) for before, after in turns]
    return max(crossovers, key=lambda crossover: crossover.width, default=None)


def leading_crossover(
    place: Place, places: Mapping[Place, list[CellJudgement]], comparisons: Sequence[Comparison]
) -> Crossover | None:
    """Return the widest crossover of two targets that lead at different connections of a place's panel; None without.

    Those of the target that leads at the place itself come first.
    """
    panel_places = [other for other in places if other[:3] == place[:3] and has_comparison(places[other])]
    leaders = {other: fastest_first(places[other], comparisons)[0].cell.target for other in panel_places}
    pairs = itertools.combinations(dict.fromkeys(leaders.values()), 2)
    found = [crossover_of(*pair, place[:3], comparisons) for pair in pairs]
    return max(
        (crossover for crossover in found if crossover is not None),
        key=lambda crossover: (leaders.get(place) in (crossover.after.left, crossover.after.right), crossover.width),
        default=None,
    )


def crossover_sentence(
    named_places: Sequence[Place], places: Mapping[Place, list[CellJudgement]], comparisons: Sequence[Comparison]
) -> str:
    """Return who overtakes whom as connections grow, in the first panel of these places where a leader does."""
    found = (leading_crossover(place, places, comparisons) for place in named_places)
    crossover = next(filter(None, found), None)
    if crossover is None:
        return ""
    before, after = crossover.before, crossover.after
    has_panels = len({place[:3] for place in places}) > 1
    where = f" at {panel_namer(places)(place_of(after))}" if has_panels else ""
    spread_words = assumed_words(most_assumed_spread((before, after)))
    again_words = f"; the order turns {counted(crossover.turn_count - 1, 'more time')}"
    return (
        f"{target_title(after.left)} overtakes {target_title(after.right)} between {before.concurrency:,} and "
        f"{after.concurrency:,} connections{where}: {_lead_words(before)}, {_lead_words(after)}"
        f"{f', {spread_words}' if spread_words else ''}{again_words if crossover.turn_count > 1 else ''}."
    )


def is_behind_at_other_connections(target: str, panel: Panel, comparisons: Sequence[Comparison]) -> bool:
    """Return whether another target is shown to be faster anywhere in a panel."""
    return any(
        (pair.ratio < 1) == (pair.left == target)
        for pair in comparisons
        if place_of(pair)[:3] == panel and target in (pair.left, pair.right) and _is_decided(pair)
    )


def _is_decided(pair: Comparison) -> bool:
    return pair.verdict == "different" and not is_vague_ratio(pair.low, pair.high)


def _lead_words(pair: Comparison) -> str:
    share, interval = faster_words(pair.ratio, pair.low, pair.high)
    return f"{share.removesuffix(' than').removesuffix(' as')} at {pair.concurrency:,} ({interval})"
