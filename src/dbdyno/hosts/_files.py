"""Copies, flushes, removes and locks files of this machine."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from dbdyno.core import HostError

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
    """Every file below a directory; links are not followed."""
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
    """Remove a folder. A copy or a server that was killed a moment ago may still add a file: then once more."""
    for attempt in range(_REMOVE_ATTEMPTS):
        try:
            shutil.rmtree(directory)
        except FileNotFoundError:
            return
        except OSError as error:
            if error.errno != errno.ENOTEMPTY or attempt == _REMOVE_ATTEMPTS - 1:
                raise HostError(f"can't remove {directory}", str(error)) from error
            time.sleep(_REMOVE_PAUSE_S)


def read_text(path: Path) -> str:
    """Text of a file that somebody named."""
    try:
        return path.expanduser().read_text()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise HostError(f"the file {path} can't be read", str(why), "correct its path or its rights") from None


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
                    raise HostError(
                        f"another process holds {path}", f"waited {timeout_s:g} s", "wait for it to end"
                    ) from error
                time.sleep(0.1)
        yield


def existing(path: Path) -> Path:
    """The path, or the nearest folder above it that is there."""
    return next(p for p in (path.absolute(), *path.absolute().parents) if p.exists())
