"""Lengths left to the run, on real servers: live verdicts are those of the stored seconds, telemetry and settings.

Such runs take long, so both are under way at the same time, at rates that leave the machine idle; and windows are
checked every ten seconds, not every thirty: three checks take 20 seconds, not a minute.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import pytest

from dbdyno.core import Home, MeasureError
from dbdyno.hosts import LocalHost
from dbdyno.lab import Event, SecondMeasured, StudyHosts, find_generator, run_study
from dbdyno.plan import _designs, make_plan
from dbdyno.report import analyse_study
from dbdyno.report._courses import courses_again
from dbdyno.stats import StoppingRule
from dbdyno.store import Results, StoredStudy
from dbdyno.study import _read, parse_study, study_text

pytestmark = pytest.mark.server
LENGTHS = 'measure = {warm_up = "2s", window = "auto", window_min = "60s", window_max = "80s", repeats = 1}\n'
READS_AND_WRITES = f"""
targets = ["mysql:9.7"]
workload = {{name = "oltp_read_write", tables = 2, rows = 5000}}
axes = {{tier = "64MB", concurrency = 2}}
pacing = {{rate_per_s = 50, arrivals = "constant"}}
{LENGTHS}"""
ORDERS = f"""
targets = ["mariadb:11.8"]
workload = {{name = "tpcc/hammerdb", warehouses = 1, keyandthink = false}}
axes = {{tier = "64MB", concurrency = 2}}
pacing = {{rate_per_s = 50, arrivals = "constant"}}
{LENGTHS}"""
CHECKED_EVERY_S = 10
_MAIN = f"""
import sys
from functools import partial
from dbdyno.cli import main
from dbdyno.plan import _designs
from dbdyno.study import _read
_designs.StoppingRule = partial(_designs.StoppingRule, every_s={CHECKED_EVERY_S})
_read._CHECKS_NS = 2 * {CHECKED_EVERY_S} * 10**9
sys.exit(main(sys.argv[1:]))
"""


@dataclass(frozen=True)
class Measured:
    """What was stored of both studies, and told of the one that this process ran."""

    reads_and_writes: StoredStudy
    orders: StoredStudy
    events: list[Event]


@pytest.fixture(scope="module")
def measured() -> Iterator[Measured]:
    try:
        generator = find_generator()
    except MeasureError as error:
        pytest.skip(f"{error.what}: {error.why}")
    host, events = LocalHost(), list[Event]()
    folder = Path(tempfile.mkdtemp(prefix="dbdyno-open-", dir="/tmp"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_designs, "StoppingRule", partial(StoppingRule, every_s=CHECKED_EVERY_S))
        patch.setattr(_read, "_CHECKS_NS", 2 * CHECKED_EVERY_S * 10**9)
        study = parse_study(READS_AND_WRITES, "open.toml")
        with _run_beside(ORDERS, folder / "orders"):
            facts = asdict(host.facts())
            results = Results.open_or_create(folder / "open", study_text(study), {}, facts, study_name=study.name)
            run_study(study, make_plan(study), results, StudyHosts(host, Home.of_user(), generator), events.append)
        yield Measured(StoredStudy.open(folder / "open"), StoredStudy.open(folder / "orders"), events)
    host.remove_tree(folder)


@contextmanager
def _run_beside(study: str, output: Path) -> Iterator[None]:
    """A study in a process that has ended well when the block has."""
    output.with_suffix(".toml").write_text(study)
    words = [sys.executable, "-c", _MAIN, "run", output.with_suffix(".toml"), "-o", output]
    words += ["--quiet", "--no-calibrate", "--force"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        yield
        assert process.wait(300) == 0, process.stderr.read() if process.stderr else ""


@pytest.mark.parametrize("study", ["reads_and_writes", "orders"])
def test_live_and_stored_verdicts_are_equal(measured: Measured, study: str) -> None:
    stored: StoredStudy = getattr(measured, study)
    (record,) = stored.records()
    course = record.course
    assert course is not None, record.reason
    print(course)
    assert (course.warm_up_s, course.warm_up_end) == (2, "fixed")
    assert 60 <= course.window_end_s - course.window_first_s <= 80
    assert record.figures.window_s == course.window_end_s - course.window_first_s
    # Both show all that their gates are read from, so what is unread is a fault of ours.
    assert set(course.gates_unread) <= {"device"}
    assert courses_again(stored, [record]) == {record.run.run_id: course}
    assert "course-differs" not in {caveat.code for caveat in analyse_study(stored).limitations}


def test_the_course_so_far_is_told_while_a_run_goes_on(measured: Measured) -> None:
    told = [event for event in measured.events if isinstance(event, SecondMeasured)]
    assert any(event.course is not None and event.course.last_check is not None for event in told)


def test_new_orders_are_counted_by_the_server_in_a_window_of_open_length(measured: Measured) -> None:
    """Both sides count the same orders between two readings, and those lie inside the window, if not at its ends."""
    (record,) = measured.orders.records()
    rates = record.orders
    assert rates is not None
    assert rates.server_nopm is not None
    assert rates.server_tpm is not None
    assert rates.nopm is not None
    assert 0.5 < rates.server_nopm / rates.nopm < 2  # not the same seconds, so not the same figure
    assert "counts-disagree" not in {caveat.code for caveat in record.caveats}
