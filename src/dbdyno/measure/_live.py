"""A run judged while it is driven: each second and what telemetry read of it go in, its course comes out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from dbdyno.core import Caveat, RunCourse
from dbdyno.gates import Readings, ServerFacts, server_gates
from dbdyno.measure._figures import WINDOW
from dbdyno.measure._records import IntervalRecord
from dbdyno.stats import AdaptiveLengthRule, Course, Gates, advanced, no_gates
from dbdyno.store import TelemetryRow

WARM_UP = "warm-up"
AFTER = "after"
"""Seconds that were driven after the window had ended, while the load was being stopped."""
_CAP_TEXT = "the warm-up ended at its cap of {cap} s, not settled: {what}"
_WINDOW_CAP_TEXT = "the window ended at its cap of {cap} s, before its mean was known as well as asked for"


@dataclass(slots=True)
class LiveLength:
    """Where a run is, and why.

    Parameters
    ----------
    facts : of the server; None: it is not asked
    """

    rule: AdaptiveLengthRule
    facts: ServerFacts | None = None
    course: Course = field(default_factory=Course)
    _tps: list[float] = field(default_factory=list)
    _readings: Readings = field(default_factory=Readings)

    def take(self, second: int, tps: float, telemetry: Iterable[TelemetryRow]) -> Course:
        """Take in a second; those that were never reported before it did nothing."""
        self._readings.add((row.second, row.metric, row.value) for row in telemetry)
        self._tps.extend([0.0] * (second - len(self._tps)))
        self._tps.append(tps)
        self.course = advanced(self.course, self._tps, self.rule, self._gates)
        return self.course

    @property
    def _gates(self) -> Gates:
        return no_gates if self.facts is None else server_gates(self.facts, self._readings, self._tps)


def with_course(intervals: Sequence[IntervalRecord], course: Course) -> list[IntervalRecord]:
    """The seconds of a run, each called by the phase that it turned out to be of."""
    return [replace(interval, phase=_phase(interval.second, course)) for interval in intervals]


def _phase(second: int, course: Course) -> str:
    if course.window_first_s is None or course.window_end_s is None:
        return WARM_UP if course.warm_up_s is None or second < course.warm_up_s else WINDOW
    if second < course.window_first_s:
        return WARM_UP
    return WINDOW if second < course.window_end_s else AFTER


def course_caveats(course: RunCourse | None, rule: AdaptiveLengthRule, *, asked: bool) -> list[Caveat]:
    """What a course leaves in doubt.

    Parameters
    ----------
    asked : whether the server's own state was to be looked at
    """
    if course is None:
        return []
    found = []
    if course.warm_up_end == "cap":
        what = ", ".join(course.unsettled) or "too short to tell"
        found.append(Caveat("warm-up-cap", _CAP_TEXT.format(cap=rule.warm_up_s, what=what)))
    if course.window_end == "cap":
        found.append(Caveat("window-cap", _WINDOW_CAP_TEXT.format(cap=rule.window_s)))
    if asked and course.gates_failed:
        text = f"the server's own state moved in the window: {', '.join(course.gates_failed)}"
        found.append(Caveat("server-unsettled", text))
    if asked and course.gates_unread:
        text = f"whether the server had settled could not be read of: {', '.join(course.gates_unread)}"
        found.append(Caveat("server-unread", text))
    return found
