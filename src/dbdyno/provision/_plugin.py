"""Checks a storage engine given as a file, and copies it to the plug-ins of the server that is to load it.

Servers load plug-ins from one folder only. So each pair of server and plug-in gets a separate folder, with a copy of
the file and of its libraries that lie next to it (a rebuild in the middle of a study changes nothing) and links to the
server's own plug-ins.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from dbdyno.core import EngineName, Home, ProvisionError, StudyError
from dbdyno.engines import matches
from dbdyno.hosts import Host
from dbdyno.provision._base_directory import install_hint, is_elf, is_for_this_machine
from dbdyno.provision._installation import Installation, Package
from dbdyno.provision._plugin_elf import declared_versions, map_file
from dbdyno.provision._store import has_same_content, sha256_of

_LOCK_TIMEOUT_S = 60
_SHARED_OBJECT = 3
_DECLARATIONS = (b"_maria_plugin_declarations_", b"_mysql_plugin_declarations_")


def plugin_file(name: EngineName) -> Path:
    """Return the file of a name's plug-in, looked at.

    Raises
    ------
    StudyError : there is no such file, or it is no plug-in of a server
    ProvisionError : it is one for another machine
    """
    path = Path(name.plugin).expanduser().absolute()
    if not path.is_file():
        raise StudyError(f"the plug-in {path} is not a file", f"needed by {name}", "correct the path")
    if not is_elf(path) or _elf_type(path) != _SHARED_OBJECT:
        raise StudyError(
            f"{path} is not a plug-in", "it is not a shared library", "name the shared library that the build wrote"
        )
    if not is_for_this_machine(path):
        raise ProvisionError(
            f"the plug-in {path} is built for another architecture",
            "its ELF header says so",
            "get the build for this architecture",
            code="other-architecture",
        )
    with map_file(path) as content:
        is_plugin = any(content.find(word) >= 0 for word in _DECLARATIONS)
    if not is_plugin:
        why = "it is a shared library without a MySQL or MariaDB plug-in"
        raise StudyError(f"{path} is not a plug-in", why, "name the ha_*.so of the storage engine")
    return path


def check_storage_engine(name: EngineName, engines: Sequence[str], server_words: str, looked_in: str = "") -> None:
    """Refuse a server that has not the storage engine of a name.

    Parameters
    ----------
    engines : those that it has
    server_words : the server, for the error
    looked_in : where plug-ins were looked for, for the error

    Raises
    ------
    StudyError : it is none of them
    """
    if name.storage_engine not in engines:
        raise StudyError(
            f"{server_words} has no storage engine {name.storage_engine}",
            f"it has: {', '.join(engines)}" + (f"; looked for plug-ins in {looked_in}" if looked_in else ""),
            f"choose one of these, or {plugin_hint(name)}",
            code="storage-engine-missing",
        )


def plugin_hint(name: EngineName) -> str:
    """Return how to give a server a storage engine that it has not, as a remedy.

    >>> plugin_hint(EngineName("mariadb", "11.8", "tidesdb"))
    'name the file of its plug-in: plugin = "/path/ha_tidesdb.so" for the target, or #plugin=PATH after the name'
    """
    file = f"/path/ha_{name.storage_engine}.so"
    return f'name the file of its plug-in: plugin = "{file}" for the target, or #plugin=PATH after the name'


def plugin_version_of(name: EngineName) -> str:
    """Return the version of a name's plug-in, as its file says; empty where there is none that is read here.

    Raises
    ------
    StudyError : the file is no plug-in, or it is of another version than the name says
    ProvisionError : it is one for another machine
    """
    if not name.plugin:
        return name.plugin_version
    return _plugin_version(plugin_file(name), name)


def with_plugin(installation: Installation, name: EngineName, host: Host, home: Home) -> Installation:
    """Return the installation with the plug-in of a name next to its own.

    Raises
    ------
    StudyError : there is no such file, or it is no plug-in, or of another version than the name says
    ProvisionError : it wants libraries that are nowhere
    """
    if installation.address is not None:
        why = "its administrator loads its plug-ins"
        raise StudyError(f"the server '{installation.address.name}' is already running", why, "remove the plug-in")
    path = plugin_file(name)
    version = _plugin_version(path, name)
    if installation.image:  # mounted among the image's own; its libraries are the image's
        folder, files = _make_plugin_folder(None, path, (), host, home)
        mount_path = installation.plugin_directory / path.name
        extended = dataclasses.replace(installation, mounted_files={str(folder / path.name): str(mount_path)})
    else:
        folder, files = _make_plugin_folder(installation.plugin_directory, path, installation.server_argv, host, home)
        argv = _with_library_folder(installation.server_argv, folder) if len(files) > 1 else installation.server_argv
        extended = dataclasses.replace(installation, server_argv=argv, plugin_directory=folder)
    return dataclasses.replace(
        extended,
        storage_engines=tuple(dict.fromkeys((*installation.storage_engines, name.storage_engine))),
        plugin_files={**installation.plugin_files, name.storage_engine: path.name},
        plugin_versions={**installation.plugin_versions, name.storage_engine: version},
        plugin_maturity=name.plugin_maturity,
        origin=dataclasses.replace(
            installation.origin, packages=(*installation.origin.packages, *_packages(path, version, files))
        ),
    )


def _plugin_version(path: Path, name: EngineName) -> str:
    declared_version = declared_versions(path).get(name.storage_engine, "")
    if declared_version and name.plugin_version and not matches(declared_version, name.plugin_version):
        raise StudyError(
            f"the plug-in {path.name} is not of version {name.plugin_version}",
            f"the file declares {name.storage_engine} {declared_version}",
            f"remove plugin_version, or name the file of {name.plugin_version}",
            code="plugin-version",
        )
    return declared_version or name.plugin_version


def _packages(plugin: Path, version: str, files: Mapping[str, str]) -> list[Package]:
    """Return the plug-in, and the libraries copied with it; file's name -> SHA-256."""
    kinds = {name: "library of the plug-in" for name in files} | {plugin.name: f"plug-in {version}".rstrip()}
    return [Package(name, kinds[name], digest) for name, digest in files.items()]


