"""Claims about what one engine does: a figure, a peak, a collapse behind it, a plateau."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from dbdyno.analyse import listed
from dbdyno.claims._book import Book, CannotTell, Reading
from dbdyno.claims._catalogue import Claim, Published
from dbdyno.claims._outcome import Told, joined, within
from dbdyno.stats import Peak, peak


def tell_level(claim: Claim, book: Book, _report: Published) -> Told:
    """A figure holds when the print lies in the cell's interval."""
    return figure_of(claim, book.reading(claim.at, claim.metric))


def tell_peak(claim: Claim, book: Book, _report: Published) -> Told:
    """The figure holds, and its concurrency can't be told from the best one."""
    found = figure_of(claim, book.reading(claim.at, claim.metric))
    return joined(found, _is_peak(claim, _top(book.curve(claim.at, claim.metric))))


def tell_collapse(claim: Claim, book: Book, _report: Published) -> Told:
    """The figure holds, and lies clearly below the peak at fewer connections."""
    found = figure_of(claim, book.reading(claim.at, claim.metric))
    top = _top(book.curve(claim.at, claim.metric))
    if claim.at.concurrency in top.collapsed:
        return found
    return joined(found, Told("does not hold", f"no collapse from the peak at {top.best} connections"))


def tell_plateau(claim: Claim, book: Book, _report: Published) -> Told:
    """Each engine's best holds the print, and no higher concurrency lies clearly below it."""
    return joined(*(_level_off(claim, book, engine) for engine in claim.engines))


def figure_of(claim: Claim, reading: Reading) -> Told:
    """The claim's figure held against a reading."""
    return within(claim.values[0], claim.rounding, reading.mean, reading.low, reading.high)


def _level_off(claim: Claim, book: Book, engine: str) -> Told:
    curve = book.curve(replace(claim.at, engine=engine), claim.metric)
    top = _top(curve)
    found = figure_of(claim, curve[top.best])
    if not top.collapsed:
        return found
    where = listed([f"{n}" for n in top.collapsed])
    words = f"{engine} peaks at {top.best} connections and does clearly less at {where}"
    return joined(found, Told("does not hold", words))


def _is_peak(claim: Claim, top: Peak) -> Told:
    where = listed([f"{n}" for n in top.concurrencies])
    if claim.at.concurrency in top.concurrencies:
        others = len(top.concurrencies) > 1
        return Told("holds", f"peak at {where} connections, which can't be told apart" if others else "")
    return Told("does not hold", f"the peak is at {where} connections")


def _top(curve: Mapping[int, Reading]) -> Peak:
    if len(curve) < 2:
        raise CannotTell("one concurrency alone has no peak")
    return peak({n: found.level for n, found in curve.items()})
