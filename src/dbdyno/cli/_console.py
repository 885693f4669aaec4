"""Prints tables and progress in which names and values from files stay the text that they are."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Literal, NoReturn

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.style import Style

from dbdyno.cli._color import is_colored, marks_in
from dbdyno.cli._format import plain


class PlainConsole(Console):
    """Prints names, messages and values from files as the text that they are: no markup, nothing that steers."""

    def __init__(self, *, stderr: bool = False, soft_wrap: bool = False, width: int | None = None) -> None:
        color: Literal["standard"] | None = "standard" if is_colored(sys.stderr if stderr else sys.stdout) else None
        super().__init__(
            stderr=stderr,
            soft_wrap=soft_wrap,
            width=width,
            color_system=color,
            no_color=color is None,
            highlight=False,
            markup=False,
            emoji=False,
        )

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render the same with signs replaced that a terminal would obey, and what has a meaning coloured."""
        segments = super().render(renderable, options)
        for segment in segments if self.is_terminal else _strip_padding(segments):
            if segment.control:
                yield segment
            else:
                yield from _color_matches(plain(segment.text), segment.style)

    def on_broken_pipe(self) -> NoReturn:
        """Let `main` end quietly when the reader is gone; rich would end with 1, a broken rule's exit code."""
        raise BrokenPipeError


def _strip_padding(segments: Iterable[Segment]) -> Iterable[Segment]:
    """Leave out the blanks that tables and indented lines are filled up with; a file should not have them."""
    blanks: list[Segment] = []
    for segment in segments:
        text = segment.text.rstrip(" ")
        if text == "\n":
            blanks.clear()
        if text:
            yield from blanks
            blanks.clear()
            yield Segment(text, segment.style, segment.control)
        if len(text) < len(segment.text):
            blanks.append(Segment(segment.text[len(text) :], segment.style))
    yield from blanks


def _color_matches(text: str, style: Style | None) -> Iterable[Segment]:
    position = 0
    for begin, end, color in marks_in(text):
        yield Segment(text[position:begin], style)
        yield Segment(text[begin:end], Style.combine([style or Style.null(), Style.parse(color)]))
        position = end
    yield Segment(text[position:], style)


def wide_console() -> Console:
    """Return standard output; wide enough for tables where it is no terminal, so that a log or a pipe cuts nothing."""
    console = PlainConsole()
    return console if console.is_terminal else PlainConsole(width=160)
