"""`dbdyno clean` lists what is left over and removes it only when told."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dbdyno.cli import main
from dbdyno.hosts import LocalHost
from dbdyno.lab._session import boot_name


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
