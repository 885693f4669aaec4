"""Memory limits of servers on another host: its user makes the groups, and a kill there is told with its reason."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pymysql
import pytest

from dbdyno.core import Home, HostError, parse_engine_name
from dbdyno.hosts import LocalHost
from dbdyno.provision import provision
from dbdyno.store import StoredStudy
from network_host import processes_in
from remote_hosts import RemoteMachine, comes_true, load_is_driven, remote_machines
from server.test_remote_study import ENGINE, assert_nothing_is_left, start, write_study

pytestmark = pytest.mark.server
_MIB = 1 << 20
_BENCH = 4242
_NUMBERS = itertools.count()


def _delegated_group(machine: RemoteMachine) -> Path:
    """A group that belongs to the host's user, and that the host's sshd and so all of its logins live in."""
    host = LocalHost()
    try:
        group = host.make_memory_group(f"login-{os.getpid()}-{next(_NUMBERS)}", 1 << 40)
    except HostError as error:
        pytest.skip(str(error))
    if group.version == 2:  # no group that has processes may have bounded children
        host.remove_memory_group(group.folder)
        pytest.skip("the controller of version 2 wants logins in a group of their own, as systemd makes it")
    for path in (group.folder, group.folder / "cgroup.procs"):
        shutil.chown(path, _BENCH, _BENCH)
    for pid in processes_in(machine.init):
        with contextlib.suppress(HostError):  # one that ended meanwhile
            group.add(pid, host.files)
    return group.folder


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[RemoteMachine]:
    """A host, once the engine is here."""
    provision(parse_engine_name(ENGINE), LocalHost(), Home.of_user())
    folder = tmp_path / "hosts"
    folder.mkdir()
    with remote_machines(folder, "db1") as (made,):
        yield made


@pytest.fixture
def delegated(machine: RemoteMachine) -> Iterator[Path]:
    """The group that the host's user may make groups in."""
    folder = _delegated_group(machine)
    yield folder
    machine.power_off()
    assert comes_true(lambda: not _processes_below(folder), 10)
    for group in (*_groups(folder), "."):
        LocalHost().remove_memory_group(folder / group)


def _processes_below(folder: Path) -> list[str]:
    return [pid for path in folder.rglob("cgroup.procs") for pid in path.read_text().split()]


def _groups(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.is_dir()]


def _limited_study(folder: Path, machine: RemoteMachine, limit: str, window: int) -> Path:
    study = write_study(folder, machine, ("loopback",), window=window, is_single=True)
    study.write_text(f'{study.read_text()}[limits]\nmemory = "{limit}"\n')
    return study


def _server_of(machine: RemoteMachine) -> int:
    return next(pid for pid, words in machine.processes().items() if "mariadbd" in words)


def _fill_memory(machine: RemoteMachine) -> None:
    """Set variables of one connection: memory that can't be given back."""
    listeners = Path(f"/proc/{_server_of(machine)}/net/unix").read_text().split()
    (path,) = {word for word in listeners if word.endswith("s.sock")}
    folder = os.open(f"/proc/{machine.init}/root{Path(path).parent}", os.O_PATH)  # the whole path may be too long
    (file,) = (machine.home / ".cache/dbdyno/snapshots").glob("*/data.credentials")
    admin = json.loads(file.read_text())["admin"]
    with (
        contextlib.suppress(pymysql.MySQLError),
        pymysql.connect(unix_socket=f"/proc/self/fd/{folder}/s.sock", user="root", password=admin) as connection,
        connection.cursor() as cursor,
    ):
        for number in range(60):
            cursor.execute(f"SET @heap{number} = REPEAT('x', 15 << 20)")
    os.close(folder)


def test_a_server_of_the_host_is_held_to_its_memory_and_killed_at_its_limit(
    machine: RemoteMachine, delegated: Path, tmp_path: Path
) -> None:
    study, output = _limited_study(tmp_path, machine, "tier + 300MB", 40), tmp_path / "out"
    process = start(machine, "run", str(study), "--force", "-o", str(output))
    assert comes_true(lambda: load_is_driven(machine, "loopback") or process.poll() is not None, 120)
    (name,) = _groups(delegated)
    assert str(_server_of(machine)) in (delegated / name / "cgroup.procs").read_text().split()
    assert int((delegated / name / "memory.limit_in_bytes").read_text()) == 364 * _MIB
    # A dbdyno of before 29 November 2026 that starts on this machine takes an empty group of a host for an orphan.
    with subprocess.Popen(["sleep", "8"]) as holder:
        (delegated / name / "cgroup.procs").write_text(str(holder.pid))
        _fill_memory(machine)
    told = process.communicate(timeout=60)
    assert process.returncode == 1, told
    stored = StoredStudy.open(output)
    (record,) = stored.records()
    assert (record.status, record.fault) == ("failed", "oom-limit"), record.reason
    assert " 364 MiB" in record.reason
    life = stored.document(record.run.run_id, "life")
    assert life["memory"]["oom_kills"] >= 1, life
    assert _groups(delegated) == []
    assert_nothing_is_left(machine)
    study = _limited_study(tmp_path, machine, "tier + 300MB", 2)
    process = start(machine, "run", str(study), "--force", "--fresh", "-o", str(output))
    told = process.communicate(timeout=120)
    assert process.returncode == 0, told
    stored = StoredStudy.open(output)
    (record,) = stored.records()
    memory = stored.document(record.run.run_id, "life")["memory"]
    assert (memory["limit_bytes"], memory["oom_kills"]) == (364 * _MIB, 0)
    metrics = {row["metric"] for row in stored.telemetry(record.run.run_id).rows()}
    assert {"server.limit.used", "server.limit.page_cache", "server.limit.anonymous"} <= metrics
    assert _groups(delegated) == []


def test_a_user_who_may_make_no_group_there_is_told_so_before_anything_is_copied(
    machine: RemoteMachine, tmp_path: Path
) -> None:
    study = _limited_study(tmp_path, machine, "tier + 300MB", 2)
    process = start(machine, "run", str(study), "--force", "-o", str(tmp_path / "out"))
    told = process.communicate(timeout=60)[1]
    assert process.returncode == 3, told
    assert "[limits]" in told and "docs/guides/memory-limit.md" in told and "db1" in told
    assert not list((machine.home / ".cache/dbdyno/engines").glob("*"))
    assert_nothing_is_left(machine)
