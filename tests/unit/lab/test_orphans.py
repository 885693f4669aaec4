"""What is removed after a kill, and above all what is not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from dbdyno.core import Home, HostError
from dbdyno.hosts import LocalHost
from dbdyno.hosts._process import start_ticks_of
from dbdyno.lab import RunningServer, clean_up, find_orphans, living_studies
from dbdyno.lab._orphans import left_groups, remove_orphans
from dbdyno.lab._session import OWNER, Session, boot_name, own_name
from dbdyno.populate import kept_snapshots

HOST = LocalHost()
PREFIX = f"dbdyno-{os.geteuid()}-"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.run.mkdir(parents=True)
    return home


@pytest.fixture
def private_root(tmp_path: Path) -> Path:
    (tmp_path / "tmp").mkdir()
    return tmp_path / "tmp"


def dead_session(home: Home) -> Path:
    """The folder of a process that has ended."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    folder = home.run / f"{ended.pid}-1-{boot_name(HOST)}"
    (folder / "s1" / "data").mkdir(parents=True)
    return folder


def clean(home: Home, private_root: Path) -> tuple[str, ...]:
    return remove_orphans(home, HOST, Session.own(home, HOST), private_root)


def test_a_private_folder_that_another_study_removes_meanwhile_stops_no_cleaning(
    home: Home, private_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = dead_session(home)
    monkeypatch.setattr("dbdyno.lab._orphans._own_private_folders", lambda host, root: [private_root / f"{PREFIX}gone"])
    assert any(session.name in line for line in clean(home, private_root))
    assert not session.exists()


def test_what_others_remove_while_it_is_listed_is_left_out(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def is_seen_last(path: Path, host: LocalHost) -> bool:
        shutil.rmtree(path)
        return True

    dead_session(home)
    monkeypatch.setattr("dbdyno.lab._orphans.is_own_folder", is_seen_last)
    assert find_orphans(home, HOST).folders == ()

    def remove_snapshot(folder: Path, host: LocalHost) -> None:
        shutil.rmtree(folder)
        raise FileNotFoundError

    (home.snapshots / "ab12").mkdir(parents=True)
    monkeypatch.setattr("dbdyno.populate._kept_snapshots.read_facts", remove_snapshot)
    assert kept_snapshots(home, HOST) == ()


@pytest.fixture
def server_of() -> Iterator[list[subprocess.Popen[bytes]]]:
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for process in started:
        process.kill()
        process.wait()
        if process.stderr is not None:
            process.stderr.close()


def start_with(option_file: Path, started: list[subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    waits = "import signal; signal.pause()"
    process = subprocess.Popen([sys.executable, "-c", waits, f"--defaults-file={option_file}"])
    started.append(process)
    until = time.monotonic() + 10
    while not Path(f"/proc/{process.pid}/cmdline").read_bytes() and time.monotonic() < until:
        time.sleep(0.001)  # the kernel shows the words of a program a little after it has been begun
    return process


def note_of(server: subprocess.Popen[bytes], folder: Path, start_ticks: int | None = None) -> None:
    """The note that a start writes."""
    note = {
        "pid": server.pid,
        "start_ticks": start_ticks_of(server.pid) if start_ticks is None else start_ticks,
        "boot_id": HOST.facts().boot_id,
        "private_directory": "/nowhere",
        "engine": "mariadb 11.8.6",
    }
    (folder / "server.json").write_text(json.dumps(note))


def find_own_parent() -> str:
    """The name of a living session that is not this one."""
    return f"{os.getppid()}-{start_ticks_of(os.getppid())}-{boot_name(HOST)}"


def test_the_folder_of_a_dead_session_goes(home: Home, private_root: Path) -> None:
    folder = dead_session(home)
    (report,) = clean(home, private_root)
    assert report.endswith(f" {folder.name}/s1")
    assert not folder.exists()


def test_the_folder_of_a_living_session_stays(
    home: Home, private_root: Path, server_of: list[subprocess.Popen[bytes]]
) -> None:
    other = start_with(Path("/nowhere/my.cnf"), server_of)
    stat = Path(f"/proc/{other.pid}/stat").read_text()
    ticks = stat[stat.rindex(")") + 2 :].split()[19]
    folder = home.run / f"{other.pid}-{ticks}-{boot_name(HOST)}" / "s1"
    folder.mkdir(parents=True)
    assert clean(home, private_root) == ()
    assert folder.exists()


def test_a_pid_that_was_given_to_another_process_does_not_keep_a_folder(home: Home, private_root: Path) -> None:
    folder = home.run / f"{os.getppid()}-1-{boot_name(HOST)}"
    folder.mkdir()
    clean(home, private_root)
    assert not folder.exists()


def test_a_session_of_an_earlier_boot_is_dead(home: Home) -> None:
    own = Session.own(home, HOST)
    assert own.is_alive()
    assert not replace(own, boot="00000000").is_alive()


def session_of_another_machine(home: Home) -> Session:
    """A session whose process can't be seen here, as on a machine or in a container that shares the folder."""
    folder = home.run / "4321-998877-deadbeef"
    (folder / "s1" / "data").mkdir(parents=True)
    session = Session.of_folder(folder, HOST)
    assert session is not None
    return session


def test_the_folder_of_another_machines_study_stays_as_long_as_its_lock_is_held(home: Home, private_root: Path) -> None:
    other = session_of_another_machine(home)
    with other.hold():
        assert clean(home, private_root) == ()
        assert find_orphans(home, HOST).folders == ()
        assert living_studies(home, HOST) == (other.pid,)
    assert other.folder.exists()
    assert living_studies(home, HOST) == ()
    (report,) = clean(home, private_root)
    assert report.endswith(f" {other.folder.name}/s1")
    assert list(home.run.iterdir()) == []


def test_a_folder_of_another_boot_without_a_lock_file_may_be_another_machines_and_stays(
    home: Home, private_root: Path
) -> None:
    other = session_of_another_machine(home)
    assert clean(home, private_root) == ()
    assert other.folder.exists()


def test_a_session_of_this_boot_whose_process_cannot_be_seen_lives_while_its_lock_is_held(
    home: Home, private_root: Path
) -> None:
    session = Session.of_folder(dead_session(home), HOST)
    assert session is not None
    with session.hold():
        assert clean(home, private_root) == ()
    assert session.folder.exists()
    assert clean(home, private_root) != ()


def test_a_killed_process_drops_its_lock(
    home: Home, private_root: Path, server_of: list[subprocess.Popen[bytes]]
) -> None:
    holds = (
        "import pathlib, sys, time; from dbdyno.hosts import LocalHost; from dbdyno.lab._session import Session\n"
        "session = Session.of_folder(pathlib.Path(sys.argv[1]), LocalHost())\n"
        "with session.hold(): print(flush=True); time.sleep(60)"
    )
    folder = home.run / "4321-998877-deadbeef"
    process = subprocess.Popen([sys.executable, "-c", holds, str(folder)], stdout=subprocess.PIPE)
    server_of.append(process)
    assert process.stdout is not None
    process.stdout.readline()
    assert living_studies(home, HOST) == (4321,)
    process.kill()
    process.wait()
    process.stdout.close()
    assert living_studies(home, HOST) == ()
    clean(home, private_root)
    assert list(home.run.iterdir()) == []


def test_a_server_left_running_is_killed_with_its_private_folder(
    home: Home, private_root: Path, server_of: list[subprocess.Popen[bytes]]
) -> None:
    folder = dead_session(home)
    private = private_root / f"{PREFIX}abc"
    private.mkdir()
    option_file = folder / "s1" / "my.cnf"
    option_file.write_text(f"[mysqld]\ndatadir = {folder}/s1/data\nsocket = {private}/s/s.sock\n")
    server = start_with(option_file, server_of)
    lines = clean(home, private_root)
    assert lines[0].endswith(f", process {server.pid}")
    assert server.wait(10) == -9
    assert not private.exists()


def test_a_server_that_was_being_initialised_is_killed_too(
    home: Home, private_root: Path, server_of: list[subprocess.Popen[bytes]]
) -> None:
    folder = dead_session(home)
    option_file = private_root / f"{PREFIX}xyz" / "t" / "my.cnf"
    option_file.parent.mkdir(parents=True)
    option_file.write_text(f'[mysqld]\ndatadir = "{folder}/s1/data"\n')
    server = start_with(option_file, server_of)
    clean(home, private_root)
    assert server.wait(10) == -9
    assert not (private_root / f"{PREFIX}xyz").exists()


def test_only_the_noted_process_is_killed_and_a_folder_that_somebody_uses_stays(
    home: Home, private_root: Path, server_of: list[subprocess.Popen[bytes]]
) -> None:
    """Somebody looks at the data of a killed study with a server of their own, by the option file that lay there."""
    folder = dead_session(home)
    option_file = folder / "s1" / "my.cnf"
    option_file.write_text(f"[mysqld]\ndatadir = {folder}/s1/data\n")
    noted, theirs = start_with(option_file, server_of), start_with(option_file, server_of)
    note_of(noted, folder / "s1")
    lines = clean(home, private_root)
    assert lines[0].endswith(f", process {noted.pid}")
    assert noted.wait(10) == -9
    assert theirs.poll() is None
    assert str(theirs.pid) in lines[1]
    assert folder.exists()


def test_a_noted_pid_that_another_process_bears_now_is_not_killed(
    home: Home, private_root: Path, tmp_path: Path, server_of: list[subprocess.Popen[bytes]]
) -> None:
    folder = dead_session(home)
    other = start_with(tmp_path / "theirs.cnf", server_of)
    note_of(other, folder / "s1", start_ticks=1)
    clean(home, private_root)
    assert other.poll() is None
    assert not folder.exists()


def test_what_is_left_is_listed_and_not_touched(
    home: Home, private_root: Path, server_of: list[subprocess.Popen[bytes]]
) -> None:
    folder = dead_session(home)
    option_file = folder / "s1" / "my.cnf"
    option_file.write_text(f"[mysqld]\ndatadir = {folder}/s1/data\n")
    (folder / "s1" / "data" / "ibdata1").write_bytes(b"x" * 100_000)
    server = start_with(option_file, server_of)
    note_of(server, folder / "s1")
    remains = find_orphans(home, HOST)
    (found,) = [running for running in remains.servers if running.home == home.root]
    assert (found.pid, found.engine, found.study_pid) == (server.pid, "mariadb 11.8.6", None)
    assert found.memory_bytes > 0
    assert [left.folder for left in remains.folders] == [folder / "s1"]
    assert remains.folders[0].disk_bytes >= 100_000
    assert server.poll() is None
    assert clean_up(home, HOST, private_root)
    assert find_orphans(home, HOST).folders == ()


def test_a_living_studys_server_is_in_use(home: Home, server_of: list[subprocess.Popen[bytes]]) -> None:
    parent = find_own_parent()
    folder = home.run / parent / "s1"
    folder.mkdir(parents=True)
    option_file = folder / "my.cnf"
    option_file.write_text(f"[mysqld]\ndatadir = {folder}/data\n")
    server = start_with(option_file, server_of)
    (found,) = [running for running in find_orphans(home, HOST).servers if running.pid == server.pid]
    assert found.study_pid == os.getppid()


def test_a_server_of_a_container_is_not_called_left_over(
    home: Home, tmp_path: Path, server_of: list[subprocess.Popen[bytes]]
) -> None:
    """Its study has a pid and files that this machine does not have, whether it has ended or not."""
    other_home = tmp_path / "in-the-container"
    option_file = other_home / f"run/17-4711-{boot_name(HOST)}" / "s1/my.cnf"
    words = ["unshare", "--pid", "--fork", "--kill-child", sys.executable, "-c", "import time; time.sleep(60)"]
    server_of.append(subprocess.Popen([*words, f"--defaults-file={option_file}"], stderr=subprocess.PIPE))
    deadline = time.monotonic() + 10
    found: list[RunningServer] = []
    while not found and server_of[-1].poll() is None and time.monotonic() < deadline:
        servers = [running for running in find_orphans(home, HOST).servers if running.home == other_home]
        found = [running for running in servers if running.is_contained]
    if not found:
        assert server_of[-1].stderr is not None and server_of[-1].poll() is not None
        pytest.skip(server_of[-1].stderr.read().decode())
    assert found[0].study_pid is None and "container" in str(found[0])
    option_file.parent.mkdir(parents=True)  # a folder that is here belongs to a study of this machine
    servers = [running for running in find_orphans(home, HOST).servers if running.home == other_home]
    assert not any(running.is_contained for running in servers)


def test_memory_groups_of_dead_sessions_go(home: Home, private_root: Path) -> None:
    dead, own = dead_session(home).name, own_name(HOST)
    try:
        living = HOST.make_memory_group(f"{find_own_parent()}-s1-test", 64 << 20)
    except HostError as error:
        pytest.skip(str(error))
    try:
        said: set[str] = set()
        for number in range(10):  # a study that starts elsewhere on the machine removes them as well, perhaps first
            group = HOST.make_memory_group(f"{dead}-s{number}-test", 64 << 20)
            lines = clean(home, private_root)
            assert not group.folder.exists()
            assert living.folder.exists()
            assert own not in "".join(lines)
            said |= {f"removed the memory group dbdyno-{dead}-s{number}-test"} & set(lines)
            if said:
                break
        assert said
    finally:
        HOST.remove_memory_group(living.folder)


def test_a_memory_group_of_another_host_is_left_alone(home: Home) -> None:
    try:
        group = HOST.make_memory_group("12345-678-0ther801-s1-test", 64 << 20)
    except HostError as error:
        pytest.skip(str(error))
    try:
        assert group.folder not in left_groups(home, HOST, Session.own(home, HOST))
    finally:
        HOST.remove_memory_group(group.folder)


def test_servers_of_others_are_left_alone(
    home: Home, private_root: Path, tmp_path: Path, server_of: list[subprocess.Popen[bytes]]
) -> None:
    dead_session(home)
    option_file = tmp_path / "theirs.cnf"
    option_file.write_text("[mysqld]\ndatadir = /var/lib/mysql\n")
    server = start_with(option_file, server_of)
    clean(home, private_root)
    assert server.poll() is None


def test_private_folders_go_only_when_idle_for_long(home: Home, private_root: Path) -> None:
    fresh, old, foreign = (private_root / name for name in (f"{PREFIX}new", f"{PREFIX}old", "dbdyno-99999-old"))
    for folder in (fresh, old, foreign):
        folder.mkdir()
    for folder in (old, foreign):
        os.utime(folder, (1, 1))
    assert clean(home, private_root) == (f"removed {old}",)
    assert fresh.exists()
    assert foreign.exists()


def test_each_server_gets_a_folder_of_its_own(home: Home) -> None:
    session = Session.own(home, HOST)
    first, second = session.new_directory(), session.new_directory()
    assert (first.name, second.name) == ("s1", "s2")
    HOST.remove_tree(first)
    assert session.new_directory().name == "s1"


def test_a_home_that_lies_in_a_private_folder_is_not_removed_with_it(private_root: Path) -> None:
    home = Home(private_root / f"{PREFIX}home")
    folder = dead_session(home)
    (folder / "s1" / "my.cnf").write_text(f"[mysqld]\ndatadir = {folder}/s1/data\n")
    os.utime(home.root, (1, 1))
    clean(home, private_root)
    assert home.run.exists()
    assert not folder.exists()


def test_passwords_go_with_the_study_that_laid_them_down_and_not_before(home: Home, private_root: Path) -> None:
    living, killed = private_root / f"{PREFIX}living", private_root / f"{PREFIX}killed"
    for folder, owner in ((living, own_name(HOST)), (killed, dead_session(home).name)):
        folder.mkdir()
        (folder / OWNER).write_text(owner)
    os.utime(living, (1, 1))
    clean(home, private_root)
    assert living.exists()
    assert not killed.exists()
