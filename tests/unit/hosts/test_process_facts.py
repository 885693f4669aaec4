"""What a process runs under: limits, allocator, and libraries that its engine did not bring."""

from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path

from dbdyno.hosts import LocalHost, ProcessWatch, mapped_libraries, process_facts
from each_moment import acted_at

FILES = LocalHost().files


def test_this_process_has_limits_and_an_allocator() -> None:
    facts = process_facts(FILES, os.getpid())
    assert "Max open files" in facts["proc_limits"]
    assert facts["allocator"] in ("libc", "jemalloc", "tcmalloc", "mimalloc")


def test_allocator_policy_and_group_are_told_by_their_files(tmp_path: Path) -> None:
    folder, group = tmp_path / "proc" / "7", tmp_path / "cgroup" / "bench"
    folder.mkdir(parents=True)
    group.mkdir(parents=True)
    (folder / "maps").write_text("7f00-7f01 r-xp 0 00:00 1 /usr/lib/libtcmalloc_minimal.so.4\n")
    (folder / "numa_maps").write_text("7f00 interleave:0-1 anon=3\n")
    (folder / "cgroup").write_text("0::/bench\n")
    (group / "memory.max").write_text("1073741824\n")
    assert process_facts(FILES, 7, tmp_path / "proc", tmp_path / "cgroup") == {
        "allocator": "tcmalloc", "numa_policy": "interleave", "cgroup": {"memory.max": "1073741824"}
    }  # fmt: skip


def test_a_process_that_is_gone_has_no_facts(tmp_path: Path) -> None:
    assert process_facts(FILES, 7, tmp_path) == {}


MAPS = """\
7f00-7f01 r-xp 00000000 08:01 11 /opt/engine/lib/mysqld
7f01-7f02 r-xp 00000000 08:01 12 /plug ins/libtidesdb.so.9
7f02-7f03 r--p 00001000 08:01 12 /plug ins/libtidesdb.so.9
7f03-7f04 r-xp 00000000 08:01 13 /lib/libold.so (deleted)
7f04-7f05 r--p 00000000 08:01 14 /data/ibdata1
7f05-7f06 r-xp 00000000 08:01 15 /lib/libgone.so
7ffd-7ffe r-xp 00000000 00:00 0  [vdso]
"""


def test_libraries_outside_the_servers_own_files_are_listed_with_their_digests(tmp_path: Path) -> None:
    folder = tmp_path / "7"
    (folder / "root/plug ins").mkdir(parents=True)
    (folder / "maps").write_text(MAPS)
    (folder / "root/plug ins/libtidesdb.so.9").write_bytes(b"the engine")
    gone, old, engine = mapped_libraries(FILES, 7, [Path("/opt/engine")], tmp_path)
    assert gone == {"path": "/lib/libgone.so", "lacks": os.strerror(errno.ENOENT)}
    assert (old["path"], set(old)) == ("/lib/libold.so", {"path", "lacks"})
    assert engine == {"path": "/plug ins/libtidesdb.so.9", "sha256": hashlib.sha256(b"the engine").hexdigest()}


def test_files_of_an_installation_behind_a_link_are_its_own(tmp_path: Path) -> None:
    (tmp_path / "7").mkdir()
    (tmp_path / "disk").mkdir()
    (tmp_path / "engines").symlink_to(tmp_path / "disk")
    (tmp_path / "7/maps").write_text(f"7f00-7f01 r-xp 0 00:00 1 {tmp_path.resolve()}/disk/lib/libc.so.6\n")
    assert mapped_libraries(FILES, 7, [tmp_path / "engines"], tmp_path) == []


def test_a_rebuilt_library_has_another_digest(tmp_path: Path) -> None:
    folder = tmp_path / "7"
    (folder / "root/plug ins").mkdir(parents=True)
    (folder / "maps").write_text(MAPS.splitlines()[1])
    digests = []
    for content in (b"one", b"another"):
        (folder / "root/plug ins/libtidesdb.so.9").write_bytes(content)
        digests += [library["sha256"] for library in mapped_libraries(FILES, 7, [], tmp_path)]
    assert digests == [hashlib.sha256(content).hexdigest() for content in (b"one", b"another")]


def test_this_process_maps_its_c_library_and_a_hidden_one_shows_nothing(tmp_path: Path) -> None:
    found = {Path(library["path"]).name: library for library in mapped_libraries(FILES, os.getpid(), [])}
    assert len(found["libc.so.6"]["sha256"]) == 64
    assert mapped_libraries(FILES, 7, [], tmp_path) == []


def test_another_thread_may_note_an_answer_at_any_moment_of_a_look() -> None:
    stopped = b"7 (mysqld) T 0 0 0 0 0 0 0 0 3 0 250 50 0 0 0 0 0 0 4711"
    moment, has_more = 0, True
    while has_more:
        moment += 1
        watch = ProcessWatch(lambda _: stopped, 7, 4711)
        has_more = acted_at(moment, watch.note_answer, watch.verdict)
    assert moment > 1
