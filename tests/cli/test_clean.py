"""`dbdyno clean` lists what is left over and removes it only when told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dbdyno.cli import main
from dbdyno.core import Home
from dbdyno.hosts import LocalHost
from dbdyno.lab._session import Session, boot_name


@pytest.fixture
def left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data directory of a study that was killed, in a DBDYNO_HOME of its own."""
    home = tmp_path / ("a-long-name-" * 15)  # a path is never cut to what a terminal has room for
    monkeypatch.setenv("DBDYNO_HOME", str(home))
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    data = home / "run" / f"{ended.pid}-1-{boot_name(LocalHost())}" / "s1" / "data"
    data.mkdir(parents=True)
    (data / "ibdata1").write_bytes(b"x" * 200_000)
    return data.parent


def test_what_is_left_over_is_listed_with_the_command_that_removes_it(
    left: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["clean"]) == 0
    told = capsys.readouterr()
    assert str(left) in told.out
    assert "left over" in told.out
    assert "dbdyno clean --remove" in told.err
    assert left.exists()


def test_it_is_removed_when_told(left: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["clean", "--remove"]) == 0
    assert "removed the data directory" in capsys.readouterr().out
    assert not left.exists()
    assert main(["clean", "--remove"]) == 0
    assert "nothing was left over" in capsys.readouterr().out


def test_programs_are_told_the_same(left: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["clean", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["folders"] == [{"folder": str(left), "disk_bytes": found["folders"][0]["disk_bytes"]}]
    assert found["folders"][0]["disk_bytes"] >= 200_000
    assert found["removed"] == []


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two datasets: one that was used now, one that was filled ten days ago and taken nine days ago."""
    monkeypatch.setenv("DBDYNO_HOME", str(tmp_path))
    facts = {"key": "k", "engine": "mysql 9.7.4 innodb", "dataset": "sysbench, tables 4", "tables": [], "bytes": 9}
    facts |= {"fill_ns": 1, "load_ns": 1, "index_ns": 1, "created_ns": 1, "content_sha256": "", "space": []}
    for name in ("new", "old"):
        (tmp_path / "snapshots" / name / "data").mkdir(parents=True)
        (tmp_path / "snapshots" / name / "data" / "ibdata1").write_bytes(b"x" * 100_000)
        (tmp_path / "snapshots" / name / "facts.json").write_text(json.dumps(facts))
    old = tmp_path / "snapshots" / "old"
    (old / "used").touch()
    for path, days in ((old / "facts.json", 10), (old / "used", 9)):
        os.utime(path, (time.time() - days * 86400,) * 2)
    return tmp_path / "snapshots"


def test_datasets_are_listed_with_what_they_are_and_since_when_nobody_used_them(
    kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["clean", "--datasets", "0s", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["datasets"]
    assert [Path(one["folder"]).name for one in found] == ["old", "new"]
    assert all(one["disk_bytes"] >= 100_000 for one in found)
    assert time.time_ns() - found[0]["used_ns"] == pytest.approx(9 * 86400e9, rel=0.001)
    assert main(["clean", "--datasets", "7d"]) == 0
    told = capsys.readouterr()
    assert "mysql 9.7.4 innodb" in told.out
    assert str(kept / "old") in told.out
    assert str(kept / "new") not in told.out
    assert (kept / "old").exists()
    assert main(["clean"]) == 0
    assert "--datasets" in capsys.readouterr().out


def test_only_datasets_unused_for_so_long_are_removed(kept: Path) -> None:
    assert main(["clean", "--datasets", "7d", "--remove"]) == 0
    assert [path.name for path in kept.iterdir() if path.is_dir()] == ["new"]


def test_datasets_stay_while_a_study_is_under_way(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = Session.own(Home(kept.parent), LocalHost())
    own.folder.mkdir(parents=True)
    assert main(["clean", "--datasets", "0s", "--remove"]) == 2
    assert str(os.getpid()) in capsys.readouterr().err
    assert (kept / "old").exists()


def test_an_age_without_a_unit_is_refused(kept: Path) -> None:
    assert main(["clean", "--datasets", "7", "--remove"]) == 2
    assert (kept / "old").exists()
