"""Renders blocks for a terminal and for the log of a build; what few readers unfold on a page is printed in full."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

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
        is_apart = isinstance(block, Heading | Fold | Table) or isinstance(previous_block, Fold | Terms)
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
            case Terms():
                yield from _term_lines(block)
            case _:
                continue  # a page's own
        previous_block = block


def _term_lines(terms: Terms, indent: int = 2) -> Iterator[RenderableType]:
    for name, meaning in terms.meanings:
        nested = meaning if isinstance(meaning, Terms) else None
        yield Padding(Text(printable(f"{name}: {meaning}" if nested is None else name)), (0, 0, 0, indent))
        yield from [] if nested is None else _term_lines(nested, indent + 2)


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
        elif any(column.is_detail for column in self.table.columns):
            widths = _column_widths(self.table, shown_columns, unbroken_columns, options.max_width)
            yield from _rows_with_details(self.table, shown_columns, unbroken_columns, widths)
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


def _rows_with_details(
    table: Table, shown_columns: list[int], unbroken_columns: set[int], widths: Mapping[int, int]
) -> Iterator[RenderableType]:
    """Yield each row as a grid of the same widths; its details below it have the width of the terminal."""
    indent = widths[shown_columns[0]] + 1
    for number, row in enumerate(table.rows):
        yield _table_grid(replace(table, rows=[row]), shown_columns, unbroken_columns, widths, has_header=not number)
        for column, cell in zip(table.columns, row, strict=True):
            if column.is_detail and cell:
                yield Padding(Text(printable(f"{column.title}: {cell}")), (0, 0, 0, indent))


def _table_grid(
    table: Table,
    shown_columns: list[int],
    unbroken_columns: set[int],
    widths: Mapping[int, int] | None = None,
    *,
    has_header: bool = True,
) -> Grid:
    """Return a grid; what rows have in common stands above them."""
    grid = Grid(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold", show_header=has_header)
    groups = [index for index, column in enumerate(table.columns) if column.is_group]
    for index in shown_columns:
        column = table.columns[index]
        grid.add_column(
            "" if groups and column.is_name else column.title,
            justify="right" if column.is_number else "left",
            no_wrap=index in unbroken_columns,
            # A number continued on the next line would read as two.
            overflow="ellipsis" if column.is_number else "fold",
            width=None if widths is None else widths[index],
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
    return grid


def _column_widths(
    table: Table, shown_columns: Sequence[int], unbroken_columns: set[int], width: int
) -> dict[int, int]:
    """Return the letters of each column; those that may be broken share what is left, the narrow ones first."""
    widths = {index: max(map(len, _column_texts(table, index))) for index in shown_columns}
    breakable = sorted(widths.keys() - unbroken_columns, key=widths.__getitem__)
    room = width - len(widths) - sum(widths[index] for index in unbroken_columns)
    for place, index in enumerate(breakable):
        widths[index] = min(widths[index], room // (len(breakable) - place))
        room -= widths[index]
    return widths


def _column_texts(table: Table, index: int) -> list[str]:
    return [table.columns[index].title, *(row[index] for row in table.rows)]


def _unbroken_columns(table: Table, shown_columns: Sequence[int], width: int) -> set[int] | None:
    """Return the columns of numbers; None if too little of `width` would be left for the names of the rows.

    Rich takes all width that is missing from the columns that may be broken, down to nothing.
    """
    texts = {index: _column_texts(table, index) for index in shown_columns}
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
