"""Says a gap in three lines (how much longer, what it goes with, what stays open), and the causes of one.

"Goes with" is all that a decided difference of a part allows: it says where the time is, not what brought it there.
Causes are "explained by" where they are decided, and "caused by" where an experiment proved them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from dbdyno.analyse._phrases import listed
from dbdyno.analyse._routes import over_words
from dbdyno.analyse._words import assumed_words
from dbdyno.analyse.explain._gap import LEAST_SHARE, Difference, Gap, PartGap
from dbdyno.analyse.explain._ranking import CauseRanking, FoundCause
from dbdyno.analyse.explain._threads import ON_CPU, RUN_QUEUE
from dbdyno.core import counted, target_title, verb_for

_ON_PROCESSORS = (ON_CPU, RUN_QUEUE)
_MOST_NAMED = 4
_MOST_CAUSES = 2
_MOST_UNDECIDED = 4
_MOST_OPEN = 3
_MOST = 0.8
"""Share of a difference: a factor that makes as much of it is named."""
_HALF = 0.5
_WIDEST = 2.0
"""Widest interval whose milliseconds are printed, as a multiple of both sides' times together."""
_DECIMALS = ((100.0, 1), (2.0, 2), (0.2, 3))
"""Whole time from which so many decimals are shown; 4 below."""


def gap_lines(
    gap: Gap, where: str, threads: Gap | None = None, causes: str = "", users: Gap | None = None
) -> tuple[str, str, str]:
    """Return the three lines of a pair of targets, or of a target with few and with more connections.

    Where the server's threads were watched, the parts named are theirs, which say more; statements are named, too.

    Parameters
    ----------
    where : the place in words, such as ``512 MiB and 16 connections``
    threads : the same difference by what the server's threads did
    causes : a sentence on them
    users : the same difference by whose work the processors did
    """
    finest = threads if threads is not None and threads.parts else gap
    statements = _by_statement_sentence(gap) if finest is not gap else ""
    work = "" if users is None else _by_user_sentence(users)
    has_other_parts = bool(work or statements)
    second_line = "" if has_other_parts and not finest.with_verdict("decided") else _decided_parts_sentence(finest)
    unwatched = f"Note: {threads.missing}." if threads is not None and finest is gap and threads.missing else ""
    return (
        _total_sentence(gap, where),
        " ".join(filter(None, (work, second_line, causes, statements))),
        " ".join(filter(None, (_open_parts_sentences(finest, _ON_PROCESSORS if work else ()), unwatched))),
    )


def _by_user_sentence(gap: Gap) -> str:
    """Say whose work made the difference where both sides use up the processors; empty where undecided."""
    parts = gap.with_verdict("decided")
    if not parts:
        return ""
    return (
        f"Both use up the processors, so the time is the work on them and the wait for it: {_parts_words(parts, gap)}."
    )


def _by_statement_sentence(gap: Gap) -> str:
    parts = gap.with_verdict("decided")
    return f"By statement: {_parts_words(parts, gap)}." if parts else ""


def ms_words(value: float, total_ms: float, *, signed: bool = False) -> str:
    """Return milliseconds with as many digits as matter next to the whole time.

    >>> ms_words(2.1234, 21.7), ms_words(0.0456, 0.34), ms_words(-0.5, 150.0, signed=True), ms_words(-1e-9, 9.0)
    ('2.12', '0.046', '-0.5', '0.00')
    """
    decimals = next((count for least, count in _DECIMALS if total_ms >= least), 4)
    rounded = round(value, decimals) + 0.0
    return f"{rounded:{'+' if signed and rounded else ''},.{decimals}f}"


def interval_words(difference: Difference) -> str:
    """Return both ends of a difference, as a range that reads as one.

    >>> interval_words(Difference(10.0, 12.0, 1.5, 2.5, 0.01, "decided"))
    '+1.50 to +2.50'
    """
    scale = least_total(difference.left_ms, difference.right_ms)
    return f"{ms_words(difference.low, scale, signed=True)} to {ms_words(difference.high, scale, signed=True)}"


def least_total(left_ms: float, right_ms: float) -> float:
    """Return the smaller of two times, for the digits of their difference."""
    return min(abs(left_ms), abs(right_ms)) or max(abs(left_ms), abs(right_ms))


def part_words(part: PartGap, gap: Gap, *, has_interval: bool = True) -> str:
    """Return a part with its difference: ``COMMIT +2.12 ms (+1.90 to +2.34)``."""
    scale = least_total(gap.total.left_ms, gap.total.right_ms)
    words = f"{part.words} {ms_words(part.difference.ms, scale, signed=True)} ms"
    ends = (ms_words(end, scale, signed=True) for end in (part.difference.low, part.difference.high))
    factor = factor_words(part)
    return f"{words} ({' to '.join(ends)}{f'; {factor}' if factor else ''})" if has_interval else words


