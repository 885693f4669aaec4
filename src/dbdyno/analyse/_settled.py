"""Decides whether a finding may rest on the runs of a cell, and if not, says what would settle them.

This is the one rule for all that compare: a run whose window drifts, jumps to its end or dies has no level, so no
comparison, rank, lead or claim rests on it. Windows below three minutes can't be judged, and stay what they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dbdyno.core import RunRecord, SettledPart, percent
from dbdyno.stats import METHOD, SHORTEST_JUDGED_S, settled_part

FAR = 1.25
"""How many times one must exceed another before a level that has not settled is too far off to change their order."""
_LONG_SHARE = 1.5  # a level counts from two thirds of the window on at the latest
_LEAST_TAIL_S = 120
_ROUNDED_TO_S = 10


def settled_runs(good: Sequence[RunRecord]) -> tuple[RunRecord, ...]:
    """Return the good runs on which a cell's level may rest; none unless most of them are settled.

    One run of many that has not settled is left out and reported; where half of them have not, what the others show is
    luck rather than the cell's level.
    """
    runs_with_level = tuple(run for run in good if run.is_settled)
    return runs_with_level if 2 * len(runs_with_level) > len(good) else ()


def settled_again(
    record: RunRecord, window_tps: Callable[[], NDArray[np.float64]], *, is_rate_varied: bool
) -> RunRecord:
    """Return a run with what its seconds say of its level, as this method judges it.

    A run is judged when it is stored. One of a version that did not keep that, or judged by another method, is judged
    here, each time that its folder is opened.

    Parameters
    ----------
    window_tps : reads the throughput of its window, one value a second
    is_rate_varied : the study itself varies the rate
    """
    if record.method == METHOD:
        return record
    has_window = bool(record.figures.tps_mean) and record.figures.window_s >= SHORTEST_JUDGED_S
    if is_rate_varied or not has_window or record.has_lost_path:
        return replace(record, settled=None, method=METHOD)
    return replace(record, settled=settled_part(window_tps()), method=METHOD)


def may_reach(runs: Sequence[RunRecord], tps: float) -> bool:
    """Return whether an unsettled cell may still reach as much, by its runs' whole windows and their ends."""
    rates = [run.figures.tps_mean or 0.0 for run in runs]
    rates += [run.settled.tps_mean or 0.0 for run in runs if run.settled is not None]
    return FAR * max(rates, default=0.0) > tps


def judged_seconds(part: SettledPart) -> int:
    """Return over how many seconds a window's change was found: after its start if that is long, else two thirds.

    >>> [judged_seconds(SettledPart("drifting", 900, start_s, 1.0, 0.1)) for start_s in (0, 295, 700)]
    [900, 605, 600]
    """
    start_s = part.start_s or 0
    tail_s = part.seconds - start_s
    is_long = tail_s >= _LEAST_TAIL_S and _LONG_SHARE * start_s <= part.seconds
    return tail_s if is_long else 2 * (part.seconds // 3)


def remedy_words(runs: Sequence[RunRecord], name_of: Callable[[str], str] = str) -> str:
    """Return which runs have no level that lasts, and what would settle them; empty where all have one.

    Parameters
    ----------
    name_of : a target's name for people; without one its id, as lines of rules have it
    """
    words = [
        _remedy_sentence(run, run.settled, name_of(run.run.cell.target))
        for run in runs
        if run.settled is not None and not run.is_settled
    ]
    return "; ".join(dict.fromkeys(words))


def _remedy_sentence(run: RunRecord, part: SettledPart, target: str) -> str:
    who = f"{target}, {run.run.repeat_words}"
    if part.status == "dead":
        seconds_words = f"in most seconds of the last third of its {part.seconds} s"
        return f"{who} completed no transaction {seconds_words}: see the server's log"
    if part.status == "drifting":
        change_words = f"{percent(part.change, signed=True)} over {judged_seconds(part):,} s"
        return f"{who} drifts ({change_words}): warm up longer, or use a longer window"
    start_s = part.start_s or 0
    enough_s = max(_LONG_SHARE * start_s, start_s + _LEAST_TAIL_S)
    window_s = _ROUNDED_TO_S * math.ceil(enough_s / _ROUNDED_TO_S)
    return (
        f"{who} settled too late, at {start_s} of {part.seconds} s: warm up {start_s} s longer, or use a window of "
        f"{window_s:,} s or more"
    )
