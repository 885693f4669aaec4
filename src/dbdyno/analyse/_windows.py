"""The question: whether the windows of a study had settled, or their means stand for no level.

Only the judged seconds are looked at. What a stored run says of itself is left as it is: an unsettled window weakens
what rests on it, and is told as a caveat of the study.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dbdyno.analyse._words import counted, listed
from dbdyno.core import Caveat, RunRecord
from dbdyno.stats import STALL_FLOOR, Stalls, SteadyState, stalls, steady_state

SHORTEST_WINDOW_S = 180
_LATE_SHARE = 0.1
_STATUS = {"drifting": "drifting", "not-reached": "without a level that lasts", "dead": "dead at the end"}


@dataclass(frozen=True, slots=True)
class WindowJudgement:
    """The window of one stored run, judged again from its seconds.

    Parameters
    ----------
    seconds : of the window
    risen_s : second of the window at which a beginning on less than half of its level ends; 0 without one
    stalls : of the seconds from there on, since what still warms up is not stalled; None where the median second did
        nothing
    """

    seconds: int
    state: SteadyState
    risen_s: int
    stalls: Stalls | None

    @property
    def is_late(self) -> bool:
        """Whether a tenth of the window or more still belongs to the warm-up."""
        return self.state.is_accepted and (self.state.start_s or 0) >= _LATE_SHARE * self.seconds

    @property
    def change(self) -> float:
        """Relative change of throughput over the judged part; 0 without one."""
        return self.state.drift.change if self.state.drift else 0.0

    @property
    def stalled_s(self) -> int:
        """Seconds below half of the median."""
        return round(self.stalls.share * (self.seconds - self.risen_s)) if self.stalls else 0


def judge_window(tps: ArrayLike) -> WindowJudgement | None:
    """Judge a window, one value a second; None below three minutes, too short for a level and what is off it.

    >>> judge_window([100.0] * 179) is None, judge_window([100.0] * 180).state.status
    (True, 'steady')
    """
    values = np.asarray(tps, dtype=np.float64)
    if len(values) < SHORTEST_WINDOW_S:
        return None
    state = steady_state(values)
    risen_s = _risen_s(state, float(np.median(state.seconds_of_window(values))) if state.window else 0.0)
    risen = values[risen_s:]
    return WindowJudgement(len(values), state, risen_s, stalls(risen) if float(np.median(risen)) > 0 else None)


def _risen_s(state: SteadyState, level: float) -> int:
    """Where the first levels that lie below half of the settled one end. A stall before the settled part stays one."""
    ended = 0
    for mean, end in zip(state.levels.means, state.levels.bounds_s[1:], strict=True) if state.levels else ():
        if mean >= STALL_FLOOR * level:
            break
        ended = int(end)
    return ended


def unsettled_windows(records: Sequence[RunRecord], windows: Mapping[str, WindowJudgement]) -> list[Caveat]:
    """Caveats on windows that had not settled, or settled late.

    Parameters
    ----------
    windows : by run id, those that could be judged
    """
    judged = [(record, windows[record.run.run_id]) for record in records if record.run.run_id in windows]
    found = [_unsettled(judged), _late(judged), _waves(judged)]
    return [caveat for caveat in found if caveat is not None]


Judged = Sequence[tuple[RunRecord, WindowJudgement]]


def _unsettled(judged: Judged) -> Caveat | None:
    chosen = [(record, window) for record, window in judged if window.state.status in _STATUS]
    if not chosen:
        return None
    counts = {status: sum(window.state.status == status for _, window in chosen) for status in _STATUS}
    words = listed([f"{count} {_STATUS[status]}" for status, count in counts.items() if count])
    record, widest = max(chosen, key=lambda pair: abs(pair[1].change))
    where = f"{record.run.cell.target} at {counted(record.run.cell.concurrency, 'connection')}"
    text = (
        f"Of {counted(len(judged), 'window')} of three minutes or more, {words}: their means stand for no level. "
        f"Widest: {where}, {widest.change:+.0%} of its mean over the window. A longer warm-up or window would help."
    )
    return Caveat("unsettled-windows", text)


def _late(judged: Judged) -> Caveat | None:
    late = [window.state.start_s or 0 for _, window in judged if window.is_late]
    if not late:
        return None
    text = (
        f"In {counted(len(late), 'window')} of {len(judged)} the beginning was not settled, for up to {max(late)} s, "
        "and is in the mean: a longer warm-up would leave it out."
    )
    return Caveat("late-windows", text)


def _waves(judged: Judged) -> Caveat | None:
    periods = [
        window.state.period.period_s for _, window in judged if window.state.status == "cyclic" and window.state.period
    ]
    if not periods:
        return None
    span = f"{min(periods):.0f} s" if len(periods) == 1 else f"{min(periods):.0f} to {max(periods):.0f} s"
    text = (
        f"{counted(len(periods), 'window')} of {len(judged)} swing with a period of {span}: a mean depends on where in "
        "a swing its window ends."
    )
    return Caveat("waves", text)
