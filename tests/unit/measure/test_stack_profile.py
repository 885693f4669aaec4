"""Stacks of a server: what perf printed of real ones is folded, waits are shared out, and what can't be had is told."""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import Any

import pytest

from dbdyno.core import FURTHER, SESSIONS, is_unnamed
from dbdyno.hosts import LocalHost
from dbdyno.measure.telemetry import PerfRecording, ProfiledWindow, SessionThreads, ThreadsPlace, stack_profile
from dbdyno.measure.telemetry._perf_script import fold_samples
from dbdyno.measure.telemetry._stack_profile import waiting_stacks

RECORDED = (Path(__file__).parent / "perf_samples.txt").read_text().splitlines()
"""Samples of MySQL 9.7 and MariaDB 11.8 under load, printed by ``perf script`` 6.1."""
HOUR_NS = 3600 * 10**9
ALWAYS = (0, 100_000 * HOUR_NS)
FUNCTIONS = ("fsync", "_Z10do_commandP3THD")
FRAMES = [{"file": "mysqld", "build_id": "b", "address": 1, "function": name} for name in FUNCTIONS]


def test_recorded_samples_are_folded_one_by_one() -> None:
    folded = fold_samples(RECORDED, *ALWAYS)
    heads = [line for line in RECORDED if line.endswith(": ") or line.endswith(":")]
    assert folded.samples == sum(folded.stacks.values()) == len(heads) >= 8
    assert folded.cut_off == 2, "two are within calls of a C library that keeps no frame pointer"
    groups = {stack[0] for stack in folded.stacks}
    assert groups == {SESSIONS, "other threads", "ib_tpool_worker"}
    for stack in folded.stacks:
        assert stack[0] != SESSIONS or stack[1] == "do_command"
        assert not any(one == other and is_unnamed(one) for one, other in itertools.pairwise(stack))
    assert any("log_write_up_to" in stack and stack[-1].endswith("_[k]") for stack in folded.stacks)


def test_samples_outside_the_window_are_left_out() -> None:
    times = sorted(float(line.split()[-1].rstrip(":")) for line in RECORDED if line.rstrip().endswith(":"))
    first_ns, last_ns = (round(times[at] * 1e9) for at in (0, -1))
    assert fold_samples(RECORDED, first_ns, last_ns).samples == len(times) - 1
    assert fold_samples(RECORDED, last_ns + 1, last_ns + 2).samples == 0


def test_a_stack_that_does_not_lead_back_is_counted_as_cut_off() -> None:
    lines = ["worker 7 1.0: ", "\t1f compute (/usr/sbin/mysqld)", "", "worker 7 1.1: ", ""]
    folded = fold_samples(lines, *ALWAYS)
    assert (folded.samples, folded.cut_off) == (2, 2)
    assert folded.stacks == {("worker", "compute"): 1, ("worker",): 1}


def _watched(waits: dict[str, int], stacks: list[dict[str, Any]]) -> SessionThreads:
    second = {"record": "second", "sessions": 2, "on_cpu_ns": 0, "run_queue_ns": 0, "samples": 40, "running": 0}
    threads = SessionThreads(ThreadsPlace(LocalHost(), Path("/none"), 1))
    threads.records = [
        {"record": "start", "connections": 2},
        *({**second, "second": number, "waits": waits, "background": []} for number in range(3)),
        {"record": "end", "pooled": False, "reason": "interrupted", "cpu_ns": 1, "stacks": stacks},
    ]
    return threads


def _stack(samples: int, name: str | None, by_call: str) -> dict[str, Any]:
    return {"samples": samples, "class": name, "class_by_call": by_call, "frames": FRAMES}


def test_waits_of_the_window_are_shared_out_and_add_up_to_each_class() -> None:
    threads = _watched({"client": 20, "redo_flush": 12, "latch": 8}, [_stack(24, "redo_flush", "not_named")])
    found = waiting_stacks(threads, ProfiledWindow(0, 1, 2, 10))
    redo = {stack: us for stack, us in found.items() if stack[1] == "redo flush"}
    assert sum(redo.values()) == round(2 * 12 / 40 * 2 * 1e6)
    assert redo[SESSIONS, "redo flush", "do_command", "fsync"] == pytest.approx(2 / 3 * sum(redo.values()), abs=2)
    assert found[SESSIONS, "latch", FURTHER] == round(2 * 8 / 40 * 2 * 1e6)
    assert not any("client" in stack for stack in found)


def test_what_can_not_be_had_is_told_and_the_rest_is_there(tmp_path: Path) -> None:
    recording = PerfRecording(LocalHost(), tmp_path, os.getpid(), 1.0, failure="no permission")
    profile = stack_profile(recording, None, ProfiledWindow(0, 0, 1, 10))
    missing = profile.facts["missing"]
    assert isinstance(missing, dict)
    assert missing["on_cpu"] == "no permission"
    assert "off_cpu" in missing
    assert not profile.on_cpu and not profile.off_cpu


def test_a_profiler_that_is_not_there_costs_the_profile_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    recording = PerfRecording(LocalHost(), tmp_path, os.getpid(), 1.0)
    recording.start()
    profile = stack_profile(recording, None, ProfiledWindow(0, 0, 1, 10))
    assert recording.failure
    assert profile.facts["samples"] == 0


def test_a_profiler_that_is_refused_tells_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "perf"
    program.write_text("#!/bin/sh\ntrap '' INT\necho 'No permission to enable cpu-clock event.' >&2\nexit 255\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    recording = PerfRecording(LocalHost(), tmp_path, os.getpid(), 1.0)
    recording.start()
    assert recording._process is not None
    recording._process.wait(10.0)  # else it may be interrupted before it has said a word
    profile = stack_profile(recording, None, ProfiledWindow(0, 0, 1, 10))
    assert "No permission" in recording.failure
    assert isinstance(profile.facts["missing"], dict)
    assert "No permission" in profile.facts["missing"]["on_cpu"]
