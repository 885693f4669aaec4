"""Lengths left to the run, on real servers: live verdicts are those of the stored seconds, telemetry and settings."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from dbdyno.core import Home, MeasureError
from dbdyno.hosts import LocalHost
from dbdyno.lab import Event, SecondMeasured, find_generator, run_study
from dbdyno.plan import make_plan
from dbdyno.report import analyse_study
from dbdyno.report._courses import courses_again
from dbdyno.store import Results, StoredStudy
from dbdyno.study import Study, parse_study, study_text

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
ORDERS = parse_study(
    """
    targets = ["mariadb:11.8"]
    workload = {name = "tpcc/hammerdb", warehouses = 1, keyandthink = false}
    axes = {tier = "64MB", concurrency = 2}
    measure = {warm_up = "2s", window = "auto", window_min = "60s", window_max = "120s", repeats = 1}
    """,
    "orders.toml",
)


@pytest.fixture
def results_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="dbdyno-open-", dir="/tmp"))
    yield folder / "results"
    LocalHost().remove_tree(folder)


def measured(study: Study, folder: Path) -> tuple[StoredStudy, list[Event]]:
    """What was stored and told of a study."""
    try:
        generator = find_generator()
    except MeasureError as error:
        pytest.skip(f"{error.what}: {error.why}")
    host, events = LocalHost(), list[Event]()
    results = Results.open_or_create(folder, study_text(study), {}, asdict(host.facts()), study_name=study.name)
    run_study(study, make_plan(study), results, host, Home.of_user(), events.append, generator=generator)
    return StoredStudy.open(folder), events


def test_live_and_stored_verdicts_are_equal(results_folder: Path) -> None:
    stored, events = measured(STUDY, results_folder)
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
        assert courses_again(stored, [record]) == {record.run.run_id: course}
    assert "course-differs" not in {caveat.code for caveat in analyse_study(stored).limitations}
    told = [event for event in events if isinstance(event, SecondMeasured)]
    assert any(event.course is not None and event.course.last_check is not None for event in told)


def test_new_orders_are_counted_by_the_server_in_a_window_of_open_length(results_folder: Path) -> None:
    """Both sides count the same orders between two readings, and those lie inside the window, if not at its ends."""
    stored, _ = measured(ORDERS, results_folder)
    (record,) = stored.records()
    assert record.course is not None, record.reason
    rates = record.orders
    assert rates is not None
    assert rates.server_nopm is not None
    assert rates.server_tpm is not None
    assert rates.nopm is not None
    assert 0.5 < rates.server_nopm / rates.nopm < 2  # not the same seconds, so not the same figure
    assert "counts-disagree" not in {caveat.code for caveat in record.caveats}
