"""The digest of every file of an installation, taken when it was made: it tells later whether they still are the same.

The list has the form that ``sha256sum --check`` reads.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

_SEAL = "files.sha256"
_OURS = frozenset({_SEAL, "installation.json"})


def seal(folder: Path) -> None:
    """Write the list of a folder's files; links are not in it, what they lead to is."""
    lines = [f"{_sha256(folder / name)}  {name}" for name in _files(folder)]
    (folder / _SEAL).write_text("\n".join(lines) + "\n")


def is_sealed(folder: Path) -> bool:
    """Whether a list was made; installations of earlier versions of dbdyno have none."""
    return (folder / _SEAL).exists()


def differences(folder: Path) -> list[str]:
    """What is not as it was, one line each; empty when all is."""
    lines_read = (folder / _SEAL).read_text().splitlines()
    listed = {name: digest for digest, _, name in (line.partition("  ") for line in lines_read)}
    there = set(_files(folder))
    lines = [f"{name} is missing" for name in listed if name not in there]
    lines += [f"{name} has changed" for name in listed if name in there and _sha256(folder / name) != listed[name]]
    return lines + [f"{name} was added" for name in sorted(there - listed.keys())]


def _files(folder: Path) -> Iterator[str]:
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(parent) / name
            if path.is_file() and not path.is_symlink() and not (parent == str(folder) and name in _OURS):
                yield str(path.relative_to(folder))


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
