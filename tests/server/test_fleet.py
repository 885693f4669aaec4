"""A study on two benches at once, end to end. Hosts are namespaces, see `remote_hosts`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from dbdyno.core import Home, parse_engine_name
from dbdyno.hosts import LocalHost
from dbdyno.plan import make_plan
from dbdyno.provision import provision
from dbdyno.store import FolderCheck, StoredStudy
from dbdyno.study import parse_study
from network_host import inside
from remote_hosts import RemoteMachine, comes_true, load_is_driven, remote_machines

pytestmark = pytest.mark.server
ENGINE = "mariadb:11.8"
_MAIN = "import sys; from dbdyno.cli import main; sys.exit(main(sys.argv[1:]))"
STUDY = f"""\
name = "fleet"
[[target]]
name = "small"
engine = "{ENGINE}"
settings = {{"redo.capacity" = "64MB"}}
[[target]]
name = "large"
engine = "{ENGINE}"
settings = {{"redo.capacity" = "128MB"}}
[workload]
name = "sysbench/oltp_read_write"
tables = 1
table_size = 1000
[axes]
tier = ["48MB", "64MB"]
concurrency = 2
[pacing]
rate_per_s = 50
[measure]
warm_up = "1s"
window = "2s"
repeats = 1
equivalence_events = 0
[timeouts]
path = "2s"
"""
BENCHES = """\
[hosts.db1]
ssh = "bench@db1"
[hosts.db2]
ssh = "bench@db2"
[bench.a]
server = "db1"
[bench.b]
server = "db2"
"""
WITH_THIS_MACHINE = """\
[hosts.db1]
ssh = "bench@db1"
[bench.a]
server = "db1"
[bench.b]
"""


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[RemoteMachine]]:
    """Two hosts, once the engine is here: their network reaches nobody else."""
    with remote_machines(tmp_path_factory.mktemp("hosts"), "db1", "db2") as made:
        provision(parse_engine_name(ENGINE), LocalHost(), Home.of_user())
        yield made


def start(machine: RemoteMachine, folder: Path, *words: str) -> subprocess.Popen[bytes]:
    argv = [*inside(machine.switch), sys.executable, "-c", _MAIN, *words]
    env = {**os.environ, "DBDYNO_NO_CALIBRATION": "1"}
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env)


def run_fleet(
    machine: RemoteMachine, folder: Path, benches: str = BENCHES, sentinel: str = ""
) -> subprocess.Popen[bytes]:
    (folder / "fleet.toml").write_text(STUDY.replace("[timeouts]", f'sentinel = "{sentinel}"\n[timeouts]') + benches)
    return start(machine, folder, "run", str(folder / "fleet.toml"), "--force", "-o", str(folder / "out"))


def whole_study(folder: Path) -> StoredStudy:
    """The results, if they are those of the study, every run once and unaltered."""
    stored = StoredStudy.open(folder / "out", check=FolderCheck(is_full=True))
    alone = make_plan(parse_study(STUDY, "alone.toml"))
    planned = [run for run in stored.planned_runs if not run.is_sentinel]
    assert [run.run_id for run in planned] == [run.run_id for run in alone.runs]
    assert stored.run_ids() == {run.run_id for run in stored.planned_runs}
    records = [record for record in stored.records() if not record.run.is_sentinel]
    assert [(record.run.run_id, record.run.seed) for record in records] == [(r.run_id, r.seed) for r in alone.runs]
    assert [record.status for record in records] == ["good"] * 4, [record.reason for record in records]
    finished = Counter(e.facts["run_id"] for e in stored.journal() if e.event == "run-finished")
    assert set(finished.values()) == {1}
    for tier in stored.study.tiers_bytes:
        assert len({record.bench for record in records if record.run.cell.tier_bytes == tier}) == 1
    assert scratch_folders(folder) == []
    return stored


def scratch_folders(folder: Path) -> list[Path]:
    """What benches have not handed over yet."""
    return list(folder.glob(".out-benches-*"))


def runs_stored(folder: Path) -> int:
    return len(list((folder / "out/runs").glob("[!.]*")))


def test_two_benches_share_a_study(machines: list[RemoteMachine], tmp_path: Path) -> None:
    with run_fleet(machines[0], tmp_path, sentinel="small") as process:
        assert process.wait(180) == 0, (tmp_path / "log").read_text()
    stored = whole_study(tmp_path)
    # Windows of two seconds spread widely: a bench may be set aside by its sentinel.
    assert Counter(record.bench for record in stored.records()).keys() == {"a", "b"}
    assert {name for name in ("small", "large") if stored.engine(name) and stored.dataset(name)} == {"small", "large"}
    assert {name: facts["hostname"] for name, facts in stored.host["benches"].items()} == {"a": "db1", "b": "db2"}
    assert (tmp_path / "out/report.html").exists()
    for machine in machines:
        assert comes_true(lambda machine=machine: not machine.processes(), 10), machine.processes()


def test_a_head_that_is_killed_is_gone_on_with(machines: list[RemoteMachine], tmp_path: Path) -> None:
    with run_fleet(machines[0], tmp_path, WITH_THIS_MACHINE) as process:
        assert comes_true(lambda: runs_stored(tmp_path) >= 1, 60), (tmp_path / "log").read_text()
        process.kill()
        process.wait(30)
    # What drove the benches ends, and takes along what it has there.
    assert comes_true(lambda: not machines[0].processes(), 20), machines[0].processes()
    assert comes_true(lambda: not [left for folder in scratch_folders(tmp_path) for left in folder.iterdir()], 20)
    before = runs_stored(tmp_path)
    assert before < 4
    with run_fleet(machines[0], tmp_path, WITH_THIS_MACHINE) as process:
        assert process.wait(180) == 0, (tmp_path / "log").read_text()
    journal = whole_study(tmp_path).journal()
    assert [e.facts["runs_done"] for e in journal if e.event == "study-started"] == [0, before]


def test_a_bench_without_power_leaves_its_runs_to_the_other(machines: list[RemoteMachine], tmp_path: Path) -> None:
    with run_fleet(machines[0], tmp_path) as process:
        # Under its first run: once it has stored one, the tier of that run is shared with the other bench.
        assert comes_true(lambda: load_is_driven(machines[1], "loopback"), 60), (tmp_path / "log").read_text()
        machines[1].power_off()
        try:
            assert process.wait(180) == 0, (tmp_path / "log").read_text()
        finally:
            machines[1].boot()
    stored = whole_study(tmp_path)
    assert {record.bench for record in stored.records()} == {"a"}
    assert [entry.facts["bench"] for entry in stored.journal() if entry.event == "bench-lost"] == ["b"]
