"""Describes a server's base directory of any layout, and names the libraries that it lacks."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from dbdyno.core import ProvisionError
from dbdyno.hosts import Host

_DEBIAN_PACKAGES: Mapping[str, str] = MappingProxyType(
    {
        "libaio.so.1": "libaio1 (libaio1t64 from Debian 13 on)",
        "libcrypt.so.1": "libcrypt1",
        "libcurl.so.4": "libcurl4 (libcurl4t64 from Debian 13 on)",
        "libgssapi_krb5.so.2": "libgssapi-krb5-2",
        "liblz4.so.1": "liblz4-1",
        "libncurses.so.5": "libncurses5 (up to Debian 11)",
        "libncurses.so.6": "libncurses6",
        "libnuma.so.1": "libnuma1",
        "libpam.so.0": "libpam0g",
        "libpcre2-8.so.0": "libpcre2-8-0",
        "libsasl2.so.2": "libsasl2-2",
        "libsnappy.so.1": "libsnappy1v5",
        "libssl.so.1.1": "libssl1.1 (up to Debian 11)",
        "libssl.so.3": "libssl3 (libssl3t64 from Debian 13 on)",
        "libstdc++.so.6": "libstdc++6",
        "libsystemd.so.0": "libsystemd0",
        "libtinfo.so.5": "libtinfo5 (up to Debian 11)",
        "libtinfo.so.6": "libtinfo6",
        "liburing.so.2": "liburing2",
        "libz.so.1": "zlib1g",
        "libzstd.so.1": "libzstd1",
    }
)
_OTHER_NAMES: Mapping[str, str] = MappingProxyType({"libaio.so.1": "libaio.so.1t64"})
"""The same library under the name that newer distributions give it."""


def library_path(programs: Sequence[Path], folder: Path, links: Path, host: Host) -> str:
    """Return what ``LD_LIBRARY_PATH`` must be so that `programs` find all they need; empty when they do without.

    What the host lacks is looked for in `folder`, where some builds bring it along, then under another name on the
    host; of that a link is made in `links`.

    Raises
    ------
    ProvisionError : a library is nowhere; it is named with the Debian package that has it
    """
    missing_names = _missing_libraries(programs, "", host)
    if not missing_names:
        return ""
    places = {p.parent for name in missing_names for p in folder.rglob(name) if p.is_file()}
    for name in missing_names:
        host_path = _host_library(_OTHER_NAMES[name], host) if name in _OTHER_NAMES else ""
        if host_path and not any((place / name).exists() for place in places):
            _link(links / name, Path(host_path), host)
            places.add(links)
    path = ":".join(str(place) for place in sorted(places))
    still_missing = _missing_libraries(programs, path, host) if path else missing_names
    if still_missing:
        raise ProvisionError(
            f"{programs[0].name} lacks libraries of this host: {', '.join(still_missing)}",
            f"needed by {' and '.join(str(program) for program in programs)}",
            install_hint(still_missing),
            code="libraries-missing",
        )
    return path


def install_hint(names: Sequence[str]) -> str:
    """Return which packages to install, as far as they are known.

    >>> install_hint(["libnuma.so.1"])
    'install: libnuma1'
    """
    package_names = [_DEBIAN_PACKAGES[name] for name in names if name in _DEBIAN_PACKAGES]
    unknown_names = [name for name in names if name not in _DEBIAN_PACKAGES]
    words = [f"install: {', '.join(package_names)}"] if package_names else []
    return "; ".join(words + ([f"find the packages that contain {', '.join(unknown_names)}"] if unknown_names else []))


def _missing_libraries(programs: Sequence[Path], path: str, host: Host) -> list[str]:
    """List missing libraries as the loader does; one that is too old counts by the version's name."""
    missing_names = set[str]()
    for program in programs:
        listing = host.run(
            ["ldd", str(program)], timeout_s=60, as_server_user=True, check=False, env={"LD_LIBRARY_PATH": path}
        )
        missing_names |= set(re.findall(r"(\S+) => not found", listing.stdout))
        missing_names |= set(re.findall(r"version `(\S+)' not found", listing.stdout + listing.stderr))
    return sorted(missing_names)


