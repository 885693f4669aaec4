"""A study whose server is on a host reached by SSH, on two routes, and its phases."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from dbdyno.store import StoredStudy
from network_host import inside, processes_in
from remote_hosts import RemoteMachine, comes_true, load_is_driven

ENGINE = "mariadb:11.8"
WINDOW_S = 4
_MAIN = "import sys; from dbdyno.cli import main; sys.exit(main(sys.argv[1:]))"
STUDY = f"""\
name = "remote"
targets = ["{ENGINE}"]
[workload]
name = "sysbench/oltp_read_write"
tables = 1
table_size = 20000
[axes]
tier = "64MB"
concurrency = 2
route = ["loopback", "network"]
[pacing]
rate_per_s = 50
[measure]
warm_up = "1s"
window = "{WINDOW_S}s"
repeats = 1
equivalence_events = 20
[timeouts]
path = "3s"
[bench.a]
server = "db1"
[hosts.db1]
ports = "21000-21009"
"""


def write_study(folder: Path, machine: RemoteMachine) -> Path:
    """Write the study with the machine as its server's host."""
    path = folder / "remote.toml"
    path.write_text(f'{STUDY}ssh = "{machine.destination}"\naddress = "{machine.address}"\n')
    return path


def start(machine: RemoteMachine, folder: Path, *words: str, before: str = "") -> subprocess.Popen[bytes]:
    """Start the program on the network of the machine; what it prints is appended to a log in the folder."""
    argv = [*inside(machine.switch), sys.executable, "-c", before + _MAIN, *words]
    env = {**os.environ, "DBDYNO_NO_CALIBRATION": "1"}
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env)


def assert_whole(output: Path, what: str) -> None:
    """Hold that all cells are good and whole, without a silent second."""
    stored = StoredStudy.open(output)
    records = stored.records()
    assert sorted(record.run.cell.route for record in records) == ["loopback", "network"], what
    assert {record.status for record in records} == {"good"}, [(record.fault, record.reason) for record in records]
    for record in records:
        seconds = stored.seconds(record.run.run_id)
        assert len(seconds) == 1 + WINDOW_S, what  # warm-up and window
        caveats = {caveat.code for caveat in record.caveats}
        # Server and clients of a host that is cut off go on; a run whose host stood still is made again.
        silent = [row for row in seconds.rows() if row["tps"] == 0]
        assert not silent, (what, record.run.run_id, caveats, len(silent))


def is_cleaned(machine: RemoteMachine, folder: Path) -> bool:
    """Have what is left on the host removed, and return whether nothing is left."""
    with start(machine, folder, "clean", "--host", machine.destination, "--remove") as process:
        process.wait(60)
    return process.returncode == 0 and comes_true(lambda: not left_on(machine), 5)  # its own agent ends after it


def left_on(machine: RemoteMachine) -> list[str]:
    """Return processes, folders of runs and of sessions, and temporary folders on the host."""
    home = machine.home / ".cache/dbdyno"
    folders = [path for name in ("run", "agents") for path in (home / name).glob("*")]
    # The lock file of a session whose folder was removed after it is the next study's to remove.
    folders = [path for path in folders if path.suffix != ".lock"]
    folders += Path(f"/proc/{machine.init}/root/tmp").glob("dbdyno-*")
    return [*machine.processes().values(), *map(str, folders)]


@dataclass
class RemoteTrial:
    """A study on a host of its own, and the phase in which something happens to it.

    Attributes
    ----------
    before : Python statements that the program runs first
    """

    phase: str
    machine: RemoteMachine
    folder: Path
    before: str = ""
    mounts: tuple[str, ...] = ()
    cut_at: float = 0.0
    process: subprocess.Popen[bytes] = field(default_factory=lambda: subprocess.Popen(["true"]))

    def start(self) -> None:
        """Start the study, or go on with it."""
        words = ("run", str(self.folder / "remote.toml"), "--force", "-o", str(self.folder / "out"))
        self.process.wait()
        self.process = start(self.machine, self.folder, *words, before=self.before)

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

    def has_file(self, pattern: str) -> bool:
        """Whether the host has a file of this form in dbdyno's folder."""
        return any((self.machine.home / ".cache/dbdyno").glob(pattern))

    def said(self) -> str:
        """What was printed last."""
        return f"{self.phase}: {(self.folder / 'log').read_text()[-3000:]}"


def _reach(*conditions: Callable[[RemoteTrial], bool]) -> Callable[[RemoteTrial], None]:
    """Wait for one condition after the other."""

    def wait(trial: RemoteTrial) -> None:
        for condition in conditions:
            is_so = comes_true(lambda condition=condition: condition(trial) or trial.process.poll() is not None, 240)
            assert is_so and trial.process.poll() is None, trial.said()

    return wait


def _is_loaded(route: str) -> Callable[[RemoteTrial], bool]:
    return lambda trial: trial.is_driven(route)


def _for(seconds: float) -> Callable[[RemoteTrial], bool]:
    def has_passed(trial: RemoteTrial) -> bool:
        time.sleep(seconds)
        return True

    return has_passed


PHASES: dict[str, Callable[[RemoteTrial], None]] = {
    "push": _reach(lambda trial: trial.has_file("incoming/*") or trial.has_file("engines/*")),
    "populate": _reach(RemoteTrial.has_server, _for(1)),
    "warm-up": _reach(_is_loaded("loopback"), _for(0.5)),
    "window": _reach(_is_loaded("loopback"), _for(3)),
    "network": _reach(_is_loaded("network"), _for(3)),
    "collect": _reach(_is_loaded("loopback"), lambda trial: not trial.is_driven("loopback")),
}
"""How a study comes to each of its phases."""
