"""Says a gap in three lines: how much longer, what it goes with, and what stays open.

"Goes with" is all that a decided difference of a part allows: it says where the time is, not what brought it there.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from dbdyno.analyse._cell_words import assumed_words
from dbdyno.analyse._routes import over_words
from dbdyno.analyse._words import counted, listed
from dbdyno.analyse.explain._gap import Difference, Gap, PartGap
from dbdyno.analyse.explain._threads import ON_CPU, RUN_QUEUE
from dbdyno.core import target_title

_ON_PROCESSORS = (ON_CPU, RUN_QUEUE)
_MOST_NAMED = 4
_MOST_OPEN = 3
_MOST = 0.8
"""Of a difference: a factor that makes as much of it is told."""
_DECIMALS = ((100.0, 1), (2.0, 2), (0.2, 3))
"""From which whole time on how many decimals are shown; 4 below."""


def gap_lines(
    gap: Gap, where: str, threads: Gap | None = None, causes: str = "", users: Gap | None = None
) -> tuple[str, str, str]:
    """Return the three lines of a pair of targets, or of a target with few and with more connections.

    Where the server's threads were watched, the parts told are theirs, which say more; statements are named beside.

    Parameters
    ----------
    where : the place in words, such as ``512 MiB and 16 connections``
    threads : the same difference by what the server's threads did
    causes : a sentence on them
    users : the same difference by whose work the processors did
    """
    finest = threads if threads is not None and threads.parts else gap
    statements = _by_statement(gap) if finest is not gap else ""
    work = "" if users is None else _by_user(users)
    second = "" if work and not finest.with_verdict("decided") else _second(finest)
    return (
        _first(gap, where),
        " ".join(filter(None, (work, second, causes, statements))),
        _third(finest, _ON_PROCESSORS if work else ()),
    )


def _by_user(gap: Gap) -> str:
    """Whose work made the difference, where both sides use up the processors; empty where no user's is decided."""
    decided = gap.with_verdict("decided")
    if not decided:
        return ""
    return f"Both use up the processors, so the time is the work on them and the wait for it: {_named(decided, gap)}."


def _by_statement(gap: Gap) -> str:
    decided = gap.with_verdict("decided")
    return f"By statement: {_named(decided, gap)}." if decided else ""


def ms_words(value: float, total_ms: float, *, signed: bool = False) -> str:
    """Milliseconds with as many digits as matter next to the whole time.

    >>> ms_words(2.1234, 21.7), ms_words(0.0456, 0.34), ms_words(-0.5, 150.0, signed=True), ms_words(-1e-9, 9.0)
    ('2.12', '0.046', '-0.5', '0.00')
    """
    decimals = next((count for least, count in _DECIMALS if total_ms >= least), 4)
    rounded = round(value, decimals) + 0.0
    return f"{rounded:{'+' if signed and rounded else ''},.{decimals}f}"


def interval_words(difference: Difference) -> str:
    """Both ends of a difference, as a range that reads as one.

    >>> interval_words(Difference(10.0, 12.0, 1.5, 2.5, 0.01, "decided"))
    '+1.50 to +2.50'
    """
    scale = least_total(difference.left_ms, difference.right_ms)
    return f"{ms_words(difference.low, scale, signed=True)} to {ms_words(difference.high, scale, signed=True)}"


def least_total(left_ms: float, right_ms: float) -> float:
    """The smaller of two times, for the digits of their difference."""
    return min(abs(left_ms), abs(right_ms)) or max(abs(left_ms), abs(right_ms))


def part_words(part: PartGap, gap: Gap, *, has_interval: bool = True) -> str:
    """A part with its difference: ``COMMIT +2.12 ms (+1.90 to +2.34)``."""
    scale = least_total(gap.total.left_ms, gap.total.right_ms)
    words = f"{part.words} {ms_words(part.difference.ms, scale, signed=True)} ms"
    ends = (ms_words(end, scale, signed=True) for end in (part.difference.low, part.difference.high))
    factor = factor_words(part)
    return f"{words} ({' to '.join(ends)}{f'; {factor}' if factor else ''})" if has_interval else words


