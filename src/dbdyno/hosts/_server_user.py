"""Whom servers run as: database servers refuse to run as root, and rightly so."""

from __future__ import annotations

import contextlib
import os
import pwd
from dataclasses import dataclass
from pathlib import Path

from dbdyno.core import HostError
from dbdyno.hosts._commands import Identity

_NAMES = ("dbdyno", "nobody")


@dataclass(frozen=True, slots=True)
class ServerUser:
    """An unprivileged user of this machine."""

    name: str
    user_id: int
    group_id: int

    @classmethod
    def find(cls) -> ServerUser | None:
        """The user ``dbdyno`` if there is one, else ``nobody``; None where this process is not root: then it is itself.

        Raises
        ------
        HostError : there is neither
        """
        if os.geteuid() != 0:
            return None
        for name in _NAMES:
            with contextlib.suppress(KeyError):
                entry = pwd.getpwnam(name)
                return cls(name, entry.pw_uid, entry.pw_gid)
        raise HostError("no user to run servers as", "neither dbdyno nor nobody exists", "useradd --system dbdyno")

    @property
    def identity(self) -> Identity:
        """As a process is given it."""
        return Identity(user=self.user_id, group=self.group_id, extra_groups=[])

    def own(self, path: Path) -> None:
        """Give a file or a folder to the user."""
        os.chown(path, self.user_id, self.group_id)

    def check_reach(self, path: Path) -> None:
        """Refuse a path with a folder above it that the user can't pass through."""
        for parent in reversed(path.absolute().parents):
            if parent.exists() and not parent.stat().st_mode & 0o001 and parent.stat().st_uid != self.user_id:
                raise HostError(
                    f"the user {self.name}, who runs the servers, can't pass through {parent}",
                    f"{path} lies below it",
                    "set DBDYNO_HOME to a folder that all may pass through, such as /var/cache/dbdyno",
                )
