"""Says how the other targets stand to the fastest, at a place or on average: as fast, not decided, or slower."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from dbdyno.analyse._cells import CellJudgement
from dbdyno.analyse._pairs import distance_words, place_of
from dbdyno.analyse._phrases import MOST_LISTED, common_span_words, listed, listed_or_counted
from dbdyno.analyse._settled import may_reach
from dbdyno.core import Comparison, counted, is_vague_ratio, target_title, verb_for


def fastest_first(group: Sequence[CellJudgement], comparisons: Sequence[Comparison] = ()) -> list[CellJudgement]:
    """Sort cells of a place by throughput, the highest first; cells that have not settled come last.

    A comparison leaves out rounds of one target alone, levels do not: where the two disagree, the comparison decides.
    """
    settled_pairs = [pair for pair in comparisons if pair.verdict != "not settled" and place_of(pair) == group[0].place]
    losses = Counter(pair.right if pair.ratio > 1 else pair.left for pair in settled_pairs if pair.ratio != 1)
    return sorted(
        group,
        key=lambda judgement: (not judgement.decides, losses[judgement.cell.target], -(judgement.tps_mean or 0.0)),
    )


def has_comparison(group: Sequence[CellJudgement]) -> bool:
    """Return whether two targets or more have settled at a place."""
    return sum(judgement.decides for judgement in group) > 1


def rivals_to_settle(best: CellJudgement, group: Sequence[CellJudgement]) -> list[CellJudgement]:
    """Return cells that have not settled and may yet do as much as the best of those that have."""
    return [rival for rival in group if not rival.decides and may_reach(rival.unsettled, best.tps_mean or 0.0)]


def are_all_slower(rivals: Sequence[Comparison]) -> bool:
    """Return whether a target, on the left, is significantly faster than each of its rivals, by 3 % or less or more."""
    return all(pair.ratio > 1 and pair.is_significant and pair.verdict != "same" for pair in rivals)


def standing_words(rivals: Sequence[Comparison]) -> list[str]:
    """Return a clause each for rivals of the fastest target that are as fast, not decided, and slower.

    Parameters
    ----------
    rivals : the fastest target on the left, its rivals on the right; the nearest first
    """
    equal_pairs = [pair for pair in rivals if pair.verdict == "same"]
    other_pairs = [pair for pair in rivals if pair.verdict != "same"]
    open_pairs = [pair for pair in other_pairs if not pair.is_significant]
    slower_pairs = [pair for pair in other_pairs if pair.is_significant]
    words = [_equal_words(equal_pairs)] if equal_pairs else []
    words += _open_words(open_pairs)
    if slower_pairs:
        reference = f" than {target_title(slower_pairs[0].left)}" if words else ""
        words.append(_slower_words(slower_pairs, reference))
    return words


def rivals_words(pairs: Sequence[Comparison]) -> str:
    """Name the right targets of these comparisons, or count them where they are many."""
    return listed_or_counted([target_title(pair.right) for pair in pairs], "other target")


def _equal_words(pairs: Sequence[Comparison]) -> str:
    verb = verb_for(len(pairs), "is", "are")
    return f"{rivals_words(pairs)} {verb} as fast as {target_title(pairs[0].left)}, to within 3 %"


def _slower_words(pairs: Sequence[Comparison], reference: str) -> str:
    """Return how far rivals are behind; of many the nearest and the last."""
    if len(pairs) <= MOST_LISTED:
        return listed([distance_words(pair) for pair in pairs]) + reference
    between_count = len(pairs) - 2
    between = f"{counted(between_count, 'other')} {verb_for(between_count, 'is', 'are')} in between"
    return f"{distance_words(pairs[0])}{reference}, {distance_words(pairs[-1])}, {between}"


def _open_words(pairs: Sequence[Comparison]) -> list[str]:
    """Return between what the undecided rivals of the best may be; those whose own interval excludes 1 apart."""
    vague_pairs = [pair for pair in pairs if is_vague_ratio(pair.low, pair.high)]
    known_pairs = [pair for pair in pairs if pair not in vague_pairs]
    even_pairs = [pair for pair in known_pairs if pair.low <= 1]
    behind_pairs = [pair for pair in known_pairs if pair.low > 1]
    words = []
    if even_pairs:
        words.append(_even_words(even_pairs))
    if behind_pairs:
        span = _rivals_span_words(behind_pairs)
        words.append(f"{rivals_words(behind_pairs)}: {span}, not decided, as several comparisons are tested together")
    if vague_pairs:
        words.append(f"{rivals_words(vague_pairs)}: not decided, as the runs differ too much")
    return words


def _even_words(pairs: Sequence[Comparison]) -> str:
    """Return which rivals show no difference, each with its interval, or with the one that holds all of many."""
    best = target_title(pairs[0].left)
    if 1 < len(pairs) <= MOST_LISTED:
        rivals = listed([f"{target_title(pair.right)} ({_rivals_span_words([pair])})" for pair in pairs])
        return f"{rivals} show no difference from {best}"
    verb = verb_for(len(pairs), "shows", "show")
    return f"{rivals_words(pairs)} {verb} no difference from {best}: {_rivals_span_words(pairs)}"


def _rivals_span_words(pairs: Sequence[Comparison]) -> str:
    """Return the interval of the right targets against the left one; of several the one that holds all of theirs."""
    return common_span_words([(1 / pair.high, 1 / pair.low) for pair in pairs])
