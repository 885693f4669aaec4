"""Marks the judgement of a run's window on its time axis and in words: stalls, changes of level, waves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbdyno.analyse import STATUS_WORDS
from dbdyno.core import SettledPart, counted, percent, short_number

_MOST_NAMED = 4


def run_marks(
    is_stalled: NDArray[np.bool_], first_s: int, judged: SettledPart | None, *, has_lost_path: bool = False
) -> dict[str, Any]:
    """Return spans and instants in seconds of the run.

    Parameters
    ----------
    is_stalled : which of the judged seconds are stalled, no gaps; see `dbdyno.analyse.window_stalls`
    first_s : second of the run that the window begins with
    judged : None of windows too short to be judged
    has_lost_path : nobody reached the server for a while: seconds without work are marked as nothing of it

    >>> run_marks(np.array([True, False, False, False]), 30, None)["stalls"]
    [[29.5, 30.5]]
    """
    if has_lost_path:
        return {"stalls": [], "changes": [], "waves": [], "words": ["the path to the server was lost: not judged"]}
    begin_s = first_s - 0.5
    stalls = _marked_spans(is_stalled, begin_s)
    if judged is None:
        words = [_stall_words(stalls)] if len(is_stalled) else []
        return {"stalls": stalls, "changes": [], "waves": [], "words": [word for word in words if word]}
    changes = [begin_s + bound for bound in judged.bounds_s]
    return {
        "stalls": stalls,
        "changes": changes,
        "waves": _wave_spans(judged, begin_s, len(is_stalled)),
        "words": _mark_words(judged, stalls, changes),
    }


def _marked_spans(marked: NDArray[np.bool_], begin_s: float) -> list[list[float]]:
    edges = np.diff(np.concatenate(([0], marked.astype(np.int8), [0])))
    span_ends = zip(np.flatnonzero(edges == 1).tolist(), np.flatnonzero(edges == -1).tolist(), strict=True)
    return [[begin_s + start, begin_s + end] for start, end in span_ends]


def _wave_spans(settled_part: SettledPart, begin_s: float, seconds: int) -> list[list[float]]:
    """Return every other swing, counted back from the end, as far as the judged part reaches."""
    period_s, start = settled_part.period_s, settled_part.start_s
    if period_s is None or not settled_part.is_wave:
        return []
    first_s = begin_s + (start if start is not None else seconds // 3)
    wave_ends = np.arange(begin_s + seconds, first_s + period_s - 1e-9, -period_s).tolist()
    return [[round(end - period_s, 1), round(end, 1)] for end in wave_ends[::2]]


def _mark_words(settled_part: SettledPart, stalls: list[list[float]], changes: list[float]) -> list[str]:
    status, start = STATUS_WORDS[settled_part.status], settled_part.start_s
    settled_words = f" from {start} s of the window on" if settled_part.is_accepted and start else ""
    words = [status + settled_words, _stall_words(stalls)]
    if changes:
        seconds_words = ", ".join(f"{change + 0.5:.0f}" for change in changes[:_MOST_NAMED])
        rest_words = f" and {len(changes) - _MOST_NAMED} more" if len(changes) > _MOST_NAMED else ""
        words.append(f"level changes at {seconds_words} s{rest_words}")
    if settled_part.is_wave and settled_part.period_s is not None:
        share_words = percent(settled_part.period_share or 0.0)
        words.append(f"wave of {short_number(settled_part.period_s, 3)} s, {share_words} of all swinging")
    return [word for word in words if word]


def _stall_words(stalls: list[list[float]]) -> str:
    if not stalls:
        return "no stalls"
    lengths = [end - begin for begin, end in stalls]
    return f"{counted(len(stalls), 'stall')}, {sum(lengths):,.0f} s, longest {max(lengths):,.0f} s"
