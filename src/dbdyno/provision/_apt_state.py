"""A private package manager for one suite: own sources, own lists, an empty system to install into.

The host's package state is neither read nor changed. Signatures are verified with the distribution's own keys.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dbdyno.core import HostError, ProvisionError
from dbdyno.hosts import Completed, Host
from dbdyno.provision._apt_sources import Distribution
from dbdyno.provision._installation import Progress

_UPDATE_TIMEOUT_S = 600
_DOWNLOAD_TIMEOUT_S = 3600


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A package as the signed index describes it."""

    name: str
    version: str
    file_name: str
    size_bytes: int
    digest: str


class AptState:
    """The private state of one suite, below `directory`."""

    def __init__(self, suite: str, distribution: Distribution, directory: Path, host: Host) -> None:
        self.suite = suite
        self._distribution = distribution
        self._directory = directory / suite
        self._host = host

    @property
    def archives(self) -> Path:
        """Where downloads are kept until an installation is complete."""
        return self._directory / "archives"

    def has_lists(self) -> bool:
        """Whether the suite was asked before, so that it can be asked again without a network."""
        return (self._directory / "lists.complete").exists()

    def update(self, progress: Progress) -> None:
        """Fetch the suite's signed lists.

        Raises
        ------
        ProvisionError : the mirror can't be reached or its signature does not verify
        """
        progress(f"package lists of {self.suite}")
        try:
            self._prepare(all_pockets=True)
            done = self._apt(
                "apt-get", "update", "-q", "-o", "APT::Update::Error-Mode=any", timeout_s=_UPDATE_TIMEOUT_S, check=False
            )
            if done.exit_code != 0:  # an old suite may have lost its updates or security pocket: then the suite alone
                self._prepare(all_pockets=False)
                self._apt("apt-get", "update", "-q", "-o", "APT::Update::Error-Mode=any", timeout_s=_UPDATE_TIMEOUT_S)
            self._host.write_private(self._directory / "lists.complete", "")
        except HostError as error:
            raise ProvisionError(
                f"the package lists of {self.suite} can't be fetched",
                _apt_words(str(error)),
                "check the network and the host's package sources with: apt-get update",
            ) from error

    def versions(self, prefix: str) -> list[tuple[str, str]]:
        """(package, version) of all packages whose name begins with `prefix`, newest version first."""
        names = self._apt("apt-cache", "pkgnames", prefix, timeout_s=60).stdout.split()
        if not names:
            return []
        rows = self._apt("apt-cache", "madison", *sorted(names), timeout_s=60).stdout.splitlines()
        return [(cells[0].strip(), cells[1].strip()) for row in rows if len(cells := row.split("|")) == 3]

    def closure(self, wanted: Sequence[str], *, libraries_only: bool) -> list[RemoteFile]:
        """Packages to fetch for `wanted` (each ``NAME=VERSION``), these included.

        Parameters
        ----------
        libraries_only : leave out what only the packages' scripts need (perl, python, debconf)
        """
        listed = self._apt(
            "apt-get", "install", "-y", "-qq", "--print-uris", "--download-only", *wanted, timeout_s=120
        ).stdout
        files = {file.name: file for file in _parse_uris(listed)}
        if not libraries_only:
            return list(files.values())
        wanted_names = {item.split("=")[0] for item in wanted}
        needed = self._libraries(wanted_names, files)
        return [file for file in files.values() if file.name in needed]

    def download(self, files: Sequence[RemoteFile]) -> list[Path]:
        """Fetch packages that are not here yet, each verified against the signed index; their paths.

        An interrupted download goes on with the first package that is missing or incomplete.
        """
        self._host.make_directory(self.archives)
        missing = [file for file in files if not _is_complete(self.archives / file.file_name, file)]
        if missing:
            self._apt(
                "apt-get",
                "download",
                "-q",
                *(f"{file.name}={file.version}" for file in missing),
                timeout_s=_DOWNLOAD_TIMEOUT_S,
                cwd=self.archives,
            )
        return [self.archives / file.file_name for file in files]

    def _libraries(self, wanted: set[str], files: dict[str, RemoteFile]) -> set[str]:
        """Names reached from `wanted` through dependencies on libraries alone."""
        specifications = [f"{file.name}={file.version}" for file in files.values()]
        shown = self._apt("apt-cache", "show", *specifications, timeout_s=60).stdout
        depends: dict[str, set[str]] = {}
        for stanza in shown.split("\n\n"):
            name = re.search(r"^Package: (\S+)", stanza, re.MULTILINE)
            if name:
                fields = re.findall(r"^(?:Pre-)?Depends: (.+)$", stanza, re.MULTILINE)
                depends[name[1]] = set(re.findall(r"(?:^|[,|]\s*)([a-z0-9][a-z0-9+.-]+)", ", ".join(fields)))
        reached: set[str] = set()
        waiting = set(wanted)
        while waiting:
            name_now = waiting.pop()
            reached.add(name_now)
            waiting |= {
                d for d in depends.get(name_now, set()) - reached if d in files and re.match(r"(?:lib|zlib)", d)
            }
        return reached

    def _prepare(self, *, all_pockets: bool) -> None:
        base = self._directory
        for folder in ("lists/partial", "cache/archives/partial", "etc/apt.conf.d", "etc/preferences.d", "archives"):
            self._host.make_directory(base / folder)
        self._host.write_private(base / "status", "")  # an empty system: everything counts as missing
        self._host.write_private(
            base / "etc/own.sources", self._distribution.stanzas(self.suite, all_pockets=all_pockets)
        )
        self._host.write_private(base / "apt.conf", self._configuration())

    def _configuration(self) -> str:
        base = self._directory
        lines = [
            f'Dir::State "{base}";',
            f'Dir::State::lists "{base}/lists";',
            f'Dir::State::status "{base}/status";',
            f'Dir::Cache "{base}/cache";',
            f'Dir::Log "{base}/log";',
            f'Dir::Etc "{base}/etc";',
            'Dir::Etc::sourcelist "own.sources";',
            'Dir::Etc::sourceparts "-";',
            'Dir::Etc::netrc "/etc/apt/auth.conf";',
            'Dir::Etc::netrcparts "/etc/apt/auth.conf.d";',
            'Dir::Etc::trusted "/etc/apt/trusted.gpg";',
            'Dir::Etc::trustedparts "/etc/apt/trusted.gpg.d";',
            'APT::Install-Recommends "false";',
            'APT::Sandbox::User "";',  # the folder is ours alone; the sandbox user could not write into it
            'Acquire::Languages "none";',
            'Acquire::GzipIndexes "true";',  # a suite's lists take 10 MB so, 60 MB otherwise
            'Dir::Cache::srcpkgcache "";',
            'Acquire::Retries "3";',
            *self._distribution.settings,
        ]
        if self.suite == "sid":  # its release file has often expired on mirrors that lag behind
            lines.append('Acquire::Check-Valid-Until "false";')
        return "\n".join(lines) + "\n"

    def _apt(self, *argv: str, timeout_s: float, cwd: Path | None = None, check: bool = True) -> Completed:
        return self._host.run(
            argv,
            timeout_s=timeout_s,
            env={"APT_CONFIG": str(self._directory / "apt.conf"), "DEBIAN_FRONTEND": "noninteractive"},
            cwd=cwd,
            check=check,
        )


def _parse_uris(text: str) -> list[RemoteFile]:
    """Lines of ``apt-get --print-uris``: 'URI' FILE SIZE ALGORITHM:DIGEST."""
    files = []
    for match in re.finditer(r"^'[^']+' (\S+)_(\S+)_(\S+)\.deb (\d+) (\S+)$", text, re.MULTILINE):
        name, version, architecture, size, digest = match.groups()
        file_name = f"{name}_{version}_{architecture}.deb"
        files.append(RemoteFile(name, version.replace("%3a", ":"), file_name, int(size), digest))
    return files


def _is_complete(path: Path, file: RemoteFile) -> bool:
    if not path.exists() or path.stat().st_size != file.size_bytes:
        return False
    algorithm, _, expected = file.digest.partition(":")
    algorithm = {"MD5Sum": "md5"}.get(algorithm, algorithm.lower())
    with path.open("rb") as content:
        return hashlib.file_digest(content, algorithm).hexdigest() == expected


def _apt_words(text: str) -> str:
    """The lines in which apt says what went wrong, or the end of what it said."""
    errors = [line for line in text.splitlines() if line.startswith(("E:", "W:", "Err:"))]
    return "\n".join(errors[-6:]) or text[-600:]
