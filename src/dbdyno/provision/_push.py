"""Copies an engine that is kept here to the host that its servers run on, by its content; interrupted copies resume."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from dbdyno.core import Home, HostError, ProvisionError, format_bytes
from dbdyno.hosts import Host
from dbdyno.provision._installation import Installation, Progress
from dbdyno.provision._store import checksums, folder_of, is_complete, kept_files, save

_WAIT_S = 3600.0
_UNPACK_S = 1800.0
_LEFT_S = 24 * 3600.0
_SEAL = "files.sha256"


class PushHost(Host, Protocol):
    """Represents a host that files of this machine can be sent to."""

    def push(self, source: Path, destination: Path, sha256: str) -> int:
        """Send a file by its content, from where an earlier attempt ended; the bytes that had to be sent."""


@dataclass(frozen=True, slots=True)
class _FolderCopy:
    """Describes a folder of this machine and its copy on the host, which is named by its content.

    Parameters
    ----------
    listing : digests of its files
    """

    folder: Path
    listing: str
    destination: Path

    @classmethod
    def of(cls, folder: Path, parent: Path, links_to: str = "") -> _FolderCopy:
        """Name the copy below `parent`; `links_to` : what links in the folder lead to, which is part of its content."""
        listing = checksums(folder)
        digest = hashlib.sha256((listing + links_to).encode()).hexdigest()[:16]
        return cls(folder, listing, parent / f"{folder.name}-{digest}")

    def moved(self, text: str) -> str:
        """Return a text with the host's paths."""
        return text.replace(str(self.folder), str(self.destination))


def push_installation(
    installation: Installation, storage_engine: str, home: Home, host: PushHost, there: Home, progress: Progress
) -> Installation:
    """Have an engine of this machine on a host: the same files, below a folder named by their content.

    It lies in a folder of this machine's home, or in the base directory that the study names, which is copied whole. A
    plug-in that is a file of its own lies in a second folder, with links into the first.

    Raises
    ------
    ProvisionError : it uses files outside of its folders here, which the host does not have
    HostError : the host can't take or unpack it
    """
    folder = folder_of(installation, home) or Path(installation.origin.location)
    engine = _FolderCopy.of(folder, there.engines)
    copies = [engine]
    if installation.plugin_directory.is_relative_to(home.plugins):
        copies.append(_FolderCopy.of(installation.plugin_directory, there.plugins, str(engine.destination)))
    remote_installation = _moved_installation(installation, storage_engine, copies, home)
    for copy in copies:
        with host.lock(there.locks / f"{copy.destination.name}.push", _WAIT_S):
            if not is_complete(copy.destination, host):
                with _archive(copy, copies, home.engines) as archive:
                    _send(remote_installation, archive, copy.destination, host, progress)
    return remote_installation


def _moved_installation(
    installation: Installation, storage_engine: str, copies: Sequence[_FolderCopy], home: Home
) -> Installation:
    """Return the installation with the host's paths; the version of a plug-in is read here, where its file is."""

    def path(text: str | Path) -> str:
        return _moved(str(text), copies)

    version = installation.plugin_version(storage_engine)
    remote_installation = replace(
        installation,
        server_argv=tuple(path(word) for word in installation.server_argv),
        base_directory=Path(path(installation.base_directory)),
        share_directory=Path(path(installation.share_directory)),
        plugin_directory=Path(path(installation.plugin_directory)),
        plugin_versions={**installation.plugin_versions, **({storage_engine: version} if version else {})},
    )
    local_words = [word for word in remote_installation.server_argv if str(home.libraries) in word]
    if local_words:
        raise ProvisionError(
            f"{installation.title} can't be copied to another host",
            f"it needs libraries of this machine: {local_words[0]}",
            "use a distribution package, which brings its libraries",
        )
    return remote_installation


def _moved(text: str, copies: Sequence[_FolderCopy]) -> str:
    for copy in copies:
        text = copy.moved(text)
    return text


def _send(
    installation: Installation, archive: tuple[Path, str], destination: Path, host: PushHost, progress: Progress
) -> None:
    unpack_folder = destination.with_name(f".unfinished-{destination.name}")
    tar_path = unpack_folder.with_suffix(".tar")
    path, sha256 = archive
    progress(f"copying {installation.title} to the host, {format_bytes(path.stat().st_size)}")
    host.push(path, tar_path, sha256)
    host.remove_tree(unpack_folder)
    host.make_directory(unpack_folder)
    try:
        host.run(["tar", "-xf", str(tar_path), "-C", str(unpack_folder), "--no-same-owner"], timeout_s=_UNPACK_S)
        host.run(["sha256sum", "--quiet", "--check", _SEAL], cwd=unpack_folder, timeout_s=_UNPACK_S)
    except HostError as error:
        host.remove_tree(unpack_folder)
        raise HostError(
            f"{installation.title} can't be unpacked on the host",
            f"{error.what}: {error.why}",
            "install tar, or free space",
        ) from error
    finally:
        host.files.remove(tar_path)
    save(installation, unpack_folder, host)
    host.files.rename(unpack_folder, destination)


@contextlib.contextmanager
def _archive(copy: _FolderCopy, copies: Sequence[_FolderCopy], scratch: Path) -> Iterator[tuple[Path, str]]:
    """Make a tar file that is the same each time, so that an interrupted copy goes on; with its SHA-256.

    Links that lead into a copied folder lead into its copy.
    """

    def prepared(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.linkname = _moved(member.linkname, copies)
        return _without_owner(member)

    scratch.mkdir(parents=True, exist_ok=True)
    for folder in scratch.glob(".push-*-*"):
        if _is_left(folder):
            shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=scratch, prefix=f".push-{os.getpid()}-") as temporary:
        path, seal = Path(temporary) / "engine.tar", Path(temporary) / _SEAL
        seal.write_text(copy.listing)
        with tarfile.open(path, "w", format=tarfile.GNU_FORMAT) as archive:
            for name in kept_files(copy.folder):
                archive.add(copy.folder / name, name, recursive=False, filter=prepared)
            archive.add(seal, _SEAL, filter=_without_time)
        with path.open("rb") as file:
            yield path, hashlib.file_digest(file, "sha256").hexdigest()


def _is_left(folder: Path) -> bool:
    """Return whether a killed lab left a folder: on another machine that shares this one, a lab is not seen."""
    with contextlib.suppress(FileNotFoundError):
        age_s = time.time() - folder.stat().st_mtime
        return age_s > _LEFT_S and not Path(f"/proc/{folder.name.split('-')[1]}").exists()
    return False


def _without_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def _without_time(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.mtime = 0
    member.mode = 0o644
    return _without_owner(member)
