"""Puts judged claims into words: what is printed, what is recomputed, where it holds, and how many hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from dbdyno.analyse import listed, plus_minus
from dbdyno.analyse.claims._catalogue import Claim
from dbdyno.analyse.claims._figures import NAMES, figure, suffix
from dbdyno.analyse.claims._judge import JudgedClaim
from dbdyno.analyse.claims._result import ClaimResult
from dbdyno.core import counted, format_memory, verb_for

MARKS = {"holds": "+", "does not hold": "-", "not settled": "~", "can't be told": "?"}
_RANGED = ("range", "engines", "same")


def tally(judged: Iterable[JudgedClaim]) -> str:
    """Return how many claims hold, do not, rest on runs that have not settled, and can't be told."""
    counts = Counter(row.result.outcome for row in judged)
    holds_count, fails_count, undecided_count = counts["holds"], counts["does not hold"], counts["can't be told"]
    verbs = (verb_for(holds_count, "holds", "hold"), verb_for(fails_count, "does not hold", "do not hold"))
    unsettled_words = f", {counts['not settled']} not settled" if counts["not settled"] else ""
    return (
        f"{counted(counts.total(), 'claim')}: {holds_count} {verbs[0]}, {fails_count} {verbs[1]}{unsettled_words}, "
        f"{undecided_count} can't be told"
    )


def printed_words(claim: Claim) -> str:
    """Return the figures as the report prints them.

    >>> from dbdyno.analyse.claims import published
    >>> [printed_words(claim) for claim in published("percona-2026").claims[3:7:2]]
    ['1.38 times', 'about 35 %']
    """
    if not claim.values:
        return "in words"
    figures = [figure(value, claim.unit, claim.rounding) for value in claim.values]
    ends = " to ".join(figures) if claim.kind in ("range", "engines") else listed(figures)
    prefix = "about " if claim.approximate else ""
    return f"{prefix}{ends}{suffix(claim.unit)}"


def own_words(claim: Claim, result: ClaimResult) -> str:
    """Return the recomputed figure with its interval; of a claim about many cells, the range of 5 to 95 %."""
    if result.own is None or result.low is None or result.high is None:
        return ""
    if claim.unit in NAMES:
        return f"{plus_minus(result.own, result.low, result.high)}{suffix(claim.unit)}"
    digits = 3 if claim.unit in ("below", "above") else 2
    ends = [figure(end, claim.unit, 0.5 * 10**-digits) for end in (result.own, result.low, result.high)]
    kind = "engines " if claim.kind == "engines" else "cells " if is_of_cells(claim) else ""
    return f"{ends[0]} [{kind}{ends[1]} to {ends[2]}]{suffix(claim.unit)}"


def is_of_cells(claim: Claim) -> bool:
    """Return whether it speaks of many cells, so that its figure is their range, not an interval."""
    return claim.kind in _RANGED


def claim_scope(claim: Claim) -> str:
    """Return where the claim holds, in words; empty where it says everywhere."""
    selector = claim.at
    against_tier_bytes = claim.against.tier_bytes
    tier = "" if selector.tier_bytes is None else format_memory(selector.tier_bytes)
    words = [
        (selector.workload or "").rpartition("/")[2] if claim.against.workload is None else "",
        (selector.route or "") if claim.against.route is None else "",
        tier if against_tier_bytes is None else f"{tier} over {format_memory(against_tier_bytes)}",
        "" if selector.concurrency is None else f"{selector.concurrency} connections",
    ]
    return ", ".join(word for word in words if word)


def about(result: ClaimResult) -> str:
    """Return what to know of a verdict: its reason, and what weakens it."""
    return "; ".join([text for text in (result.reason, *(caveat.text for caveat in result.caveats)) if text])


def arithmetic_words(result: ClaimResult) -> str:
    """Return what was counted, and whether that gives the print."""
    if not result.counted:
        return ""
    verdict = {True: "as printed", False: "not as printed", None: "other logs than the report's"}[result.gives_print]
    return f"{result.counted} ({verdict})"
