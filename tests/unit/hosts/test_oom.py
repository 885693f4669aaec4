"""Kills for lack of memory: told by the counters of the group that bounds a process, on paper."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from dbdyno.hosts import Completed, Host, LocalHost, OomWatch

PID = 7
LINE = "[1.0] Out of memory: Killed process 7 (mysqld) total-vm:1kB"


def paper_machine(folder: Path, kernel_log: str | None = None) -> tuple[Host, Path, Path]:
    """A host whose process lives in a bounded group of version 2, its /proc, and that group."""
    group, proc = folder / "cgroup" / "bounded", folder / "proc"
    for place in (group, proc / "self", proc / str(PID)):
        place.mkdir(parents=True)
    (proc / "self" / "mountinfo").write_text(f"30 24 0:26 / {folder / 'cgroup'} rw - cgroup2 cgroup2 rw\n")
    (proc / str(PID) / "cgroup").write_text("0::/bounded/server")
    (proc / "vmstat").write_text("oom_kill 0\n")
    (group / "server").mkdir()
    (group / "memory.max").write_text("1000\n")
    (group / "server" / "memory.max").write_text("max\n")
    count(group, 0, 0)
    answer = Completed((), 1, "", "") if kernel_log is None else Completed((), 0, kernel_log, "")
    host = SimpleNamespace(files=LocalHost().files, run=lambda *_, **__: answer)
    return cast("Host", host), proc, group


def count(group: Path, limits: int, kills: int) -> None:
    (group / "memory.events").write_text(f"low 0\nmax 9\noom {limits}\noom_kill {kills}\n")
    (group / "server" / "memory.events").write_text(f"low 0\nmax 0\noom 0\noom_kill {kills}\n")


@pytest.mark.parametrize("limits", [0, 1])
def test_a_kill_at_the_limit_is_told_from_one_of_the_machine(tmp_path: Path, limits: int) -> None:
    host, proc, group = paper_machine(tmp_path)
    watch = OomWatch.begin(host, PID, proc)
    count(group, limits, 1)
    (proc / "vmstat").write_text("oom_kill 1\n")
    signs = watch.signs(proc)
    assert (signs.in_group, signs.at_limit, signs.on_host, signs.log_readable) == (1, limits, 1, False)


@pytest.mark.parametrize(("peak", "at_limit"), [(995, 1), (600, 0)])
def test_version_1_tells_by_the_peak(tmp_path: Path, peak: int, at_limit: int) -> None:
    host, proc, group = paper_machine(tmp_path)
    own = group / "server"
    (own / "memory.events").unlink()
    (own / "memory.limit_in_bytes").write_text("1000\n")
    (own / "memory.max_usage_in_bytes").write_text("10\n")
    (own / "memory.oom_control").write_text("oom_kill_disable 0\nunder_oom 0\noom_kill 0\n")
    watch = OomWatch.begin(host, PID, proc)
    (own / "memory.max_usage_in_bytes").write_text(f"{peak}\n")
    (own / "memory.oom_control").write_text("oom_kill_disable 0\nunder_oom 0\noom_kill 1\n")
    signs = watch.signs(proc)
    assert (signs.in_group, signs.at_limit) == (1, at_limit)


def test_the_kernels_line_on_the_process_is_kept(tmp_path: Path) -> None:
    host, proc, _ = paper_machine(tmp_path, f"[0.5] boot\n{LINE}\n")
    assert OomWatch.begin(host, PID, proc).signs(proc).line == LINE


def test_a_group_that_is_gone_tells_nothing(tmp_path: Path) -> None:
    host, proc, group = paper_machine(tmp_path)
    watch = OomWatch.begin(host, PID, proc)
    for file in (group / "memory.events", group / "server" / "memory.events"):
        file.unlink()
    signs = watch.signs(proc)
    assert (signs.in_group, signs.at_limit) == (None, None)
