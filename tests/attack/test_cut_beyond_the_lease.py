"""The cable of a server's host is cut for longer than the lease of its agent, in each phase of a study.

The host empties itself while nobody reaches it, the study ends with a reason, and once the cable is mended the same
command comes to all cells, none of them half and none with a second of silence. In CI the lease lasts seconds.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from remote_study import ENGINE, PHASES, RemoteTrial, assert_whole, left_on, write_study
from rounds import MINUTES

from dbdyno.core import Home, parse_engine_name
from dbdyno.hosts import LocalHost
from dbdyno.provision import provision
from remote_hosts import RemoteMachine, comes_true, remote_machines

pytestmark = pytest.mark.attack
AT_ONCE = 3
"""Studies that drive loads at the same time."""
IS_SHORT = MINUTES < 45
LEASE_S = 8 if IS_SHORT else 300
WITH_SHORT_LEASE = (
    f"from dbdyno.hosts.remote import connect; connect.__kwdefaults__['lease_s'] = {LEASE_S}; " if IS_SHORT else ""
)
CUT_S = 24 if IS_SHORT else 400
LEASE_ENDS_S = LEASE_S + (12 if IS_SHORT else 30)
"""After it the host must be empty: a load on the host is given some seconds to end."""


CHOSEN = ["window"] if IS_SHORT else list(PHASES)


@pytest.fixture
def trials(tmp_path: Path) -> Iterator[list[RemoteTrial]]:
    """A study on an empty host for each phase; they run at the same time, as most of it is waiting."""
    provision(parse_engine_name(ENGINE), LocalHost(), Home.of_user())
    (tmp_path / "hosts").mkdir()
    with remote_machines(tmp_path / "hosts", *CHOSEN) as machines:
        made = []
        for phase, machine in zip(CHOSEN, machines, strict=True):
            folder = tmp_path / phase
            folder.mkdir()
            write_study(folder, machine)
            made.append(RemoteTrial(phase, machine, folder, WITH_SHORT_LEASE, _mounts(machine)))
        try:
            yield made
        finally:
            for trial in made:
                trial.process.kill()
                trial.process.wait()


def test_a_cut_beyond_the_lease_costs_no_cell_and_leaves_an_empty_host(trials: list[RemoteTrial]) -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(_cut_in_phase, trials))
    for trial in trials:
        _assert_ended(trial)
    for trial in trials:
        time.sleep(max(0.0, trial.cut_at + CUT_S - time.monotonic()))
        trial.machine.mend()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(_resume, trials))


def _cut_in_phase(trial: RemoteTrial) -> None:
    trial.start()
    PHASES[trial.phase](trial)
    trial.machine.cut()
    trial.cut_at = time.monotonic()


def _assert_ended(trial: RemoteTrial) -> None:
    """Hold that the study has ended with the host's name, and that the host is empty, while the cable is cut."""
    trial.process.wait(timeout=120)
    assert trial.process.returncode == 3, trial.said()
    assert trial.machine.destination in trial.said()
    rest_s = trial.cut_at + LEASE_ENDS_S - time.monotonic()
    assert comes_true(lambda: not left_on(trial.machine), max(rest_s, 1.0)), (trial.phase, left_on(trial.machine))
    assert _mounts(trial.machine) == trial.mounts, trial.phase


def _mounts(machine: RemoteMachine) -> tuple[str, ...]:
    """Return the mounts below the host's homes; others are of this machine, where other tests mount and unmount."""
    lines = Path(f"/proc/{machine.init}/mounts").read_text().splitlines()
    return tuple(line for line in lines if line.split()[1].startswith("/home"))


def _resume(trial: RemoteTrial) -> None:
    """Go on by the same command to all cells."""
    trial.start()
    trial.process.wait(timeout=300)
    assert trial.process.returncode == 0, trial.said()
    assert_whole(trial.folder / "out", trial.phase)
    assert comes_true(lambda: not left_on(trial.machine), 10), left_on(trial.machine)
