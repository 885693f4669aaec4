"""A comparison of two targets in words: the same on the page, in Markdown and in objects for programs."""

from __future__ import annotations

from dbdyno.analyse import assumed_words, percent_words
from dbdyno.core import Comparison


def verdict_words(pair: Comparison) -> str:
    """The verdict, with the spread between repeats that it rests on where none was measured."""
    words = assumed_words(pair.assumed_spread)
    if not words or pair.verdict == "not settled":
        return pair.verdict
    stands = f" (stands up to {percent_words(pair.stands_to)})" if pair.stands_to and pair.is_significant else ""
    return f"{pair.verdict}, {words}{stands}"


def p_words(pair: Comparison) -> str:
    """The adjusted p; empty where the spread is assumed, since it would be the p of an assumption."""
    return "" if pair.p_adjusted is None else f"{pair.p_adjusted:.2g}"


def decider_words(pair: Comparison) -> str:
    """What would decide an open comparison: repeats, or what settles its levels."""
    return pair.remedy or str(pair.repeats_needed or "")
