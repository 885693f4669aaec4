"""Four faults in any phase of a study: server or generator stopped, or killed, the cable cut, the disk full.

Each trial: what the fault spoilt names it, the study goes on or stops with the reason, and the same command comes to
the same final set of runs. Moments are drawn by seed; `DBDYNO_ATTACK_ROUNDS` draws more of each fault. A trial whose
fault struck nothing has failed.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from driven_study import GENERATOR, Child, DrivenStudy
from fault_trial import Trial, is_initialising
from moments import OF_CABLE, OF_DISK, OF_SERVER, TARGETS, Moment, draw, write_study
from rounds import ROUNDS, SEED
from small_disk import SmallDisk, small_disk

from apart_home import ApartHome
from dbdyno.core import Home
from far_server import FarServer, far_server

pytestmark = pytest.mark.attack
Note = Callable[[str, Trial], Trial]
DISK_BYTES = 3 << 30
LONG_CUT_S = 40.0
SERVER = """
[servers.far]
host = "HOST"
port = 3306
user = "far"
password_file = "PASSWORD_FILE"
tls = "off"
"""
STOPPED = r"process stopped \(T\)|did not (stop|end)"
KILLED = r"signal 9|SIGKILL|exit code -9|has ended|died|killed|did not (stop|end)"
LOST = r"network|path|no connection|reach|resolver|nobody|answered nothing|timed out|gone"
FULL = r"(?i)disk.*full|no space|Errcode: 28|errno 28|is full"


def drawn(fault: str, moments: tuple[Moment, ...]) -> list[tuple[int, Moment]]:
    return list(enumerate(draw(fault, moments, ROUNDS)))


def process_trial(trial: Trial, number: int, signal_number: signal.Signals, names: str) -> None:
    wants_generator = trial.moment.has_generator and number % 3 == 2

    def strike(study: DrivenStudy, server: Child | None) -> str:
        victim = study.child(GENERATOR, 2.0) if wants_generator else server
        assert victim is not None, f"there is no process to strike at {trial.moment}"
        assert victim.strike(signal_number), f"the process had ended before it was struck at {trial.moment}"
        return "load generator" if wants_generator else f"server{', initialising' if is_initialising(victim) else ''}"

    trial.run(strike, names)
    trial.resume()


@pytest.mark.parametrize(("number", "moment"), drawn("stop", OF_SERVER), ids=str)
def test_a_process_that_is_stopped_is_named_and_the_study_goes_on(
    number: int, moment: Moment, tmp_path: Path, home: Home, noted: Note
) -> None:
    trial = noted("stop", Trial(write_study(tmp_path, moment), tmp_path / "r", home, moment))
    process_trial(trial, number, signal.SIGSTOP, STOPPED)


@pytest.mark.parametrize(("number", "moment"), drawn("kill", OF_SERVER), ids=str)
def test_a_process_that_is_killed_is_named_and_the_study_goes_on(
    number: int, moment: Moment, tmp_path: Path, home: Home, noted: Note
) -> None:
    trial = noted("kill", Trial(write_study(tmp_path, moment), tmp_path / "r", home, moment))
    process_trial(trial, number, signal.SIGKILL, KILLED)


@pytest.fixture
def far(laboratory: Any) -> Iterator[FarServer]:
    engine = TARGETS[0]
    with far_server(laboratory.installation(engine), laboratory.data_directory(engine), longest_s=1800) as far:
        yield far


@pytest.mark.parametrize(("number", "moment"), drawn("cut", OF_CABLE), ids=str)
def test_a_cable_that_is_cut_is_named_and_the_study_goes_on_or_stops(
    number: int, moment: Moment, tmp_path: Path, home: Home, far: FarServer, noted: Note
) -> None:
    server = SERVER.replace("HOST", far.host.address).replace("PASSWORD_FILE", str(far.password_file))
    file = write_study(tmp_path, moment, ("mariadb@server:far",), server)
    file.write_text(file.read_text().replace(', after_run = "recover"', "").replace(', after_run = "stop"', ""))
    lasts_s = random.Random(f"{SEED} cut {number}").choice([5.0, 9.0, LONG_CUT_S])
    if not moment.has_generator and lasts_s < LONG_CUT_S:
        moment = replace(moment, spoils=False)  # nothing is measured, and a log-in has some seconds
    trial = noted("cut", Trial(file, tmp_path / "r", home, moment, tuple(far.client.command())))
    reached_when_cut = []

    def mend() -> None:
        reached_when_cut.append(can_reach(far))
        far.host.mend()

    mending = threading.Timer(lasts_s, mend)

    def strike(study: DrivenStudy, server: Child | None) -> str:
        far.host.cut()
        mending.start()
        return f"cable for {lasts_s:g} s"

    assert can_reach(far)
    sentences = trial.run(strike, LOST)
    mending.join()
    assert reached_when_cut == [False], "the cable was not cut"
    if moment.has_generator:
        assert any(words.startswith("network: network: ") for words in sentences), sentences
    trial.resume()


def can_reach(far: FarServer) -> bool:
    """Whether a packet goes from the client's host to the server's and back within a second."""
    program = "import socket, sys; socket.create_connection((sys.argv[1], 3306), timeout=0.5).close()"
    argv = far.client.command("python3", "-c", program, far.host.address)
    return subprocess.run(argv, capture_output=True, check=False, timeout=20).returncode == 0


@pytest.mark.parametrize(("number", "moment"), drawn("full", OF_DISK), ids=str)
def test_a_full_disk_is_named_and_the_study_goes_on_or_stops(
    number: int, moment: Moment, tmp_path: Path, home: Home, noted: Note
) -> None:
    """Of the servers' data, or of the results."""
    with small_disk(DISK_BYTES) as disk:
        folder = disk.place / "home"
        folder.mkdir(mode=0o755)
        holds_data = number % 3 < 2
        there = ApartHome(home.root, folder) if holds_data else home
        file = write_study(tmp_path, moment)
        file.write_text(file.read_text().replace("rate_per_s = 50", "rate_per_s = 2000"))  # so that its files grow
        trial = noted("full", Trial(file, tmp_path / "r" if holds_data else disk.place / "r", there, moment))

        def strike(study: DrivenStudy, server: Child | None) -> str:
            disk.fill()
            assert room(disk) == 0
            return f"disk of the {'data' if holds_data else 'results'}"

        trial.run(strike, FULL)
        disk.free()
        trial.resume()


def room(disk: SmallDisk) -> int:
    return os.statvfs(disk.place).f_bavail
