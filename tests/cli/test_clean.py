"""`dbdyno clean` lists what is left over and removes it only when told."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from dbdyno.cli import _clean, _clean_datasets, main
from dbdyno.cli._remote import RemoteRemains
from dbdyno.core import Home
from dbdyno.hosts import LocalHost
from dbdyno.lab import find_orphans
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
    assert left.name in capsys.readouterr().out
    assert not left.exists()
    assert main(["clean", "--remove"]) == 0
    assert left.name not in capsys.readouterr().out


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


def _removal_options(err: str) -> list[str]:
    """Return the arguments of the command that was printed last, as a shell would split them."""
    words = shlex.split(err.splitlines()[-1])
    return words[words.index("clean") + 1 : words.index("--remove")]


def _stand_in(monkeypatch: pytest.MonkeyPatch, module: ModuleType, home: Home) -> None:
    """Take this machine for the host that the command names."""

    class There(LocalHost):
        def __init__(self) -> None:
            super().__init__()
            self.home = home

    @contextlib.contextmanager
    def chosen_host(_: object) -> Iterator[There]:
        yield There()

    monkeypatch.setattr(module, "chosen_host", chosen_host)


def test_the_command_that_removes_what_a_host_has_names_its_folder(
    left: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(left.parents[2])
    _stand_in(monkeypatch, _clean, home)
    monkeypatch.setattr(_clean, "find_remains", lambda host: RemoteRemains((), find_orphans(home, host)))
    assert main(["clean", "--host", "bench@db1", "--home", "/data/my bench"]) == 0
    assert _removal_options(capsys.readouterr().err) == ["--host", "bench@db1", "--home", "/data/my bench"]


def test_the_command_that_removes_datasets_of_a_host_names_its_folder(
    kept: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _stand_in(monkeypatch, _clean_datasets, Home(kept.parent))
    assert main(["clean", "--datasets", "7d", "--host", "db1", "--home", "/data/my bench"]) == 0
    shown = ["--datasets", "7d", "--host", "db1", "--home", "/data/my bench"]
    assert _removal_options(capsys.readouterr().err) == shown
