"""The cable of a server's host is cut for longer than the lease of its agent, in each phase of a study.

The host empties itself while nobody reaches it, the study ends with a reason, and once the cable is mended the same
command comes to all cells, none of them half and none with a second of silence. In CI the lease lasts seconds.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from remote_study import ENGINE, assert_whole, left_on, start, write_study
from rounds import ROUNDS

from dbdyno.core import Home, parse_engine_name
from dbdyno.hosts import LocalHost
from dbdyno.provision import provision
from network_host import processes_in
from remote_hosts import RemoteMachine, comes_true, load_is_driven, remote_machines

pytestmark = pytest.mark.attack
AT_ONCE = 3
"""Studies that drive loads at the same time."""
IS_SHORT = ROUNDS == 1
LEASE_S = 8 if IS_SHORT else 300
WITH_SHORT_LEASE = (
    f"from dbdyno.hosts.remote import connect; connect.__kwdefaults__['lease_s'] = {LEASE_S}; " if IS_SHORT else ""
)
CUT_S = 24 if IS_SHORT else 400
LEASE_ENDS_S = LEASE_S + (12 if IS_SHORT else 30)
"""After it the host must be empty: a load on the host is given some seconds to end."""


@dataclass
class Trial:
    """A study on a host of its own."""

    phase: str
    machine: RemoteMachine
    folder: Path
    process: subprocess.Popen[bytes]
    mounts: tuple[str, ...] = ()
    cut_at: float = 0.0

    def start(self) -> None:
        """Start the study, or go on with it."""
        words = ("run", str(self.folder / "remote.toml"), "--force", "-o", str(self.folder / "out"))
        self.process = start(self.machine, self.folder, *words, before=WITH_SHORT_LEASE)

    def is_driven(self, route: str) -> bool:
        """Whether the load of this study is driven: several studies share the network of this machine."""
        if route == "loopback":
            return load_is_driven(self.machine, route)
        return any(map(self._drives, processes_in(self.machine.switch.pid)))

    def _drives(self, pid: int) -> bool:
        try:
            parent = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
            return parent == self.process.pid and b"\0run\0--order\0" in Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return False

    def has_server(self) -> bool:
        """Whether a server runs on the host."""
        return any("mariadbd" in words for words in self.machine.processes().values())

    def there(self, pattern: str) -> bool:
        """Whether the host has a file of this form in dbdyno's folder."""
        return any((self.machine.home / ".cache/dbdyno").glob(pattern))

    def told(self) -> str:
        """What was printed last."""
        return f"{self.phase}: {(self.folder / 'log').read_text()[-3000:]}"


def _reach(*conditions: Callable[[Trial], bool]) -> Callable[[Trial], None]:
    """Wait for one condition after the other."""

    def wait(trial: Trial) -> None:
        for condition in conditions:
            is_so = comes_true(lambda condition=condition: condition(trial) or trial.process.poll() is not None, 240)
            assert is_so and trial.process.poll() is None, trial.told()

    return wait


def _is_loaded(route: str) -> Callable[[Trial], bool]:
    return lambda trial: trial.is_driven(route)


def _for(seconds: float) -> Callable[[Trial], bool]:
    def has_passed(trial: Trial) -> bool:
        time.sleep(seconds)
        return True

    return has_passed


PHASES: dict[str, Callable[[Trial], None]] = {
    "push": _reach(lambda trial: trial.there("incoming/*") or trial.there("engines/*")),
    "populate": _reach(Trial.has_server, _for(1)),
    "warm-up": _reach(_is_loaded("loopback"), _for(0.5)),
    "window": _reach(_is_loaded("loopback"), _for(3)),
    "network": _reach(_is_loaded("network"), _for(3)),
    "collect": _reach(_is_loaded("loopback"), lambda trial: not trial.is_driven("loopback")),
}
CHOSEN = ["window"] if IS_SHORT else list(PHASES)


@pytest.fixture
def trials(tmp_path: Path) -> Iterator[list[Trial]]:
    """A study on an empty host for each phase; they run at the same time, as most of it is waiting."""
    provision(parse_engine_name(ENGINE), LocalHost(), Home.of_user())
    (tmp_path / "hosts").mkdir()
    with remote_machines(tmp_path / "hosts", *CHOSEN) as machines:
        made = []
        for phase, machine in zip(CHOSEN, machines, strict=True):
            folder = tmp_path / phase
            folder.mkdir()
            write_study(folder, machine)
            made.append(Trial(phase, machine, folder, subprocess.Popen(["true"]), _mounts(machine)))
        try:
            yield made
        finally:
            for trial in made:
                trial.process.kill()
                trial.process.wait()


def test_a_cut_beyond_the_lease_costs_no_cell_and_leaves_an_empty_host(trials: list[Trial]) -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(_cut_in_phase, trials))
    for trial in trials:
        _assert_ended(trial)
    for trial in trials:
        time.sleep(max(0.0, trial.cut_at + CUT_S - time.monotonic()))
        trial.machine.mend()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(_resume, trials))


def _cut_in_phase(trial: Trial) -> None:
    trial.process.wait()
    trial.start()
    PHASES[trial.phase](trial)
    trial.machine.cut()
    trial.cut_at = time.monotonic()


def _assert_ended(trial: Trial) -> None:
    """Hold that the study has ended with the host's name, and that the host is empty, while the cable is cut."""
    trial.process.wait(timeout=120)
    assert trial.process.returncode == 3, trial.told()
    assert trial.machine.destination in trial.told()
    rest_s = trial.cut_at + LEASE_ENDS_S - time.monotonic()
    assert comes_true(lambda: not left_on(trial.machine), max(rest_s, 1.0)), (trial.phase, left_on(trial.machine))
    assert _mounts(trial.machine) == trial.mounts, trial.phase


def _mounts(machine: RemoteMachine) -> tuple[str, ...]:
    """Return the mounts below the host's homes; others are of this machine, where other tests mount and unmount."""
    lines = Path(f"/proc/{machine.init}/mounts").read_text().splitlines()
    return tuple(line for line in lines if line.split()[1].startswith("/home"))


def _resume(trial: Trial) -> None:
    """Go on by the same command to all cells."""
    trial.start()
    trial.process.wait(timeout=300)
    assert trial.process.returncode == 0, trial.told()
    assert_whole(trial.folder / "out", trial.phase)
    assert comes_true(lambda: not left_on(trial.machine), 10), left_on(trial.machine)
