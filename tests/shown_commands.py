"""The commands that a Markdown document shows: lines of its code blocks, and `words` in its text."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = ("dbdyno", "dbdyno-load")
_ENDS = frozenset({"|", "||", "&&", "&", ";", ">", ">>", "2>", "<"})
_FENCE_RE = re.compile(r"^```")
_INLINE_RE = re.compile(r"`([^`\n]+)`")
_COMMENT_RE = re.compile(r"(?:^|\s)#\s.*$")
_LEFT_OUT = ("...", "…", "$")


@dataclass(frozen=True, slots=True)
class ShownCommand:
    """One command as a reader may type it.

    Parameters
    ----------
    where : document and line
    argv : without the program and without what is left out
    is_whole : nothing is left out, so that it can be read as the program would
    """

    where: str
    program: str
    argv: tuple[str, ...]
    is_whole: bool


def shown_commands(document: Path) -> list[ShownCommand]:
    """All of them, in order."""
    return [*_of_blocks(document), *_of_text(document)]


def without_code(text: str) -> str:
    """The text of a document, its code blocks and code words blanked out, its lines kept."""
    kept, in_fence = [], False
    for line in text.splitlines():
        is_fence = _FENCE_RE.match(line) is not None
        in_fence ^= is_fence
        kept.append("" if in_fence or is_fence or line.startswith("    ") else _INLINE_RE.sub("", line))
    return "\n".join(kept)


def _of_blocks(document: Path) -> Iterator[ShownCommand]:
    """Lines of blocks that begin with a program, those they go on with included."""
    in_fence, started, before = False, 0, ""
    for number, line in enumerate(document.read_text().splitlines(), 1):
        if _FENCE_RE.match(line):
            in_fence, before = not in_fence, ""
        elif in_fence or line.startswith("    "):
            started = started if before else number
            text = f"{before} {line.strip()}".strip()
            before = text.removesuffix("\\") if text.endswith("\\") else ""
            if not before:
                yield from _of_line(text, f"{document.name}:{started}")


def _of_line(text: str, where: str) -> Iterator[ShownCommand]:
    line = _COMMENT_RE.sub("", text).removeprefix("$ ")
    if not any(program in line for program in PROGRAMS):
        return
    try:
        words = shlex.split(line)
    except ValueError:  # not a command line, but what one prints
        return
    while words:
        end = next((place for place, word in enumerate(words) if word in _ENDS), len(words))
        name = words[0].removeprefix(".venv/bin/") if end else ""
        if name in PROGRAMS:
            argv = tuple(word for word in words[1:end] if not word.startswith(_LEFT_OUT))
            yield ShownCommand(where, name, argv, is_whole=len(argv) == end - 1)
        words = words[end + 1 :]


def _of_text(document: Path) -> Iterator[ShownCommand]:
    """Code words that begin with a program; they name what is at stake and leave the rest out."""
    blocks = 0
    for number, line in enumerate(document.read_text().splitlines(), 1):
        blocks += bool(_FENCE_RE.match(line))
        if blocks % 2 == 0 and not line.startswith("    "):
            for match in _INLINE_RE.finditer(line):
                for shown in _of_line(match[1], f"{document.name}:{number}"):
                    yield ShownCommand(shown.where, shown.program, shown.argv, is_whole=False)
