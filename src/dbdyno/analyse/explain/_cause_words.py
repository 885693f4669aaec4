"""Says causes: "explained by" where they are decided, "caused by" where an experiment proved them, else "goes with"."""

from __future__ import annotations

from dbdyno.analyse._words import counted
from dbdyno.analyse.explain._gap import LEAST_SHARE, Difference
from dbdyno.analyse.explain._ranking import CauseRanking, FoundCause
from dbdyno.analyse.explain._words import least_total, ms_words

_MOST_NAMED = 2
_MOST_UNDECIDED = 4


def cause_sentence(ranking: CauseRanking) -> str:
    """The largest causes in a sentence; empty where none is decided."""
    found = ranking.decided
    if not found:
        return ""
    named = [f"{one.cause.words} ({difference_words(one.difference, ranking)})" for one in found[:_MOST_NAMED]]
    rest = len(found) - len(named)
    named += [counted(rest, "more cause")] if rest else []
    is_proved = all(one.grade == "caused by" for one in found[:_MOST_NAMED])
    return f"{'Caused' if is_proved else 'Explained'} by {'; '.join(named)}."


def difference_words(difference: Difference, ranking: CauseRanking) -> str:
    """Milliseconds with their interval and the digits of the whole times."""
    total = ranking.gap.total
    scale = least_total(total.left_ms, total.right_ms)
    ms, low, high = (ms_words(value, scale, signed=True) for value in (difference.ms, difference.low, difference.high))
    return f"{ms} ms, {low} to {high}"


def shown_causes(ranking: CauseRanking) -> tuple[FoundCause, ...]:
    """Causes worth a line: all but undecided ones that are small, and the smallest of many of these."""
    total = ranking.gap.total
    least = LEAST_SHARE * least_total(total.left_ms, total.right_ms)
    open_ones = [one for one in ranking.causes if one.grade == "goes with" and abs(one.difference.ms) >= least]
    kept = open_ones[:_MOST_UNDECIDED]
    return tuple(one for one in ranking.causes if one.grade != "goes with" or one in kept)
