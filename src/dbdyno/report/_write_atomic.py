"""Writes the file of a report whole or not at all."""

from __future__ import annotations

from pathlib import Path

from dbdyno.core import StoreError


def write_atomic(out: Path, content: bytes) -> Path:
    """Write a report; the file that was written. What stood there before stays until the new one is whole.

    A link, such as ``/dev/stdout``, or a device is written through, not replaced.

    Raises
    ------
    StoreError : the file can't be written
    """
    try:
        if out.is_symlink() or (out.exists() and not out.is_file()):
            out.write_bytes(content)
            return out
        out.parent.mkdir(parents=True, exist_ok=True)
        temporary = out.with_name(f".{out.name}.new")
        temporary.write_bytes(content)
        temporary.replace(out)
    except OSError as error:
        raise StoreError(
            f"{out} can't be written", error.strerror or str(error), "name another file with -o"
        ) from error
    return out
