"""A study that is gone on with has the servers that its stored runs were made with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dbdyno.core import StoreError
from dbdyno.lab._prepare import check_same_engine, check_same_files, dataset_facts
from dbdyno.populate import Dataset, Snapshot
from dbdyno.store import JsonValue
from dbdyno.study import WorkloadChoice

_SNAPSHOT = Snapshot(Path(), "k", (), 1, 1, 1, 1, 1, 1, reused=False, content_sha256="00")


def _facts(version: str, source: str, sha256: str) -> dict[str, JsonValue]:
    return {"version": version, "source": source, "packages": [{"name": "mysqld", "version": "", "sha256": sha256}]}


@pytest.mark.parametrize(
    ("now", "words"),
    [
        (_facts("9.7.4", "basedir", "a"), ""),
        (_facts("9.7.5", "basedir", "a"), "is 9.7.5 now, and .* holds runs of 9.7.4"),
        (_facts("9.7.4", "basedir", "b"), "was built again"),
        (_facts("9.7.4", "package", "b"), ""),
    ],
)
def test_runs_of_two_servers_are_not_mixed(now: dict[str, JsonValue], words: str, tmp_path: Path) -> None:
    earlier = _facts("9.7.4", str(now["source"]), "a")
    check_same_engine("mysql", None, now, tmp_path)
    if not words:
        check_same_engine("mysql", earlier, now, tmp_path)
        return
    with pytest.raises(StoreError, match=words):
        check_same_engine("mysql", earlier, now, tmp_path)


def test_runs_of_two_versions_of_a_workloads_files_are_not_mixed(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("SELECT 1")
    datasets = [Dataset("sysbench/oltp_read_only", {"tables": 4}), Dataset(f"sql:{tmp_path}")]
    stored = {"datasets": [dataset_facts(dataset, _SNAPSHOT) for dataset in datasets]}
    check_same_files(datasets, None, tmp_path)
    check_same_files(datasets, stored, tmp_path)
    (tmp_path / "a.sql").write_text("SELECT SLEEP(1)")
    check_same_files(datasets[:1], stored, tmp_path)
    with pytest.raises(StoreError, match="have changed"):
        check_same_files(datasets, stored, tmp_path)


def test_a_study_is_not_resumed_with_other_files(laboratory: Any, tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "a.sql").write_text("SELECT 1")
    choice = WorkloadChoice("shop", f"sql:{folder}")
    laboratory.study = replace(laboratory.study, workloads=(choice,))

    def stop_at_third(run: object, server: object) -> None:
        if len(laboratory.bench.ran) == 3:
            raise KeyboardInterrupt

    laboratory.bench.on_run = stop_at_third
    assert laboratory.run_all().interrupted
    (folder / "a.sql").write_text("SELECT SLEEP(1)")
    with pytest.raises(StoreError, match="have changed"):
        laboratory.run_all()
    assert len(laboratory.bench.ran) == 3
    (folder / "a.sql").write_text("SELECT 1")
    laboratory.bench.on_run = lambda run, server: None
    assert laboratory.run_all().complete
