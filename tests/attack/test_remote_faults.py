"""A remote host that is cut off, frozen or switched off, and a lab that is killed, at any moment of a study.

Whatever the moment, the same command then leads to the same cells, every good run is whole, silence is never a stall,
and the host is empty after `dbdyno clean --host`.
"""

from __future__ import annotations

import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from remote_study import ENGINE, assert_whole, is_cleaned, start, write_study
from rounds import ROUNDS

from dbdyno.core import Home, parse_engine_name
from dbdyno.hosts import LocalHost
from dbdyno.provision import provision
from remote_hosts import RemoteMachine, comes_true, remote_machines

pytestmark = pytest.mark.attack
TRIALS = 1 if ROUNDS == 1 else 5
Deed = Callable[[RemoteMachine, subprocess.Popen[bytes]], None]


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


@pytest.fixture(scope="module")
def undisturbed_s(tmp_path_factory: pytest.TempPathFactory) -> float:
    """How long the study takes from nothing: the engine pushed, rows filled, all runs."""
    folder = tmp_path_factory.mktemp("clean")
    (folder / "hosts").mkdir()
    with remote_machines(folder / "hosts", "db1") as (machine,):
        began = time.monotonic()
        with start(machine, folder, "run", str(write_study(folder, machine)), "-o", str(folder / "out")) as process:
            assert process.wait(300) == 0, (folder / "log").read_text()
        return time.monotonic() - began


def _cut_for(seconds: float) -> Deed:
    def deed(machine: RemoteMachine, process: subprocess.Popen[bytes]) -> None:
        machine.cut()
        time.sleep(seconds)
        machine.mend()

    return deed


def _frozen(machine: RemoteMachine, process: subprocess.Popen[bytes]) -> None:
    machine.freeze()
    time.sleep(8)
    machine.thaw()


def _switched_off(machine: RemoteMachine, process: subprocess.Popen[bytes]) -> None:
    machine.power_off()
    time.sleep(2)
    machine.boot()


def _killed(machine: RemoteMachine, process: subprocess.Popen[bytes]) -> None:
    process.kill()


FAULTS: dict[str, Deed] = {
    "cut-3": _cut_for(3),
    "cut-30": _cut_for(30),
    "freeze": _frozen,
    "power-off": _switched_off,
    "kill-lab": _killed,
}
# In CI one fault of each kind that ends a study: of the network, of the host, of the lab.
CHOSEN = list(FAULTS) if ROUNDS > 1 else ["cut-30", "power-off", "kill-lab"]


@pytest.mark.parametrize("trial", range(TRIALS))
@pytest.mark.parametrize("fault", CHOSEN)
def test_a_fault_at_any_moment_costs_no_cell_and_leaves_nothing(
    fault: str, trial: int, machine: RemoteMachine, undisturbed_s: float, tmp_path: Path
) -> None:
    draw = random.Random(f"{fault} {trial} {ROUNDS}")
    at_s = draw.uniform(0.02, 0.95) * undisturbed_s
    study, output, log = write_study(tmp_path, machine), tmp_path / "out", tmp_path / "log"
    words = ("run", str(study), "--force", "-o", str(output))
    process = start(machine, tmp_path, *words)
    time.sleep(at_s)
    FAULTS[fault](machine, process)
    try:
        process.wait(300)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGABRT)
        raise AssertionError(f"{fault} after {at_s:.1f} s: hangs; {log.read_text()[-3000:]}") from None
    for _ in range(3):
        if process.returncode == 0:
            break
        process = start(machine, tmp_path, *words)
        process.wait(300)
    assert process.returncode == 0, f"{fault} after {at_s:.1f} s: {log.read_text()[-3000:]}"
    assert_whole(output, f"{fault} after {at_s:.1f} s")
    assert comes_true(lambda: is_cleaned(machine, tmp_path), 90), machine.processes()
