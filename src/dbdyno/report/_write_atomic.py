"""Writes the file of a report whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from dbdyno.core import StoreError


def write_atomic(out: Path, content: bytes) -> Path:
    """Write a report; the file that was written. What stood there before stays until the new one is whole.

    A link, such as ``/dev/stdout``, a device, or a pipe that somebody reads is written through, not replaced.

    Raises
    ------
    StoreError : the file can't be written
    """
    try:
        if out.is_symlink() or (out.exists() and not out.is_file()):
            write_through(out, content)
            return out
        out.parent.mkdir(parents=True, exist_ok=True)
        temporary = out.with_name(f".{out.name}.new")
        temporary.write_bytes(content)
        temporary.replace(out)
    except OSError as error:
        why = error.strerror or str(error)
        remedy = f"name a file in it, such as -o {out / 'report.html'}" if out.is_dir() else "name another file with -o"
        raise StoreError(f"{out} can't be written", why, remedy, code="not-writable") from error
    return out


def write_through(out: Path, content: bytes) -> None:
    """Write into what is there; a named pipe is not waited for.

    Raises
    ------
    OSError : it can't be written, or it is a pipe that nobody reads
    """
    try:
        descriptor = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError as error:
        if error.errno == errno.ENXIO and out.is_fifo():
            raise OSError(error.errno, "it is a named pipe that nobody reads", str(out)) from error
        raise
    os.set_blocking(descriptor, True)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
