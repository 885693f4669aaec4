"""Libraries that a server of foreign make wants from the host: named with the package that brings them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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
    """What ``LD_LIBRARY_PATH`` must be so that `programs` find all they need; empty when they do without.

    What the host lacks is looked for in `folder`, where some builds bring it along, then under another name on the
    host; of that a link is made in `links`.

    Raises
    ------
    ProvisionError : a library is nowhere; it is named with the Debian package that has it
    """
    missing = _missing(programs, "", host)
    if not missing:
        return ""
    places = {p.parent for name in missing for p in folder.rglob(name) if p.is_file()}
    for name in missing:
        other = _of_host(_OTHER_NAMES[name], host) if name in _OTHER_NAMES else ""
        if other and not any((place / name).exists() for place in places):
            _link(links / name, Path(other), host)
            places.add(links)
    path = ":".join(str(place) for place in sorted(places))
    still = _missing(programs, path, host) if path else missing
    if still:
        raise ProvisionError(
            f"{programs[0].name} lacks libraries of this host: {', '.join(still)}",
            f"asked for by {' and '.join(str(program) for program in programs)}",
            install_hint(still),
        )
    return path


def install_hint(names: Sequence[str]) -> str:
    """Which packages to install, as far as they are known.

    >>> install_hint(["libnuma.so.1"])
    'install: libnuma1'
    """
    known = [_DEBIAN_PACKAGES[name] for name in names if name in _DEBIAN_PACKAGES]
    unknown = [name for name in names if name not in _DEBIAN_PACKAGES]
    words = [f"install: {', '.join(known)}"] if known else []
    return "; ".join(words + ([f"find what brings {', '.join(unknown)}"] if unknown else []))


def _missing(programs: Sequence[Path], path: str, host: Host) -> list[str]:
    """As the loader says it; a version of a library that is too old counts by the version's name."""
    found = set[str]()
    for program in programs:
        said = host.run(
            ["ldd", str(program)], timeout_s=60, as_server_user=True, check=False, env={"LD_LIBRARY_PATH": path}
        )
        found |= set(re.findall(r"(\S+) => not found", said.stdout))
        found |= set(re.findall(r"version `(\S+)' not found", said.stdout + said.stderr))
    return sorted(found)


def _of_host(name: str, host: Host) -> str:
    """Path of a library that the host's loader knows; empty when it knows none of that name."""
    listed = host.run(["/sbin/ldconfig", "-p"], timeout_s=30, check=False).stdout
    match = re.search(rf"^\s*{re.escape(name)} \([^)]*x86-64[^)]*\) => (\S+)", listed, re.MULTILINE) or re.search(
        rf"^\s*{re.escape(name)} .*=> (\S+)", listed, re.MULTILINE
    )
    return match[1] if match else ""


def _link(link: Path, target: Path, host: Host) -> None:
    host.make_directory(link.parent)
    link.unlink(missing_ok=True)
    link.symlink_to(target)
