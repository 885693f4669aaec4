"""Renders blocks for a terminal and for the log of a build; what few readers unfold on a page is printed in full."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from dbdyno.core import Caveat
from dbdyno.report._blocks import Block, Fold, Heading, ListOf, Paragraph, Table, Terms, Words
from dbdyno.report._format import printable

_MOST_NUMBER = 26
"""Letters of the longest number with its interval. What is longer is words, and words may be broken into lines."""

_MOST_WORD = 16
"""Letters of a name that may be broken."""


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
                yield _FittedTable(block)
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


@dataclass(frozen=True, slots=True)
class _FittedTable:
    """A table that adapts to the width of the terminal, which is known only when it is printed."""

    table: Table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        shown_columns = [i for i, c in enumerate(self.table.columns) if not (c.is_detail or c.is_group)]
        unbroken_columns = _unbroken_columns(self.table, shown_columns, options.max_width)
        if unbroken_columns is None:
            yield from _row_lists(self.table)
        else:
            yield _table_grid(self.table, shown_columns, unbroken_columns)


def _row_lists(table: Table) -> Iterator[RenderableType]:
    """Yield each row as its name and a list of its values, for a terminal in which no table has room."""
    first = next(index for index, column in enumerate(table.columns) if not column.is_group)
    groups = [index for index, column in enumerate(table.columns) if column.is_group]
    for row in table.rows:
        yield Text(printable(", ".join([*(row[index] for index in groups), row[first]])), style="bold")
        values = [
            f"{column.title} {row[index]}".strip()
            for index, column in enumerate(table.columns)
            if index != first and not column.is_group and row[index]
        ]
        yield Padding(Text(printable(" · ".join(values))), (0, 0, 0, 2))


def _table_grid(table: Table, shown_columns: list[int], unbroken_columns: set[int]) -> Grid:
    """Return a grid; what rows have in common stands above them, and what belongs below a row in its widest column."""
    grid = Grid(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    details = [index for index, column in enumerate(table.columns) if column.is_detail]
    groups = [index for index, column in enumerate(table.columns) if column.is_group]
    widest = max(shown_columns, key=lambda index: max((len(row[index]) for row in table.rows), default=0))
    if details:
        shown_columns.sort(key=lambda index: index == widest)  # last, so that what is below it parts no others
    for index in shown_columns:
        column = table.columns[index]
        grid.add_column(
            "" if groups and column.is_name else column.title,
            justify="right" if column.is_number else "left",
            no_wrap=index in unbroken_columns,
            # A number continued on the next line would read as two.
            overflow="ellipsis" if column.is_number else "fold",
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


def _unbroken_columns(table: Table, shown_columns: Sequence[int], width: int) -> set[int] | None:
    """Return the columns of numbers; None if too little of `width` would be left for the names of the rows.

    Rich takes all width that is missing from the columns that may be broken, down to nothing.
    """
    texts = {index: [table.columns[index].title, *(row[index] for row in table.rows)] for index in shown_columns}
    unbroken = {
        index
        for index in shown_columns
        if table.columns[index].is_number and max(map(len, texts[index])) <= _MOST_NUMBER
    }
    needed = sum(
        max(map(len, texts[index]))
        if index in unbroken
        else min(max((len(word) for text in texts[index] for word in text.split()), default=0), _MOST_WORD)
        for index in shown_columns
    )
    return unbroken if needed + len(shown_columns) <= width else None
