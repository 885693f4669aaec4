"""A planted cause is altered away on a real server: the time comes back, and the study's results stay as they were."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from dbdyno.cli import main

pytestmark = pytest.mark.server
STUDY = """
name = "slow flushes"
[[target]]
name = "plain"
engine = "mysql:9.7"
[[target]]
name = "slow"
engine = "mysql:9.7"
flush_delay = "5ms"
[workload]
name = "sysbench/oltp_update_non_index"
tables = 1
rows = 5000
[axes]
tier = "64MB"
concurrency = 4
[pacing]
rate_per_s = 100
[measure]
warm_up = "1s"
window = "3s"
repeats = 2
equivalence_events = 0
"""


@pytest.fixture
def results(tmp_path: Path, laboratory: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    laboratory.installation("mysql:9.7")
    monkeypatch.setenv("DBDYNO_HOME", str(laboratory.home.root))
    (tmp_path / "slow.toml").write_text(STUDY)
    folder = tmp_path / "results"
    assert main(["run", str(tmp_path / "slow.toml"), "-o", str(folder), "--quiet", "--no-calibrate", "--force"]) == 0
    return folder


def _explained(folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> Any:
    capsys.readouterr()
    assert main(["explain", str(folder), "--format", "json", *more]) == 0
    return json.loads(capsys.readouterr().out)


def _digests(folder: Path) -> dict[Path, str]:
    files = [path for path in folder.rglob("*") if path.is_file() and "proofs" not in path.parts]
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in files if not path.name.startswith(".")}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="flushes are delayed by a preloaded library")
def test_a_planted_cause_is_proved_and_the_study_stays(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = _digests(results)
    asked = ("--prove", "durability-relaxed", "--quiet", "--force")
    (proof,) = _explained(results, capsys, *asked)["proofs"]
    assert proof["control"]["target"] == "slow"
    assert proof["predicted"]["ms"] < -3
    assert proof["observed"]["ms"] < -3
    assert proof["verdict"] == "proved"
    (journal,) = results.glob("proofs/*/journal.jsonl")
    events = {json.loads(line)["event"] for line in journal.read_text().splitlines()}
    assert "servers-audited" not in events, "what an experiment alters is no unfairness"
    assert _digests(results) == before
    assert _explained(results, capsys)["proofs"] == [proof]
    assert main(["show", str(results), "--verify"]) == 0
    assert main(["explain", str(results), "--prove", "binary-log-off"]) == 2  # it is off already
