"""What a process runs under, read from a folder shaped like /proc."""

from __future__ import annotations

import os
from pathlib import Path

from dbdyno.hosts import process_facts


def test_this_process_has_limits_and_an_allocator() -> None:
    facts = process_facts(os.getpid())
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
    assert process_facts(7, tmp_path / "proc", tmp_path / "cgroup") == {
        "allocator": "tcmalloc", "numa_policy": "interleave", "cgroup": {"memory.max": "1073741824"}
    }  # fmt: skip


def test_a_process_that_is_gone_has_no_facts(tmp_path: Path) -> None:
    assert process_facts(7, tmp_path) == {}
