"""Describes an engine in a tree of unpacked packages: its loader, its libraries, its files.

A program of another release of the distribution is started through the loader of its own packages, so the host's
C library does not matter and nothing is installed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dbdyno.core import ProvisionError
from dbdyno.hosts import Host


@dataclass(frozen=True, slots=True)
class PackageTree:
    """Describes where things lie below the root of an unpacked engine."""

    server_argv: tuple[str, ...]
    base_directory: Path
    share_directory: Path
    plugin_directory: Path
    plugin_files: dict[str, str]


def survey(root: Path, host: Host) -> PackageTree:
    """Find an engine's parts below `root`.

    Raises
    ------
    ProvisionError : a part is missing
    """
    lines = host.run(["find", str(root), "-type", "f", "-o", "-type", "l"], timeout_s=120).stdout.splitlines()
    files = [Path(line) for line in lines]
    loader = _find_file(
        root,
        files,
        "loader",
        lambda p: bool(re.fullmatch(r"ld-(?:linux.*|[\d.]+)\.so.*", p.name)) and not p.is_symlink(),
    )
    server = _find_file(
        root, files, "server program", lambda p: p.name in ("mariadbd", "mysqld") and not p.is_symlink()
    )
    messages = _find_file(
        root, files, "error messages", lambda p: p.name == "errmsg.sys" and p.parent.name == "english"
    )
    plugins = sorted(p for p in files if p.parent.name == "plugin" and p.suffix == ".so")
    plugin_directory = plugins[0].parent if plugins else root / "usr/lib/mysql/plugin"
    libraries = ":".join(str(folder) for folder in _library_folders(files, loader, plugin_directory))
    return PackageTree(
        server_argv=(str(loader), "--library-path", libraries, str(server)),
        base_directory=root / "usr",
        share_directory=messages.parent.parent,
        plugin_directory=plugin_directory,
        plugin_files={p.stem.removeprefix("ha_").lower(): p.name for p in plugins if p.name.startswith("ha_")},
    )


def missing_libraries(tree: PackageTree, host: Host) -> list[str]:
    """Return libraries of the server and its storage engines that are not in the tree."""
    loader, *_, server = tree.server_argv
    missing_names = []
    for program in (server, *(str(tree.plugin_directory / name) for name in tree.plugin_files.values())):
        listing = host.run([loader, *tree.server_argv[1:3], "--list", program], timeout_s=60, check=False)
        missing_names += re.findall(r"(\S+) => not found", listing.stdout) + re.findall(
            r"libraries: (\S+):", listing.stderr
        )
    return sorted(set(missing_names))


def _library_folders(files: list[Path], loader: Path, plugin_directory: Path) -> list[Path]:
    """Return folders with shared libraries: those next to the loader's first, then every other but plug-ins'."""
    folders = {p.parent for p in files if re.search(r"\.so(?:\.\w+)*$", p.name)}
    architecture = next((f.name for f in folders if f.name.endswith("-linux-gnu")), loader.parent.name)
    own_folders = [f for f in folders if f.name in (architecture, "private") and f != plugin_directory]
    return sorted(own_folders, key=lambda f: (f.name != architecture, str(f)))


def _find_file(root: Path, files: list[Path], what: str, test: Callable[[Path], bool]) -> Path:
    matches = sorted(p for p in files if test(p))
    if not matches:
        raise ProvisionError(f"no {what} among the unpacked packages", f"looked below {root}")
    return matches[0]
