"""Control groups of bounded memory: where they are made, what is written, and what is said where they can't be."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from dbdyno.core import HostError
from dbdyno.hosts import Host, LocalHost, MemoryGroup, ProcessLimits
from dbdyno.hosts._local_files import LocalFiles
from dbdyno.hosts._memory_group import find_place, make_memory_group, memory_group_of
from dbdyno.measure.telemetry import MemoryLimitSource
from error_codes import raises_code

FILES = LocalHost().files
MIB = 1 << 20
HYBRID = (
    "30 24 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n31 24 0:27 / /sys/fs/cgroup/unified rw - "
    "cgroup2 cgroup2 rw\n"
)


def paper_proc(folder: Path, mount: Path, membership: str) -> Path:
    """A /proc/self of paper, with version 2 mounted at `mount`."""
    proc = folder / "self"
    proc.mkdir()
    (proc / "cgroup").write_text(membership)
    (proc / "mountinfo").write_text(f"30 24 0:26 / {mount} rw - cgroup2 cgroup2 rw\n")
    return proc


@pytest.mark.parametrize(
    ("memberships", "mountinfo", "place"),
    [
        ("4:memory:/a\n0::/", HYBRID, (1, "/sys/fs/cgroup/memory/a")),
        ("0::/a/b.scope", "30 24 0:26 / /c rw - cgroup2 none rw", (2, "/c/a/b.scope")),
        ("4:memory:/docker/7", "30 24 0:26 /docker/7 /c rw - cgroup cgroup rw,memory", (1, "/c")),  # seen from inside
        ("4:cpu:/a", "30 24 0:26 / /c rw - cgroup cgroup rw,cpu", None),
    ],
)
def test_the_own_group_is_found(memberships: str, mountinfo: str, place: tuple[int, str] | None) -> None:
    found = find_place(memberships, mountinfo)
    assert found == (None if place is None else (place[0], Path(place[1])))


def test_version_2_bounds_a_group_beside_the_own_one(tmp_path: Path) -> None:
    mount = tmp_path / "cgroup"
    own = mount / "user.slice" / "own.scope"
    own.mkdir(parents=True)
    (own / "cgroup.type").write_text("domain")
    (own.parent / "cgroup.controllers").write_text("cpu memory pids")
    (own.parent / "cgroup.subtree_control").write_text("memory")
    group = make_memory_group(FILES, "x", 100 * MIB, paper_proc(tmp_path, mount, "0::/user.slice/own.scope"))
    assert group.folder == own.parent / "dbdyno-x"
    assert (group.folder / "memory.max").read_text() == str(100 * MIB)


def test_version_2_without_the_controller_is_refused_by_name(tmp_path: Path) -> None:
    mount = tmp_path / "cgroup"
    own = mount / "own.scope"
    own.mkdir(parents=True)
    (own / "cgroup.type").write_text("domain")
    (mount / "cgroup.controllers").write_text("cpu")
    with raises_code(HostError, "memory-unbounded") as caught:
        make_memory_group(FILES, "x", MIB, paper_proc(tmp_path, mount, "0::/own.scope"))
    assert str(mount) in caught.value.why and caught.value.why.endswith(": cpu")
    assert "systemd-run" in caught.value.remedy


def test_for_another_host_no_command_that_starts_dbdyno_here_is_proposed(tmp_path: Path) -> None:
    class FilesThere(LocalFiles):
        is_remote = True

    mount = tmp_path / "cgroup"
    own = mount / "user.slice" / "session-1.scope"
    own.mkdir(parents=True)
    (own / "cgroup.type").write_text("domain")
    (mount / "user.slice" / "cgroup.controllers").write_text("cpu")
    with raises_code(HostError, "memory-unbounded") as caught:
        make_memory_group(FilesThere(), "x", MIB, paper_proc(tmp_path, mount, "0::/user.slice/session-1.scope"))
    assert "systemd-run" not in caught.value.remedy
    assert "log in as root there" in caught.value.remedy


def test_no_control_groups_at_all_are_refused_by_name(tmp_path: Path) -> None:
    proc = tmp_path / "self"
    proc.mkdir()
    (proc / "cgroup").write_text("")
    (proc / "mountinfo").write_text("")
    with raises_code(HostError, "memory-unbounded"):
        make_memory_group(FILES, "x", MIB, proc)


def test_counters_of_version_2_are_read(tmp_path: Path) -> None:
    files = {
        "memory.stat": "anon 10\nfile 20\nworkingset_refault_file 3\n",
        "memory.events": "low 0\nmax 7\noom_kill 1\n",
        "memory.peak": "99\n",
        "memory.current": "50\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    use = MemoryGroup(tmp_path, 2, 100).use(FILES.read_bytes)
    assert (use.anonymous_bytes, use.page_cache_bytes, use.refaulted_pages) == (10, 20, 3)
    assert (use.limit_hits, use.oom_kills, use.peak_bytes, use.used_bytes) == (7, 1, 99, 50)


@pytest.mark.parametrize(
    ("version", "name", "pages"),
    [
        (2, "workingset_refault", 3),  # before Linux 5.9
        (2, "workingset_refault_anon", None),
        (1, "total_workingset_refault_file", 3),
        (1, "total_workingset_refault", 3),
        (1, "total_pgpgin", None),
    ],
)
def test_pages_read_again_are_unknown_where_the_kernel_does_not_count_them(
    tmp_path: Path, version: int, name: str, pages: int | None
) -> None:
    (tmp_path / "memory.stat").write_text(f"anon 10\n{name} 3\n")
    group = MemoryGroup(tmp_path, version, 100)
    assert group.use(FILES.read_bytes).refaulted_pages == pages
    readings = MemoryLimitSource("server", lambda: group.use(FILES.read_bytes)).read()
    assert ("server.limit.refaulted" in {reading.metric for reading in readings}) == (pages is not None)


@pytest.mark.parametrize("below", ["", "container"])
def test_the_group_that_bounds_somebody_elses_process_is_known_by_its_limit(tmp_path: Path, below: str) -> None:
    """Some runtimes have the processes one group lower than the limit, and the kernel rounds limits down to pages."""
    mount = tmp_path / "cgroup"
    bounded = mount / "system.slice" / "docker-7.scope"
    (bounded / below).mkdir(parents=True)
    (mount / "system.slice" / "memory.max").write_text("max")
    (bounded / "memory.max").write_text(str(100 * MIB))
    proc = paper_proc(tmp_path, mount, "0::/").parent
    (proc / "42").mkdir()
    (proc / "42" / "cgroup").write_text(f"0::/system.slice/docker-7.scope/{below}")
    group = memory_group_of(FILES, 42, 100 * MIB + 17, 4096, proc)
    assert group == MemoryGroup(bounded, 2, 100 * MIB, is_ours=False)
    assert memory_group_of(FILES, 42, 200 * MIB, 4096, proc) is None
    assert memory_group_of(FILES, 43, 100 * MIB, 4096, proc) is None


def test_counters_of_a_group_that_is_gone_are_no_zeros(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        MemoryGroup(tmp_path / "gone", 2, 100).use(FILES.read_bytes)


def test_the_kernel_ends_what_outgrows_its_group(host: Host, tmp_path: Path) -> None:
    try:
        group = host.make_memory_group(f"test-{os.getpid()}", 64 * MIB)
    except HostError as error:
        pytest.skip(str(error))
    try:
        argv = [sys.executable, "-c", "x = bytearray(200 << 20)"]
        process = host.spawn(argv, stdout=None, stderr=tmp_path / "err", limits=ProcessLimits(memory_group=group))
        watch = host.watch_oom(process.pid)
        assert process.wait(60) == -9
        assert group.use(host.files.read_bytes).oom_kills == 1
        assert watch.signs().in_group == 1
    finally:
        host.remove_memory_group(group.folder)
    assert not group.folder.exists()
    host.remove_memory_group(group.folder)  # once more is fine
