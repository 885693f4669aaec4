"""The load's connections to servers that dbdyno starts are encrypted where the study says so, alike on all targets.

Where the study says so of one target alone, the explanation names encryption as the cause of its processor time.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dbdyno.cli import main
from dbdyno.report import analyse_study, why_of
from dbdyno.store import StoredStudy

pytestmark = pytest.mark.server
STUDY = """
targets = ["mysql:9.7", "mariadb:11.8"]
workload = {name = "oltp_point_select", tables = 1, rows = 1000}
settings = {tls = {available = "ON"}}
axes = {tier = "64MB", concurrency = 2, route = "loopback"}
measure = {warm_up = "1s", window = "3s", repeats = 1}
"""
PAIR = """
[[target]]
name = "plain"
engine = "mysql:9.7"
[[target]]
name = "encrypted"
engine = "mysql:9.7"
settings = {tls = {available = "ON"}}
[workload]
name = "oltp_read_only"
tables = 1
rows = 5000
point_selects = 1
simple_ranges = 4
sum_ranges = 0
order_ranges = 0
distinct_ranges = 0
range_size = 1000
[axes]
tier = "64MB"
concurrency = 2
route = "loopback"
[measure]
warm_up = "1s"
window = "3s"
repeats = 2
equivalence_events = 0
"""
"""Long replies, so that encryption takes a large share of the processor time."""
_OTHER_CAUSES = ("dearer-rows", "processor-work")


def test_tcp_is_encrypted_by_one_cipher(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stored = _run(STUDY, tmp_path)
    sessions = [stored.document(record.run.run_id, "start")["session"] for record in stored.records()]
    assert len(sessions) == 2
    ((version, cipher),) = {(session["tls_version"], session["tls_cipher"]) for session in sessions}
    assert version == "TLSv1.3" and cipher
    capsys.readouterr()
    main(["audit", str(stored.path), "--json"])
    assert not [row["id"] for row in json.loads(capsys.readouterr().out) if row["id"].startswith("tls-")]


def test_the_processor_time_of_encryption_is_named(tmp_path: Path) -> None:
    why = why_of(analyse_study(_run(PAIR, tmp_path)), ("plain", "encrypted"))
    assert why.ranking is not None and why.known is not None
    assert why.known.settings["derived:encryption"] == ("plain", "encrypted")
    processor_ms = {one.cause.cause_id: one.claims.get("thread.on_cpu", 0.0) for one in why.ranking.causes}
    assert processor_ms.get("tls", 0.0) > 0, processor_ms
    assert not [name for name in _OTHER_CAUSES if processor_ms.get(name, 0.0) > 0], processor_ms


def _run(study: str, folder: Path) -> StoredStudy:
    (folder / "study.toml").write_text(study)
    results = folder / "results"
    assert main(["run", str(folder / "study.toml"), "-o", str(results), "--force", "--quiet"]) == 0
    return StoredStudy.open(results)
