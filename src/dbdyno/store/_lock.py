"""Locks a results folder for one writer: exclusively, until the kernel sees its holder end."""

from __future__ import annotations

import fcntl
import json
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dbdyno.core import StoreError, json_value, read_input_text
from dbdyno.store import _layout as layout


@contextmanager
def exclusive_lock(path: Path) -> Iterator[None]:
    """Hold the lock file of a results folder.

    The lock is ``flock`` on the open file, so ``kill -9`` releases it; the text inside only shows others who holds it.

    Raises
    ------
    StoreError : another process holds it, or the folder can't be written
    """
    descriptor = _open_lock(path)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise StoreError(
                f"{path.parent} is in use by another dbdyno process",
                _holder_words(path),
                "wait until it ends, stop it, or name another folder with -o",
                code="in-use",
            ) from error
        if not _is_open_file(path, descriptor):
            raise StoreError(
                f"{path.parent} was moved or removed by another dbdyno process",
                "",
                "run the command again, or name another folder with -o",
                code="moved",
            )
        _write_owner(descriptor)
        yield
        os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def is_held(path: Path) -> bool:
    """Return whether a process holds the lock, without touching it: taking it for a moment could stop a writer.

    The kernel lists locks by inode; the text inside shows that the inode is meant and not another disk's.
    """
    try:
        inode, text = path.stat().st_ino, read_input_text(path)
        rows = Path("/proc/locks").read_text().splitlines()
    except (OSError, ValueError):
        return False
    lock_rows = [row.split() for row in rows if " FLOCK " in row and " -> " not in row]
    return bool(text) and any(row[5].rpartition(":")[2] == str(inode) for row in lock_rows)


def is_being_written(folder: Path) -> bool:
    """Return whether a process on this machine writes to a results folder now; nothing else of it is read."""
    return is_held(folder / layout.LOCK)


def _open_lock(path: Path) -> int:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        why, remedy = error.strerror or str(error), "name a writable folder with -o"
        raise StoreError(f"{path.parent} can't be written", why, remedy, code="not-writable") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise StoreError(
            f"{path.parent} can't be locked", f"{path} is not a file", "remove it and try again", code="not-a-file"
        )
    return descriptor


def _is_open_file(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except OSError:
        return False


def _write_owner(descriptor: int) -> None:
    os.ftruncate(descriptor, 0)
    text = json.dumps({"pid": os.getpid(), "started_ns": time.time_ns()})
    os.pwrite(descriptor, text.encode(), 0)


def _holder_words(path: Path) -> str:
    try:
        holder = json_value(read_input_text(path))
        started_text = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(holder["started_ns"] / 1e9))
        return f"process {int(holder['pid'])} holds it since {started_text}"
    except (OSError, ValueError, KeyError, TypeError):
        return "that process has not written its id"
