"""The digest of every file of an installation, taken when it was made: it tells later whether they still are the same.

The list has the form that ``sha256sum --check`` reads. Reading a server's files takes a second or more, so what was
read once and has kept sizes and times is not read again: their digest lies beside the list.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from dbdyno.core import ProvisionError

_SEAL = "files.sha256"
_TIMES = "files.times"
_MOST_NAMED = 5
_OURS = frozenset({_SEAL, _TIMES, "installation.json"})


def seal(folder: Path) -> None:
    """Write the list of a folder's files; links are not in it, what they lead to is."""
    lines = [f"{_sha256(folder / name)}  {name}" for name in _files(folder)]
    (folder / _SEAL).write_text("\n".join(lines) + "\n")
    (folder / _TIMES).write_text(_times_digest(folder))


def has_checksums(folder: Path) -> bool:
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


def check_unchanged(folder: Path, title: str) -> None:
    """Refuse an installation whose files are not what they were; one without a list is taken as it is.

    Raises
    ------
    ProvisionError : they are not
    """
    if not has_checksums(folder):
        return
    times = _times_digest(folder)
    with contextlib.suppress(OSError):
        if (folder / _TIMES).read_text() == times:
            return
    changed = differences(folder)
    if changed:
        more = [f"and {len(changed) - _MOST_NAMED} more"] if len(changed) > _MOST_NAMED else []
        raise ProvisionError(
            f"the files of {title} in {folder} are not those that were fetched",
            "\n".join([*changed[:_MOST_NAMED], *more]),
            "remove it with dbdyno engines remove, and it is fetched anew; dbdyno engines verify lists all changes",
        )
    with contextlib.suppress(OSError):  # of a home that may only be read: then they are read each time
        (folder / _TIMES).write_text(times)


def _times_digest(folder: Path) -> str:
    """Of names, sizes, modification and change times; nobody can set the last."""
    rows = []
    for name in _files(folder):
        facts = (folder / name).stat()
        rows.append(f"{name} {facts.st_size} {facts.st_mtime_ns} {facts.st_ctime_ns}")
    rows.append(_sha256(folder / _SEAL))
    return hashlib.sha256("\n".join(rows).encode(errors="surrogateescape")).hexdigest()


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
