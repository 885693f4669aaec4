"""Prints tables and progress in which names and values from files stay the text that they are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from dbdyno.cli._words import plain


class PlainConsole(Console):
    """Prints names, messages and values from files as the text that they are: no markup, nothing that steers."""

    def __init__(self, *, stderr: bool = False, soft_wrap: bool = False, width: int | None = None) -> None:
        super().__init__(stderr=stderr, soft_wrap=soft_wrap, width=width, highlight=False, markup=False, emoji=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render the same with signs replaced that a terminal would obey."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(plain(segment.text), segment.style)

    def on_broken_pipe(self) -> NoReturn:
        """Let `main` end quietly when the reader is gone; rich would end with 1, a broken rule's exit code."""
        raise BrokenPipeError


def wide_console() -> Console:
    """Standard output; wide enough for tables where it is no terminal, so that a log or a pipe cuts nothing."""
    console = PlainConsole()
    return console if console.is_terminal else PlainConsole(width=160)
