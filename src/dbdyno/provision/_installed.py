"""Engines that are on this machine: which, how large, whether still whole; removed only while nobody uses them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dbdyno.core import EngineName, HostError, ProvisionError, StudyError
from dbdyno.engines import matches
from dbdyno.hosts import Home, Host
from dbdyno.provision import _checksums, _store
from dbdyno.provision._asked import ask_version
from dbdyno.provision._installation import Installation

_BUSY_WAIT_S = 1


@dataclass(frozen=True, slots=True)
class InstalledEngine:
    """An engine in a folder of ours.

    Parameters
    ----------
    disk_bytes : what its files take
    has_checksums : whether the digest of every file was kept; not so for what earlier versions of dbdyno fetched
    """

    folder: Path
    installation: Installation
    disk_bytes: int
    has_checksums: bool

    def answers_to(self, name: EngineName) -> bool:
        """Whether a name means it; a source without its place means all of that kind."""
        i = self.installation
        return (
            i.family == name.family
            and (not name.version or matches(i.version, name.version))
            and name.source_kind in ("", i.origin.source)
            and name.source_place in ("", i.origin.location)
        )


def installed_engines(home: Home, host: Host) -> list[InstalledEngine]:
    """All complete installations, by family and version."""
    found = []
    for folder, installation in _store.entries(home, host):
        words = host.run(["du", "-s", "-B1", str(folder)], timeout_s=120, check=False).stdout.split()
        found.append(
            InstalledEngine(folder, installation, int(words[0]) if words else 0, _checksums.has_checksums(folder))
        )
    return sorted(found, key=lambda kept: (kept.installation.family, kept.folder.name))


def select_installed(names: list[EngineName], kept: list[InstalledEngine]) -> list[InstalledEngine]:
    """Those that the names mean, each once; all when there are no names.

    Raises
    ------
    StudyError : a name means none of them
    """
    for name in names:
        if not any(engine.answers_to(name) for engine in kept):
            here = ", ".join(f"{e.installation.title} ({e.installation.origin.source})" for e in kept)
            raise StudyError(f"{name} is not on this machine", f"here: {here or 'nothing'}", "see: dbdyno engines list")
    return [engine for engine in kept if not names or any(engine.answers_to(name) for name in names)]


def check_installed(engine: InstalledEngine, host: Host) -> list[str]:
    """What is wrong with it, one line each: files that changed, a server that does not run or is another."""
    lines = _checksums.differences(engine.folder) if engine.has_checksums else []
    try:
        _, raw_version = ask_version(engine.installation.server_argv, host)
    except (ProvisionError, HostError) as error:
        return [*lines, f"{error.what}: {error.why}"]
    if raw_version != engine.installation.raw_version:
        lines.append(f"its server says {raw_version}, it was {engine.installation.raw_version}")
    return lines


def remove_installed(engine: InstalledEngine, home: Home, host: Host) -> None:
    """Remove it, its manifest first, so that what an interruption leaves does not count as an engine.

    Raises
    ------
    ProvisionError : a study of another process uses it
    """
    try:
        with host.lock(_lock_file(engine.folder, home), _BUSY_WAIT_S):
            _store.forget(engine.folder, host)
            host.remove_tree(engine.folder)
    except HostError as error:
        if "another process holds" not in error.what:
            raise
        raise ProvisionError(
            f"{engine.installation.title} is in use", f"a study holds {engine.folder}", "wait for it to end"
        ) from error


@contextlib.contextmanager
def in_use(installation: Installation, home: Home, host: Host) -> Iterator[None]:
    """Keep an engine from being removed while the block runs; what is not in a folder of ours is nobody's to remove.

    Raises
    ------
    ProvisionError : it was removed a moment ago
    """
    folder = _folder_of(installation, home)
    if folder is None:
        yield
        return
    with host.lock(_lock_file(folder, home), _BUSY_WAIT_S * 60, shared=True):
        if not _store.is_complete(folder):
            raise ProvisionError(f"{installation.title} was removed meanwhile", str(folder), "run again to fetch it")
        yield


def _folder_of(installation: Installation, home: Home) -> Path | None:
    if not installation.base_directory.is_relative_to(home.engines) or installation.origin.source == "basedir":
        return None
    return home.engines / installation.base_directory.relative_to(home.engines).parts[0]


def _lock_file(folder: Path, home: Home) -> Path:
    return home.locks / f"{folder.name}.lock"
