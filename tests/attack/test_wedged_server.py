"""Faults by phase: server and load generator stopped and killed, the study interrupted, on real servers.

Each trial: the fault is named in the run it spoilt, the study goes on or stops, and the same command comes to the same
final set of runs. A quick form draws a few of them by seed; `DBDYNO_ATTACK_ROUNDS` draws more.
"""

from __future__ import annotations

import itertools
import os
import random
import re
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from driven_study import GENERATOR, SERVERS, DrivenStudy, driven, left_servers
from rounds import ROUNDS

from apart_home import new_home
from dbdyno.core import Home
from dbdyno.plan import make_plan
from dbdyno.store import Results
from dbdyno.study import parse_study
from remote_hosts import comes_true

pytestmark = pytest.mark.attack
_UNUSED_ROWS = itertools.count(6001)
SEED = int(os.environ.get("DBDYNO_ATTACK_SEED", "16"))
STUDY = """
targets = TARGETS
workload = {name = "oltp_read_write", tables = 1, rows = 5000}
axes = {tier = ["64MB"], concurrency = CONCURRENCY, route = ["loopback"]}
pacing = {rate_per_s = 50}
measure = {warm_up = "1s", window = "3s", settle = "1s", repeats = 1, equivalence_events = 100, after_run = "stop"}
"""
TARGETS = ("mariadb:11.8", "mariadb:10.11")
END_S = 5.0


@dataclass(frozen=True)
class Moment:
    """Where in a study something happens: an event of the lab, and a little later."""

    event: str
    phase: str = ""
    later_s: float = 0.0
    before_runs: bool = False

    def __str__(self) -> str:
        return f"{self.event}-{self.phase or 'begun'}-{self.later_s:g}s"


FILLING = (
    Moment("StudyStarted", before_runs=True),
    Moment("FillStarted", before_runs=True),
    Moment("FillStarted", later_s=1.0, before_runs=True),
    Moment("FillAdvanced", before_runs=True),
)
RUNNING = (
    Moment("ServerInspected", before_runs=True),
    Moment("ResultsComparing", before_runs=True),
    Moment("RunPhaseEntered", "restore"),
    Moment("RunPhaseEntered", "settle"),
    Moment("RunPhaseEntered", "load"),
    Moment("SecondMeasured", "warm-up"),
    Moment("SecondMeasured", "window"),
    Moment("RunPhaseEntered", "stop"),
)
MOMENTS = (*FILLING, *RUNNING)
LOADED = RUNNING[4:7]  # load generator and server are both there


@pytest.fixture(scope="module")
def home() -> Iterator[Home]:
    """Filled by the first trial that needs it."""
    yield from new_home()


def study_file(folder: Path, moment: Moment) -> Path:
    """Servers are looked at and compared where there are two targets; elsewhere there are two runs of one."""
    targets = TARGETS if moment.event in ("ServerInspected", "ResultsComparing") else TARGETS[:1]
    names, concurrency = ", ".join(f'"{name}"' for name in targets), "[2]" if len(targets) > 1 else "[1, 2]"
    file = folder / "study.toml"
    text = STUDY.replace("TARGETS", f"[{names}]").replace("CONCURRENCY", concurrency)
    if moment in FILLING:  # it has to be filled, so no other trial has as many rows, nor the same when run again
        text = text.replace("rows = 5000", f"rows = {next(_UNUSED_ROWS)}")
    file.write_text(text)
    return file


def reach(study: DrivenStudy, moment: Moment) -> None:
    assert study.until(moment.event, moment.phase), f"the study ended before {moment}: {study.end}"
    time.sleep(moment.later_s)


def planned(file: Path) -> set[str]:
    return {run.run_id for run in make_plan(parse_study(file.read_text(), "small.toml")).runs}


def resumed(file: Path, folder: Path, home: Home) -> None:
    """The same command makes what is missing or failed; then all is there and nothing is left."""
    with driven(file, folder / "r", home, retry=True) as study:
        assert study.to_its_end().get("complete"), study.end
    results = Results.open(folder / "r")
    assert set(results.run_ids()) == planned(file)
    assert {record.status for record in results.records()} <= {"good", "suspect"}
    assert results.verify() == ()
    assert left_servers(home) == []


