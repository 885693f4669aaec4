"""Real servers are profiled by perf: their functions add up to the kernel's account, and the study stays as it was."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from dbdyno.cli import main
from dbdyno.hosts import LocalHost, read_profiler

OBSTACLE = " ".join(filter(None, read_profiler(LocalHost()).obstacle()))
pytestmark = [pytest.mark.server, pytest.mark.skipif(bool(OBSTACLE), reason=OBSTACLE)]
STUDY = """
name = "pair"
targets = ["mariadb:11.8", "mysql:9.7"]
[workload]
name = "sysbench/oltp_read_write"
tables = 1
rows = 5000
[axes]
tier = "64MB"
concurrency = 4
[measure]
warm_up = "1s"
window = "4s"
repeats = 1
equivalence_events = 0
"""


@pytest.fixture
def results(tmp_path: Path, laboratory: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    for engine in ("mariadb:11.8", "mysql:9.7"):
        laboratory.installation(engine)
    monkeypatch.setenv("DBDYNO_HOME", str(laboratory.home.root))
    (tmp_path / "pair.toml").write_text(STUDY)
    folder = tmp_path / "results"
    assert main(["run", str(tmp_path / "pair.toml"), "-o", str(folder), "--quiet", "--no-calibrate", "--force"]) == 0
    return folder


def _digests(folder: Path) -> dict[Path, str]:
    files = [path for path in folder.rglob("*") if path.is_file() and "deep" not in path.parts]
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in files if not path.name.startswith(".")}


def test_both_servers_are_profiled_and_the_study_stays(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = _digests(results)
    capsys.readouterr()
    asked = ["explain", str(results), "--deep", "--window", "5s", "--quiet", "--force", "--format", "json"]
    assert main(asked) == 0
    deep = json.loads(capsys.readouterr().out)["deep"]
    assert deep["left"]["samples"] > 50 and deep["right"]["samples"] > 50
    assert deep["left"]["missing"] == deep["right"]["missing"] == {}
    on_cpu = {each["name"]: each for each in deep["on_cpu"]["functions"]}
    for side in ("left", "right"):
        sessions = on_cpu["dispatch_command"][f"{side}_total_ms"]
        assert 0 < sessions < deep["on_cpu"][f"{side}_ms"], "a function of both servers, with its callees"
        assert sum(each[f"{side}_ms"] for each in on_cpu.values()) == pytest.approx(deep["on_cpu"][f"{side}_ms"])
        assert deep["on_cpu"][f"{side}_ms"] == pytest.approx(deep[f"{side}_counted_ms"], rel=0.25)
        assert deep[side]["cut_off"] < 0.3 * deep[side]["samples"], "both builds keep frame pointers"
    assert _digests(results) == before
    assert main(["show", str(results), "--verify"]) == 0
