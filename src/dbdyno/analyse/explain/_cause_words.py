"""Says causes: "explained by" where they are decided, "caused by" where an experiment proved them, else "goes with"."""

from __future__ import annotations

from dbdyno.analyse.explain._gap import LEAST_SHARE, Difference
from dbdyno.analyse.explain._ranking import CauseRanking, FoundCause
from dbdyno.analyse.explain._words import least_total, ms_words
from dbdyno.core import counted

_MOST_NAMED = 2
_MOST_UNDECIDED = 4


def cause_sentence(ranking: CauseRanking) -> str:
    """The largest causes in a sentence, proved ones in another before it; empty where none is decided."""
    shown, further = ranking.decided[:_MOST_NAMED], ranking.decided[_MOST_NAMED:]
    sentences = []
    for grade in dict.fromkeys(one.grade for one in shown):
        named = [
            f"{one.cause.words} ({difference_words(one.difference, ranking)})" for one in shown if one.grade == grade
        ]
        begin = grade.capitalize() if ranking.gap.is_decided else f"Parts of it are {grade}"
        sentences.append(f"{begin} {'; '.join(named)}.")
    if further:
        sentences.append(f"{counted(len(further), 'more cause').capitalize()}.")
    return " ".join(sentences)


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
