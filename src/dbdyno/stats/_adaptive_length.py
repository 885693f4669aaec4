"""Decides during a run where its warm-up ends and where its window does, by what the run shows.

The warm-up ends when the throughput holds a level and the server's own state has settled, or at its cap. The window
ends when its mean is known as well as requested, or at its cap. Both are decided second by second while the run is
driven; the same function over the stored seconds gives the same course, because a check looks at nothing that came
after it.

Checks lag behind by `LAG_S`: what telemetry read of a second arrives a little later than the second's throughput, and
a check that waits for both finds the same afterwards as while the run goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from dbdyno.core import AnalysisError, RunCourse
from dbdyno.stats._gates import ServerSteadiness, server_steadiness
from dbdyno.stats._series import FloatArray, checked_series
from dbdyno.stats._steady import SteadyState, steady_state
from dbdyno.stats._stopping import StopCheck, StoppingRule, stop_check

LAG_S = 2
FIRST_WARM_UP_CHECK_S = 120
WARM_UP_CHECK_EVERY_S = 10
WARM_UP_PASSES = 3
SHORTEST_WARM_UP_S = FIRST_WARM_UP_CHECK_S + (WARM_UP_PASSES - 1) * WARM_UP_CHECK_EVERY_S + LAG_S
NOISY_TAIL_S = 300
"""A level that noise hides is taken for settled only after so long: more seconds may still show it."""

Gates: TypeAlias = Callable[[int, int], Mapping[str, bool | None]]
"""Gates of a stretch, given by its first second and the one after its last: whether each gate passes; None: unread."""
Phase: TypeAlias = Literal["warm-up", "window", "over"]
WarmUpEnd: TypeAlias = Literal["state", "cap", "fixed"]
WindowEnd: TypeAlias = Literal["certainty", "cap", "fixed"]


@dataclass(frozen=True, slots=True)
class AdaptiveLengthRule:
    """Decides how long to warm up and to judge. It must be fixed before the run.

    Parameters
    ----------
    warm_up_s : its length; with `by_state` at most
    window_s : its length; with `stopping` at most
    by_state : the warm-up ends by state
    stopping : when the window is sure enough; its own cap is not looked at. None: the window has a fixed length
    """

    warm_up_s: int
    window_s: int
    by_state: bool = False
    stopping: StoppingRule | None = None

    @property
    def is_open(self) -> bool:
        """Return whether anything is left to the run."""
        return self.by_state or self.stopping is not None

    @property
    def longest_s(self) -> int:
        """Return seconds to drive at most, those included for which checks lag behind."""
        return self.warm_up_s + self.window_s + (LAG_S if self.is_open else 0)


@dataclass(frozen=True, slots=True)
class Course:
    """Holds the course of a run so far. Seconds count from the start of the driven time.

    Parameters
    ----------
    seen_s : seconds looked at
    warm_up_s : where the warm-up ended; None before
    warm_up_end : why
    unsettled : what kept the warm-up from ending at its last check, in words; gates by name
    settled : since when the server's gates have let checks count
    last_check : of the window
    passes : checks in a row that passed, of the phase
    window_first_s, window_end_s : first second of the window and the one after its last, when it has ended
    window_end : why it ended
    server : what the gates say of the window when it has ended
    """

    seen_s: int = 0
    warm_up_s: int | None = None
    warm_up_end: WarmUpEnd | None = None
    unsettled: tuple[str, ...] = ()
    settled: bool = False
    last_check: StopCheck | None = None
    passes: int = 0
    window_first_s: int | None = None
    window_end_s: int | None = None
    window_end: WindowEnd | None = None
    server: ServerSteadiness | None = None

    @property
    def phase(self) -> Phase:
        """Return where the run is."""
        return "over" if self.window_end is not None else "warm-up" if self.warm_up_s is None else "window"


def no_gates(first_s: int, end_s: int) -> Mapping[str, bool | None]:
    """Return no gates, for a server that is not read."""
    return {}


def followed(x: ArrayLike, rule: AdaptiveLengthRule, gates: Gates = no_gates) -> Course:
    """Return the course of a whole series, one value a second from the start of the driven time.

    >>> rule = AdaptiveLengthRule(1800, 900, by_state=True, stopping=StoppingRule())
    >>> course = followed([1000.0, 1002.0] * 600, rule)
    >>> course.warm_up_s, course.warm_up_end, course.window_first_s, course.window_end_s, course.window_end
    (142, 'state', 142, 382, 'certainty')
    """
    return advanced(Course(), x, rule, gates)


def advanced(course: Course, x: ArrayLike, rule: AdaptiveLengthRule, gates: Gates = no_gates) -> Course:
    """Return a course after more seconds have come; `x` holds all of them from the start."""
    values = np.asarray(x, dtype=np.float64)
    while course.phase != "over" and course.seen_s < len(values):
        course = _advance_one_second(replace(course, seen_s=course.seen_s + 1), values, rule, gates)
    return course


def run_course(course: Course, rule: AdaptiveLengthRule) -> RunCourse | None:
    """Return a course in the form kept with the run; None of one that ended before its course did."""
    if course.warm_up_s is None or course.warm_up_end is None:
        return None
    if course.window_first_s is None or course.window_end_s is None or course.window_end is None:
        return None
    return RunCourse(
        warm_up_s=course.warm_up_s,
        warm_up_end=course.warm_up_end,
        unsettled=course.unsettled,
        window_first_s=course.window_first_s,
        window_end_s=course.window_end_s,
        window_end=course.window_end,
        gates_failed=course.server.failed if course.server else (),
        gates_unread=course.server.unread if course.server else (),
        most_s=rule.warm_up_s + rule.window_s,
    )


def _advance_one_second(course: Course, values: FloatArray, rule: AdaptiveLengthRule, gates: Gates) -> Course:
    if course.phase == "warm-up":
        course = _advance_warm_up(course, values, rule, gates)
    return course if course.warm_up_s is None else _advance_window(course, course.warm_up_s, values, rule, gates)


def _advance_warm_up(course: Course, values: FloatArray, rule: AdaptiveLengthRule, gates: Gates) -> Course:
    if rule.by_state:
        course = _check_warm_up(course, values, gates)
        if course.passes == WARM_UP_PASSES:
            return replace(course, warm_up_s=course.seen_s, warm_up_end="state", settled=True, passes=0)
    if course.seen_s < rule.warm_up_s:
        return course
    return replace(course, warm_up_s=rule.warm_up_s, warm_up_end="cap" if rule.by_state else "fixed", passes=0)


def _check_warm_up(course: Course, values: FloatArray, gates: Gates) -> Course:
    end_s = course.seen_s - LAG_S
    if end_s < FIRST_WARM_UP_CHECK_S or (end_s - FIRST_WARM_UP_CHECK_S) % WARM_UP_CHECK_EVERY_S:
        return course
    state = steady_state(checked_series(values[:end_s]))
    first_s = end_s // 3 if state.start_s is None else min(state.start_s, end_s - FIRST_WARM_UP_CHECK_S // 2)
    unsettled = (*_unsettled_throughput_words(state), *server_steadiness(gates(first_s, end_s)).failed)
    return replace(course, unsettled=unsettled, passes=0 if unsettled else course.passes + 1)


def _unsettled_throughput_words(state: SteadyState) -> tuple[str, ...]:
    """Return why no level is held; nothing when one is."""
    if not state.is_accepted:
        return (f"throughput {state.status}",)
    is_short = state.window is not None and state.window.n < NOISY_TAIL_S
    return ("throughput noisy",) if state.status == "noisy" and is_short else ()


def _advance_window(
    course: Course, warm_up_s: int, values: FloatArray, rule: AdaptiveLengthRule, gates: Gates
) -> Course:
    in_window_s = course.seen_s - warm_up_s
    if rule.stopping is None:
        lagging_s = LAG_S if rule.is_open else 0
        is_over = in_window_s >= rule.window_s + lagging_s
        return _end_window(course, warm_up_s, warm_up_s + rule.window_s, "fixed", gates) if is_over else course
    end_s = course.seen_s - LAG_S
    is_at_cap = end_s - warm_up_s >= rule.window_s
    if end_s > warm_up_s and (rule.stopping.is_due(end_s - warm_up_s) or is_at_cap):
        course = _check_window(course, warm_up_s, values[warm_up_s:end_s], rule.stopping, gates)
        first_s = warm_up_s + (course.last_check.start_s if course.last_check else 0)
        if course.passes >= rule.stopping.passes:
            return _end_window(course, first_s, end_s, "certainty", gates)
        if is_at_cap:
            return _end_window(course, first_s, end_s, "cap", gates)
    return course


def _check_window(course: Course, warm_up_s: int, window: FloatArray, stopping: StoppingRule, gates: Gates) -> Course:
    try:
        check = stop_check(window)
    except AnalysisError:
        return replace(course, last_check=None, passes=0)
    first_s, end_s = warm_up_s + check.start_s, warm_up_s + len(window)
    settled = course.settled or not server_steadiness(gates(first_s, end_s)).failed
    passes = course.passes + 1 if settled and stopping.passed(check) and stopping.is_due(len(window)) else 0
    return replace(course, last_check=check, settled=settled, passes=passes)


def _end_window(course: Course, first_s: int, end_s: int, why: WindowEnd, gates: Gates) -> Course:
    server = server_steadiness(gates(first_s, end_s))
    return replace(course, window_first_s=first_s, window_end_s=end_s, window_end=why, server=server)
