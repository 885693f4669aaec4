"""A study that is gone on with has the servers that its stored runs were made with."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.core import StoreError
from dbdyno.lab._prepare import check_same_engine
from dbdyno.store import JsonValue


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
