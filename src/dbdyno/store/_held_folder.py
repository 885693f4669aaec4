"""Holds a results folder open while it is written to: writes reach it wherever it is moved.

By its name alone, a folder that was renamed would be made anew, and runs would go on into one without a study.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dbdyno.core import HostError
from dbdyno.store import _layout as layout


@dataclass(frozen=True, slots=True)
class HeldFolder:
    """Describes an open folder.

    Parameters
    ----------
    named : the path that the user gave
    path : leads to the folder itself, even if it was renamed
    """

    named: Path
    path: Path
    _descriptor: int
    _runs: tuple[int, int]

    def problem(self) -> HostError | None:
        """Return what became of the folder; None while it is where it was."""
        if (
            _folder_identity(self.named) == _folder_identity(self.path)
            and _folder_identity(self.named / layout.RUNS) == self._runs
        ):
            return None
        current_path = self.path.readlink()
        what = f"the results folder {self.named} was moved or removed while it was written to"
        resume_words = "run the same command again: it runs only what is missing"
        if os.fstat(self._descriptor).st_nlink == 0:
            return HostError(what, "it was removed with all stored results", resume_words, code="removed")
        if _folder_identity(self.path / layout.RUNS) != self._runs:
            why, remedy = f"its folder {layout.RUNS} was moved or removed", f"put it back, and {resume_words}"
            return HostError(what, why, remedy, code="runs-moved")
        why, remedy = f"the results stored so far are in {current_path}", f"move it back, and {resume_words}"
        return HostError(what, why, remedy, code="moved")


@contextmanager
def held_folder(path: Path) -> Iterator[HeldFolder]:
    """Hold a results folder open.

    Raises
    ------
    OSError : there is no such folder
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        descriptor_path = Path(f"/proc/self/fd/{descriptor}")
        (descriptor_path / layout.RUNS).mkdir(exist_ok=True)
        yield HeldFolder(path.absolute(), descriptor_path, descriptor, _folder_identity(descriptor_path / layout.RUNS))
    finally:
        os.close(descriptor)


def _folder_identity(path: Path) -> tuple[int, int]:
    try:
        facts = path.stat()
    except OSError:
        return (0, 0)
    return facts.st_dev, facts.st_ino
