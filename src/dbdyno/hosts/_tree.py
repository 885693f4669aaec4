"""Reads small files of /proc and /sys below a root, so that the machine of a test can be a folder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from dbdyno.hosts._files import FileFacts, Files


@dataclass(frozen=True, slots=True)
class Tree:
    """Files of a machine; `root` is ``/`` but for tests. Paths are given and returned as the machine has them."""

    files: Files
    root: Path = Path("/")

    def text(self, path: str | Path) -> str:
        """Return what a file says, stripped; empty where it can't be read."""
        return self.texts([path])[0]

    def texts(self, paths: Sequence[str | Path]) -> list[str]:
        """Return what each of many files says, in one request."""
        contents = self.files.read_many([self.at(path) for path in paths])
        return ["" if content is None else content.decode(errors="replace").strip() for content in contents]

    def number(self, path: str | Path) -> int | None:
        """Return the whole number in a file; None where it does not hold one."""
        text = self.text(path)
        return int(text) if re.fullmatch(r"-?\d+", text) else None

    def flag(self, path: str | Path) -> bool | None:
        """Return whether the number in a file is not 0."""
        number = self.number(path)
        return None if number is None else number != 0

    def chosen(self, path: str | Path) -> str:
        """Return the word in brackets of a file that lists choices, or its only word; empty where it can't be read."""
        text = self.text(path)
        match = re.search(r"\[([\w-]+)\]", text)
        return match[1] if match else text if re.fullmatch(r"[\w-]+", text) else ""

    def facts(self, path: str | Path) -> FileFacts | None:
        """Return facts of a path; None where there is nothing."""
        return self.files.stat(self.at(path))

    def matching(self, folder: str, pattern: str) -> list[Path]:
        """Return paths in a folder whose name fits, by name."""
        try:
            names = [entry.path.name for entry in self.files.entries(self.at(folder))]
        except OSError:
            return []
        return [Path(folder) / name for name in names if fnmatch(name, pattern)]

    def resolved(self, path: str | Path) -> Path:
        """Return the path without links."""
        return Path("/") / self.files.resolve(self.at(path)).relative_to(self.files.resolve(self.root))

    def at(self, path: str | Path) -> Path:
        """Return where a path of the machine lies."""
        return self.root / str(path).lstrip("/")


def processor_list(text: str) -> tuple[int, ...]:
    """Return numbers of a list as the kernel writes it.

    >>> processor_list("0-2,5"), processor_list("")
    ((0, 1, 2, 5), ())
    """
    numbers: list[int] = []
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        numbers.extend(range(int(first), int(last or first) + 1))
    return tuple(numbers)
