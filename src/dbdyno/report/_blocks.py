"""Defines the values that a report is made of: headings, paragraphs, lists, tables, folds, sections.

A section is a function that returns blocks. The page (`_html`), Markdown (`_markdown_text`) and the terminal
(`_terminal_text`) render the same ones. Charts and markup stand among the blocks of a page; texts leave them out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from dbdyno.core import Caveat

if TYPE_CHECKING:
    from dbdyno.report._html import Html
    from dbdyno.report.charts import Chart


@dataclass(frozen=True, slots=True)
class TextSpan:
    """Holds words within a line that are set apart."""

    text: str
    style: Literal["bold", "code"] = "bold"


Words: TypeAlias = str | Caveat | tuple[str | TextSpan, ...]
"""A line: text, a limitation, or text in which words are set apart."""
Role: TypeAlias = Literal["", "subtitle", "to-see", "quiet"]
"""Role of a paragraph: plain, or a remark: above a chart what is measured, below it what to see."""


@dataclass(frozen=True, slots=True)
class Heading:
    """Holds a heading within a section; of level 3 or 4."""

    text: str
    level: int = 3


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Holds a sentence or more."""

    words: Words
    role: Role = ""


@dataclass(frozen=True, slots=True)
class ListOf:
    """Holds a list; limitations are items without change."""

    items: Sequence[Words]


@dataclass(frozen=True, slots=True)
class Terms:
    """Holds names with what each means or has, or with further terms; a page shortens beyond `most` letters."""

    meanings: Collection[tuple[str, str | Terms]]
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """Describes a column of a table; numbers stand right, names are not broken.

    Parameters
    ----------
    is_group : rows that follow each other have the same; a text states it once
    is_detail : a terminal prints it in a separate line below the row, with its title
    most : letters, beyond which a page shortens its cells; the whole is shown on hover
    facets : tokens of what the whole column is about, as `dbdyno.report._facets` has them
    """

    title: str
    is_number: bool = False
    is_name: bool = False
    is_group: bool = False
    is_detail: bool = False
    most: int | None = None
    facets: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Holds a table.

    Parameters
    ----------
    name : of the file as which a page saves it
    rows : cells as text; markup in a page's
    note : what its columns mean: below it in texts, wherever there is room on a page
    marked : of each row whether it stands out
    facets : of each row the tokens of what it is about
    """

    name: str
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    note: str = ""
    marked: Sequence[bool] = ()
    facets: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Fold:
    """Holds blocks that are shown on demand, and always in print and in a terminal.

    Parameters
    ----------
    kind : class of the page's element
    key : under which the page remembers whether it is open
    """

    summary: str
    blocks: Sequence[Block]
    kind: str | None = None
    key: str | None = None
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Box:
    """Holds blocks that belong together: small multiples side by side, or all that is about one place."""

    blocks: Sequence[Block]
    kind: str | None = None
    facets: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Holds a section of the page, with a heading that can be linked."""

    anchor: str
    title: str
    blocks: Sequence[Block]


Block: TypeAlias = "Heading | Paragraph | ListOf | Terms | Table | Fold | Box | Section | Chart | Html"


def section(anchor: str, title: str, *blocks: Block | None) -> Section:
    """Return a section of the page, with its blocks that are not None."""
    return Section(anchor, title, there(blocks))


def there(blocks: Iterable[Block | None]) -> tuple[Block, ...]:
    """Return the blocks that are not None."""
    return tuple(block for block in blocks if block is not None)


def subtitle(words: Words) -> Paragraph:
    """Return what is measured, in which unit, over which window."""
    return Paragraph(words, "subtitle")


def to_see(words: Words) -> Paragraph:
    """Return the sentence under a chart that says what to see."""
    return Paragraph(words, "to-see")


def grid(blocks: Iterable[Block]) -> Box:
    """Return small multiples, side by side where there is room."""
    return Box(tuple(blocks), "grid")


def folded(summary: str, *blocks: Block | None, is_open: bool = False) -> Fold:
    """Return something shown on demand."""
    return Fold(summary, there(blocks), is_open=is_open)


def rest(anchor: str, summary: str, *blocks: Block | None) -> Fold:
    """Return what few readers of a section go on to; it opens, too, for a link to something in it, and in print."""
    return Fold(summary, there(blocks), "rest", f"{anchor}-rest")


def data_behind(table: Table, summary: str = "Data as a table") -> Fold:
    """Return a chart's data, on demand."""
    return Fold(summary, (table,), "data")


def titled_list(title: str, lines: Sequence[Words], level: int = 3) -> list[Block]:
    """Return a heading with a list below it; nothing where there are no lines."""
    return [Heading(title, level), ListOf(lines)] if lines else []
