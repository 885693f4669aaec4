"""Servers that end before their time: each way of dying is told from the others by what only it leaves behind."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pymysql
import pytest

from dbdyno.configure import CrashReport, Server, copy_data_directory
from dbdyno.core import ConfigureError, HostError
from dbdyno.hosts import Host, LocalHost, MemoryGroup
from error_codes import raises_code

pytestmark = pytest.mark.server
Start = Callable[..., Server]
BOTH = pytest.mark.parametrize("engine", ["mariadb:11.8", "mysql:9.7"])
MIB = 1 << 20


def death_of(server: Server, within_s: float = 60) -> CrashReport:
    deadline = time.monotonic() + within_s
    while (death := server.diagnose_exit()) is None and time.monotonic() < deadline:
        time.sleep(0.1)
    assert death is not None, "the server still runs"
    return death


def signal_to(server: Server, name: str) -> None:
    subprocess.run(["kill", f"-{name}", str(server.pid)], check=True)


def needs_memory_groups(host: Host) -> None:
    try:
        group = host.make_memory_group(f"test-{os.getpid()}", 64 * MIB)
    except HostError as error:
        pytest.skip(str(error))
    host.remove_memory_group(group.folder)


@BOTH
def test_a_server_killed_by_somebody_was_not_killed_by_the_kernel(engine: str, start: Start) -> None:
    server = start(engine)
    signal_to(server, "KILL")
    death = death_of(server)
    assert (death.kind, death.exit_code) == ("killed", -9)
    assert "(signal 9)" in death.words


@BOTH
def test_a_server_asked_to_end_by_somebody_was_stopped(engine: str, start: Start) -> None:
    server = start(engine)
    signal_to(server, "TERM")
    death = death_of(server)
    assert death.kind == "stopped"


@BOTH
@pytest.mark.parametrize(("name", "words"), [("SEGV", "segmentation fault"), ("ABRT", "abort")])
def test_a_crash_is_told_with_its_signal_and_stack(engine: str, name: str, words: str, start: Start) -> None:
    server = start(engine)
    signal_to(server, name)
    death = death_of(server)
    assert death.kind == "crashed"
    assert words in death.words
    assert "got signal" in death.excerpt or "got exception" in death.excerpt
    assert "stack" in death.excerpt.lower() or "backtrace" in death.excerpt.lower()


def test_a_failed_assertion_is_quoted(start: Start, laboratory: Any) -> None:
    """A page of the dictionary is overwritten: MySQL checks it, and its check ends in an assertion."""
    data = laboratory.data_directory("mysql:9.7")
    server = start("mysql:9.7", data)
    server.stop()
    with (data / "mysql.ibd").open("r+b") as file:
        for page in range(4, 600):
            file.seek(page * 16384 + 64)
            file.write(b"\xa5" * 8000)
    with raises_code(ConfigureError, "assertion") as caught:
        start("mysql:9.7", data)
    assert "Assertion failure" in caught.value.why


@BOTH
def test_a_server_that_outgrows_its_memory_limit_is_told_from_one_that_was_killed(
    engine: str, start: Start, laboratory: Any
) -> None:
    needs_memory_groups(laboratory.host)
    limit = 600 * MIB
    server = start(engine, memory_limit_bytes=limit)
    group = server.memory_group
    assert group is not None
    assert str(server.pid) in (group.folder / "cgroup.procs").read_text().split()
    # Variables of one connection: memory that can't be given back.
    with contextlib.suppress(pymysql.MySQLError, ConfigureError), server.connect() as load, load.cursor() as cursor:
        for number in range(60):
            cursor.execute(f"SET @heap{number} = REPEAT('x', 15 << 20)")
    death = death_of(server)
    assert death.kind == "oom-limit"
    assert "600 MiB" in death.words
    server.kill()
    assert server.memory_use is not None
    assert server.memory_use.oom_kills >= 1
    assert server.memory_use.peak_bytes is None or server.memory_use.peak_bytes <= limit
    assert not group.folder.exists()


def test_page_cache_counts_against_the_limit(start: Start, laboratory: Any) -> None:
    """What a server reads through the page cache is charged to it, and stays below its limit."""
    needs_memory_groups(laboratory.host)
    server = start("mariadb:11.8", memory_limit_bytes=400 * MIB)
    with server.connect() as load, load.cursor() as cursor:
        cursor.execute("CREATE DATABASE dbdyno_cache")
        cursor.execute("CREATE TABLE dbdyno_cache.t (id INT PRIMARY KEY AUTO_INCREMENT, c LONGBLOB) ENGINE=Aria")
        for _ in range(40):  # 600 MB through buffered writes
            cursor.execute("INSERT INTO dbdyno_cache.t (c) VALUES (REPEAT('y', 15 << 20))")
    use = server.read_memory_use()
    assert use is not None
    assert server.is_alive()
    assert 50 * MIB < use.page_cache_bytes < use.limit_bytes
    assert use.peak_bytes is None or use.peak_bytes >= 0.99 * use.limit_bytes
    assert use.used_bytes <= use.limit_bytes


def test_the_limit_holds_together_with_pinning(start: Start, laboratory: Any) -> None:
    needs_memory_groups(laboratory.host)
    server = start("mariadb:11.8", memory_limit_bytes=500 * MIB, cpus=[0])
    assert server.pid is not None
    assert os.sched_getaffinity(server.pid) == {0}
    assert isinstance(server.memory_group, MemoryGroup)
    folder = server.memory_group.folder
    assert server.stop() < 60
    assert server.stop_ns
    assert not folder.exists()


def test_a_limit_that_is_too_small_to_start_under_says_so(start: Start, laboratory: Any) -> None:
    needs_memory_groups(laboratory.host)
    with raises_code(ConfigureError, "oom-limit", "32 MiB") as caught:
        start("mysql:9.7", memory_limit_bytes=32 * MIB)
    assert "[limits]" in caught.value.remedy


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A file system of its own that is soon full."""
    place = Path(tempfile.mkdtemp(prefix="dbdyno-disk-", dir="/var/tmp"))
    place.chmod(0o755)
    image = place / "image"
    point = place / "disk"
    point.mkdir()
    image.touch()
    os.truncate(image, 420 * MIB)
    made = subprocess.run(["mkfs.ext4", "-q", "-m", "0", image], capture_output=True, check=False)
    mounted = (
        made.returncode == 0
        and not subprocess.run(["mount", "-o", "loop", image, point], capture_output=True, check=False).returncode
    )
    try:
        if not mounted:
            pytest.skip("no file system can be made and mounted here")
        point.chmod(0o755)
        yield point
    finally:
        if mounted:
            subprocess.run(["umount", "-l", point], check=True)
        LocalHost().remove_tree(place)


def test_a_full_disk_is_told_from_a_crash(start: Start, laboratory: Any, small_disk: Path) -> None:
    """It has room for the data that is there, and for nothing that a start makes anew.

    MySQL shrinks its redo log as it starts, which makes room: see test_endings.py for a disk that fills up under it.
    """
    engine = "mariadb:11.8"
    data = small_disk / "data"
    copy_data_directory(laboratory.data_directory(engine), data, laboratory.host)
    (data / "ibtmp1").unlink(missing_ok=True)  # made anew at each start
    LocalHost().remove_tree(data / "#innodb_temp")
    with (small_disk / "ballast").open("wb") as ballast, contextlib.suppress(OSError):
        while True:
            ballast.write(bytes(64 << 10))
            ballast.flush()
    os.sync()
    with raises_code(ConfigureError, "disk-full"):
        start(engine, data, run_directory=laboratory.folder() / "run")
