"""A window left open, on a real load: ended by an interrupt when its mean is sure, and nothing is lost by it.

The null server takes a known time for each statement, so what the window's mean must be is known, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dbdyno.core import Cell, Run
from dbdyno.hosts import LocalHost
from dbdyno.lab import find_generator
from dbdyno.measure import LoadOrder, measure_run
from dbdyno.stats import Course, followed, run_course
from dbdyno.store import JsonValue
from dbdyno.study import AdaptiveLength, parse_study
from null_server import NullServer

pytestmark = pytest.mark.truth
CONNECTIONS, DELAY_S = 8, 0.01
WRITTEN = parse_study(
    f"""
    targets = ["mysql:9.7"]
    workload.name = "oltp_point_select"
    axes = {{tier = "64MB", concurrency = {CONNECTIONS}}}
    measure = {{warm_up = "3s", window = "300s"}}
    """,
    "open.toml",
)
# Sooner asked than a study file may and of what a busy machine gives, too, so that the test is short: three checks.
STUDY = replace(WRITTEN, adaptive_length=AdaptiveLength(window_least_ns=30 * 10**9, target_half_width=0.1))


TARGET: Mapping[str, JsonValue] = {
    "host": None,
    "port": None,
    "user": "dbdyno",
    "password_file": None,
    "database": "dbdyno",
    "tls": "off",
}


class Undying:
    """The null server, as far as measuring wants to know it."""

    def death(self) -> str | None:
        return None

    def wedged(self, quiet_s: float = 0.0) -> str | None:
        return None


def test_a_window_ends_when_sure_and_the_stored_seconds_give_the_same_course(truth_folder: Path) -> None:
    run = Run(Cell("mysql:9.7", 64 << 20, CONNECTIONS, "sysbench/oltp_point_select", "socket"), 1, 0, 1, "")
    courses: list[Course] = []
    with NullServer(truth_folder, "--delay", f"constant:{DELAY_S * 1e3:g}ms") as server:
        order = LoadOrder(run, STUDY, {**TARGET, "socket": str(server.socket)}, workers=1)
        measured = measure_run(
            order, Undying(), LocalHost(), find_generator(), [], lambda row: None, on_course=courses.append
        )
    assert measured.judgement.status == "good", measured.judgement.reason
    course = measured.course
    assert course is not None and course.window_end == "certainty"
    assert course.window_end_s < 303 and course.saved_s == 303 - course.window_end_s
    # Stopped at once, not at the end of what was ordered.
    assert len(measured.seconds) <= course.window_end_s + 6
    assert [seen.phase for seen in (courses[0], courses[10], courses[-1])] == ["warm-up", "window", "over"]
    stored = np.array([row.tps for row in measured.seconds])
    assert run_course(followed(stored, order.adaptive_length_rule), order.adaptive_length_rule) == course
    window = [row for row in measured.seconds if row.phase == "window"]
    assert len(window) == course.window_end_s - course.window_first_s == measured.figures.total.window_s
    assert measured.figures.total.tps_mean == pytest.approx(CONNECTIONS / DELAY_S, rel=0.15)
