"""Finds where this host's distribution is fetched from, as its administrator has set it up.

No mirror is named here: the address, the proxy and the keys are the host's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from dbdyno.core import HostError, ProvisionError
from dbdyno.hosts import Host

DEBIAN_SUITES = ("bullseye", "bookworm", "trixie", "sid")
"""Oldest first. Of two suites that offer a version the older one is taken: it changes least."""
_DEBIAN_ALIASES = ("oldstable", "stable", "testing", "unstable", "sid")

_SETTINGS_KEPT = re.compile(
    r"Acquire::(?:https?|ftp|socks5h?|ForceIPv[46]|Retries|Check-Date|Check-Valid-Until|By-Hash|Queue-Mode|Max-)", re.I
)


@dataclass(frozen=True, slots=True)
class AptEntry:
    """Describes one line of the host's package sources.

    Parameters
    ----------
    signed_by : keyring file, fingerprint or key text as written; empty: the host's trusted keys
    """

    uri: str
    suites: tuple[str, ...]
    components: tuple[str, ...]
    signed_by: str


@dataclass(frozen=True, slots=True)
class Distribution:
    """Describes the host's distribution.

    Parameters
    ----------
    identity : ``debian``, ``ubuntu`` or another ID of os-release
    codename : suite the host runs
    archive : entry that serves `codename`
    security : entry that serves its security updates; None when the host has none
    settings : apt settings on how to reach a mirror, one a line
    """

    identity: str
    codename: str
    archive: AptEntry
    security: AptEntry | None
    settings: tuple[str, ...]

    @property
    def suites(self) -> tuple[str, ...]:
        """Suites that may be asked, most stable first: all of Debian's on Debian, the host's own elsewhere."""
        if self.identity != "debian":
            return (self.codename,)
        return DEBIAN_SUITES if self.codename in DEBIAN_SUITES else (*DEBIAN_SUITES[:-1], self.codename, "sid")

    def stanzas(self, suite: str, *, all_pockets: bool) -> str:
        """Return the text of a deb822 sources file for a suite; `all_pockets` adds updates and security."""
        suites = [suite, f"{suite}-updates"] if all_pockets and suite != "sid" else [suite]
        text = _stanza(self.archive, suites)
        if all_pockets and suite != "sid" and self.security is not None:
            text += "\n" + _stanza(self.security, [f"{suite}-security"])
        return text


def read_distribution(host: Host) -> Distribution:
    """Return the distribution and its package sources.

    Raises
    ------
    ProvisionError : not a distribution with apt, or no source that serves its main archive
    """
    try:
        host.run(["apt-get", "--version"], timeout_s=30)
        host.run(["dpkg-deb", "--version"], timeout_s=30)
    except HostError as error:
        raise ProvisionError(
            "this host has no apt, so dbdyno can't fetch distribution packages",
            str(error),
            "use a Debian or Ubuntu host, or name a running server: FAMILY@server:NAME",
            code="apt-missing",
        ) from error
    release = dict(re.findall(r'^(\w+)="?([^"\n]*)', _read_file(host, "/etc/os-release"), re.MULTILINE))
    identity, codename = release.get("ID", ""), release.get("VERSION_CODENAME", "")
    entries = _entries(host)
    names = {codename, *(_DEBIAN_ALIASES if identity == "debian" else ())} - {""}
    main_entries = [e for e in entries if "main" in e.components and names & set(e.suites)]
    if not main_entries:
        raise ProvisionError(
            "no package source is for this host's distribution",
            f"looked in /etc/apt for suite '{codename or 'unknown'}' with component main, found {len(entries)} sources",
            "add the distribution's package sources, or name a running server: FAMILY@server:NAME",
            code="sources-missing",
        )
    archive = min(main_entries, key=lambda e: not _is_distribution_key(e, identity))  # third parties use codenames too
    security_entries = [e for e in entries if {f"{name}-security" for name in names} & set(e.suites)]
    return Distribution(
        identity, codename, archive, security_entries[0] if security_entries else None, _mirror_settings(host)
    )


def parse_sources(text: str) -> list[AptEntry]:
    r"""Return entries of a deb822 ``.sources`` file.

    >>> parse_sources("Types: deb\nURIs: http://m/debian\nSuites: sid\nComponents: main\n")[0].suites
    ('sid',)
    """
    entries = []
    for stanza in re.split(r"\n\s*\n", text):
        lines = "\n".join(line for line in stanza.splitlines() if not line.startswith("#"))
        fields = {
            name.lower(): value.strip()
            for name, value in re.findall(r"^([\w-]+):[ \t]*((?:.*)(?:\n[ \t].*)*)", lines, re.MULTILINE)
        }
        if "deb" not in fields.get("types", "").split() or fields.get("enabled", "yes").lower() == "no":
            continue
        for uri in fields.get("uris", "").split():
            entries.append(
                AptEntry(
                    uri,
                    tuple(fields.get("suites", "").split()),
                    tuple(fields.get("components", "").split()),
                    fields.get("signed-by", ""),
                )
            )
    return entries


def parse_list(text: str) -> list[AptEntry]:
    """Return entries of a one-line-a-source ``.list`` file.

    >>> parse_list("deb [arch=amd64 signed-by=/k.gpg] http://m/debian sid main contrib # ours")[0].signed_by
    '/k.gpg'
    """
    entries = []
    for line in text.splitlines():
        match = re.match(r"\s*deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s*([^#]*)", line)
        if match:
            options = dict(option.split("=", 1) for option in (match[1] or "").split() if "=" in option)
            entries.append(AptEntry(match[2], (match[3],), tuple(match[4].split()), options.get("signed-by", "")))
    return entries


def _entries(host: Host) -> list[AptEntry]:
    listing = host.run(
        ["find", "/etc/apt/sources.list", "/etc/apt/sources.list.d/", "-maxdepth", "1", "-type", "f"],
        timeout_s=30,
        check=False,
    ).stdout.split()
    entries = []
    for name in sorted(listing):
        if name.endswith(".sources"):
            entries += parse_sources(_read_file(host, name))
        elif name.endswith(".list"):
            entries += parse_list(_read_file(host, name))
    return [entry for entry in entries if not entry.uri.startswith("cdrom")]


def _mirror_settings(host: Host) -> tuple[str, ...]:
    """Return how the host reaches mirrors (proxies, retries); none of its hooks, which work on the host's own state."""
    dump = host.run(["apt-config", "dump"], timeout_s=30, is_download=True).stdout
    return tuple(line for line in dump.splitlines() if _SETTINGS_KEPT.match(line) and not line.endswith(' "";'))


def _is_distribution_key(entry: AptEntry, identity: str) -> bool:
    return not entry.signed_by or f"{identity}-archive" in entry.signed_by


def _stanza(entry: AptEntry, suites: list[str]) -> str:
    signed = f"Signed-By: {_fold_field(entry.signed_by)}\n" if entry.signed_by else ""
    components = " ".join(c for c in entry.components if c in ("main", "universe"))
    return f"Types: deb\nURIs: {entry.uri}\nSuites: {' '.join(suites)}\nComponents: {components}\n{signed}"


def _fold_field(value: str) -> str:
    """Return a value of several lines, each after the first begun with a space; an empty line is a dot."""
    return "\n".join(
        line if line.startswith((" ", "\t")) or i == 0 else f" {line or '.'}"
        for i, line in enumerate(value.split("\n"))
    )


def _read_file(host: Host, name: str | Path) -> str:
    return host.run(["cat", str(name)], timeout_s=30).stdout