def factor_words(part: PartGap) -> str:
    """Say whether there is more of a part's work or each takes longer; empty where neither is most of it.

    Of statements it says nothing: both targets are sent the same.

    >>> difference = Difference(1.0, 3.0, 1.8, 2.2, 0.01, "decided")
    >>> factor_words(PartGap("thread.redo_flush", "redo flush", difference, "flushes", 0.5, 1.5, 1.9, 0.1))
    'more flushes'
    >>> factor_words(PartGap("thread.redo_flush", "redo flush", difference, "flushes", 0.5, 0.5, 0.0, 2.0))
    'flushes take longer'
    """
    if part.by_work_ms is None or part.unit in ("", "statements") or not part.difference.ms:
        return ""
    share, is_longer = part.by_work_ms / part.difference.ms, part.difference.ms > 0
    if share >= _MOST:
        return f"{'more' if is_longer else 'fewer'} {part.unit}"
    return f"{part.unit} take {'longer' if is_longer else 'less'}" if share <= 1 - _MOST else ""


def closing_words(gap: Gap) -> str:
    """Return the closing check of both sides; empty where there are no parts."""
    if gap.left_named_share is None or gap.right_named_share is None:
        return ""
    percents = dict.fromkeys(f"{100 * share:.1f}" for share in (gap.left_named_share, gap.right_named_share))
    return f"The parts add up to {' and '.join(percents)} % of both times."


def step_words(gap: Gap) -> str:
    """Return what a step to more connections adds, in one line."""
    name = f"{target_title(gap.left.target)} from {gap.left.concurrency:,} to {gap.right.concurrency:,} connections"
    scale = least_total(gap.total.left_ms, gap.total.right_ms)
    growth_words = f"{ms_words(gap.total.ms, scale, signed=True)} ms per transaction"
    if not gap.is_decided:
        return f"{name}: {growth_words}, {gap.total.verdict} ({interval_words(gap.total)})"
    return f"{name}: {growth_words}; {_brief_parts_words(gap) or 'no part is decided'}"


def route_words(gap: Gap) -> str:
    """Return what a network adds to a target's time, in one line."""
    scale = least_total(gap.total.left_ms, gap.total.right_ms)
    name = f"{target_title(gap.left.target)} with {counted(gap.left.concurrency, 'connection')}"
    growth_words = f"{ms_words(gap.total.ms, scale, signed=True)} ms per transaction ({interval_words(gap.total)})"
    sentence = f"{name}: {over_words(gap.right.route)} {growth_words} against {gap.left.route}, {gap.total.verdict}"
    parts_words = _brief_parts_words(gap) if gap.is_decided else ""
    return f"{sentence}; {parts_words}" if parts_words else sentence


def _brief_parts_words(gap: Gap) -> str:
    """Return the largest decided parts without intervals: those of the difference, then those against it."""
    aligned_parts, opposing_parts = _by_direction(gap, gap.with_verdict("decided")[:_MOST_OPEN])
    aligned = listed([part_words(part, gap, has_interval=False) for part in aligned_parts])
    opposing = listed([part_words(part, gap, has_interval=False) for part in opposing_parts])
    phrases = [f"goes with {aligned}"] if aligned else []
    phrases += [f"{opposing} partly {_offset_verb(opposing_parts)} it"] if opposing else []
    return "; ".join(phrases)


def _by_direction(gap: Gap, parts: Sequence[PartGap]) -> tuple[list[PartGap], list[PartGap]]:
    """Return the parts that differ as the whole does, and those that differ the other way."""
    aligned_parts = [part for part in parts if (part.difference.ms > 0) == (gap.total.ms > 0)]
    return aligned_parts, [part for part in parts if part not in aligned_parts]


def _offset_verb(parts: Sequence[PartGap]) -> str:
    return verb_for(len(parts), "offsets", "offset")


def _total_sentence(gap: Gap, where: str) -> str:
    left, right, total = _side_title(gap, is_left=True), _side_title(gap, is_left=False), gap.total
    scale = least_total(total.left_ms, total.right_ms)
    times = f"{ms_words(total.right_ms, scale)} against {ms_words(total.left_ms, scale)} ms"
    if gap.is_decided:
        ends = sorted((abs(total.low), abs(total.high)))
        range_words = " to ".join(ms_words(end, scale) for end in ends)
        direction = "longer" if total.ms > 0 else "less"
        words = (
            f"{right} takes {ms_words(abs(total.ms), scale)} ms ({range_words}) {direction} per transaction than {left}"
        )
    elif total.verdict == "small":
        words = f"{left} and {right} take the same time per transaction within 3 % ({interval_words(total)} ms)"
    elif total.high - total.low > _WIDEST * (total.left_ms + total.right_ms):
        words = f"The runs are too unlike to say whether {right} takes longer per transaction than {left}"
    else:
        words = f"Undecided whether {right} takes longer per transaction than {left} ({interval_words(total)} ms)"
    assumed = assumed_words(gap.assumed_spread)
    return f"{words} at {where}: {times}{f', {assumed}' if assumed else ''}."


