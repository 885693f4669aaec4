"""Writes files whole or not at all, and computes their checksums."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from json.encoder import encode_basestring
from pathlib import Path
from typing import TypeAlias

JsonValue: TypeAlias = "Mapping[str, JsonValue] | Sequence[JsonValue] | str | int | float | bool | None"


def json_text(value: JsonValue) -> str:
    r"""Return JSON as it is stored: indented, keys in the given order, a line feed at the end.

    >>> flat = {"a": "1", "b": 'x"'}
    >>> json_text(flat) == json.dumps(flat, indent=1) + "\n"
    True
    """
    if isinstance(value, Mapping) and value:
        text_values = {key: text for key, text in value.items() if isinstance(key, str) and isinstance(text, str)}
        if len(text_values) == len(value):
            return _flat_text(text_values)
    return json.dumps(value, indent=1, ensure_ascii=False, default=dict) + "\n"


def _flat_text(value: Mapping[str, str]) -> str:
    """Return the same for texts alone, without Python's slow way to indent: a server has some 600 variables."""
    rows = (f" {encode_basestring(key)}: {encode_basestring(text)}" for key, text in value.items())
    return "{\n" + ",\n".join(rows) + "\n}\n"


def write_whole(path: Path, text: str) -> None:
    """Replace a file so that a reader, or a kill, sees the old or the new text and nothing between."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    write_synced(temporary, text.encode())
    temporary.replace(path)
    sync_folder(path.parent)


def write_synced(path: Path, content: bytes) -> None:
    """Write a new file through to the disk."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Make a rename inside the folder survive a power failure."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sha256_of(path: Path, bytes_count: int | None = None) -> str:
    """Return the SHA-256 of a file, or of its first `bytes_count` bytes."""
    digest = hashlib.sha256()
    bytes_left = path.stat().st_size if bytes_count is None else bytes_count
    with path.open("rb") as file:
        while bytes_left > 0 and (block := file.read(min(bytes_left, 1 << 20))):
            digest.update(block)
            bytes_left -= len(block)
    return digest.hexdigest()
