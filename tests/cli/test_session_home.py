"""The home of a test session has the user's engines, and takes what the tests made in it along, see `session_home`."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest

from dbdyno.core import Home
from session_home import SessionHome


@pytest.fixture
def user_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DBDYNO_TEST_HOME", str(tmp_path))
    monkeypatch.setenv("DBDYNO_HOME", str(tmp_path / "unused"))  # as it was afterwards
    return tmp_path


def test_engines_are_the_user_s_and_datasets_end_with_the_session(user_home: Path) -> None:
    session = SessionHome.make()
    home = Home.of_user()
    (home.engines / "package-new").mkdir()
    (home.snapshots / "s").mkdir(parents=True)
    session.remove()
    assert not home.root.exists()
    assert (user_home / "engines/package-new").is_dir()
    assert not (user_home / "snapshots").exists()


def test_what_a_killed_session_left_is_removed_and_one_under_way_keeps_its_own(user_home: Path) -> None:
    killed, living = (user_home / "test-sessions" / name for name in ("1", "2"))
    for folder in (killed, living):
        (folder / "snapshots").mkdir(parents=True)
        (folder / "in-use").touch()
    with (living / "in-use").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        SessionHome.make().remove()
    assert not killed.exists()
    assert (living / "snapshots").is_dir()
