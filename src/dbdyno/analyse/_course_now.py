"""How far the verdict on a run has come, for who looks on."""

from __future__ import annotations

from dbdyno.stats import SHORTEST_WARM_UP_S, Course

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
    """What the run has come to.

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
    half = f"±{100 * check.half_width / check.mean:.2g} %"
    if not course.settled:
        return f"{half}, server not settled"
    return f"{half}, sure enough {course.passes} of 3 times" if course.passes else f"{half}, not yet sure enough"


def unsettled_words(what: str) -> str:
    """What keeps a warm-up going, in words.

    >>> unsettled_words("throughput not-reached"), unsettled_words("throughput drifting")
    ('throughput has no level yet', 'throughput drifting')
    """
    return _UNSETTLED.get(what, what)


def _warm_up_words(course: Course) -> str:
    if course.unsettled:
        return f"not settled: {', '.join(map(unsettled_words, course.unsettled))}"
    if course.passes:
        return f"settled, seen {course.passes} of 3 times"
    return f"judged from 120 s on, over after {SHORTEST_WARM_UP_S} s at the earliest"
