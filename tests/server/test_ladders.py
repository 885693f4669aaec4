"""Concurrencies of a ladder on a real server: one start, warm caches, telemetry and counters of each step."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from dbdyno.core import Home
from dbdyno.hosts import LocalHost
from dbdyno.lab import Event, StudyHosts, run_study
from dbdyno.plan import make_plan
from dbdyno.store import Results, StoredStudy
from dbdyno.study import parse_study, study_text

pytestmark = [pytest.mark.server, pytest.mark.usefixtures("load_generator")]
STUDY = parse_study(
    """
    targets = ["mariadb:11.8"]
    workload = {name = "oltp_read_write", tables = 2, rows = 5000}
    axes = {tier = "64MB", concurrency = [1, 2, 4]}
    pacing = {rate_per_s = 50}
    measure = {restore = "ladder", warm_up = "3s", step_warm_up = "1s", window = "4s", repeats = 2}
    """,
    "ladder.toml",
)


@pytest.fixture
def results_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="dbdyno-ladder-", dir="/tmp"))
    yield folder / "results"
    LocalHost().remove_tree(folder)


def test_steps_share_one_start_and_each_ladder_begins_on_restored_rows(results_folder: Path) -> None:
    host, events = LocalHost(), list[Event]()
    results = Results.open_or_create(results_folder, study_text(STUDY), {}, asdict(host.facts()), study_name=STUDY.name)
    outcome = run_study(STUDY, make_plan(STUDY), results, StudyHosts(host, Home.of_user()), events.append)
    assert outcome.failed == 0
    stored = StoredStudy.open(results_folder)
    records = sorted(stored.records(), key=lambda record: record.run.order_index)
    assert [record.step and record.step.number for record in records] == [1, 2, 3, 1, 2, 3]
    redo = [record.step.redo_bytes_before for record in records if record.step]
    assert redo[0] == redo[3] == 0
    assert 0 < redo[1] < redo[2]
    commits = [int(stored.document(record.run.run_id, "status_before")["com_commit"]) for record in records]
    assert commits[0] < commits[1] < commits[2], "one server lived through the ladder"
    assert commits[3] < commits[2], "and the next ladder had another"
    for record in records:
        metrics = set(stored.telemetry(record.run.run_id).values("metric"))
        assert {"engine.redo.lsn", "server.cpu"} & metrics
        assert record.figures.tps_mean