def _make_plugin_folder(
    server_folder: Path | None, plugin: Path, argv: tuple[str, ...], host: Host, home: Home
) -> tuple[Path, dict[str, str]]:
    """Make a folder with the plug-in, its libraries and the server's plug-ins; name -> SHA-256 of what was copied.

    Parameters
    ----------
    server_folder : the server's own folder of plug-ins; None for one in an image
    argv : how the server's program is called; empty where its libraries are not looked for
    """
    host.ensure_reachable(home.plugins / "any" / "any")
    host.make_directory(home.plugins)
    with host.lock(home.plugins / "lock", _LOCK_TIMEOUT_S):
        new_folder = home.plugins / f".{plugin.stem}.new"
        host.remove_tree(new_folder)
        host.make_directory(new_folder)
        for file in sorted(server_folder.iterdir()) if server_folder is not None and server_folder.is_dir() else []:
            if file.is_file() and file.name != plugin.name:
                (new_folder / file.name).symlink_to(file)
        files = {plugin.name: _copy_file(plugin, new_folder)}
        if argv:
            files |= _copy_libraries(argv, plugin, new_folder, host)
        new_folder.chmod(0o755)
        key = hashlib.sha256(f"{server_folder}\n{sorted(files.items())}".encode()).hexdigest()[:16]
        folder = home.plugins / f"{plugin.stem}-{key}"
        if folder.is_dir() and has_same_content(folder, new_folder):
            host.remove_tree(new_folder)
        else:
            _replace_folder(folder, new_folder, host)
    return folder, files


def _replace_folder(folder: Path, new_folder: Path, host: Host) -> None:
    """Put a new folder into place; of one that was there, and is not what was copied into it, nothing is left."""
    old_folder = folder.with_name(f".{folder.name}.old")
    host.remove_tree(old_folder)
    if folder.is_symlink():
        folder.unlink()
    elif folder.exists():
        folder.rename(old_folder)
    new_folder.rename(folder)
    host.remove_tree(old_folder)


def _copy_file(file: Path, folder: Path) -> str:
    """Copy a file and return its SHA-256, of the copy: what is measured."""
    place = folder / file.name
    place.unlink(missing_ok=True)
    shutil.copyfile(file, place)
    place.chmod(0o755)
    return sha256_of(place)


def _copy_libraries(argv: tuple[str, ...], plugin: Path, folder: Path, host: Host) -> dict[str, str]:
    """Copy libraries that the plug-in wants and the server does not find, from the plug-in's folder; name -> SHA-256.

    The copy is looked at, not the original: a library found by a path relative to the original would be lost. What is
    copied may want more, so it is looked at again until nothing is missing.
    """
    copied_digests: dict[str, str] = {}
    while missing_names := _missing_libraries(_with_library_folder(argv, folder), folder / plugin.name, host):
        adjacent_files = [
            plugin.parent / name
            for name in missing_names
            if name not in copied_digests and (plugin.parent / name).is_file()
        ]
        if not adjacent_files:
            raise ProvisionError(
                f"the plug-in {plugin.name} lacks libraries: {', '.join(missing_names)}",
                f"looked in the server's library folders and in {plugin.parent}",
                f"put them next to {plugin.name}; {install_hint(missing_names)}",
                code="libraries-missing",
            )
        copied_digests |= {file.name: _copy_file(file, folder) for file in adjacent_files}
    return copied_digests


def _missing_libraries(argv: tuple[str, ...], plugin: Path, host: Host) -> list[str]:
    if "--library-path" in argv:  # started through the engine's own loader: the host's libraries don't count
        command = [*argv[: argv.index("--library-path") + 2], "--list", str(plugin)]
    else:
        command = [*argv[:-1], "ldd", str(plugin)]
    listing = host.run(command, timeout_s=60, check=False)
    text = listing.stdout + listing.stderr
    return sorted({*re.findall(r"(\S+) => not found", text), *re.findall(r"libraries: (\S+):", text)})


def _with_library_folder(argv: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """Return the call of a server with one more folder for libraries, after the others.

    >>> _with_library_folder(("/l/ld.so", "--library-path", "/l", "/s/mysqld"), Path("/p"))
    ('/l/ld.so', '--library-path', '/l:/p', '/s/mysqld')
    >>> _with_library_folder(("/s/mysqld",), Path("/p"))
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
        header = file.read(18)
    return int.from_bytes(header[16:18], "little" if header[5] == 1 else "big")
