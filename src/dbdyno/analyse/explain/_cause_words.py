"""Says causes: "explained by" where they are decided, "caused by" where an experiment proved them, else "goes with"."""

from __future__ import annotations

from dbdyno.analyse.explain._gap import LEAST_SHARE, Difference
from dbdyno.analyse.explain._ranking import CauseRanking, FoundCause
from dbdyno.analyse.explain._words import is_most, least_total, ms_words
from dbdyno.core import counted

_MOST_NAMED = 2
_MOST_UNDECIDED = 4


def cause_sentence(ranking: CauseRanking) -> str:
    """Return the largest causes in a sentence, proved ones in another before it; empty where none is decided."""
    named_causes, further_causes = ranking.decided[:_MOST_NAMED], ranking.decided[_MOST_NAMED:]
    decided_ms = sum(found_cause.difference.ms for found_cause in ranking.decided)
    is_whole = ranking.gap.is_decided and is_most(decided_ms, ranking.gap.total.ms)
    sentences = []
    for grade in dict.fromkeys(found_cause.grade for found_cause in named_causes):
        phrases = [
            f"{found_cause.cause.words} ({difference_words(found_cause.difference, ranking)})"
            for found_cause in named_causes
            if found_cause.grade == grade
        ]
        begin = grade.capitalize() if is_whole else f"Parts of it are {grade}"
        sentences.append(f"{begin} {'; '.join(phrases)}.")
    if further_causes:
        sentences.append(f"{counted(len(further_causes), 'more cause').capitalize()}.")
    return " ".join(sentences)


def difference_words(difference: Difference, ranking: CauseRanking) -> str:
    """Return milliseconds with their interval and the digits of the whole times."""
    total = ranking.gap.total
    scale = least_total(total.left_ms, total.right_ms)
    ms, low, high = (ms_words(value, scale, signed=True) for value in (difference.ms, difference.low, difference.high))
    return f"{ms} ms, {low} to {high}"


def shown_causes(ranking: CauseRanking) -> tuple[FoundCause, ...]:
    """Return causes worth a line: all but undecided ones that are small, and the smallest of many of these."""
    total = ranking.gap.total
    least = LEAST_SHARE * least_total(total.left_ms, total.right_ms)
    undecided_causes = [
        found_cause
        for found_cause in ranking.causes
        if found_cause.grade == "goes with" and abs(found_cause.difference.ms) >= least
    ]
    shown_undecided = undecided_causes[:_MOST_UNDECIDED]
    return tuple(
        found_cause
        for found_cause in ranking.causes
        if found_cause.grade != "goes with" or found_cause in shown_undecided
    )
