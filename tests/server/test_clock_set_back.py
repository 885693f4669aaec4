"""A clock that is set back in the middle of a run: a study in a process of its own, with a server and a load."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from running_study import PROGRAM, RunningStudy
from set_clock import HAS_COMPILER, SetClock

pytestmark = [pytest.mark.server, pytest.mark.skipif(not HAS_COMPILER, reason="no C compiler")]
HOUR_S = 3600
LONGEST_RUN_NS = 120 * 10**9


def records(results: Path) -> list[Mapping[str, Any]]:
    found = [json.loads(path.read_text()) for path in results.glob("runs/*/record.json")]
    return sorted(found, key=lambda record: record["run"]["order_index"] if "run" in record else record["started_ns"])


def test_a_clock_set_back_in_a_window_turns_no_run_around_and_is_told(laboratory: Any, tmp_path: Path) -> None:
    clock = SetClock.make(laboratory.folder())
    study = RunningStudy.start(tmp_path, cells=1, environ=clock.environ())
    try:
        study.wait_for_second()
        clock.move(-HOUR_S)
        assert study.end(90) == 0, study.said()
    finally:
        study.popen.kill()
    (record,) = records(study.folder)
    assert record["status"] == "good"
    assert 0 < record["ended_ns"] - record["started_ns"] < LONGEST_RUN_NS
    (caveat,) = [caveat for caveat in record["caveats"] if caveat["code"] == "clock-jump"]
    assert " 3600.0 s" in caveat["text"]
    shown = subprocess.run([*PROGRAM, "show", str(study.folder)], capture_output=True, text=True, check=True)
    assert " 3600.0 s" in " ".join(shown.stdout.split())


def test_a_clock_that_nobody_sets_is_not_told_of(laboratory: Any, tmp_path: Path) -> None:
    """The library itself is no reason for the caveat."""
    study = RunningStudy.start(tmp_path, cells=1, environ=SetClock.make(laboratory.folder()).environ())
    assert study.end(120) == 0, study.said()
    (record,) = records(study.folder)
    assert "clock-jump" not in [caveat["code"] for caveat in record["caveats"]]
