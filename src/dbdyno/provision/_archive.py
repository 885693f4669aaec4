"""Unpacks engines that come as one archive, fetched and checked, next to their place, and moves them there whole.

Of the kinds that servers come in: tar (plain, gz, xz, bz2), zip, and jar, which is a zip. Modes and owners in the
archive are not taken over: every file can be read, programs can be run, and the user who unpacks owns all of it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import lzma
import os
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Protocol

from dbdyno.core import EngineName, Home, ProvisionError, StudyError, format_bytes
from dbdyno.engines import ServerIdentity, catalogue, catalogued, catalogued_sha256
from dbdyno.hosts import Host
from dbdyno.provision import _store
from dbdyno.provision._base_directory import find_base
from dbdyno.provision._fetch import lacking_room
from dbdyno.provision._from_directory import describe
from dbdyno.provision._identity import check_is
from dbdyno.provision._installation import Installation, Offer, Origin, Package, Progress
from dbdyno.provision._plugin import check_storage_engine
from dbdyno.provision._store import sha256_of

_ZIP_NAMES = (".zip", ".jar")
_TAR_NAMES = (".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2")
ARCHIVE_NAMES = (*_ZIP_NAMES, *_TAR_NAMES)
"""Ends of the names of files that can be unpacked, lower case."""
_TEST_SUITES = frozenset({"mysql-test", "mariadb-test", "sql-bench"})
_PROGRAM_STARTS = (b"\x7fELF", b"#!")
_BROKEN = (tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error, lzma.LZMAError, NotImplementedError)


@dataclass(frozen=True, slots=True)
class _Member:
    """Describes one entry: a folder (`link` and `open` None), a link, or a file."""

    name: str
    link: str | None = None
    is_hard_link: bool = False
    open: Callable[[], IO[bytes]] | None = None
    size_bytes: int = 0


def is_archive(path: Path) -> bool:
    """Return whether the name is one of an archive.

    >>> is_archive(Path("a/mysql-8.0.33-linux-x86_64.tar.xz")), is_archive(Path("mysqld"))
    (True, False)
    """
    return path.name.lower().endswith(ARCHIVE_NAMES)


def unpack(archive: Path, folder: Path) -> None:
    """Unpack into `folder`, which is made where missing.

    Suites of tests, half of some tarballs, are left out, and so are links that point out of the folder: builders leave
    such to places of the build machine.

    Raises
    ------
    ProvisionError : not an archive, broken, or with an entry that would lie outside of `folder`
    """
    folder.mkdir(parents=True, exist_ok=True)
    root = folder.resolve()
    try:
        for member in _members(archive):
            if not _TEST_SUITES & set(PurePosixPath(member.name).parts):
                _extract_member(member, root, archive)
        _remove_outward_links(root)
    except _BROKEN as error:
        raise ProvisionError(
            f"{archive.name} can't be unpacked",
            f"{error} ({archive})",
            "fetch it again: it is truncated or damaged",
            code="damaged-archive",
        ) from error
    except OSError as error:
        raise ProvisionError(f"{archive.name} can't be unpacked", str(error), "", code="damaged-archive") from error


def _members(archive: Path) -> Iterator[_Member]:
    if zipfile.is_zipfile(archive):
        yield from _zip_members(archive)
    elif tarfile.is_tarfile(archive):
        yield from _tar_members(archive)
    else:
        raise ProvisionError(
            f"{archive.name} is not an archive",
            f"read {archive}",
            f"known: {', '.join(ARCHIVE_NAMES)}",
            code="unknown-archive",
        )


def _zip_members(archive: Path) -> Iterator[_Member]:
    with zipfile.ZipFile(archive) as content:
        for info in content.infolist():
            mode = info.external_attr >> 16
            if info.is_dir():
                yield _Member(info.filename)
            elif stat.S_ISLNK(mode):
                yield _Member(info.filename, link=content.read(info).decode(errors="replace"))
            elif mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                raise _refusal_error(archive, info.filename, "is neither a file, a folder nor a link")
            else:
                yield _Member(info.filename, open=functools.partial(content.open, info), size_bytes=info.file_size)


def _tar_members(archive: Path) -> Iterator[_Member]:
    with tarfile.open(archive) as content:
        for info in content:
            if info.isdir():
                yield _Member(info.name)
            elif info.issym() or info.islnk():
                yield _Member(info.name, link=info.linkname, is_hard_link=info.islnk())
            elif info.isfile():
                yield _Member(info.name, open=functools.partial(_open_content, content, info), size_bytes=info.size)
            else:
                raise _refusal_error(archive, info.name, "is neither a file, a folder nor a link")


def _open_content(archive: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    content = archive.extractfile(info)
    assert content is not None  # it is a file
    return content


def _extract_member(member: _Member, root: Path, archive: Path) -> None:
    path = _resolve_inside(root / member.name, member.name, root, archive)
    if path == root:
        return
    if member.open is None and member.link is None:
        path.mkdir(parents=True, exist_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink() or path.is_file():
        path.unlink()
    if member.open is not None:
        _check_room(member, root, archive)
        _write(member.open, path)
    elif member.is_hard_link:
        target = _resolve_inside(root / str(member.link), member.name, root, archive)
        os.link(target, path, follow_symlinks=False)
    else:
        path.symlink_to(str(member.link))


def _check_room(member: _Member, root: Path, archive: Path) -> None:
    """Refuse a file that would fill the disk: a small archive may hold terabytes."""
    if words := lacking_room(root, member.size_bytes):
        raise ProvisionError(
            f"{archive.name} can't be unpacked",
            f"its entry '{member.name}' takes {format_bytes(member.size_bytes)}, and {words}",
            "check that this is the archive of a server, and free space there",
            code="damaged-archive",
        )


def _resolve_inside(path: Path, name: str, root: Path, archive: Path) -> Path:
    """Return the path with the links of its folder followed; an error where that is outside of `root`."""
    lexical = Path(os.path.normpath(path))
    resolved_path = lexical.parent.resolve() / lexical.name
    if PurePosixPath(name).is_absolute() or not lexical.is_relative_to(root) or not resolved_path.is_relative_to(root):
        raise _refusal_error(archive, name, "points outside the folder")
    return resolved_path


def _remove_outward_links(root: Path) -> None:
    """Make the links at the end, as what one points to may come after it; nothing is written through one."""
    for path in [p for p in root.rglob("*") if p.is_symlink()]:
        if not path.resolve().is_relative_to(root):
            path.unlink()


def _refusal_error(archive: Path, name: str, why: str) -> ProvisionError:
    return ProvisionError(
        f"{archive.name} is refused",
        f"its entry '{name}' {why}",
        "get it from the server's vendor",
        code="unsafe-archive",
    )


def _write(open_source: Callable[[], IO[bytes]], path: Path) -> None:
    with open_source() as source, path.open("wb") as file:
        start = source.read(4)
        file.write(start)
        shutil.copyfileobj(source, file, 1 << 20)
    path.chmod(0o755 if start.startswith(_PROGRAM_STARTS) else 0o644)


_LOCK_TIMEOUT_S = 1800
_NESTED_MAX = 2
_FOREIGN_WORDS = ("mac", "osx", "darwin", "win", "solaris", "sunos", "freebsd")


class Fetcher(Protocol):
    """Describes how the file of an archive comes to the machine."""

    name: str
    client: str

    def location(self, place: str) -> str:
        """Return what is recorded of where it comes from: an absolute path, an address, a coordinate.

        Raises
        ------
        StudyError : `place` is not of the form
        """

    def is_fixed(self, location: str) -> bool:
        """Return whether the same location always means the same bytes, so that it need not be looked at again."""

    def check(self, location: str, sha256: str, host: Host) -> None:
        """Check that it can be fetched, as far as that is known without its server.

        Raises
        ------
        StudyError, ProvisionError : as `fetch`
        """

    def fetch(
        self, location: str, sha256: str, host: Host, home: Home, progress: Progress
    ) -> tuple[Path, Callable[[], None]]:
        """Return the file, and what is to be called once it is unpacked (to remove a copy)."""


class UnpackedSource:
    """Archives that hold a server, by one way of fetching them."""

    def __init__(self, fetcher: Fetcher) -> None:
        self.name = fetcher.name
        self._fetcher = fetcher

    def offers(self, host: Host, home: Home) -> list[Offer]:
        """See `Source`: those that are here already, and those of the catalogue if the client for them is here."""
        installations = [i for i in _store.installations(home, host) if i.origin.source == self.name]
        has_client = host.run(["which", self._fetcher.client], timeout_s=30, check=False).exit_code == 0
        known_sources = {f"{self.name}:{i.origin.location}" for i in installations}
        catalogued_engines = [
            e for e in catalogue() if e.source.startswith(f"{self.name}:") and e.source not in known_sources
        ]
        return [
            Offer(i.family, i.version, i.storage_engines, self.name, i.origin.location, installed=True)
            for i in installations
        ] + [
            Offer(
                e.family,
                e.version,
                ("innodb",),
                self.name,
                e.source.partition(":")[2],
                installed=False,
                download_bytes=e.file_bytes,
            )
            for e in catalogued_engines
            if has_client
        ]

    def check(self, name: EngineName, host: Host, home: Home, progress: Progress) -> None:
        """See `Source`."""
        name, location = self._located(name)
        if self._known_installation(name, location, host, home) is None:
            self._fetcher.check(location, name.sha256, host)

    def obtain(self, name: EngineName, host: Host, home: Home, progress: Progress) -> Installation:
        """See `Source`. What was unpacked before is used if the file is the same, or is no longer available."""
        name, location = self._located(name)
        host.ensure_reachable(home.engines)
        host.make_directory(home.downloads)
        with host.lock(home.downloads / "lock", _LOCK_TIMEOUT_S):
            installation = self._known_installation(name, location, host, home)
            return installation or self._fetch_and_install(name, location, host, home, progress)

    def _located(self, name: EngineName) -> tuple[EngineName, str]:
        """Return the name with all that the catalogue knows of it, and its location."""
        name = self._with_place(name)
        location = self._fetcher.location(name.source_place)
        sha256 = name.sha256 or catalogued_sha256(f"{self.name}:{location}")
        return dataclasses.replace(name, sha256=sha256), location

    def _with_place(self, name: EngineName) -> EngineName:
        """Return the name with the place that the catalogue knows for it, where it has none."""
        if name.source_place:
            return name
        entry = catalogued(name.family, name.version, self.name) if name.version else None
        if entry is None:
            raise StudyError(
                f"{name} does not say which",
                "",
                f"write {name.family}:VERSION@{self.name}:WHERE",
                code="source-incomplete",
            )
        return dataclasses.replace(name, source=entry.source)

    def _known_installation(self, name: EngineName, location: str, host: Host, home: Home) -> Installation | None:
        """Return an installation from this very file, as far as that is known without fetching it."""
        installations = [i for i in _store.installations(home, host) if i.origin.source == self.name]
        if name.sha256:
            installations = [i for i in installations if i.origin.packages[0].sha256 == name.sha256]
        elif self._fetcher.is_fixed(location):
            installations = [i for i in installations if i.origin.location == location]
        else:
            return None
        return _checked_installation(installations[-1], name) if installations else None

    def _fetch_and_install(
        self, name: EngineName, location: str, host: Host, home: Home, progress: Progress
    ) -> Installation:
        file, forget = self._fetcher.fetch(location, name.sha256, host, home, progress)
        digest = sha256_of(file)
        if name.sha256 and digest != name.sha256:
            forget()
            raise ProvisionError(
                f"{location} is not the expected file",
                f"its SHA-256 is {digest}, but the study asks for {name.sha256}",
                "get the right file, or correct sha256",
                code="digest-mismatch",
            )
        for existing in _store.installations(home, host):  # the same file under another name
            if existing.origin.source == self.name and existing.origin.packages[0].sha256 == digest:
                forget()
                return _checked_installation(existing, name)
        progress(f"unpack {file.name}, {format_bytes(file.stat().st_size)}")
        origin = Origin(self.name, location, (Package(file.name, "", digest),))
        installation = _install(name, file, origin, host, home)
        forget()
        return installation


def _checked_installation(installation: Installation, name: EngineName) -> Installation:
    identity = ServerIdentity(installation.family, installation.version, certain=True)
    server_words = f"the server of {installation.origin.location}"
    check_is(name, identity, installation.raw_version, server_words)
    check_storage_engine(name, installation.storage_engines, server_words)
    return installation


def _install(name: EngineName, file: Path, origin: Origin, host: Host, home: Home) -> Installation:
    """Unpack next to the place, move there in one step, and only then write the manifest."""
    digest = origin.packages[0].sha256
    folder = home.engines / f"{origin.source}-{name.family}-{digest[:16]}"
    unfinished = home.engines / f".unfinished-{folder.name}"
    try:
        host.remove_tree(unfinished)
        unpack(file, unfinished)
        _unpack_nested(unfinished)
        host.remove_tree(folder)
        host.run(["mv", "-T", str(unfinished), str(folder)], timeout_s=60)
        installation = describe(name, folder, origin, host, home)
        _store.seal(folder)
        _store.save(installation, folder, host)
    except BaseException:
        with contextlib.suppress(Exception):
            host.remove_tree(unfinished)
            if not _store.is_complete(folder, host):
                host.remove_tree(folder)
        raise
    return installation


def _unpack_nested(folder: Path) -> None:
    """Unpack archives in an archive, each in its folder, until there is a server; those of other systems stay."""
    for _ in range(_NESTED_MAX):
        if find_base(folder) is not None:
            break
        inner = [p for p in sorted(folder.rglob("*")) if p.is_file() and not p.is_symlink() and is_archive(p)]
        if not inner:
            break
        for path in inner:
            if not _is_foreign(path.name):
                unpack(path, path.parent)
            path.unlink()


def _is_foreign(name: str) -> bool:
    """Return whether a file's name says that it is for another system than this one.

    >>> _is_foreign("mysql-Mac_OS_X-x86_64.tar.gz"), _is_foreign("mysql-Linux-amd64.tar.gz")
    (True, False)
    """
    lower = name.lower()
    return "linux" not in lower and any(word in lower for word in _FOREIGN_WORDS)
