"""A study that is gone on with has the servers that its stored runs were made with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dbdyno.core import StoreError, StudyError
from dbdyno.lab._prepare import check_same_files, dataset_facts
from dbdyno.populate import Dataset, Snapshot
from dbdyno.study import WorkloadChoice
from error_codes import raises_code

_SNAPSHOT = Snapshot(Path(), "k", (), 1, 1, 1, 1, 1, 1, reused=False, content_sha256="00")


def test_runs_of_two_versions_of_a_workloads_files_are_not_mixed(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("SELECT 1")
    datasets = [Dataset("sysbench/oltp_read_only", {"tables": 4}), Dataset(f"sql:{tmp_path}")]
    stored = {"datasets": [dataset_facts(dataset, _SNAPSHOT) for dataset in datasets]}
    check_same_files(datasets, None, tmp_path)
    check_same_files(datasets, stored, tmp_path)
    (tmp_path / "a.sql").write_text("SELECT SLEEP(1)")
    check_same_files(datasets[:1], stored, tmp_path)
    with raises_code(StoreError, "other-files"):
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
    with raises_code(StoreError, "other-files"):
        laboratory.run_all()
    assert len(laboratory.bench.ran) == 3
    (folder / "a.sql").write_text("SELECT 1")
    laboratory.bench.on_run = lambda run, server: None
    assert laboratory.run_all().complete


def test_no_engine_is_fetched_where_a_later_one_can_not_be_had(laboratory: Any) -> None:
    laboratory.bench.absent = {laboratory.study.targets[-1].name}
    with pytest.raises(StudyError, match="is not available"):
        laboratory.run_all()
    assert laboratory.bench.obtained == []
