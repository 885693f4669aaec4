"""Renders blocks for a terminal and for the log of a build; what few readers unfold on a page is printed in full."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from dbdyno.core import Caveat
from dbdyno.report._blocks import Block, Fold, Heading, ListOf, Paragraph, Table, Words
from dbdyno.report._format import printable

_MOST_UNBROKEN = 5
"""Columns of numbers in which no line is broken; more would not fit a terminal of 80 letters."""


def to_terminal(blocks: Iterable[Block]) -> Group:
    """Blocks to be printed by rich. Text from files steers nothing."""
    return Group(*_rendered(blocks))


def _rendered(blocks: Iterable[Block]) -> Iterator[RenderableType]:
    """Headings, folds and tables stand apart, but for the table that a heading is of."""
    above: Block | None = None
    for block in blocks:
        is_apart = isinstance(block, Heading | Fold | Table) or isinstance(above, Fold)
        if above is not None and is_apart and not (isinstance(above, Heading) and isinstance(block, Table)):
            yield Text()
        match block:
            case Heading(text):
                yield Text(printable(text), style="bold")
            case Fold(summary, inner):
                yield from _rendered([Heading(summary), *inner])
            case Table():
                yield _table(block)
                yield from [Text(printable(block.note), style="dim")] * bool(block.note)
            case Paragraph(words, role):
                yield _line(words, "dim" if role else "")
            case ListOf(items):
                yield from (Padding(Text.assemble("- ", _line(item)), (0, 0, 0, 2)) for item in items)
            case _:
                continue  # a page's own
        above = block


def _line(words: Words, style: str = "") -> Text:
    if isinstance(words, str | Caveat):
        return Text(printable(words if isinstance(words, str) else words.text), style=style)
    return Text.assemble(
        *(
            printable(part) if isinstance(part, str) else (printable(part.text), "bold" if part.style == "bold" else "")
            for part in words
        ),
        style=style,
    )


def _table(table: Table) -> Grid:
    """A grid; what rows have in common stands above them, and what belongs below a row in its widest column."""
    grid = Grid(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    shown = [index for index, column in enumerate(table.columns) if not (column.is_detail or column.is_group)]
    details = [index for index, column in enumerate(table.columns) if column.is_detail]
    groups = [index for index, column in enumerate(table.columns) if column.is_group]
    widest = max(shown, key=lambda index: max((len(row[index]) for row in table.rows), default=0))
    if details:
        shown.sort(key=lambda index: index == widest)  # last, so that what is below it parts no others
    is_narrow = sum(table.columns[index].is_number for index in shown) <= _MOST_UNBROKEN
    for column in (table.columns[index] for index in shown):
        align: Literal["left", "right"] = "right" if column.is_number else "left"
        grid.add_column(
            "" if groups and column.is_name else column.title, justify=align, no_wrap=is_narrow and column.is_number
        )
    indent, above = "  " if groups else "", ""
    for row in table.rows:
        for name in (row[index] for index in groups):
            if name != above:
                grid.add_row(Text(printable(name), style="bold"))
            above = name
        grid.add_row(*(Text(f"{indent if index == shown[0] else ''}{printable(row[index])}") for index in shown))
        for below in (f"{table.columns[index].title}: {row[index]}" for index in details if row[index]):
            grid.add_row(*(Text(printable(below) if index == widest else "") for index in shown))
    return grid