def factor_words(part: PartGap) -> str:
    """Whether there is more of a part's work or each takes longer; empty where neither makes most of the difference.

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
    """The closing check of both sides; empty where there are no parts."""
    if gap.left_named_share is None or gap.right_named_share is None:
        return ""
    return (
        f"The parts add up to {100 * gap.left_named_share:.1f} and {100 * gap.right_named_share:.1f} % of both times."
    )


def step_words(gap: Gap) -> str:
    """What a step to more connections adds, in one line."""
    name = f"{target_title(gap.left.target)} from {gap.left.concurrency:,} to {gap.right.concurrency:,} connections"
    scale = least_total(gap.total.left_ms, gap.total.right_ms)
    grown = f"{ms_words(gap.total.ms, scale, signed=True)} ms per transaction"
    if not gap.is_decided:
        return f"{name}: {grown}, {gap.total.verdict} ({interval_words(gap.total)})"
    named = [part_words(part, gap, has_interval=False) for part in gap.with_verdict("decided")[:_MOST_OPEN]]
    return f"{name}: {grown}" + (f"; goes with {listed(named)}" if named else "; no part is decided")


def route_words(gap: Gap) -> str:
    """What a network adds to a target's time, in one line."""
    scale = least_total(gap.total.left_ms, gap.total.right_ms)
    name = f"{target_title(gap.left.target)} with {counted(gap.left.concurrency, 'connection')}"
    grown = f"{ms_words(gap.total.ms, scale, signed=True)} ms per transaction ({interval_words(gap.total)})"
    told = f"{name}: {over_words(gap.right.route)} {grown} against {gap.left.route}, {gap.total.verdict}"
    named = [part_words(part, gap, has_interval=False) for part in gap.with_verdict("decided")[:_MOST_OPEN]]
    return f"{told}; goes with {listed(named)}" if named and gap.is_decided else told


def _first(gap: Gap, where: str) -> str:
    left, right, total = _side(gap, is_left=True), _side(gap, is_left=False), gap.total
    scale = least_total(total.left_ms, total.right_ms)
    times = f"{ms_words(total.right_ms, scale)} against {ms_words(total.left_ms, scale)} ms"
    if gap.is_decided:
        ends = sorted((abs(total.low), abs(total.high)))
        range_words = " to ".join(ms_words(end, scale) for end in ends)
        more = "longer" if total.ms > 0 else "less"
        words = f"{right} takes {ms_words(abs(total.ms), scale)} ms ({range_words}) {more} per transaction than {left}"
    elif total.verdict == "small":
        words = f"{left} and {right} take the same time per transaction within 3 % ({interval_words(total)} ms)"
    else:
        words = f"Undecided whether {right} takes longer per transaction than {left} ({interval_words(total)} ms)"
    assumed = assumed_words(gap.assumed_spread)
    return f"{words} at {where}: {times}{f', {assumed}' if assumed else ''}."


def _side(gap: Gap, *, is_left: bool) -> str:
    cell = gap.left if is_left else gap.right
    if gap.left.target == gap.right.target:
        return f"{target_title(cell.target)} with {counted(cell.concurrency, 'connection')}"
    return target_title(cell.target)


def _second(gap: Gap) -> str:
    if not gap.parts:
        return f"The parts behind it are unknown: {gap.missing or 'no statement times are stored'}."
    decided = gap.with_verdict("decided")
    if not decided:
        return "No part is decided."
    if not gap.is_decided:
        return f"Decided parts: {_named(decided, gap)}."
    along = [part for part in decided if (part.difference.ms > 0) == (gap.total.ms > 0)]
    against = [part for part in decided if part not in along]
    words = f"The difference goes with {_named(along, gap)}" if along else "No decided part goes with the difference"
    return f"{words}; {_named(against, gap)} partly offset it." if against else f"{words}."


def _named(parts: Sequence[PartGap], gap: Gap) -> str:
    """The largest with their intervals; of many the rest together, without one."""
    named = [part_words(part, gap) for part in parts[:_MOST_NAMED]]
    rest = parts[_MOST_NAMED:]
    if rest:
        scale = least_total(gap.total.left_ms, gap.total.right_ms)
        together = ms_words(sum(part.difference.ms for part in rest), scale, signed=True)
        named.append(f"{counted(len(rest), 'more part')} {together} ms")
    return listed(named)


def _third(gap: Gap, told: Collection[str]) -> str:
    """What stays open.

    Parameters
    ----------
    told : parts of which another split has said more
    """
    words = []
    undecided = [part for part in gap.with_verdict("undecided") if part.part_id not in told]
    if undecided:
        scale = least_total(gap.total.left_ms, gap.total.right_ms)
        shown = [_open_words(part, scale) for part in undecided[:_MOST_OPEN]]
        rest = len(undecided) - len(shown)
        words.append(f"Undecided: {listed([*shown, *([f'{rest} more'] if rest else [])])}.")
    small = len(gap.with_verdict("small"))
    if small:
        words.append(f"{counted(small, 'part')} {'differs' if small == 1 else 'differ'} by less than 3 %.")
    if gap.parts and gap.missing:
        words.append(f"Note: {gap.missing}.")
    return " ".join([*words, closing_words(gap)]).strip()


def _open_words(part: PartGap, scale: float) -> str:
    ends = (ms_words(end, scale, signed=True) for end in (part.difference.low, part.difference.high))
    return f"{part.words} ({' to '.join(ends)} ms)"
