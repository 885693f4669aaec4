"""A study whose servers are on a host reached by SSH: two targets if there is time, over loopback and network."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from rounds import ROUNDS

from dbdyno.store import StoredStudy
from network_host import inside
from remote_hosts import RemoteMachine, comes_true

ENGINE = "mariadb:11.8"
WINDOW_S = 4
_MAIN = "import sys; from dbdyno.cli import main; sys.exit(main(sys.argv[1:]))"
# In CI one target: two runs, and each phase once.
REDO = {"small": "64MB"} if ROUNDS == 1 else {"small": "64MB", "large": "128MB"}
TARGETS = "".join(
    f'[[target]]\nname = "{name}"\nengine = "{ENGINE}"\nsettings = {{"redo.capacity" = "{redo}"}}\n'
    for name, redo in REDO.items()
)
STUDY = f"""\
name = "remote"
{TARGETS}[workload]
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
    cells = {(record.run.cell.target, record.run.cell.route) for record in records if record.status == "good"}
    assert cells == {(target, route) for target in REDO for route in ("loopback", "network")}, what
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
