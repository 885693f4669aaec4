"""Writes passwords of the environment into private files for the time of a study.

From here on there is one way to hand on a password: the name of a file that only its owner can read.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from dbdyno.core import HostError, StudyError
from dbdyno.hosts import Host
from dbdyno.lab._events import PasswordExposed
from dbdyno.lab._session import OWNER, own_name
from dbdyno.study import ServerAddress, Study


@contextmanager
def password_files(study: Study, host: Host, environ: Mapping[str, str] = os.environ) -> Iterator[Study]:
    """Give the study with every `password_env` replaced by a `password_file` that is gone afterwards.

    Raises
    ------
    StudyError : a variable is not set
    """
    if all(server.password_env is None for server in study.servers.values()):
        yield study
        return
    with private_folder(host) as folder:
        servers = {name: _with_password_file(server, folder, host, environ) for name, server in study.servers.items()}
        yield replace(study, servers=servers)


@contextmanager
def private_folder(host: Host) -> Iterator[Path]:
    """Make a folder for passwords while the block runs; it is known whose it is, so that a killed study's goes, too."""
    folder = host.make_private_directory()
    host.write_private(folder / OWNER, own_name(host))
    try:
        yield folder
    finally:
        host.remove_tree(folder)


@contextmanager
def remote_private_folder(host: Host) -> Iterator[Path]:
    """As `private_folder`; where the host is lost by the end, its agent removes the folder with its lease."""
    folder = private_folder(host)
    path = folder.__enter__()
    try:
        yield path
    finally:
        try:
            folder.__exit__(None, None, None)
        except HostError as error:
            if error.fault != "network":
                raise


def _with_password_file(server: ServerAddress, folder: Path, host: Host, environ: Mapping[str, str]) -> ServerAddress:
    if server.password_env is None:
        return server
    if server.password_env not in environ:
        raise StudyError(
            f"the password of server '{server.name}' is not in the environment",
            f"{server.password_env} is not set",
            f"export {server.password_env}, or give a password_file",
            code="password-missing",
        )
    file = folder / f"{server.name}.password"
    host.write_private(file, environ[server.password_env] + "\n")
    return replace(server, password_file=str(file), password_env=None)


def exposed_passwords(study: Study) -> list[PasswordExposed]:
    """Return the password files of the study's servers that every user of the machine may read or write."""
    exposed = []
    for server in study.servers.values():
        if server.password_file is None:
            continue
        with contextlib.suppress(OSError):  # a missing one is reported when it is read
            mode = stat.S_IMODE(Path(server.password_file).expanduser().stat().st_mode)
            if mode & (stat.S_IROTH | stat.S_IWOTH):
                exposed.append(PasswordExposed(server.name, server.password_file, mode))
    return exposed
