"""Records what could not be read, with its place: the import goes on without it and reports it at the end."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

_LONGEST = 300


@dataclass(frozen=True, slots=True, order=True)
class Diagnostic:
    """Describes one thing that was wrong with a file.

    Parameters
    ----------
    path : relative to the imported folder
    line : from 1
    is_minor : no figure of a run rests on it
    """

    path: str
    line: int
    text: str
    is_minor: bool = False

    def __str__(self) -> str:
        """Format it as compilers do; nothing in it can move the cursor of a terminal.

        >>> str(Diagnostic("a/b.txt", 3, "cut off"))
        'a/b.txt:3: cut off'
        """
        return f"{escaped_line(self.path)}:{self.line}: {escaped_line(self.text)}"


def grouped(diagnostics: Iterable[Diagnostic]) -> list[tuple[Diagnostic, ...]]:
    """Group diagnostics that differ only in place and numbers; groups that matter come before minor ones.

    >>> found = grouped(
    ...     [Diagnostic("a", 2, "at 3", True), Diagnostic("b", 1, "empty"), Diagnostic("c", 7, "at 9", True)]
    ... )
    >>> [[each.path for each in group] for group in found]
    [['b'], ['a', 'c']]
    """
    groups: dict[tuple[bool, str], list[Diagnostic]] = defaultdict(list)
    for diagnostic in sorted(diagnostics, key=lambda entry: (entry.is_minor, entry)):
        groups[diagnostic.is_minor, re.sub(r"\d+", "0", diagnostic.text)].append(diagnostic)
    return [tuple(group) for group in groups.values()]


def stored_path(path: str) -> str:
    r"""Return a path as it can be stored: bytes of a name that are no text become escapes.

    >>> stored_path("a/\udcff.txt")
    'a/\\udcff.txt'
    """
    return path.encode("utf-8", "backslashreplace").decode()


def escaped_line(text: str, most: int = _LONGEST) -> str:
    r"""Return foreign text on one line, shortened, control characters shown as such.

    >>> escaped_line("a\x1b[2Jb\n"), len(escaped_line("x" * 9999))
    ('a\\x1b[2Jb\\n', 300)
    """
    escaped = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[: most + 1])
    return escaped if len(escaped) <= most else escaped[: most - 1] + "…"
