"""Answers how long runs of adaptive length were driven, why they ended, and what that saved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dbdyno.analyse._phrases import half_width_words, listed
from dbdyno.core import Caveat, RunCourse, RunRecord, counted, format_duration, percent

if TYPE_CHECKING:
    from dbdyno.stats import Course

_WARM_UP_ENDS = {"state": "settled", "cap": "at its cap", "fixed": "as ordered"}
_WINDOW_ENDS = {"certainty": "precise enough", "cap": "at its cap", "fixed": "as ordered"}


@dataclass(frozen=True, slots=True)
class CourseSummary:
    """Holds all runs of a study whose length was left to them.

    Parameters
    ----------
    settled, sure : runs whose warm-up ended by state, whose window ended by certainty
    confirmed : runs in whose window the server's own state was seen to be settled
    driven_s, most_s : all their seconds, and those that their caps allowed
    """

    runs: int
    settled: int
    sure: int
    confirmed: int
    warm_up_s: tuple[int, int]
    window_s: tuple[int, int]
    driven_s: int
    most_s: int


def summarise_courses(records: Sequence[RunRecord]) -> CourseSummary | None:
    """Return what became of the runs; None where no length was left open."""
    courses = [record.course for record in records if record.course is not None]
    if not courses:
        return None
    warm_ups = [course.warm_up_s for course in courses]
    windows = [course.window_end_s - course.window_first_s for course in courses]
    return CourseSummary(
        runs=len(courses),
        settled=sum(course.warm_up_end == "state" for course in courses),
        sure=sum(course.window_end == "certainty" for course in courses),
        confirmed=sum(course.is_confirmed for course in courses),
        warm_up_s=(min(warm_ups), max(warm_ups)),
        window_s=(min(windows), max(windows)),
        driven_s=sum(course.window_end_s for course in courses),
        most_s=sum(course.most_s for course in courses),
    )


def course_words(course: RunCourse) -> str:
    """Return one run's course in one line.

    >>> course_words(RunCourse(142, "state", (), 142, 382, "certainty", (), (), 2700))
    'warm-up 142 s (settled), window 142 s to 382 s (precise enough)'
    """
    warm_up = f"warm-up {course.warm_up_s} s ({_WARM_UP_ENDS[course.warm_up_end]})"
    window = f"window {course.window_first_s} s to {course.window_end_s} s ({_WINDOW_ENDS[course.window_end]})"
    return f"{warm_up}, {window}"


def courses_words(summary: CourseSummary) -> str:
    """Return all runs' courses in one sentence, with the time saved.

    >>> words = courses_words(CourseSummary(2, 2, 1, 0, (142, 202), (240, 900), 1484, 5400)).split("; ")
    >>> words[0], words[1]
    ('warm-up 142 to 202 s, settled in 2 of 2 runs', 'window 240 to 900 s, precise enough in 1')
    >>> words[2]
    '24 min 44 s driven of at most 1 h 30 min (73 % saved)'
    """
    saved_share = 1 - summary.driven_s / summary.most_s
    driven_words, most_words = format_duration(summary.driven_s * 10**9), format_duration(summary.most_s * 10**9)
    return (
        f"warm-up {_seconds_range_words(summary.warm_up_s)}, settled in {summary.settled} of "
        f"{counted(summary.runs, 'run')}; window {_seconds_range_words(summary.window_s)}, "
        f"precise enough in {summary.sure}; "
        f"{driven_words} driven of at most {most_words} ({percent(saved_share)} saved)"
    )


def course_caveats(records: Sequence[RunRecord], judged_again: Mapping[str, RunCourse | None]) -> list[Caveat]:
    """Return what open lengths leave in doubt, over all runs.

    Parameters
    ----------
    judged_again : by run id, the course that the stored seconds give
    """
    adaptive_records = [record for record in records if record.course is not None]
    if not adaptive_records:
        return []
    caveats = [
        _capped_warm_ups_caveat(adaptive_records),
        _capped_windows_caveat(adaptive_records),
        _moved_server_state_caveat(adaptive_records),
        _unread_gates_caveat(adaptive_records),
    ]
    caveats.append(_differing_courses_caveat(adaptive_records, judged_again))
    return [caveat for caveat in caveats if caveat is not None]


def _capped_warm_ups_caveat(records: Sequence[RunRecord]) -> Caveat | None:
    capped_courses = [record.course for record in records if record.course and record.course.warm_up_end == "cap"]
    if not capped_courses:
        return None
    common_reasons = _most_common([unsettled_words(reason) for course in capped_courses for reason in course.unsettled])
    why = f" What had not settled: {common_reasons}." if common_reasons else ""
    text = (
        f"In {counted(len(capped_courses), 'run')} of {len(records)} the warm-up ended at its limit before the "
        f"server settled.{why}"
    )
    return Caveat("warm-up-cap", text)


def _capped_windows_caveat(records: Sequence[RunRecord]) -> Caveat | None:
    capped_records = [record for record in records if record.course and record.course.window_end == "cap"]
    if not capped_records:
        return None
    text = (
        f"In {counted(len(capped_records), 'run')} of {len(records)} the window ended at its limit before it was "
        "precise enough."
    )
    return Caveat("window-cap", f"{text} Their intervals show the precision.")


def _moved_server_state_caveat(records: Sequence[RunRecord]) -> Caveat | None:
    courses = [record.course for record in records if record.course and record.course.gates_failed]
    if not courses:
        return None
    gates = _most_common([gate for course in courses for gate in course.gates_failed])
    text = (
        f"In {counted(len(courses), 'run')} of {len(records)} the server's internal state changed in the window: "
        f"{gates}."
    )
    return Caveat("server-unsettled", f"{text} Stable throughput may not last.")


def _unread_gates_caveat(records: Sequence[RunRecord]) -> Caveat | None:
    courses = [record.course for record in records if record.course and record.course.gates_unread]
    if not courses:
        return None
    gates = _most_common([gate for course in courses for gate in course.gates_unread])
    text = (
        f"Whether the server had settled could not be read in {counted(len(courses), 'run')} of {len(records)}: {gates}"
    )
    return Caveat("server-unread", f"{text}. There, only throughput was checked.")


def _differing_courses_caveat(
    records: Sequence[RunRecord], recomputed_courses: Mapping[str, RunCourse | None]
) -> Caveat | None:
    differing_records = [
        record
        for record in records
        if record.run.run_id in recomputed_courses and recomputed_courses[record.run.run_id] != record.course
    ]
    if not differing_records:
        return None
    text = (
        f"{counted(len(differing_records), 'run')} of {len(records)} ended differently than their stored seconds "
        "imply: telemetry came too late for a check."
    )
    return Caveat("course-differs", text)


def _most_common(words: Sequence[str]) -> str:
    return listed([f"{word} ({count})" for word, count in Counter(words).most_common(4)])


def _seconds_range_words(seconds: tuple[int, int]) -> str:
    low, high = seconds
    return f"{low} s" if low == high else f"{low} to {high} s"


_UNSETTLED = {
    "redo": "redo log not yet written over twice",
    "cache": "cache still filling",
    "dirty data": "dirty data moving",
    "history": "purge history moving",
    "device": "device writes moving",
    "throughput not-reached": "throughput has no level yet",
    "throughput dead": "no throughput",
}


def verdict_words(course: Course) -> str:
    """Return what the run has come to.

    >>> from dbdyno.stats import Course
    >>> verdict_words(Course(seen_s=132, unsettled=("throughput drifting", "redo")))
    'not settled: throughput drifting, redo log not yet written over twice'
    >>> verdict_words(Course(seen_s=135, passes=1))
    'settled, seen 1 of 3 times'
    """
    if course.phase == "warm-up":
        return _warm_up_words(course)
    check = course.last_check
    if check is None or check.mean <= 0:
        return ""
    half = half_width_words(check.half_width, check.mean)
    if not course.settled:
        return f"{half}, server not settled"
    return f"{half}, precise enough {course.passes} of 3 times" if course.passes else f"{half}, not yet precise enough"


def unsettled_words(what: str) -> str:
    """Return what keeps a warm-up going, in words.

    >>> unsettled_words("throughput not-reached"), unsettled_words("throughput drifting")
    ('throughput has no level yet', 'throughput drifting')
    """
    return _UNSETTLED.get(what, what)


def _warm_up_words(course: Course) -> str:
    if course.unsettled:
        return f"not settled: {', '.join(map(unsettled_words, course.unsettled))}"
    if course.passes:
        return f"settled, seen {course.passes} of 3 times"
    from dbdyno.stats import SHORTEST_WARM_UP_S  # late: it stands next to what judges runs, which a summary does not

    return f"judged from 120 s on, over after {SHORTEST_WARM_UP_S} s at the earliest"
