"""Renders blocks for a terminal and for the log of a build; what few readers unfold on a page is printed in full."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from dbdyno.core import Caveat
from dbdyno.report._blocks import Block, Fold, Heading, ListOf, Paragraph, Table, Terms, Words
from dbdyno.report._format import printable

_MOST_UNBROKEN = 5
"""Columns of numbers in which no line is broken; more would not fit a terminal of 80 letters."""


def to_terminal(blocks: Iterable[Block]) -> Group:
    """Return blocks to be printed by rich. Text from files steers nothing."""
    return Group(*_render_blocks(blocks))


def _render_blocks(blocks: Iterable[Block]) -> Iterator[RenderableType]:
    """Yield headings, folds and tables apart, but a table next to its heading."""
    previous_block: Block | None = None
    for block in blocks:
        is_apart = isinstance(block, Heading | Fold | Table) or isinstance(previous_block, Fold)
        if (
            previous_block is not None
            and is_apart
            and not (isinstance(previous_block, Heading) and isinstance(block, Table))
        ):
            yield Text()
        match block:
            case Heading(text):
                yield Text(printable(text), style="bold")
            case Fold(summary, inner):
                yield from _render_blocks([Heading(summary), *inner])
            case Table():
                yield _table_grid(block)
                yield from [Text(printable(block.note), style="dim")] * bool(block.note)
            case Paragraph(words, role):
                yield _line_text(words, "dim" if role else "")
            case ListOf(items):
                yield from (Padding(Text.assemble("- ", _line_text(item)), (0, 0, 0, 2)) for item in items)
            case Terms(meanings):
                yield from _render_blocks([ListOf([f"{name}: {meaning}" for name, meaning in meanings])])
            case _:
                continue  # a page's own
        previous_block = block


def _line_text(words: Words, style: str = "") -> Text:
    if isinstance(words, str | Caveat):
        return Text(printable(words if isinstance(words, str) else words.text), style=style)
    return Text.assemble(
        *(
            printable(part) if isinstance(part, str) else (printable(part.text), "bold" if part.style == "bold" else "")
            for part in words
        ),
        style=style,
    )


def _table_grid(table: Table) -> Grid:
    """Return a grid; what rows have in common stands above them, and what belongs below a row in its widest column."""
    grid = Grid(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    shown_columns = [index for index, column in enumerate(table.columns) if not (column.is_detail or column.is_group)]
    details = [index for index, column in enumerate(table.columns) if column.is_detail]
    groups = [index for index, column in enumerate(table.columns) if column.is_group]
    widest = max(shown_columns, key=lambda index: max((len(row[index]) for row in table.rows), default=0))
    if details:
        shown_columns.sort(key=lambda index: index == widest)  # last, so that what is below it parts no others
    is_narrow = sum(table.columns[index].is_number for index in shown_columns) <= _MOST_UNBROKEN
    for column in (table.columns[index] for index in shown_columns):
        align: Literal["left", "right"] = "right" if column.is_number else "left"
        grid.add_column(
            "" if groups and column.is_name else column.title, justify=align, no_wrap=is_narrow and column.is_number
        )
    indent, group_name = "  " if groups else "", ""
    for row in table.rows:
        for name in (row[index] for index in groups):
            if name != group_name:
                grid.add_row(Text(printable(name), style="bold"))
            group_name = name
        grid.add_row(
            *(Text(f"{indent if index == shown_columns[0] else ''}{printable(row[index])}") for index in shown_columns)
        )
        for detail_line in (f"{table.columns[index].title}: {row[index]}" for index in details if row[index]):
            grid.add_row(*(Text(printable(detail_line) if index == widest else "") for index in shown_columns))
    return grid
