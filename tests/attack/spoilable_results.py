"""A results folder with something in every file that dbdyno reads back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import stored_study
from dbdyno.core import Caveat, Fingerprint, Run
from dbdyno.store import StoredFingerprint, StoredStudy

_SPACE = {"name": "sbtest1", "data_bytes": 5, "index_bytes": 2, "file_bytes": 9, "allocated_bytes": None}


def write(folder: Path) -> StoredStudy:
    """Two targets, two concurrencies, two repeats."""
    results = stored_study.write_study(folder, change=_change)
    with results.writing() as writer:
        writer.append("study-started", runs_total=8, runs_done=0)
        outcome = {
            "id": "turbo",
            "title": "Turbo",
            "state": "found",
            "severity": "weakens",
            "seen": "on",
            "effect": "x",
        }
        writer.append("machine-examined", machine={"kernel": "6.1"}, outcomes=[outcome])
        for target in ("mariadb:11.8", "mysql:9.7"):
            options = {"tables": 1, "table_size": 1000}
            names = {"dataset": "1 × 1,000 rows", "options": options, "rows_total": 1000}
            writer.write_dataset(target, {"datasets": [{**names, "content_sha256": "ab", "space": [_SPACE]}]})
            made = Fingerprint(500, 0, "a", "b", {"sbtest1": {"rows": 1000}})
            writer.write_fingerprints(target, [StoredFingerprint("sysbench/oltp_read_write", "d", 500, made)])
        writer.append("study-finished", runs_total=8)
    return StoredStudy.open(folder)


def _change(run: Run, fields: dict[str, Any]) -> None:
    growth = {"name": "engine.redo.written_bytes", "unit": "bytes", "covered_s": 12.0, "kind": "counter", "delta": 5e6}
    level = {"name": "engine.redo.lsn", "unit": "bytes", "covered_s": 12.0, "kind": "gauge"}
    level |= {"begin": 1.0, "end": 5e6, "highest": 5e6}
    fields["counters"] = {"window_s": 12.0, "transactions": 1200, "counters": [growth, level], "absent": ["rows.read"]}
    fields["caveats"] = (Caveat("few-seconds", "short"),)
