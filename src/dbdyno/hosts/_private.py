"""Makes small folders of this user's own for sockets and passwords, and finds the user that servers run as.

Anybody can put a link, a pipe or a folder with a name like ours into ``/tmp``. So a name is never trusted: a folder is
ours if it is one, no link, and belongs to this user; a file is read if it is a regular one of this user or of the one
that servers run as, and opening it never waits. What is another user's is neither read nor removed.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import stat
import tempfile
from collections.abc import Mapping, Sequence
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
        """Format it as a process is given it."""
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


TEMPORARY = Path("/tmp")
_SOCKET_PATH_MOST_BYTES = 107
_BELOW = "/s/s.sock"
_READ_MOST_BYTES = 1 << 20


def private_prefix() -> str:
    """Return how the names of this user's private folders begin."""
    return f"dbdyno-{os.geteuid()}-"


def private_roots(environ: Mapping[str, str] = os.environ) -> tuple[Path, ...]:
    """Return where private folders may lie, the place for new ones first.

    ``$XDG_RUNTIME_DIR`` is closed to others, so it comes first if it is what it should be: a folder of this user's,
    mode 0700, and short enough for a socket's path. Servers that root starts run as another user, who could not pass
    through it.
    """
    named = environ.get("XDG_RUNTIME_DIR", "")
    if not named or os.geteuid() == 0 or not _is_runtime_directory(Path(named)):
        return (TEMPORARY,)
    return Path(named), TEMPORARY


def _is_runtime_directory(path: Path) -> bool:
    longest = f"{path}/{private_prefix()}xxxxxxxx{_BELOW}"
    try:
        facts = path.lstat()
    except OSError:
        return False
    is_own = stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.geteuid() and not facts.st_mode & 0o077
    return is_own and path.is_absolute() and len(os.fsencode(longest)) <= _SOCKET_PATH_MOST_BYTES


def make_private_folder(mode: int, roots: Sequence[Path] | None = None) -> Path:
    """A new folder; its name is random and nobody else's, whatever lies beside it.

    Raises
    ------
    HostError : there is no place for it
    """
    problems = []
    for root in private_roots() if roots is None else roots:
        try:
            path = Path(tempfile.mkdtemp(prefix=private_prefix(), dir=root))
            path.chmod(mode)
        except OSError as error:
            problems.append(f"{root}: {error.strerror or error}")
        else:
            return path
    raise HostError(
        "no folder for sockets and passwords can be made", "\n".join(problems), "free space there, or mend its rights"
    )


def own_private_folders(roots: Sequence[Path] | None = None) -> list[Path]:
    """Private folders of this user that are there, by name; what others have put beside them is not looked into."""
    folders = []
    for root in private_roots() if roots is None else roots:
        with contextlib.suppress(OSError), os.scandir(root) as entries:
            folders += [root / entry.name for entry in entries if entry.name.startswith(private_prefix())]
    return sorted(path for path in folders if is_own_folder(path))


def is_own_private_folder(path: Path) -> bool:
    """Return whether a path is that of a private folder of this user."""
    return path.parent in private_roots() and path.name.startswith(private_prefix()) and is_own_folder(path)


def is_own_folder(path: Path) -> bool:
    """Return whether a path is a folder of this user's, and no link to one."""
    try:
        facts = path.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.geteuid()


def own_user_ids() -> frozenset[int]:
    """Ids of this user and of the one that its servers run as."""
    with contextlib.suppress(HostError):
        server_user = ServerUser.find()
        if server_user is not None:
            return frozenset({os.geteuid(), server_user.user_id})
    return frozenset({os.geteuid()})


def read_own_text(path: Path) -> str | None:
    """Text of a regular file of our users; None for all else: a link, a pipe, a file of others, one that is huge."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode) or facts.st_uid not in own_user_ids() or facts.st_size > _READ_MOST_BYTES:
            return None
        return file.read(_READ_MOST_BYTES).decode(errors="replace")
