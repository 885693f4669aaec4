"""Makes small folders of this user's own for sockets and passwords, and knows those that are its own.

Anybody can put a link, a pipe or a folder with a name like ours into ``/tmp``. So a name is never trusted: a folder is
ours if it is one, no link, and belongs to this user; a file is read if it is a regular one of this user or of the one
that servers run as, and opening it never waits. What is another user's is neither read nor removed.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dbdyno.core import HostError

if TYPE_CHECKING:
    from dbdyno.hosts._protocol import Host

TEMPORARY = Path("/tmp")
_SOCKET_PATH_MOST_BYTES = 107
_BELOW = "/s/s.sock"
_READ_MOST_BYTES = 1 << 20


def private_prefix(host: Host) -> str:
    """Return how the names of this user's private folders begin."""
    return f"dbdyno-{host.system().user_id}-"


def private_roots(host: Host) -> tuple[Path, ...]:
    """Return where private folders may lie, the place for new ones first.

    ``$XDG_RUNTIME_DIR`` is closed to others, so it comes first if it is what it should be: a folder of this user's,
    mode 0700, and short enough for a socket's path. Servers that root starts run as another user, who could not pass
    through it.
    """
    runtime_directory = Path(host.system().runtime_directory)
    if (
        host.system().user_id == 0
        or not runtime_directory.is_absolute()
        or not _is_runtime_directory(runtime_directory, host)
    ):
        return (TEMPORARY,)
    return runtime_directory, TEMPORARY


def _is_runtime_directory(path: Path, host: Host) -> bool:
    longest = f"{path}/{private_prefix(host)}xxxxxxxx{_BELOW}"
    facts = host.files.stat(path, follow=False)
    is_closed = facts is not None and not facts.mode & 0o077
    return is_closed and is_own_folder(path, host) and len(os.fsencode(longest)) <= _SOCKET_PATH_MOST_BYTES


def make_private_folder(host: Host, mode: int, roots: Sequence[Path] | None = None) -> Path:
    """Make a new folder; its name is random and unique.

    Raises
    ------
    HostError : there is no place for it
    """
    problems = []
    for root in private_roots(host) if roots is None else roots:
        path = root / f"{private_prefix(host)}{secrets.token_hex(4)}"
        try:
            host.files.make_directory(path, mode=mode, is_new=True)
        except OSError as error:
            problems.append(f"{root}: {error.strerror or error}")
        else:
            return path
    raise HostError(
        "dbdyno can't create a folder for sockets and passwords",
        "\n".join(problems),
        "free space there, or correct its permissions",
    )


def own_private_folders(host: Host, roots: Sequence[Path] | None = None) -> list[Path]:
    """Return this user's private folders, by name; what others have put next to them is ignored."""
    folders: list[Path] = []
    for root in private_roots(host) if roots is None else roots:
        with contextlib.suppress(OSError):
            folders += [
                entry.path
                for entry in host.files.entries(root)
                if entry.path.name.startswith(private_prefix(host))
                and (entry.kind, entry.user_id) == ("directory", host.system().user_id)
            ]
    return sorted(folders)


def is_own_private_folder(path: Path, host: Host) -> bool:
    """Return whether a path is that of a private folder of this user."""
    is_named_so = path.parent in private_roots(host) and path.name.startswith(private_prefix(host))
    return is_named_so and is_own_folder(path, host)


def is_own_folder(path: Path, host: Host) -> bool:
    """Return whether a path is a folder of this user's, and no link to one."""
    facts = host.files.stat(path, follow=False)
    return facts is not None and (facts.kind, facts.user_id) == ("directory", host.system().user_id)


def read_own_text(path: Path, host: Host) -> str | None:
    """Return the text of a regular file of our users; None for a link, a pipe, a file of others, or a huge one."""
    try:
        content = host.files.read_bytes(path, limit_bytes=_READ_MOST_BYTES + 1, owners=host.system().own_user_ids)
    except OSError:
        return None
    return content.decode(errors="replace") if len(content) <= _READ_MOST_BYTES else None
