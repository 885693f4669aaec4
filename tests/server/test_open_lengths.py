"""Lengths left to the run, on real servers: live verdicts are those of the stored seconds, telemetry and settings."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from dbdyno.core import MeasureError
from dbdyno.hosts import Home, LocalHost
from dbdyno.lab import Event, SecondMeasured, find_generator, run_study
from dbdyno.plan import make_plan
from dbdyno.report import gather
from dbdyno.report._courses import courses_again
from dbdyno.store import Results
from dbdyno.study import parse_study, study_text

pytestmark = pytest.mark.server
STUDY = parse_study(
    """
    targets = ["mariadb:11.8", "mysql:9.7"]
    workload = {name = "oltp_read_write", tables = 2, rows = 5000}
    axes = {tier = "64MB", concurrency = 2}
    measure = {warm_up = "2s", window = "auto", window_min = "60s", window_max = "120s", repeats = 1}
    """,
    "open.toml",
)


@pytest.fixture
def results_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="dbdyno-open-", dir="/tmp"))
    yield folder / "results"
    LocalHost().remove_tree(folder)


def test_live_and_stored_verdicts_are_equal(results_folder: Path) -> None:
    try:
        generator = find_generator()
    except MeasureError as error:
        pytest.skip(f"{error.what}: {error.why}")
    host, events = LocalHost(), list[Event]()
    results = Results.open_or_create(results_folder, study_text(STUDY), {}, asdict(host.facts()), study_name=STUDY.name)
    run_study(STUDY, make_plan(STUDY), results, host, Home.of_user(), events.append, generator=generator)
    stored = Results.open(results_folder)
    records = stored.records()
    assert len(records) == 2
    for record in records:
        course = record.course
        assert course is not None, record.reason
        assert (course.warm_up_s, course.warm_up_end) == (2, "fixed")
        assert 60 <= course.window_end_s - course.window_first_s <= 120
        assert record.window_s == course.window_end_s - course.window_first_s
        # Both show all that their gates are read from, so what is unread is a fault of ours.
        assert set(course.gates_unread) <= {"device"}
        assert courses_again(stored, STUDY, [record]) == {record.run.run_id: course}
    assert "course-differs" not in {caveat.code for caveat in gather(stored).weaknesses}
    told = [event for event in events if isinstance(event, SecondMeasured)]
    assert any(event.course is not None and event.course.last_check is not None for event in told)
