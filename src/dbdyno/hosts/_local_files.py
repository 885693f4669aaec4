"""Reaches files of this machine; copies, flushes, removes and locks them."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import io
import os
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from dbdyno.core import HostError
from dbdyno.hosts._files import FileFacts, FileKind, Files, FileWatch, Space
from dbdyno.hosts._system import ServerUser

_KINDS: dict[int, FileKind] = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "directory",
    stat.S_IFLNK: "link",
    stat.S_IFSOCK: "socket",
}


class LocalFiles(Files):
    """Offers the files of this machine."""

    def __init__(self, server_user: ServerUser | None = None) -> None:
        self._server_user = server_user

    def read_bytes(
        self, path: Path, *, offset: int = 0, limit_bytes: int | None = None, owners: Collection[int] | None = None
    ) -> bytes:
        """See `Files`."""
        careful = 0 if owners is None else os.O_NOFOLLOW | os.O_NONBLOCK
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_CLOEXEC | careful), "rb", buffering=0) as file:
            if owners is not None:
                _check_owner(path, os.fstat(file.fileno()), owners)
            if offset:
                size = os.fstat(file.fileno()).st_size if offset < 0 else 0
                file.seek(max(size + offset, 0))
            return _read(file, limit_bytes)

    def read_many(self, paths: Sequence[Path]) -> list[bytes | None]:
        """See `Files`."""
        contents: list[bytes | None] = []
        for path in paths:
            try:
                contents.append(self.read_bytes(path))
            except OSError:
                contents.append(None)
        return contents

    def write(self, path: Path, content: bytes, *, mode: int | None = None, for_server: bool = False) -> None:
        """See `Files`."""
        if mode is None:
            path.write_bytes(content)
            return
        new_path = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        try:
            with os.fdopen(os.open(new_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode), "wb") as file:
                file.write(content)
                os.fchmod(file.fileno(), mode)
            self._give_to_server_user(new_path, for_server)
            new_path.replace(path)
        except BaseException:
            new_path.unlink(missing_ok=True)
            raise

    def stat(self, path: Path, *, follow: bool = True) -> FileFacts | None:
        """See `Files`."""
        try:
            return _file_facts(path, path.stat(follow_symlinks=follow))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def entries(self, folder: Path, *, recursive: bool = False) -> list[FileFacts]:
        """See `Files`."""
        file_facts = []
        with os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                with contextlib.suppress(FileNotFoundError):
                    file_facts.append(_file_facts(folder / entry.name, entry.stat(follow_symlinks=False)))
                    if recursive and entry.is_dir(follow_symlinks=False):
                        file_facts += self.entries(file_facts[-1].path, recursive=True)
        return file_facts

    def resolve(self, path: Path) -> Path:
        """See `Files`."""
        return path.resolve()

    def digest(self, path: Path) -> str:
        """See `Files`."""
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def can_write(self, path: Path) -> bool:
        """See `Files`."""
        return os.access(path, os.W_OK)

    def space(self, path: Path) -> Space:
        """See `Files`."""
        facts = os.statvfs(next(p for p in (path.absolute(), *path.absolute().parents) if p.exists()))
        return Space(facts.f_frsize * facts.f_blocks, facts.f_frsize * facts.f_bavail)

    def make_directory(
        self, path: Path, *, mode: int | None = None, for_server: bool = False, is_new: bool = False
    ) -> None:
        """See `Files`. One of a given mode is never open to more than that."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(0o777 if mode is None else mode, exist_ok=not is_new)
        if mode is not None:
            path.chmod(mode)
        self._give_to_server_user(path, for_server)

    def rename(self, source: Path, destination: Path) -> None:
        """See `Files`."""
        source.replace(destination)

    def remove(self, path: Path) -> None:
        """See `Files`."""
        with contextlib.suppress(FileNotFoundError):
            try:
                path.unlink()
            except (IsADirectoryError, PermissionError):
                path.rmdir()

    def _give_to_server_user(self, path: Path, for_server: bool) -> None:
        if for_server and self._server_user is not None:
            os.chown(path, self._server_user.user_id, self._server_user.group_id)