def _host_library(name: str, host: Host) -> str:
    """Return the path of a library that the host's loader knows; empty when it knows none of that name."""
    listing = host.run(["/sbin/ldconfig", "-p"], timeout_s=30, check=False).stdout
    match = re.search(rf"^\s*{re.escape(name)} \([^)]*x86-64[^)]*\) => (\S+)", listing, re.MULTILINE) or re.search(
        rf"^\s*{re.escape(name)} .*=> (\S+)", listing, re.MULTILINE
    )
    return match[1] if match else ""


def _link(link: Path, target: Path, host: Host) -> None:
    host.make_directory(link.parent)
    link.unlink(missing_ok=True)
    link.symlink_to(target)


_SERVER_NAMES = ("mariadbd", "mysqld")
_PROGRAM_FOLDERS = ("bin", "sbin", "libexec", "sql")
_PLUGIN_FOLDERS = ("lib/plugin", "lib/mysql/plugin", "lib64/mysql/plugin", "lib/mariadb/plugin", "lib64/mariadb/plugin")
_MACHINES = {"x86_64": 62, "aarch64": 183, "ppc64le": 21, "s390x": 22, "riscv64": 243}


@dataclass(frozen=True, slots=True)
class Base:
    """Describes where things lie in a base directory.

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
    """Return the base directory in a folder, at any depth; None when a server or its messages are not there.

    Of several servers that for this machine is taken, then the one nearest to the top.

    Raises
    ------
    ProvisionError : there are servers, all of them for other machines
    """
    files = [Path(parent) / name for parent, _, names in os.walk(folder) for name in sorted(names)]
    servers = [p for p in files if p.name in _SERVER_NAMES and not p.is_symlink() and is_elf(p)]
    runnable_servers = [p for p in servers if is_for_this_machine(p)]
    if servers and not runnable_servers:
        raise ProvisionError(
            "the server is built for another architecture",
            f"{servers[0]} does not run on {platform.machine()}",
            "get the build for this architecture",
            code="other-architecture",
        )
    shares = [p.parent.parent for p in files if p.name == "errmsg.sys" and p.parent.name == "english"]
    shares = [share for share in shares if (share / "charsets" / "Index.xml").is_file()]
    if not runnable_servers or not shares:
        return None
    server = min(runnable_servers, key=lambda p: (len(p.parts), _SERVER_NAMES.index(p.name), p))
    directory = server.parent.parent if server.parent.name in _PROGRAM_FOLDERS else server.parent
    share = min(shares, key=lambda s: (-_shared_part_count(s, directory), len(s.parts), s))
    plugins = _plugin_directory(files, directory)
    return Base(server, directory, share, plugins, _plugin_files(plugins))


def is_for_this_machine(program: Path) -> bool:
    """Return whether a program's ELF header names this processor and 64 bits."""
    with program.open("rb") as file:
        header = file.read(20)
    machine = int.from_bytes(header[18:20], "little" if header[5] == 1 else "big")
    return header[4] == 2 and machine == _MACHINES.get(platform.machine(), machine)


def is_elf(path: Path) -> bool:
    """Return whether a file is a program or a library of Linux."""
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF" and path.stat().st_size > 20


def _plugin_directory(files: Iterable[Path], directory: Path) -> Path:
    folders = {p.parent for p in files if p.suffix == ".so" and p.parent.name == "plugin"}
    inner_folders = sorted((f for f in folders if f.is_relative_to(directory)), key=lambda f: (len(f.parts), f))
    usual_folders = [directory / name for name in _PLUGIN_FOLDERS]
    return next((f for f in usual_folders if f in folders), inner_folders[0] if inner_folders else usual_folders[0])


def _plugin_files(folder: Path) -> dict[str, str]:
    files = sorted(folder.glob("ha_*.so")) if folder.is_dir() else []
    return {path.stem.removeprefix("ha_").lower(): path.name for path in files}


def _shared_part_count(path: Path, other_path: Path) -> int:
    return len(Path(os.path.commonpath([path, other_path])).parts)
