"""A storage engine given as a file: looked at, copied, and put beside the plug-ins of the server that is to load it.

Servers load plug-ins from one folder only. So each pair of server and plug-in gets a folder of its own, with a copy of
the file (a rebuild in the middle of a study changes nothing) and links to the server's own plug-ins.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
import shutil
from pathlib import Path

from dbdyno.core import EngineName, ProvisionError, StudyError
from dbdyno.hosts import Home, Host
from dbdyno.provision._base import is_elf, is_for_this_machine
from dbdyno.provision._installation import Installation, Package
from dbdyno.provision._libraries import install_hint

_LOCK_TIMEOUT_S = 60
_SHARED_OBJECT = 3
_DECLARATIONS = (b"_maria_plugin_declarations_", b"_mysql_plugin_declarations_")


def plugin_file(name: EngineName) -> Path:
    """The file of a name's plug-in, looked at.

    Raises
    ------
    StudyError : there is no such file, or it is no plug-in of a server
    ProvisionError : it is one for another machine
    """
    path = Path(name.plugin).expanduser().absolute()
    if not path.is_file():
        raise StudyError(f"the plug-in {path} is not a file", f"asked for by {name}", "correct the path")
    if not is_elf(path) or _elf_type(path) != _SHARED_OBJECT:
        raise StudyError(f"{path} is not a plug-in", "it is not a shared library", "give the file that the build made")
    if not is_for_this_machine(path):
        raise ProvisionError(
            f"the plug-in {path} is built for another machine", "its ELF header says so", "get the build for this one"
        )
    content = path.read_bytes()
    if not any(word in content for word in _DECLARATIONS):
        why = "it is a shared library that declares no plug-in of MySQL or MariaDB"
        raise StudyError(f"{path} is not a plug-in", why, "give the ha_*.so of the storage engine")
    return path


def with_plugin(installation: Installation, name: EngineName, host: Host, home: Home) -> Installation:
    """The installation with the plug-in of a name beside its own.

    Raises
    ------
    StudyError : there is no such file, or it is no plug-in
    ProvisionError : it wants libraries that are nowhere
    """
    if installation.address is not None:
        why = "its plug-ins are loaded already, or by whoever runs it"
        raise StudyError(f"the server '{installation.address.name}' runs already", why, "leave the plug-in out")
    path = plugin_file(name)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if installation.image:  # mounted among the image's own; its libraries are the image's
        folder = _folder(None, path, digest, host, home)
        at = installation.plugin_directory / path.name
        placed = dataclasses.replace(installation, mounted_files={str(folder / path.name): str(at)})
    else:
        argv = _with_libraries(installation.server_argv, path, host)
        folder = _folder(installation.plugin_directory, path, digest, host, home)
        placed = dataclasses.replace(installation, server_argv=argv, plugin_directory=folder)
    return dataclasses.replace(
        placed,
        storage_engines=tuple(dict.fromkeys((*installation.storage_engines, name.storage_engine))),
        plugin_files={**installation.plugin_files, name.storage_engine: path.name},
        plugin_maturity=name.plugin_maturity,
        origin=dataclasses.replace(
            installation.origin, packages=(*installation.origin.packages, Package(path.name, "plug-in", digest))
        ),
    )


def _folder(own: Path | None, plugin: Path, digest: str, host: Host, home: Home) -> Path:
    key = hashlib.sha256(f"{own}\n{plugin.name}\n{digest}".encode()).hexdigest()[:16]
    folder = home.plugins / f"{plugin.stem}-{key}"
    host.ensure_reachable(folder / "any")
    host.make_directory(home.plugins)
    with host.lock(home.plugins / "lock", _LOCK_TIMEOUT_S):
        if not folder.is_dir():
            making = home.plugins / f".{folder.name}.new"
            host.remove_tree(making)
            host.make_directory(making)
            for file in sorted(own.iterdir()) if own is not None and own.is_dir() else []:
                if file.is_file() and file.name != plugin.name:
                    (making / file.name).symlink_to(file)
            shutil.copyfile(plugin, making / plugin.name)
            (making / plugin.name).chmod(0o755)
            making.chmod(0o755)
            making.rename(folder)
    return folder


def _with_libraries(argv: tuple[str, ...], plugin: Path, host: Host) -> tuple[str, ...]:
    """How the server is called so that the plug-in finds its libraries, if need be in the folder it came from."""
    missing = _missing(argv, plugin, host)
    if not missing:
        return argv
    extended = _searching(argv, plugin.parent)
    still = _missing(extended, plugin, host)
    if still:
        raise ProvisionError(
            f"the plug-in {plugin.name} lacks libraries: {', '.join(still)}",
            f"looked for where the server's lie, and in {plugin.parent}",
            f"put them beside {plugin.name}; {install_hint(still)}",
        )
    host.ensure_reachable(plugin)
    return extended


def _missing(argv: tuple[str, ...], plugin: Path, host: Host) -> list[str]:
    if "--library-path" in argv:  # through a loader of the engine's own: the host's libraries don't count
        command = [*argv[: argv.index("--library-path") + 2], "--list", str(plugin)]
    else:
        command = [*argv[:-1], "ldd", str(plugin)]
    said = host.run(command, timeout_s=60, check=False)
    text = said.stdout + said.stderr
    return sorted({*re.findall(r"(\S+) => not found", text), *re.findall(r"libraries: (\S+):", text)})


def _searching(argv: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """The call of a server with one more folder for libraries, after the others.

    >>> _searching(("/l/ld.so", "--library-path", "/l", "/s/mysqld"), Path("/p"))
    ('/l/ld.so', '--library-path', '/l:/p', '/s/mysqld')
    >>> _searching(("/s/mysqld",), Path("/p"))
    ('env', 'LD_LIBRARY_PATH=/p', '/s/mysqld')
    """
    if "--library-path" in argv:
        place = argv.index("--library-path") + 1
        return (*argv[:place], f"{argv[place]}:{folder}", *argv[place + 1 :])
    if argv[0] == "env":
        return ("env", f"{argv[1]}:{folder}", *argv[2:])
    return ("env", f"LD_LIBRARY_PATH={folder}", *argv)


def _elf_type(path: Path) -> int:
    with path.open("rb") as file:
        head = file.read(18)
    return int.from_bytes(head[16:18], "little" if head[5] == 1 else "big")
