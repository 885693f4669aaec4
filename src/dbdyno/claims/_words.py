"""Judged claims in the terminal: one line a claim, then how many hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console
from rich.text import Text

from dbdyno.analyse import listed, plus_minus
from dbdyno.claims._catalogue import Claim, Published, Unit
from dbdyno.claims._judge import JudgedClaim
from dbdyno.claims._outcome import Told
from dbdyno.core import format_memory

MARKS = {"holds": "+", "does not hold": "-", "can't be told": "?"}
_NAMES = {"tps": "TPS", "nopm": "NOPM", "tpm": "TPM", "ms": "ms"}
_HEAD = ("  claim", "verdict", "printed", "own, 95 %", "what it says: what to know of it")
_RANGED = ("range", "typical", "same")


def print_claims(report: Published, judged: Sequence[JudgedClaim], console: Console) -> None:
    """Print all claims and their counts."""
    console.print(Text(report.title, style="bold"))
    rows = [tuple(_row(row)) for row in judged]
    widths = [max(map(len, column)) for column in zip(_HEAD, *rows, strict=True)]
    for row in (_HEAD, *rows):
        padded = [word.ljust(width) for word, width in zip(row[:-1], widths, strict=False)]
        console.print(Text("  ".join([*padded, row[-1]])), soft_wrap=True)  # one line a claim, to be searched
    console.print(Text(tally(judged)))


def tally(judged: Iterable[JudgedClaim]) -> str:
    """How many claims hold, do not, and can't be told."""
    counts = Counter(row.told.outcome for row in judged)
    holds, fails, silent = counts["holds"], counts["does not hold"], counts["can't be told"]
    verbs = ("holds" if holds == 1 else "hold", "does not hold" if fails == 1 else "do not hold")
    return f"{counts.total()} claims: {holds} {verbs[0]}, {fails} {verbs[1]}, {silent} can't be told"


def printed_words(claim: Claim) -> str:
    """The figures as the report prints them.

    >>> from dbdyno.claims import published
    >>> [printed_words(claim) for claim in published("percona-2026").claims[3:7:2]]
    ['1.38 times', 'about 35 %']
    """
    if not claim.values:
        return "in words"
    shown = [_figure(value, claim.unit, claim.rounding) for value in claim.values]
    ends = " to ".join(shown) if claim.kind == "range" else listed(shown)
    about = "about " if claim.approximate else ""
    return f"{about}{ends}{_suffix(claim.unit)}"


def own_words(claim: Claim, told: Told) -> str:
    """The own figure with its interval; the range of 5 to 95 % of the cells where a claim is about many."""
    if told.own is None or told.low is None or told.high is None:
        return ""
    if claim.unit in _NAMES:
        return f"{plus_minus(told.own, told.low, told.high)}{_suffix(claim.unit)}"
    digits = 3 if claim.unit == "below" else 2
    ends = [_figure(end, claim.unit, 0.5 * 10**-digits) for end in (told.own, told.low, told.high)]
    kind = "cells " if is_of_cells(claim) else ""
    return f"{ends[0]} [{kind}{ends[1]} to {ends[2]}]{_suffix(claim.unit)}"


def is_of_cells(claim: Claim) -> bool:
    """Whether it speaks of many cells, so that its own figure is their range, not an interval."""
    return claim.kind in _RANGED


def place_of(claim: Claim) -> str:
    """Where the claim holds, in words; empty where it says everywhere."""
    at = claim.at
    against = claim.against.tier_bytes
    tier = "" if at.tier_bytes is None else format_memory(at.tier_bytes)
    parts = [
        (at.workload or "").rpartition("/")[2] if claim.against.workload is None else "",
        (at.route or "") if claim.against.route is None else "",
        tier if against is None else f"{tier} over {format_memory(against)}",
        "" if at.concurrency is None else f"{at.concurrency} connections",
    ]
    return ", ".join(part for part in parts if part)


def _row(row: JudgedClaim) -> Iterator[str]:
    claim, told = row.claim, row.told
    place = place_of(claim)
    words = f"{claim.words} ({place})" if place else claim.words
    yield f"{MARKS[told.outcome]} {claim.claim_id}"
    yield told.outcome
    yield printed_words(claim)
    yield own_words(claim, told)
    yield f"{words}: {told.reason}" if told.reason else words


def _figure(value: float, unit: Unit, rounding: float) -> str:
    if unit == "below":
        return f"{100 * value:.{1 if 0 < rounding < 0.005 else 0}f}"
    if unit in ("ms", "plain"):
        return f"{value:,.12g}"
    if unit == "ratio":
        return f"{value:.{2 if rounding < 0.05 else 1}f}"
    return f"{value:,.0f}"


def _suffix(unit: Unit) -> str:
    return {"below": " %", "ratio": " times", "plain": ""}.get(unit) or f" {_NAMES.get(unit, '')}".rstrip()
