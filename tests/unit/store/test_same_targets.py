"""Runs of a target are of one engine and of one dataset, whoever adds them."""

from __future__ import annotations

from typing import Any

import pytest

from dbdyno.core import StoreError
from dbdyno.store import check_same_engine, check_same_rows
from error_codes import raises_code


def _engine(version: str, source: str, sha256: str) -> dict[str, Any]:
    packages = [{"name": "mysqld", "version": "", "sha256": sha256}]
    return {"target": "mysql", "version": version, "source": source, "packages": packages}


def _entry(**facts: str | None) -> dict[str, Any]:
    return {
        "dataset": "sysbench",
        "workload": "sysbench/oltp_read_only",
        "options": {},
        "rng": "sysbench",
        "seed": "1",
        "digest": "d",
        "content_sha256": "c",
    } | facts


@pytest.mark.parametrize(
    ("now", "words"),
    [
        (_engine("9.7.4", "basedir", "a"), ""),
        (_engine("9.7.5", "basedir", "a"), r"mysql .*9\.7\.5 .*9\.7\.4 "),
        (_engine("9.7.4", "basedir", "b"), "mysql .*build"),
        (_engine("9.7.4", "package", "b"), ""),
    ],
)
def test_runs_of_two_servers_are_not_mixed(now: dict[str, Any], words: str) -> None:
    earlier = _engine("9.7.4", str(now["source"]), "a")
    if not words:
        check_same_engine(now, "now", earlier, "before", "")
        return
    with pytest.raises(StoreError, match=words):
        check_same_engine(now, "now", earlier, "before", "")


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        (_entry(), ""),
        (_entry(content_sha256="e"), "other-rows"),
        (_entry(content_sha256=None), ""),
        (_entry(digest="e"), "other-files"),
        (_entry(digest="e", seed="2", content_sha256="f"), ""),
    ],
)
def test_runs_on_two_datasets_are_not_mixed(entry: dict[str, Any], code: str) -> None:
    rows, other = {"target": "mysql", "datasets": [entry]}, {"target": "mysql", "datasets": [_entry()]}
    if not code:
        check_same_rows(rows, "now", other, "before", "")
        return
    with raises_code(StoreError, code, "mysql ", "sysbench"):
        check_same_rows(rows, "now", other, "before", "")
