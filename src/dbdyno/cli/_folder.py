"""Where a study's results go when nobody says where."""

from __future__ import annotations

from pathlib import Path

from dbdyno.core import StudyError

_MOST_BYTES = 200


def results_folder(given: Path | None, name: str) -> Path:
    """The folder that -o names, else one below ``results`` that is called like the study.

    Raises
    ------
    StudyError : the study's name can't be a folder's, or would lead elsewhere

    >>> results_folder(None, "first"), results_folder(Path("/data/a"), "../b")
    (PosixPath('results/first'), PosixPath('/data/a'))
    """
    if given is not None:
        return given
    is_plain = name.isprintable() and "/" not in name and not name.startswith(".")
    if not is_plain or len(name.encode()) > _MOST_BYTES:
        shown = name if len(name) <= 60 else f"{name[:60]}…"
        raise StudyError(f"the study's name {shown!r} can't be that of a folder", "", "name a results folder with -o")
    return Path("results") / name
