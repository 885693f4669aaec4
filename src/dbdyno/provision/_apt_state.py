"""Runs a private package manager for one suite: own sources, own lists, an empty system to install into.

The host's package state is neither read nor changed. Signatures are verified with the distribution's own keys.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path

from dbdyno.core import HostError, ProvisionError, read_input
from dbdyno.hosts import Completed, Host
from dbdyno.provision._apt_sources import Distribution
from dbdyno.provision._installation import Progress

_UPDATE_TIMEOUT_S = 600
_DOWNLOAD_TIMEOUT_S = 3600
_FRESH_S = 3600
_EXPIRED_MOST = timedelta(days=60)
_RELEASE_BYTES = 8 << 20
_VALID_UNTIL_RE = re.compile(r"^Valid-Until: (.+)$", re.MULTILINE)
_UNCHECKED_RE = re.compile(r"Acquire::Check-Valid-Until \"(?:false|no|0)\"", re.IGNORECASE)
_URI_RE = re.compile(r"^'[^']+' ([^\s_]+)_([^\s_]+)_[^\s_]+\.deb ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """Holds a package as the signed index describes it."""

    name: str
    version: str
    file_name: str
    size_bytes: int
    sha256: str


class AptState:
    """Represents the private state of one suite, below `directory`."""

    def __init__(self, suite: str, distribution: Distribution, directory: Path, host: Host) -> None:
        self.suite = suite
        self._distribution = distribution
        self._directory = directory / suite
        self._host = host

    @property
    def archives(self) -> Path:
        """Return where downloads are kept until an installation is complete."""
        return self._directory / "archives"

    def has_lists(self) -> bool:
        """Return whether the suite was asked before, with the host's present settings, so that no network is needed.

        apt passes over a missing list of sources, or one of another mirror, and then offers nothing without an error.
        """
        return (self._directory / "lists.complete").exists() and self._is_configured()

    def is_fresh(self) -> bool:
        """Return whether the lists are so new that the mirror need not be asked again."""
        return self.has_lists() and time.time() - (self._directory / "lists.complete").stat().st_mtime < _FRESH_S

    def update(self, progress: Progress) -> None:
        """Fetch the suite's signed lists.

        Raises
        ------
        ProvisionError : the mirror can't be reached or its signature does not verify
        """
        progress(f"package lists of {self.suite}")
        try:
            self._prepare_directory(all_pockets=True)
            result = self._run_apt(
                "apt-get", "update", "-q", "-o", "APT::Update::Error-Mode=any", timeout_s=_UPDATE_TIMEOUT_S, check=False
            )
            if result.exit_code != 0:  # updates or security of an old suite may be gone: then the suite alone
                progress(f"{self.suite} is read without its updates: {_apt_words(result.stderr).splitlines()[-1]}")
                self._prepare_directory(all_pockets=False)
                self._run_apt(
                    "apt-get", "update", "-q", "-o", "APT::Update::Error-Mode=any", timeout_s=_UPDATE_TIMEOUT_S
                )
            self._check_expiry(progress)
            self._host.write_private(self._directory / "lists.complete", "")
        except HostError as error:
            raise ProvisionError(
                f"the package lists of {self.suite} can't be fetched",
                _apt_words(str(error)),
                "check the network and the host's package sources with: apt-get update",
                code="not-fetched",
            ) from error

    def expired(self) -> datetime | None:
        """Return when the suite's lists ceased to be valid, by the date that they are signed with; None while they are.

        Lists that are served beyond that date may hide newer versions with their corrections.
        """
        dates = [date for path in self._release_files() if (date := _valid_until(path)) is not None]
        valid_until = min(dates, default=None)
        return valid_until if valid_until is not None and valid_until < datetime.now(UTC) else None

    def _release_files(self) -> list[Path]:
        folder = self._directory / "lists"
        return [*folder.glob(f"*_dists_{self.suite}_InRelease"), *folder.glob(f"*_dists_{self.suite}_Release")]

    def _check_expiry(self, progress: Progress) -> None:
        valid_until = self.expired()
        if valid_until is None:
            return
        words = f"the package lists of {self.suite} have been out of date since {valid_until:%Y-%m-%d}"
        is_allowed = any(_UNCHECKED_RE.match(line) for line in self._distribution.settings)
        if datetime.now(UTC) - valid_until > _EXPIRED_MOST and not is_allowed:
            raise ProvisionError(
                words,
                f"the mirror lags behind by more than {_EXPIRED_MOST.days} days, or another server answers in "
                "its place",
                'use another mirror; or allow it in the host\'s apt settings: Acquire::Check-Valid-Until "false";',
                code="lists-expired",
            )
        progress(f"{words}: the mirror lags behind, so newer versions and fixes may be missing")

    def versions(self, prefix: str) -> list[tuple[str, str]]:
        """Return (package, version) of all packages whose name begins with `prefix`, newest version first."""
        names = self._run_apt("apt-cache", "pkgnames", prefix, timeout_s=60).stdout.split()
        if not names:
            return []
        rows = self._run_apt("apt-cache", "madison", *sorted(names), timeout_s=60).stdout.splitlines()
        return [(cells[0].strip(), cells[1].strip()) for row in rows if len(cells := row.split("|")) == 3]

    def libraries(self, wanted: Sequence[str]) -> list[RemoteFile]:
        """Return packages `wanted` (each ``NAME=VERSION``) and what they reach through dependencies on libraries alone.

        Perl, python, debconf and clients, which only the packages' scripts want, are left out: a third of the size.
        The solver is not asked, so that an older of two versions can be had too.
        """
        packages: dict[str, PackageRecord] = {}
        waiting = list(wanted)
        while waiting:
            records_text = self._run_apt(
                "apt-cache", "show", "--no-all-versions", *waiting, timeout_s=60, check=False
            ).stdout
            records = {record.file.name: record for record in parse_records(records_text)}
            packages |= records
            dependencies = {name for record in records.values() for name in record.depends}
            waiting = sorted(n for n in dependencies - packages.keys() - set(waiting) if n.startswith(("lib", "zlib")))
        return [record.file for record in packages.values()]

    def closure(self, wanted: Sequence[str]) -> list[RemoteFile]:
        """Return all packages that installing `wanted` (each ``NAME=VERSION``) would bring, by the solver."""
        uri_lines = self._run_apt(
            "apt-get", "install", "-y", "-qq", "--print-uris", "--download-only", *wanted, timeout_s=120
        ).stdout
        pinned_names = [f"{name}={version.replace('%3a', ':')}" for name, version in _URI_RE.findall(uri_lines)]
        records_text = self._run_apt("apt-cache", "show", *pinned_names, timeout_s=60).stdout
        return [record.file for record in parse_records(records_text)]

    def download(self, files: Sequence[RemoteFile]) -> list[Path]:
        """Fetch packages that are not here yet, each verified against the signed index; their paths.

        An interrupted download goes on with the first package that is missing or incomplete.
        """
        self._host.make_directory(self.archives)
        missing_files = [file for file in files if not _is_complete(self.archives / file.file_name, file)]
        if missing_files:
            self._run_apt(
                "apt-get",
                "download",
                "-q",
                *(f"{file.name}={file.version}" for file in missing_files),
                timeout_s=_DOWNLOAD_TIMEOUT_S,
                cwd=self.archives,
            )
        return [self.archives / file.file_name for file in files]

    def _prepare_directory(self, *, all_pockets: bool) -> None:
        base = self._directory
        for folder in ("lists/partial", "cache/archives/partial", "etc/apt.conf.d", "etc/preferences.d", "archives"):
            self._host.make_directory(base / folder)
        for name, text in self._settings(all_pockets=all_pockets).items():
            self._host.write_private(base / name, text)

    def _is_configured(self) -> bool:
        return any(
            all(_holds(self._directory / name, text) for name, text in self._settings(all_pockets=all_pockets).items())
            for all_pockets in (True, False)
        )

    def _settings(self, *, all_pockets: bool) -> dict[str, str]:
        """Return apt's settings by file; the status says that the system is empty, so everything counts as missing."""
        sources = self._distribution.stanzas(self.suite, all_pockets=all_pockets)
        return {"status": "", "etc/own.sources": sources, "apt.conf": self._configuration()}

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
        if self.suite == "sid":  # its lists are valid for a week, and mirrors lag behind: `_check_expiry` decides
            lines.append('Acquire::Check-Valid-Until "false";')
        return "\n".join(lines) + "\n"

    def _run_apt(self, *argv: str, timeout_s: float, cwd: Path | None = None, check: bool = True) -> Completed:
        return self._host.run(
            argv,
            timeout_s=timeout_s,
            env={"APT_CONFIG": str(self._directory / "apt.conf"), "DEBIAN_FRONTEND": "noninteractive"},
            cwd=cwd,
            check=check,
            is_download=True,
        )


