"""A server's base directory: where its program, messages, character sets and plug-ins lie, whatever the layout."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dbdyno.core import ProvisionError

_SERVER_NAMES = ("mariadbd", "mysqld")
_PROGRAM_FOLDERS = ("bin", "sbin", "libexec", "sql")
_PLUGIN_FOLDERS = ("lib/plugin", "lib/mysql/plugin", "lib64/mysql/plugin", "lib/mariadb/plugin", "lib64/mariadb/plugin")
_MACHINES = {"x86_64": 62, "aarch64": 183, "ppc64le": 21, "s390x": 22, "riscv64": 243}


@dataclass(frozen=True, slots=True)
class Base:
    """Where things lie in a base directory.

    Parameters
    ----------
    plugin_files : storage engine -> file name in `plugin_directory`
    """

    server: Path
    directory: Path
    share_directory: Path
    plugin_directory: Path
    plugin_files: dict[str, str]


def find_base(folder: Path) -> Base | None:
    """The base directory in a folder, at any depth; None when a server or its messages are not there.

    Of several servers that for this machine is taken, then the one nearest to the top.

    Raises
    ------
    ProvisionError : there are servers, all of them for other machines
    """
    files = [Path(parent) / name for parent, _, names in os.walk(folder) for name in sorted(names)]
    servers = [p for p in files if p.name in _SERVER_NAMES and not p.is_symlink() and is_elf(p)]
    fitting = [p for p in servers if is_for_this_machine(p)]
    if servers and not fitting:
        raise ProvisionError(
            "the server is built for another machine",
            f"{servers[0]} does not run on {platform.machine()}",
            "get the build for this machine",
        )
    shares = [p.parent.parent for p in files if p.name == "errmsg.sys" and p.parent.name == "english"]
    shares = [share for share in shares if (share / "charsets" / "Index.xml").is_file()]
    if not fitting or not shares:
        return None
    server = min(fitting, key=lambda p: (len(p.parts), _SERVER_NAMES.index(p.name), p))
    directory = server.parent.parent if server.parent.name in _PROGRAM_FOLDERS else server.parent
    share = min(shares, key=lambda s: (-_shared_parts(s, directory), len(s.parts), s))
    plugins = _plugin_directory(files, directory)
    return Base(server, directory, share, plugins, _plugin_files(plugins))


def is_for_this_machine(program: Path) -> bool:
    """Whether a program's ELF header names this processor and 64 bits."""
    with program.open("rb") as file:
        head = file.read(20)
    machine = int.from_bytes(head[18:20], "little" if head[5] == 1 else "big")
    return head[4] == 2 and machine == _MACHINES.get(platform.machine(), machine)


def is_elf(path: Path) -> bool:
    """Whether a file is a program or a library of Linux."""
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF" and path.stat().st_size > 20


def _plugin_directory(files: Iterable[Path], directory: Path) -> Path:
    folders = {p.parent for p in files if p.suffix == ".so" and p.parent.name == "plugin"}
    own = sorted((f for f in folders if f.is_relative_to(directory)), key=lambda f: (len(f.parts), f))
    usual = [directory / name for name in _PLUGIN_FOLDERS]
    return next((f for f in usual if f in folders), own[0] if own else usual[0])


def _plugin_files(folder: Path) -> dict[str, str]:
    files = sorted(folder.glob("ha_*.so")) if folder.is_dir() else []
    return {path.stem.removeprefix("ha_").lower(): path.name for path in files}


def _shared_parts(one: Path, other: Path) -> int:
    return len(Path(os.path.commonpath([one, other])).parts)
