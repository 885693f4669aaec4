"""Lists limitations by repeats: too few of them, repeats that differ, and comparisons that more would decide."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analyse._cells import CellJudgement
from dbdyno.analyse._phrases import listed, supported
from dbdyno.analyse._variation import most_assumed_spread, observed_variation
from dbdyno.core import Caveat, Comparison, counted, short_percent, verb_for
from dbdyno.stats import MOST_REPEATS, smallest_detectable_ratio

_MOST_TELLING = 5.0
"""A difference that many times as large is no bound worth printing."""
_MOST_SPREAD = 0.03
"""Between repeats, as a standard deviation of ln(TPS); dedicated machines stay below it."""
_FEWEST_REPEATED_CELLS = 8
"""Fewer say too little of the spread."""


def few_repeats_caveat(planned_repeats: int, judgements: Sequence[CellJudgement]) -> Caveat | None:
    """Warn of cells that rest on one run, as others were not made or do not count, and of fewer than three repeats."""
    single_run_cells = sum(1 for group in judgements if group.trusted and len(group.judged) == 1)
    if single_run_cells:
        cells_words = "Every cell was run only once"
        if planned_repeats > 1:
            cells_words = f"{single_run_cells:,} of {counted(len(judgements), 'cell')}"
            cells_words += f" {verb_for(single_run_cells, 'rests', 'rest')} on a single run"
        return Caveat("one-repeat", f"{cells_words}: {_single_run_spread_words(judgements)}")
    levels = [group.level for group in judgements if group.level is not None]
    if planned_repeats < 3 and levels:
        is_moderated = any(group.interval_kind == "repeats, moderated" for group in judgements)
        spread_words = (
            "the spread of each cell borrows from that of all cells" if is_moderated else "intervals are wide"
        )
        smallest_words = _smallest_difference_sentence(
            sorted(level.sd for level in levels)[len(levels) // 2], judgements
        )
        return Caveat("few-repeats", f"{counted(planned_repeats, 'repeat')}: {spread_words}.{smallest_words}")
    return None


def _single_run_spread_words(judgements: Sequence[CellJudgement]) -> str:
    """Return where the spread of cells that rest on one run is taken from."""
    assumed_spread = most_assumed_spread(judgements)
    if assumed_spread is None:
        return "the spread between repeats comes from the sentinel and the repeated cells."
    return (
        f"the spread between repeats is assumed, not measured. Verdicts hold if it is {short_percent(assumed_spread)}; "
        "at twice that, one in three pairs of equal targets would look different."
    )


def _smallest_difference_sentence(typical_sd: object, judgements: Sequence[CellJudgement]) -> str:
    levels = [group.level for group in judgements if group.level is not None]
    if not isinstance(typical_sd, float) or not levels:
        return ""
    ratio = smallest_detectable_ratio(typical_sd, 2 * levels[0].df, max(level.repeats for level in levels))
    if ratio > _MOST_TELLING:
        return " The repeats differ too much to show a difference."
    percent = 100 * (ratio - 1)
    return f" Differences below about {supported(percent, percent)} % are likely to be missed."


def raised_repeats_caveat(repeats_looked_at: Sequence[int]) -> Caveat | None:
    """Warn of repeats that were added to stored results: who stops when a difference shows has looked more than once.

    Parameters
    ----------
    repeats_looked_at : each number of repeats whose results were there before more were asked for
    """
    if not repeats_looked_at:
        return None
    looks = len(repeats_looked_at) + 1
    # Šidák's inequality: means of the same runs are correlated, so no more than for independent runs.
    most_share = 1 - 0.95**looks
    earlier_words = [str(repeats) for repeats in repeats_looked_at[:-1]]
    first_words = listed([*earlier_words, counted(repeats_looked_at[-1], "repeat")])
    return Caveat(
        "repeats-raised",
        f"Repeats were added after there were results of {first_words}. Adding them until a difference shows finds one "
        f"where there is none in up to {short_percent(most_share)} of cases instead of 5 %.",
    )


def repeats_apart_caveat(judgements: Sequence[CellJudgement]) -> Caveat | None:
    """Warn of repeats that differ by more than the seconds of their runs explain: something changed in between."""
    variation, repeated_cells = observed_variation(judgements)
    if repeated_cells < _FEWEST_REPEATED_CELLS or variation.spread < _MOST_SPREAD:
        return None
    return Caveat(
        "repeats-apart",
        f"Repeats of one cell spread by {short_percent(variation.spread)} (standard deviation; noise within runs is "
        "left out): the speed of the machine, or the state of the servers, changed between runs. Intervals include "
        "this.",
    )


def undecided_comparisons_caveat(comparisons: Sequence[Comparison]) -> Caveat | None:
    """Tell how many comparisons are open, and how many repeats would decide them."""
    open_pairs = [pair for pair in comparisons if pair.verdict == "undecided"]
    if not open_pairs:
        return None
    text = "The only comparison"
    if len(comparisons) > 1:
        text = f"{len(open_pairs):,} of {len(comparisons):,} comparisons"
    text += f" {verb_for(len(open_pairs), 'is', 'are')} undecided"
    if all(pair.repeats_needed is None for pair in open_pairs):
        them = "them" if len(open_pairs) > 1 else "it"
        return Caveat("undecidable", f"{text}, and {MOST_REPEATS} repeats would not decide {them}.")
    return Caveat("undecided", f"{text}{_repeats_words(open_pairs)}.")


def _repeats_words(open_pairs: Sequence[Comparison]) -> str:
    """Return how many repeats would decide half of the pairs, and all; how many pairs even the most would not."""
    repeats_needed = sorted(pair.repeats_needed for pair in open_pairs if pair.repeats_needed is not None)
    hopeless_count = len(open_pairs) - len(repeats_needed)
    middle = (len(open_pairs) - 1) // 2
    words = ""
    if middle < len(repeats_needed):
        them = "them" if len(open_pairs) > 1 else "it"
        if hopeless_count or repeats_needed[middle] < repeats_needed[-1]:
            them = "half of them"
        words = f". About {counted(repeats_needed[middle], 'repeat')} would decide {them}"
    if hopeless_count:
        return f"{words}; {hopeless_count:,} would need more than {MOST_REPEATS} repeats"
    return f"{words}, {repeats_needed[-1]} all" if repeats_needed[middle] < repeats_needed[-1] else words