@dataclass(frozen=True, slots=True)
class PackageRecord:
    """Describes what the signed index says of a package."""

    file: RemoteFile
    depends: frozenset[str]


def parse_records(text: str) -> list[PackageRecord]:
    r"""Return stanzas of ``apt-cache show``.

    >>> text = "Package: a\nVersion: 1:2-1\nArchitecture: all\nSize: 9\nSHA256: ff\nDepends: liba (>= 1) | libb, perl"
    >>> record = parse_records(text)[0]
    >>> record.file.file_name, sorted(record.depends)
    ('a_1%3a2-1_all.deb', ['liba', 'libb', 'perl'])
    """
    records = []
    for stanza in text.split("\n\n"):
        fields = dict(re.findall(r"^([\w-]+): (.+)$", stanza, re.MULTILINE))
        if "SHA256" not in fields:
            continue
        name, version = fields["Package"], fields["Version"]
        file_name = f"{name}_{version.replace(':', '%3a')}_{fields['Architecture']}.deb"
        depends = f"{fields.get('Pre-Depends', '')}, {fields.get('Depends', '')}"
        records.append(
            PackageRecord(
                RemoteFile(name, version, file_name, int(fields["Size"]), fields["SHA256"]),
                frozenset(re.findall(r"(?:^|[,|])\s*([a-z0-9][a-z0-9+.-]+)", depends)),
            )
        )
    return records


def _valid_until(path: Path) -> datetime | None:
    """Return the date until which a signed release file holds; None where it says none."""
    with contextlib.suppress(OSError, ValueError):
        match = _VALID_UNTIL_RE.search(read_input(path, _RELEASE_BYTES).decode(errors="replace"))
        return parsedate_to_datetime(match[1]).astimezone(UTC) if match else None
    return None


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text() == text


def _is_complete(path: Path, file: RemoteFile) -> bool:
    if not path.exists() or path.stat().st_size != file.size_bytes:
        return False
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest() == file.sha256


def _apt_words(text: str) -> str:
    """Return the lines in which apt says what went wrong, or the end of what it said."""
    errors = [line for line in text.splitlines() if line.startswith(("E:", "W:", "Err:"))]
    return "\n".join(errors[-6:]) or text[-600:]
