"""A DBDYNO_HOME for one test session: the user's engines, and datasets and servers that end with the session.

Without it each session would leave some gigabytes of datasets in the user's own home.
"""

from __future__ import annotations

import fcntl
import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from dbdyno.core import Home
from dbdyno.hosts import LocalHost

_SHARED = ("engines", "packages", "downloads", "libraries", "locks", "engines.d", "wait-sites")
_LOCK = "in-use"


@dataclass(frozen=True)
class SessionHome:
    """The folder, which `DBDYNO_HOME` names from now on, and the lock that says that its session lives."""

    folder: Path
    lock: IO[str]

    @classmethod
    def make(cls) -> SessionHome:
        """Make it in the home of the user (or of `DBDYNO_TEST_HOME`), on whose disk datasets belong."""
        user_home = os.environ.get("DBDYNO_TEST_HOME")
        home = Home(Path(user_home).absolute()) if user_home else Home.of_user()
        sessions = home.root / "test-sessions"
        sessions.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(sessions)
        folder = sessions / str(os.getpid())
        folder.mkdir(mode=0o755)
        lock = (folder / _LOCK).open("w")
        fcntl.flock(lock, fcntl.LOCK_EX)
        for name in _SHARED:
            (home.root / name).mkdir(exist_ok=True)
            (folder / name).symlink_to(home.root / name)
        os.environ["DBDYNO_HOME"] = str(folder)
        return cls(folder, lock)

    def remove(self) -> None:
        LocalHost().remove_tree(self.folder)
        self.lock.close()


def _remove_abandoned(sessions: Path) -> None:
    """Remove what killed sessions have left: nobody holds its lock any more, on whatever machine or in a container."""
    for folder in sessions.iterdir():
        try:
            with (folder / _LOCK).open("r+") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                LocalHost().remove_tree(folder)
        except (FileNotFoundError, BlockingIOError):
            continue  # another session begins, or is under way
