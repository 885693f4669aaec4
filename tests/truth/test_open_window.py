"""A window left open is ended by an interrupt when its mean is sure, and nothing is lost by it."""

from __future__ import annotations

from concurrent.futures import Future

import numpy as np
import pytest

from dbdyno.stats import followed, run_course
from open_window import CONNECTIONS, DELAY_S, OpenWindow

pytestmark = pytest.mark.truth


@pytest.fixture
def window(begun_window: Future[OpenWindow] | None) -> OpenWindow:
    assert begun_window is not None
    return begun_window.result(timeout=360)


def test_a_window_ends_when_sure_and_the_stored_seconds_give_the_same_course(window: OpenWindow) -> None:
    measured, courses = window.measured, window.courses
    assert measured.judgement.status == "good", measured.judgement.reason
    course = measured.course
    assert course is not None and course.window_end == "certainty"
    assert course.window_end_s < 303 and course.saved_s == 303 - course.window_end_s
    # Stopped at once, not at the end of what was ordered.
    assert len(measured.seconds) <= course.window_end_s + 6
    assert [seen.phase for seen in (courses[0], courses[10], courses[-1])] == ["warm-up", "window", "over"]
    stored = np.array([row.tps for row in measured.seconds])
    assert run_course(followed(stored, window.rule), window.rule) == course
    judged = [row for row in measured.seconds if row.phase == "window"]
    assert len(judged) == course.window_end_s - course.window_first_s == measured.figures.total.window_s
    assert measured.figures.total.tps_mean == pytest.approx(CONNECTIONS / DELAY_S, rel=0.15)
