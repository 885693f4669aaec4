"""Claims about one engine beside others: ratios, leads, first places, what memory brings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from dbdyno.analyse import listed
from dbdyno.claims._book import Book, CannotTell, Reading
from dbdyno.claims._catalogue import Claim, Published, Spot
from dbdyno.claims._levels import figure_of
from dbdyno.claims._outcome import Told, joined, within
from dbdyno.stats import LogDifference, LogLevel, compare, holm, lead


def other_side(claim: Claim) -> Spot:
    """The spot that is compared with: the claim's own, but for what `against` names."""
    named = {
        name: value
        for name in ("workload", "route", "tier_bytes", "engine", "concurrency")
        if (value := getattr(claim.against, name)) is not None
    }
    return replace(claim.at, **named)


def tell_ratio(claim: Claim, book: Book, _report: Published) -> Told:
    """The print lies in the interval of the ratio of two cells."""
    found = compare(
        book.reading(claim.at, claim.metric).level,
        book.reading(other_side(claim), claim.metric).level,
    )
    return within(claim.values[0], claim.rounding, found.ratio, *found.interval())


def tell_lead(claim: Claim, book: Book, report: Published) -> Told:
    """The engine is the best, and the interval of its lead over all others holds the print and excludes none."""
    levels, missing = _field(claim, book, report)
    found = lead(levels)
    if found is None:
        raise CannotTell("no other engine is in the results")
    if found.best != claim.at.engine:
        return joined(_standing(levels, claim.engines, missing), Told("can't be told", f"{found.best} is ahead"))
    told = within(claim.values[0], claim.rounding, found.ratio, found.low, found.high)
    if found.low <= 1:
        return joined(told, Told("can't be told", f"its lead over {found.next_best} is not beyond chance"))
    return joined(told, _all_here(missing))


def tell_first(claim: Claim, book: Book, report: Published) -> Told:
    """The figure holds for each engine named, and each does clearly more than every other at its best."""
    figures = [
        figure_of(claim, book.reading(replace(claim.at, engine=engine), claim.metric)) for engine in claim.engines
    ]
    levels, missing = _field(claim, book, report)
    return joined(*figures, _standing(levels, claim.engines, missing))


def tell_memory(claim: Claim, book: Book, report: Published) -> Told:
    """The ratio of two memory budgets, each at its best concurrency, holds the print and is the extreme of all."""
    changes: dict[str, LogDifference] = {}
    missing = []
    for engine in report.engines:
        try:
            changes[engine] = _change(claim, book, engine)
        except CannotTell:
            if engine == claim.at.engine:
                raise
            missing.append(engine)
    own = changes[claim.engines[0]]
    told = within(claim.values[0], claim.rounding, own.ratio, *own.interval())
    sign = 1 if claim.extreme == "largest" else -1
    logs = {
        engine: LogLevel(sign * found.difference, found.se, found.df, 1, found.sd) for engine, found in changes.items()
    }
    return joined(told, _standing(logs, claim.engines, missing, claim.extreme), _whole(claim, book))


def _change(claim: Claim, book: Book, engine: str) -> LogDifference:
    most, least = replace(claim.at, engine=engine), replace(other_side(claim), engine=engine)
    return compare(book.reading(most).level, book.reading(least).level)


def _whole(claim: Claim, book: Book) -> Told:
    if all(book.is_whole(spot) for spot in (claim.at, other_side(claim))):
        return Told("holds")
    return Told("can't be told", "a cell without a good run might have been its best")


def _field(claim: Claim, book: Book, report: Published) -> tuple[dict[str, LogLevel], list[str]]:
    """Level of each of the report's engines at its best concurrency, and those that are not in the results."""
    found: dict[str, Reading] = {}
    missing = []
    for engine in report.engines:
        try:
            found[engine] = book.reading(replace(claim.at, engine=engine, concurrency=None), claim.metric)
        except CannotTell:
            missing.append(engine)
    absent = [engine for engine in claim.engines if engine not in found]
    if absent:
        book.reading(replace(claim.at, engine=absent[0], concurrency=None), claim.metric)  # raises with the reason
    return {engine: reading.level for engine, reading in found.items()}, missing


def _standing(
    levels: Mapping[str, LogLevel], named: Sequence[str], missing: Sequence[str], extreme: str = "first"
) -> Told:
    """Whether all named engines stand clearly before all others, p-values adjusted over the pairs."""
    others = [engine for engine in levels if engine not in named]
    pairs = [(mine, other) for mine in named for other in others]
    if not pairs:
        raise CannotTell("no other engine is in the results")
    differences = [compare(levels[mine], levels[other]) for mine, other in pairs]
    adjusted = holm([found.p for found in differences])
    seen = [(other, found.difference, p) for (_, other), found, p in zip(pairs, differences, adjusted, strict=True)]
    beaten_by = [other for other, difference, p in seen if p < 0.05 and difference < 0]
    if beaten_by:
        return Told("does not hold", f"not {extreme}: {listed(list(dict.fromkeys(beaten_by)))} stands before it")
    tied = [other for other, difference, p in seen if not (p < 0.05 and difference > 0 and math.isfinite(difference))]
    if tied:
        return Told("can't be told", f"whether it is {extreme}: no clear difference to {listed(sorted(set(tied)))}")
    return _all_here(missing)


def _all_here(missing: Sequence[str]) -> Told:
    if missing:
        return Told("can't be told", f"not in the results: {listed(list(missing))}")
    return Told("holds")
