"""A remote host that is cut off, frozen or switched off, and a program that is killed, in any phase of a study.

Whatever the phase, the same command then leads to the same cells, every good run is whole, silence is never a stall,
and the host is empty after `dbdyno clean --host`. Phases are drawn by seed; `DBDYNO_ATTACK_ROUNDS` draws more of each
fault.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from remote_moments import MOMENTS, WITH_EVENTS, Moment, phase_of, reach, read_events
from remote_study import ENGINE, assert_whole, is_cleaned, left_on, start, write_study
from rounds import ROUNDS, SEED

from dbdyno.core import Home, parse_engine_name
from dbdyno.hosts import LocalHost
from dbdyno.provision import provision
from dbdyno.store import StoredStudy
from network_host import inside, processes_in
from remote_hosts import RemoteMachine, comes_true, remote_machines

pytestmark = pytest.mark.attack
LONGEST_S = 300
FREEZE_S = 8.0
Strike = Callable[[RemoteMachine, subprocess.Popen[bytes]], None]


def _cut_for(seconds: float) -> Strike:
    def strike(machine: RemoteMachine, process: subprocess.Popen[bytes]) -> None:
        machine.cut()
        cut_at = time.monotonic()
        assert not _is_reached(machine), "the cable was not cut"
        time.sleep(max(0.0, cut_at + seconds - time.monotonic()))
        machine.mend()

    return strike


def _is_reached(machine: RemoteMachine) -> bool:
    """Whether its sshd takes a connection within a second."""
    words = ["bash", "-c", f"exec 3<>/dev/tcp/{machine.address}/22"]
    command = [*inside(machine.switch), "timeout", "1", *words]
    return subprocess.run(command, capture_output=True, timeout=20, check=False).returncode == 0


def _freeze(machine: RemoteMachine, process: subprocess.Popen[bytes]) -> None:
    machine.freeze()
    time.sleep(FREEZE_S)
    states = {pid: _state(pid) for pid in processes_in(machine.init)}
    machine.thaw()
    assert len(states) > 2 and set(states.values()) <= {"T", "Z", ""}, states


def _state(pid: int) -> str:
    """State of a process as the kernel has it; empty if it has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def _power_off(machine: RemoteMachine, process: subprocess.Popen[bytes]) -> None:
    first_process = machine.init
    machine.power_off()
    assert comes_true(lambda: _state(first_process) == "", 5), "the host is on"
    time.sleep(2)
    machine.boot()


def _kill_lab(machine: RemoteMachine, process: subprocess.Popen[bytes]) -> None:
    process.kill()
    assert process.wait(10) == -signal.SIGKILL


def _kill(pattern: str) -> Strike:
    """Kill the user's processes on the host whose command line fits."""

    def strike(machine: RemoteMachine, process: subprocess.Popen[bytes]) -> None:
        pids = [pid for pid, words in machine.processes().items() if re.search(pattern, words)]
        assert pids, f"nothing to kill: {machine.processes()}"
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        assert comes_true(lambda: all(_state(pid) in "Z" for pid in pids), 10), pids

    return strike


@dataclass(frozen=True)
class Fault:
    """Describes one kind of fault.

    Parameters
    ----------
    names : what is said where it ends the study or a run
    phases : in which it can strike
    """

    strike: Strike
    names: str = "bench@db1"
    phases: tuple[str, ...] = tuple(MOMENTS)


FAULTS = {
    "cut-3": Fault(_cut_for(3)),
    "cut-30": Fault(_cut_for(30)),
    "freeze": Fault(_freeze),
    "power-off": Fault(_power_off),
    "kill-lab": Fault(_kill_lab),
    "kill-agent": Fault(_kill(r" agent .*--session ")),
    "kill-server": Fault(
        _kill(r"/mariadbd "),
        r"signal 9|SIGKILL|exit code -9",
        # There is a server in each of these; elsewhere it is there for moments only.
        ("populate, rows", "warm-up", "window", "network warm-up", "network window", "collect"),
    ),
}
# In CI one fault of each kind that ends a study: of the network, of the host, of the program there.
CHOSEN = list(FAULTS) if ROUNDS > 1 else ["cut-30", "power-off", "kill-agent"]


