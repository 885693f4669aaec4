"""Checks a folder before it becomes, or is used as, a results folder: free, intact, writable."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from dbdyno.core import AlteredError, StoreError
from dbdyno.store import _layout as layout
from dbdyno.store._altered import CheckedFolder, FileAlteration, FolderCheck, alteration_lines, check_folder
from dbdyno.store._held_folder import HeldFolder, held_folder
from dbdyno.store._lock import is_being_written
from dbdyno.store._manifest import Manifest, read_manifest

_ATTEMPTS = 5
_PAUSE_S = 0.2
_COPY_AGAIN = "copy the folder again from an intact copy"
_UNDO_THE_EDIT = f"{layout.STUDY} there records what was run: undo the change, and edit a copy in another folder"


@contextmanager
def hold_folder(path: Path) -> Iterator[HeldFolder]:
    """Hold a results folder open for writing, or raise StoreError."""
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(held_folder(path))
        except OSError as error:
            raise unwritable(path, error) from error
        yield folder


def check_until_quiet(path: Path, check: FolderCheck) -> tuple[Manifest, CheckedFolder]:
    """Return the manifest and the folder checked against it; repeat while a writer changes both in between."""
    for _ in range(_ATTEMPTS):
        try:
            manifest, digest = read_manifest(path)
            checked_folder = check_folder(path, manifest, digest, is_full=check.is_full)
        except (StoreError, FileNotFoundError):  # a writer has replaced a file or set a run aside
            if not is_being_written(path):
                raise
        else:
            if not checked_folder.alterations:
                return manifest, checked_folder
            # A writer that ended after the manifest was read has written a new one.
            if not is_being_written(path) and read_manifest(path)[1] == digest:
                return manifest, checked_folder
        time.sleep(_PAUSE_S)
    manifest, digest = read_manifest(path)
    return manifest, check_folder(path, manifest, digest, is_full=check.is_full)


def let_pass(path: Path, alterations: Sequence[FileAlteration], check: FolderCheck) -> tuple[FileAlteration, ...]:
    """Return the alterations that the check allows; AlteredError where it refuses one."""
    refused_alterations = [alteration for alteration in alterations if check.refuses(alteration)]
    if refused_alterations:
        is_edited_study = [alteration.place for alteration in refused_alterations] == [layout.STUDY]
        remedy = _UNDO_THE_EDIT if is_edited_study else _COPY_AGAIN
        raise AlteredError(
            f"{path} has changed since dbdyno wrote it",
            alteration_lines(refused_alterations),
            f"{remedy}; --allow-altered uses it anyway, and every output says so",
            code="altered",
        )
    return tuple(alterations)


def check_free(path: Path) -> None:
    """Refuse a folder in which no new results can be made; makes nothing.

    Raises
    ------
    StoreError : the folder holds results already or foreign files, or can't be written
    """
    if (path / layout.MANIFEST).exists():
        raise StoreError(f"{path} already holds results", "", "name another folder with -o, or run its study again")
    if path.exists() and not path.is_dir():
        raise StoreError(f"{path} is not a folder", "", "name a folder with -o", code="not-a-folder")
    if path.is_dir():
        foreign_names = sorted(
            entry.name
            for entry in path.iterdir()
            if entry.name not in layout.CREATED_BY_US and not entry.name.startswith(".")
        )
        if foreign_names:
            raise StoreError(
                f"{path} is not empty and is not a results folder",
                f"it holds {', '.join(foreign_names[:3])}",
                "name a new or empty folder with -o",
                code="not-results",
            )
    existing_folder = next(folder for folder in (path.absolute(), *path.absolute().parents) if folder.exists())
    if not existing_folder.is_dir() or not os.access(existing_folder, os.W_OK | os.X_OK):
        number = errno.EACCES if existing_folder.is_dir() else errno.ENOTDIR
        raise unwritable(path, OSError(number, os.strerror(number)))


def unwritable(path: Path, error: OSError) -> StoreError:
    """Return the error for a folder that the system does not let us write."""
    why, remedy = error.strerror or str(error), "name a writable folder with -o"
    return StoreError(f"{path} can't be written", why, remedy, code="not-writable")