class LocalWatch(FileWatch):
    """Files of this machine are read just when they are asked for."""

    def __init__(self, files: LocalFiles) -> None:
        self._files = files

    def read(self, path: Path) -> bytes:
        """See `FileWatch`."""
        return self._files.read_bytes(path)

    def at(self, instant_ns: int) -> None:
        """See `FileWatch`."""

    def close(self) -> None:
        """See `FileWatch`."""


def _check_owner(path: Path, facts: os.stat_result, owners: Collection[int]) -> None:
    if not stat.S_ISREG(facts.st_mode) or facts.st_uid not in owners:
        raise PermissionError(errno.EPERM, "neither a plain file nor one of dbdyno's", str(path))


def _read(file: io.RawIOBase, limit_bytes: int | None) -> bytes:
    """Read a file: those of /proc come in pieces of a page and have no size."""
    if limit_bytes is None:
        return file.readall()
    content = b""
    while len(content) < limit_bytes and (piece := file.read(limit_bytes - len(content))):
        content += piece
    return content


def _file_facts(path: Path, facts: os.stat_result) -> FileFacts:
    return FileFacts(
        path,
        _KINDS.get(stat.S_IFMT(facts.st_mode), "other"),
        facts.st_size,
        facts.st_blocks * 512,
        stat.S_IMODE(facts.st_mode),
        facts.st_uid,
        f"{os.major(facts.st_dev)}:{os.minor(facts.st_dev)}",
        facts.st_ino,
        facts.st_mtime_ns,
    )


_FICLONE = 0x40049409  # linux/fs.h: share the blocks of another file
_REMOVE_ATTEMPTS = 20
_REMOVE_PAUSE_S = 0.1


def can_reflink(source: Path, destination: Path) -> bool:
    """Return whether blocks of a file below `source` can be shared with one in `destination`."""
    file = next((p for p in source.rglob("*") if p.is_file() and p.stat().st_size), None)
    if file is None:
        return False
    with tempfile.TemporaryFile(dir=destination) as probe, file.open("rb") as original:
        try:
            fcntl.ioctl(probe, _FICLONE, original.fileno())
        except OSError:
            return False
    return True


def regular_files(directory: Path) -> list[Path]:
    """Return every file below a directory; links are not followed."""
    return [path for path in directory.rglob("*") if path.is_file() and not path.is_symlink()]


def forget_pages(files: Sequence[str]) -> None:
    """Have the kernel drop what it keeps of files that are written out."""
    for file in files:
        handle = os.open(file, os.O_RDONLY)
        try:
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(handle)


def remove_tree(directory: Path) -> None:
    """Remove a folder; try again if a process that was just killed adds or removes a file meanwhile."""
    for attempt in range(_REMOVE_ATTEMPTS):
        try:
            shutil.rmtree(directory)
        except OSError as error:
            if error.errno == errno.ENOENT and not os.path.lexists(directory):
                return
            if error.errno not in (errno.ENOTEMPTY, errno.ENOENT) or attempt == _REMOVE_ATTEMPTS - 1:
                raise HostError(f"can't remove {directory}", str(error)) from error
            time.sleep(_REMOVE_PAUSE_S)


@contextlib.contextmanager
def lock(path: Path, timeout_s: float, *, shared: bool) -> Iterator[None]:
    """Hold a file of a folder that is there. The kernel lets go when the process ends, however it ends."""
    deadline = time.monotonic() + timeout_s
    with path.open("a") as file:
        while True:
            try:
                fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
                break
            except BlockingIOError as error:
                if time.monotonic() >= deadline:
                    what, why = f"another process uses {path}", f"waited {timeout_s:g} s"
                    raise HostError(what, why, "wait for it to end", code="in-use") from error
                time.sleep(0.1)
        yield
