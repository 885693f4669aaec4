"""A remote host that is cut off, frozen or switched off, and a lab that is killed, at any moment of a study.

Whatever the moment, the same command then leads to the same cells, every good run is whole, silence is never a stall,
and the host is empty after `dbdyno clean --host`.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rounds import ROUNDS

from dbdyno.core import Home, parse_engine_name
from dbdyno.hosts import LocalHost
from dbdyno.provision import provision
from dbdyno.store import StoredStudy
from network_host import inside
from remote_hosts import RemoteMachine, comes_true, remote_machines

pytestmark = pytest.mark.attack
ENGINE = "mariadb:11.8"
WINDOW_S = 4
TRIALS = 1 if ROUNDS == 1 else 5
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
        with _start(machine, folder, "run", str(_study(folder, machine)), "-o", str(folder / "out")) as process:
            assert process.wait(300) == 0, (folder / "log").read_text()
        return time.monotonic() - began


def _study(folder: Path, machine: RemoteMachine) -> Path:
    path = folder / "remote.toml"
    path.write_text(f'{STUDY}ssh = "{machine.destination}"\naddress = "{machine.address}"\n')
    return path


def _start(machine: RemoteMachine, folder: Path, *words: str) -> subprocess.Popen[bytes]:
    argv = [*inside(machine.switch), sys.executable, "-c", _MAIN, *words]
    env = {**os.environ, "DBDYNO_NO_CALIBRATION": "1"}
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env)


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
    study, output, log = _study(tmp_path, machine), tmp_path / "out", tmp_path / "log"
    words = ("run", str(study), "--force", "-o", str(output))
    process = _start(machine, tmp_path, *words)
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
        process = _start(machine, tmp_path, *words)
        process.wait(300)
    assert process.returncode == 0, f"{fault} after {at_s:.1f} s: {log.read_text()[-3000:]}"
    _assert_whole(output, f"{fault} after {at_s:.1f} s")
    assert comes_true(lambda: _is_cleaned(machine, tmp_path), 90), machine.processes()


def _assert_whole(output: Path, what: str) -> None:
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


def _is_cleaned(machine: RemoteMachine, folder: Path) -> bool:
    with _start(machine, folder, "clean", "--host", machine.destination, "--remove") as process:
        process.wait(60)
    home = machine.home / ".cache/dbdyno"

    def is_empty() -> bool:
        left = [path for name in ("run", "agents") for path in (home / name).glob("*")]
        return not machine.processes() and not left

    return process.returncode == 0 and comes_true(is_empty, 5)  # the command's own agent ends after it
