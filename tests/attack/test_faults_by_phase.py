"""Four faults in any phase of a study: server or generator stopped, or killed, the cable cut, the disk full.

Each trial: what the fault spoilt names it, the study goes on or stops with the reason, and the same command comes to
the same final set of runs. Phases are drawn by seed; `DBDYNO_ATTACK_ROUNDS` draws more of each fault.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from driven_study import GENERATOR, SERVERS, DrivenStudy, driven, left_servers
from rounds import ROUNDS
from small_disk import small_disk

from apart_home import ApartHome, new_home
from dbdyno.core import Home
from dbdyno.plan import make_plan
from dbdyno.store import Results
from dbdyno.study import parse_study
from far_server import FarServer, far_server

pytestmark = pytest.mark.attack
_UNUSED_ROWS = itertools.count(6001)
SEED = int(os.environ.get("DBDYNO_ATTACK_SEED", "16"))
ENGINE = "mariadb:11.8"
LONGEST_S = 400
DISK_BYTES = 3 << 30
STUDY = """
targets = ["TARGET"]
workload = WORKLOAD
axes = {tier = "64MB", concurrency = [1, 2], route = "ROUTE"}
PACING
measure = {warm_up = "1s", window = "4s", settle = "1s", repeats = 1, equivalence_events = 0, after_run = "recover"}
timeouts = {path = "3s", check = "120s"}
"""
PACING = "pacing = {rate_per_s = 50}"
ROWS = '{name = "oltp_read_write", tables = 1, rows = 5000}'
CHECKED = '{name = "linkbench", maxid1 = 2001}'
"""Its tables can be asked whether they are consistent, so there is a phase for that."""
SERVER = """
[servers.far]
host = "HOST"
port = 3306
user = "far"
password_file = "PASSWORD_FILE"
tls = "off"
"""


@dataclass(frozen=True)
class Moment:
    """Where in a study something happens: an event of the lab, and a little later.

    Parameters
    ----------
    spoils : nothing of what is under way there can be right afterwards
    """

    event: str
    phase: str = ""
    later_s: float = 0.0
    spoils: bool = False

    def __str__(self) -> str:
        return f"{self.phase or self.event}-{self.later_s:g}s"

    @property
    def workload(self) -> str:
        return CHECKED if self.phase in ("verify", "recover") else ROWS


LOADED = (
    Moment("RunPhaseEntered", "load", 0.5),
    Moment("SecondMeasured", "warm-up", spoils=True),
    Moment("SecondMeasured", "window", spoils=True),
    Moment("SecondMeasured", "window", 1.5, spoils=True),
)
PREPARING = (Moment("FillStarted"), Moment("FillStarted", later_s=1.0), Moment("FillAdvanced"))
OWN = (
    *PREPARING,
    Moment("RunPhaseEntered", "restore", 0.3),
    Moment("RunPhaseEntered", "settle"),
    *LOADED,
    Moment("RunPhaseEntered", "verify"),
    Moment("RunPhaseEntered", "verify", 0.1),
    Moment("RunPhaseEntered", "recover"),
    Moment("RunPhaseEntered", "recover", 0.7),
    Moment("RunPhaseEntered", "stop"),
)
"""Of a server that the study starts."""
FAR = (
    *PREPARING,
    Moment("RunPhaseEntered", "settle"),
    *LOADED,
    Moment("RunPhaseEntered", "verify"),
    Moment("RunPhaseEntered", "verify", 0.1),
    Moment("RunPhaseEntered", "stop"),
)
"""Of one on another host, which is neither started nor stopped."""


@pytest.fixture(scope="module")
def home() -> Iterator[Home]:
    """Filled by the first trial that needs it."""
    yield from new_home()


@dataclass
class Trial:
    """A study to which something happens."""

    study: Path
    results: Path
    home: Home
    launcher: tuple[str, ...] = ()

    def disturbed(self, moment: Moment, disturb: Callable[[DrivenStudy], None]) -> dict[str, Any]:
        """Run it, disturb it, and give its end."""
        with driven(self.study, self.results, self.home, launcher=self.launcher) as study:
            if not study.until(moment.event, moment.phase):
                raise AssertionError(f"the study ended before {moment}: {study.end}, {self.told(dict(study.end))}")
            time.sleep(moment.later_s)
            disturb(study)
            began = time.monotonic()
            end = study.to_its_end()
            assert time.monotonic() - began < LONGEST_S, study.events[-5:]
        assert end, f"it ended without a word: {study.events[-5:]}"
        assert not end.get("interrupted"), end
        return dict(end)

    def told(self, end: dict[str, Any]) -> list[str]:
        """All that is said of faults: of runs, of the study, of a target."""
        results = Results.open(self.results)
        records = results.records()
        failed = [f"{record.fault}: {record.reason}" for record in records if record.status == "failed"]
        ended = [c.text for record in records for c in record.caveats if c.code == "ending-failed"]
        noted = [str(entry.facts.get("reason", "")) for entry in results.journal() if "failed" in entry.event]
        return [*failed, *ended, *filter(None, noted), *filter(None, [str(end.get("error") or "")])]

    def judged(self, end: dict[str, Any], moment: Moment, names: str) -> list[str]:
        """What was spoilt is named; where nothing was, the study is complete."""
        told = self.told(end)
        if moment.spoils:
            assert told, f"nobody says what happened at {moment}: {end}"
        if told:
            assert all(re.search(names, words) for words in told), (str(moment), told)
        else:
            assert end.get("complete"), (str(moment), end)
        if not end.get("error"):
            assert set(Results.open(self.results).run_ids()) == self.planned(), "the study did not go on"
        assert left_servers(self.home) == []
        return told

    def planned(self) -> set[str]:
        return {run.run_id for run in make_plan(parse_study(self.study.read_text(), "small.toml")).runs}

    def resumed(self) -> None:
        """The same command makes what is missing or failed; then all is there and nothing is left."""
        with driven(self.study, self.results, self.home, retry=True, launcher=self.launcher) as study:
            assert study.to_its_end().get("complete"), study.end
        results = Results.open(self.results)
        assert set(results.run_ids()) == self.planned()
        assert {record.status for record in results.records()} <= {"good", "suspect"}
        assert results.verify() == ()
        assert left_servers(self.home) == []


def study_file(
    folder: Path, moment: Moment, target: str = ENGINE, route: str = "loopback", more: str = "", pacing: str = PACING
) -> Path:
    text = STUDY.replace("TARGET", target).replace("WORKLOAD", moment.workload).replace("ROUTE", route)
    text = text.replace("PACING", pacing)
    if moment in PREPARING:  # it has to be filled, so no other trial has as many rows, nor the same when run again
        text = text.replace("rows = 5000", f"rows = {next(_UNUSED_ROWS)}")
    file = folder / "study.toml"
    file.write_text(text + more)
    return file


def draw(fault: str, moments: tuple[Moment, ...]) -> list[tuple[int, Moment]]:
    """Each moment once, in an order drawn by seed, before one comes again."""
    chance, drawn = random.Random(f"{SEED} {fault}"), list[Moment]()
    while len(drawn) < ROUNDS:
        drawn += chance.sample(moments, len(moments))
    return list(enumerate(drawn[:ROUNDS]))


def process_trial(folder: Path, home: Home, number: int, moment: Moment, signal_number: signal.Signals) -> None:
    trial = Trial(study_file(folder, moment), folder / "r", home)
    victim = GENERATOR if moment.spoils and number % 3 == 2 else SERVERS

    def disturb(study: DrivenStudy) -> None:
        pid = study.child(victim, 2.0)
        with contextlib.suppress(ProcessLookupError):
            if pid is not None:
                os.kill(pid, signal_number)

    end = trial.disturbed(moment, disturb)
    if signal_number == signal.SIGSTOP:
        trial.judged(end, moment, r"process stopped \(T\)|did not (stop|end)")
    else:
        trial.judged(end, moment, r"signal 9|SIGKILL|exit code -9|has ended|died|killed|did not (stop|end)")
    trial.resumed()


@pytest.mark.parametrize(("number", "moment"), draw("stop", OWN), ids=str)
def test_a_process_that_is_stopped_is_named_and_the_study_goes_on(
    number: int, moment: Moment, tmp_path: Path, home: Home
) -> None:
    process_trial(tmp_path, home, number, moment, signal.SIGSTOP)


@pytest.mark.parametrize(("number", "moment"), draw("kill", OWN), ids=str)
def test_a_process_that_is_killed_is_named_and_the_study_goes_on(
    number: int, moment: Moment, tmp_path: Path, home: Home
) -> None:
    process_trial(tmp_path, home, number, moment, signal.SIGKILL)


@pytest.fixture
def far(laboratory: Any) -> Iterator[FarServer]:
    with far_server(laboratory.installation(ENGINE), laboratory.data_directory(ENGINE), longest_s=1800) as far:
        yield far


@pytest.mark.parametrize(("number", "moment"), draw("cut", FAR), ids=str)
def test_a_cable_that_is_cut_is_named_and_the_study_goes_on_or_stops(
    number: int, moment: Moment, tmp_path: Path, home: Home, far: FarServer
) -> None:
    server = SERVER.replace("HOST", far.host.address).replace("PASSWORD_FILE", str(far.password_file))
    file = study_file(tmp_path, moment, "mariadb@server:far", more=server)
    file.write_text(file.read_text().replace(', after_run = "recover"', ""))
    trial = Trial(file, tmp_path / "r", home, tuple(far.client.command()))
    lasts_s = random.Random(f"{SEED} cut {number}").choice([5.0, 9.0, 40.0])
    mending = threading.Timer(lasts_s, far.host.mend)

    def disturb(_: DrivenStudy) -> None:
        far.host.cut()
        mending.start()

    end = trial.disturbed(moment, disturb)
    mending.join()
    told = trial.judged(
        end, moment, r"network|path|no connection|reach|resolver|nobody|answered nothing|timed out|gone"
    )
    if moment.spoils:
        assert any(words.startswith("network: network: ") for words in told), told
    trial.resumed()


@pytest.mark.parametrize(("number", "moment"), draw("full", OWN), ids=str)
def test_a_full_disk_is_named_and_the_study_goes_on_or_stops(
    number: int, moment: Moment, tmp_path: Path, home: Home
) -> None:
    """Of the servers' data, or of the results."""
    with small_disk(DISK_BYTES) as disk:
        folder = disk.place / "home"
        folder.mkdir(mode=0o755)
        holds_data = number % 3 < 2
        there = ApartHome(home.root, folder) if holds_data else home
        file = study_file(tmp_path, moment, pacing="")  # as much as it can, so that its files grow
        trial = Trial(file, tmp_path / "r" if holds_data else disk.place / "r", there)
        end = trial.disturbed(moment, lambda _: disk.fill())
        disk.free()
        trial.judged(end, Moment(moment.event, moment.phase), r"(?i)disk.*full|no space|Errcode: 28|errno 28|is full")
        trial.resumed()
