"""Reads small files of /proc and /sys below a root, so that the machine of a test can be a folder."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Tree:
    """Files of a machine; `root` is ``/`` but for tests."""

    root: Path = Path("/")

    def text(self, path: str | Path) -> str:
        """Return what a file says, stripped; empty where it can't be read."""
        try:
            return self.at(path).read_text(errors="replace").strip()
        except OSError:
            return ""

    def number(self, path: str | Path) -> int | None:
        """A file that holds one whole number; None where it does not."""
        text = self.text(path)
        return int(text) if re.fullmatch(r"-?\d+", text) else None

    def flag(self, path: str | Path) -> bool | None:
        """A file that holds a number, as whether it is not 0."""
        number = self.number(path)
        return None if number is None else number != 0

    def chosen(self, path: str | Path) -> str:
        """The word in brackets of a file that lists choices, or its only word; empty where it can't be read."""
        text = self.text(path)
        match = re.search(r"\[([\w-]+)\]", text)
        return match[1] if match else text if re.fullmatch(r"[\w-]+", text) else ""

    def matching(self, pattern: str) -> list[Path]:
        """Paths below the root, by name."""
        return sorted(self.root.glob(pattern.lstrip("/")))

    def at(self, path: str | Path) -> Path:
        """Return where a path of the machine lies."""
        return self.root / str(path).lstrip("/")


def processor_list(text: str) -> tuple[int, ...]:
    """Numbers of a list as the kernel writes it.

    >>> processor_list("0-2,5"), processor_list("")
    ((0, 1, 2, 5), ())
    """
    numbers: list[int] = []
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        numbers.extend(range(int(first), int(last or first) + 1))
    return tuple(numbers)