def _side_title(gap: Gap, *, is_left: bool) -> str:
    cell = gap.left if is_left else gap.right
    if gap.left.target == gap.right.target:
        return f"{target_title(cell.target)} with {counted(cell.concurrency, 'connection')}"
    return target_title(cell.target)


def _decided_parts_sentence(gap: Gap) -> str:
    if not gap.parts:
        return f"The parts behind it are unknown: {gap.missing or 'no statement times are stored'}."
    decided_parts = gap.with_verdict("decided")
    if not decided_parts:
        return "No part is decided."
    if not gap.is_decided:
        return f"Decided parts: {_parts_words(decided_parts, gap)}."
    aligned_parts, opposing_parts = _by_direction(gap, decided_parts)
    words = _aligned_parts_words(aligned_parts, gap) if aligned_parts else "No decided part goes with the difference"
    if not opposing_parts:
        return f"{words}."
    return f"{words}; {_parts_words(opposing_parts, gap)} partly {_offset_verb(opposing_parts)} it."


def _aligned_parts_words(parts: Sequence[PartGap], gap: Gap) -> str:
    """Name the decided parts of a difference; if they are less than half of it, say so first."""
    decided_ms, total_ms = sum(part.difference.ms for part in parts), gap.total.ms
    if is_most(decided_ms, total_ms):
        return f"The difference goes with {_parts_words(parts, gap)}"
    scale = least_total(gap.total.left_ms, gap.total.right_ms)
    rest_words = f"{ms_words(total_ms - decided_ms, scale, signed=True)} ms"
    return f"Most of the difference ({rest_words}) is not decided; decided: {_parts_words(parts, gap)}"


def is_most(ms: float, total_ms: float) -> bool:
    """Return whether parts of a difference make at least half of it.

    >>> is_most(0.12, 1.23), is_most(-0.9, -1.23)
    (False, True)
    """
    return ms / total_ms >= _HALF if total_ms else True


def _parts_words(parts: Sequence[PartGap], gap: Gap) -> str:
    """Return the largest with their intervals; of many the rest together, without one."""
    phrases = [part_words(part, gap) for part in parts[:_MOST_NAMED]]
    further_parts = parts[_MOST_NAMED:]
    if further_parts:
        scale = least_total(gap.total.left_ms, gap.total.right_ms)
        further_ms = ms_words(sum(part.difference.ms for part in further_parts), scale, signed=True)
        phrases.append(f"{counted(len(further_parts), 'more part')} {further_ms} ms")
    return listed(phrases)


def _open_parts_sentences(gap: Gap, covered_ids: Collection[str]) -> str:
    """Return what stays open.

    Parameters
    ----------
    covered_ids : parts of which another split has said more
    """
    words = []
    undecided_parts = [part for part in gap.with_verdict("undecided") if part.part_id not in covered_ids]
    if undecided_parts:
        scale = least_total(gap.total.left_ms, gap.total.right_ms)
        shown_words = [_open_part_words(part, scale) for part in undecided_parts[:_MOST_OPEN]]
        hidden_count = len(undecided_parts) - len(shown_words)
        words.append(f"Undecided: {listed([*shown_words, *([f'{hidden_count} more'] if hidden_count else [])])}.")
    small_count = len(gap.with_verdict("small"))
    if small_count:
        words.append(f"{counted(small_count, 'part')} {verb_for(small_count, 'differs', 'differ')} by less than 3 %.")
    if gap.parts and gap.missing:
        words.append(f"Note: {gap.missing}.")
    return " ".join([*words, closing_words(gap)]).strip()


def _open_part_words(part: PartGap, scale: float) -> str:
    ends = (ms_words(end, scale, signed=True) for end in (part.difference.low, part.difference.high))
    excludes_zero = part.difference.low > 0 or part.difference.high < 0
    reason = ", not significant among all parts" if excludes_zero else ""
    return f"{part.words} ({' to '.join(ends)} ms{reason})"


def cause_sentence(ranking: CauseRanking) -> str:
    """Return the largest causes in a sentence, proved ones in another before it; empty where none is decided."""
    named_causes, further_causes = ranking.decided[:_MOST_CAUSES], ranking.decided[_MOST_CAUSES:]
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