def _draw(name: str) -> list[tuple[str, str, int]]:
    """Each phase once, in an order drawn by seed, before one comes again; with the number of the round."""
    chance, drawn = random.Random(f"{SEED} {name}"), list[str]()
    while len(drawn) < ROUNDS:
        drawn += chance.sample(FAULTS[name].phases, len(FAULTS[name].phases))
    return [(name, phase, number) for number, phase in enumerate(drawn[:ROUNDS])]


TRIALS = [trial for draws in zip(*map(_draw, CHOSEN), strict=True) for trial in draws]


@pytest.fixture(scope="module", autouse=True)
def engine() -> None:
    """Here before the hosts are: their network reaches nobody else."""
    provision(parse_engine_name(ENGINE), LocalHost(), Home.of_user())


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[RemoteMachine]:
    """An empty host, so that every trial has every phase."""
    (tmp_path / "hosts").mkdir()
    with remote_machines(tmp_path / "hosts", "db1") as (made,):
        yield made


@dataclass
class Trial:
    """A study to which one thing happens."""

    fault: Fault
    moment: Moment
    machine: RemoteMachine
    folder: Path

    @property
    def output(self) -> Path:
        return self.folder / "out"

    def start(self, before: str = "") -> subprocess.Popen[bytes]:
        """The same command each time; a run that a killed server spoilt is made again only if that is asked for."""
        study = write_study(self.folder, self.machine)
        words = ("run", str(study), "--force", "--retry-failed", "-o", str(self.output))
        return start(self.machine, self.folder, *words, before=before)

    def told(self) -> str:
        """What was printed last."""
        return (self.folder / "log").read_text()[-3000:]

    def struck(self) -> tuple[str, int]:
        """Run the study and have the fault strike; the phase it struck in, and the exit code."""
        events = self.folder / "events"
        process = self.start(WITH_EVENTS.format(path=str(events)))
        reach(self.moment, events, process)
        phase = phase_of(read_events(events))
        self.fault.strike(self.machine, process)
        return phase, self.ended(process)

    def ended(self, process: subprocess.Popen[bytes]) -> int:
        """Wait for a study's end; where it hangs, the trace of its threads is in the log."""
        try:
            return process.wait(LONGEST_S)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGABRT)
            raise AssertionError(f"hangs; {self.told()}") from None

    def assert_named(self, exit_code: int) -> None:
        """Hold that what the fault has ended says so: the study's error, or the reasons of its failed runs."""
        if exit_code == 3:
            assert re.search(self.fault.names, self.told()), self.told()
        if not (self.output / "runs").exists():
            return
        for record in StoredStudy.open(self.output).records():
            assert record.status in ("good", "failed"), record.reason
            if record.status == "failed" and record.fault != "network":
                assert re.search(self.fault.names, record.reason), f"{record.fault}: {record.reason}"


@pytest.mark.parametrize(("name", "phase", "number"), TRIALS)
def test_a_fault_in_any_phase_costs_no_cell_and_leaves_nothing(
    name: str,
    phase: str,
    number: int,
    machine: RemoteMachine,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    trial = Trial(FAULTS[name], MOMENTS[phase], machine, tmp_path)
    struck_in, exit_code = trial.struck()
    record_property("trial", f"{name}|{phase}|{struck_in}|{exit_code}")
    if name == "kill-server" and trial.moment.spoils_runs:
        assert exit_code != 0, f"a server was killed and nothing says so: {trial.told()}"
    if name != "kill-lab":
        trial.assert_named(exit_code)
    commands = 1
    while exit_code != 0 and commands < 4:
        exit_code = trial.ended(trial.start())
        commands += 1
    assert exit_code == 0, f"{struck_in}: {trial.told()}"
    assert_whole(trial.output, f"{name} in {struck_in}")
    left = left_on(machine)
    record_property("end", f"{commands}|{len(left)}")
    assert comes_true(lambda: is_cleaned(machine, tmp_path), 90), machine.processes()