def reasons(folder: Path) -> list[str]:
    """Of each run that a fault has touched: the kind of the fault and what is said of it."""
    records = Results.open(folder / "r").records()
    failed = [f"{record.fault}: {record.reason}" for record in records if record.status == "failed"]
    ended = [c.text for record in records for c in record.caveats if c.code == "ending-failed"]
    return failed + ended


def interrupt_trial(folder: Path, home: Home, moment: Moment, *, stopped: bool) -> float:
    """The first signal ends a study within seconds, whether its server runs or is stopped; the seconds it took."""
    file = study_file(folder, moment)
    with driven(file, folder / "r", home) as study:
        reach(study, moment)
        if stopped and (pid := study.child(SERVERS)) is not None:
            os.kill(pid, signal.SIGSTOP)
            time.sleep(random.Random(SEED).uniform(0, 3))
        began = time.monotonic()
        study.process.send_signal(signal.SIGTERM if stopped else signal.SIGINT)
        assert comes_true(lambda: study.process.poll() is not None, 60), "it does not end"
        took_s = time.monotonic() - began
        assert study.to_its_end().get("interrupted"), study.end
    assert took_s < END_S, f"{moment}: {took_s:.1f} s"
    assert left_servers(home) == []
    resumed(file, folder, home)
    return took_s


def fault_trial(folder: Path, home: Home, moment: Moment, victim: tuple[str, ...], number: int) -> list[str]:
    """A child that is stopped or killed is named; the study goes on with the next run, or ends with the reason."""
    file = study_file(folder, moment)
    with driven(file, folder / "r", home) as study:
        reach(study, moment)
        pid = study.child(victim)
        assert pid is not None, f"there is none at {moment}"
        os.kill(pid, number)
        began = time.monotonic()
        end = study.to_its_end()
        assert time.monotonic() - began < 120, study.events[-5:]
    journal = Results.open(folder / "r").journal()
    noted = [str(entry.facts["reason"]) for entry in journal if entry.event == "server-not-audited"]
    compared = [str(found) for found in end.get("compared", ())]
    found = [*reasons(folder), *noted, *compared, *filter(None, [end.get("error")])]
    assert found, f"nobody says what happened at {moment}"
    if number == signal.SIGSTOP:
        assert any("process stopped (T)" in words for words in found), found
    else:
        assert any(re.search(r"signal 9|exit code -9|has ended|not stop|not end", words) for words in found), found
    if not moment.before_runs:
        assert len(found) == 1 and not end.get("interrupted"), (moment, end, found)
        assert set(Results.open(folder / "r").run_ids()) == planned(file)  # the study went on
    assert left_servers(home) == []
    resumed(file, folder, home)
    return found


def draw_interrupts(count: int) -> list[tuple[Moment, bool]]:
    """Each moment once, in an order drawn by seed, before one comes again."""
    chance, drawn = random.Random(f"{SEED} interrupts"), list[Moment]()
    while len(drawn) < count:
        drawn += chance.sample(MOMENTS, len(MOMENTS))
    return [(moment, index % 2 == 0) for index, moment in enumerate(drawn[:count])]


def draw_faults(count: int) -> list[tuple[Moment, tuple[str, ...], int]]:
    chance = random.Random(f"{SEED} faults")
    return [
        (chance.choice(LOADED), SERVERS if index % 3 < 2 else GENERATOR, (signal.SIGSTOP, signal.SIGKILL)[index % 2])
        for index in range(count)
    ]


@pytest.mark.parametrize(("moment", "stopped"), draw_interrupts(ROUNDS), ids=str)
def test_the_first_signal_ends_a_study_whether_its_server_runs_or_is_stopped(
    moment: Moment, stopped: bool, tmp_path: Path, home: Home
) -> None:
    interrupt_trial(tmp_path, home, moment, stopped=stopped)


@pytest.mark.parametrize(("moment", "victim", "number"), draw_faults(ROUNDS), ids=str)
def test_what_is_stopped_or_killed_is_named_and_the_study_goes_on(
    moment: Moment, victim: tuple[str, ...], number: int, tmp_path: Path, home: Home
) -> None:
    fault_trial(tmp_path, home, moment, victim, number)
