"""Archives unpacked into one folder that nothing in them can leave.

Of the kinds that servers come in: tar (plain, gz, xz, bz2), zip, and jar, which is a zip. Modes and owners in the
archive are not taken over: every file can be read, programs can be run, and all of it belongs to whoever unpacks.
"""

from __future__ import annotations

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
from typing import IO

from dbdyno.core import ProvisionError

_ZIP_NAMES = (".zip", ".jar")
_TAR_NAMES = (".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2")
ARCHIVE_NAMES = (*_ZIP_NAMES, *_TAR_NAMES)
"""Ends of the names of files that can be unpacked, lower case."""
_TEST_SUITES = frozenset({"mysql-test", "mariadb-test", "sql-bench"})
_PROGRAM_STARTS = (b"\x7fELF", b"#!")
_BROKEN = (tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error, lzma.LZMAError, NotImplementedError)


@dataclass(frozen=True, slots=True)
class _Member:
    """One entry: a folder (`link` and `open` None), a link, or a file."""

    name: str
    link: str | None = None
    is_hard_link: bool = False
    open: Callable[[], IO[bytes]] | None = None


def is_archive(path: Path) -> bool:
    """Whether the name is one of an archive.

    >>> is_archive(Path("a/mysql-8.0.33-linux-x86_64.tar.xz")), is_archive(Path("mysqld"))
    (True, False)
    """
    return path.name.lower().endswith(ARCHIVE_NAMES)


def unpack(archive: Path, folder: Path) -> None:
    """Unpack into `folder`, which is made where missing.

    Suites of tests, half of some tarballs, are left out, and so are links that point out of the folder: builders leave
    such to places of their own machine.

    Raises
    ------
    ProvisionError : not an archive, broken, or with an entry that would lie outside of `folder`
    """
    folder.mkdir(parents=True, exist_ok=True)
    root = folder.resolve()
    try:
        for member in _members(archive):
            if not _TEST_SUITES & set(PurePosixPath(member.name).parts):
                _place(member, root, archive)
        _remove_outward_links(root)
    except _BROKEN as error:
        raise ProvisionError(
            f"{archive.name} can't be unpacked", f"{error} ({archive})", "fetch it again: it is cut short or damaged"
        ) from error
    except OSError as error:
        raise ProvisionError(f"{archive.name} can't be unpacked", str(error), "") from error


def _members(archive: Path) -> Iterator[_Member]:
    if zipfile.is_zipfile(archive):
        yield from _zip_members(archive)
    elif tarfile.is_tarfile(archive):
        yield from _tar_members(archive)
    else:
        raise ProvisionError(
            f"{archive.name} is not an archive", f"looked into {archive}", f"known: {', '.join(ARCHIVE_NAMES)}"
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
                raise _refusal(archive, info.filename, "is neither a file, a folder nor a link")
            else:
                yield _Member(info.filename, open=functools.partial(content.open, info))


def _tar_members(archive: Path) -> Iterator[_Member]:
    with tarfile.open(archive) as content:
        for info in content:
            if info.isdir():
                yield _Member(info.name)
            elif info.issym() or info.islnk():
                yield _Member(info.name, link=info.linkname, is_hard_link=info.islnk())
            elif info.isfile():
                yield _Member(info.name, open=functools.partial(_content, content, info))
            else:
                raise _refusal(archive, info.name, "is neither a file, a folder nor a link")


def _content(archive: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    content = archive.extractfile(info)
    assert content is not None  # it is a file
    return content


def _place(member: _Member, root: Path, archive: Path) -> None:
    path = _inside(root / member.name, member.name, root, archive)
    if path == root:
        return
    if member.open is None and member.link is None:
        path.mkdir(parents=True, exist_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink() or path.is_file():
        path.unlink()
    if member.open is not None:
        _write(member.open, path)
    elif member.is_hard_link:
        target = _inside(root / str(member.link), member.name, root, archive)
        os.link(target, path, follow_symlinks=False)
    else:
        path.symlink_to(str(member.link))


def _inside(path: Path, name: str, root: Path, archive: Path) -> Path:
    """The path with the links of its folder followed; an error where that is outside of `root`."""
    lexical = Path(os.path.normpath(path))
    real = lexical.parent.resolve() / lexical.name
    if PurePosixPath(name).is_absolute() or not lexical.is_relative_to(root) or not real.is_relative_to(root):
        raise _refusal(archive, name, "leads out of the folder")
    return real


def _remove_outward_links(root: Path) -> None:
    """At the end, as what a link points to may come after it; nothing was ever written through one."""
    for path in [p for p in root.rglob("*") if p.is_symlink()]:
        if not path.resolve().is_relative_to(root):
            path.unlink()


def _refusal(archive: Path, name: str, why: str) -> ProvisionError:
    return ProvisionError(
        f"{archive.name} is refused", f"its entry '{name}' {why}", "get it from whoever publishes the server"
    )


def _write(opened: Callable[[], IO[bytes]], path: Path) -> None:
    with opened() as source, path.open("wb") as file:
        start = source.read(4)
        file.write(start)
        shutil.copyfileobj(source, file, 1 << 20)
    path.chmod(0o755 if start.startswith(_PROGRAM_STARTS) else 0o644)
