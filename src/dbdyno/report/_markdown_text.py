"""Renders blocks as Markdown.

What comes from files is escaped, also against what forges make of plain text: names that notify people, numbers that
become links to issues, addresses that become links.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator

from dbdyno.core import Caveat
from dbdyno.report._blocks import Block, Fold, Heading, ListOf, Paragraph, Table, Terms, TextSpan, Words

_SPECIAL = re.compile(r"([\\`*_\[\]|~])")
_CELL_MOST = 200
_BOLD_LEVEL = 4
"""Level from which on a heading is a bold line: forges leave much room around headings."""
_LINK_BREAK = "<!-- -->"  # an invisible comment that keeps a forge from turning the text into a link
_LINKS = re.compile(r"@(?=\w)|#(?=\d)|(?<=\bGH)-(?=\d)|(?<=\bwww)\.|:(?=//)")


def escaped(text: str, most: int = 2000) -> str:
    r"""Return text that stays text in Markdown, on one line; cut at `most` characters, for forges take 65,536 in all.

    >>> escaped("a|b <i> @root #12"), escaped("x_y\n*z*")
    ('a\\|b &lt;i&gt; @<!-- -->root #<!-- -->12', 'x\\_y \\*z\\*')
    >>> escaped("1. Which"), escaped("## Which")
    ('1\\. Which', '\\## Which')
    """
    words = "".join(char if char.isprintable() else " " for char in text)
    words = words if len(words) <= most else f"{words[:most]}…"
    words = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    words = _LINKS.sub(lambda match: match[0] + _LINK_BREAK, _SPECIAL.sub(r"\\\1", words))
    # What stands first in a line can make a heading or a list of it.
    return re.sub(r"^(\s*\d*)([#+=-]+|(?<=\d)[.)])(?=\s|$)", r"\1\\\2", words).strip()


def to_markdown(blocks: Iterable[Block]) -> str:
    """Return blocks as Markdown; charts and markup are left out."""
    return "\n\n".join(part for block in blocks for part in _render_block(block)) + "\n"


def _render_block(block: Block) -> list[str]:
    """Return parts between which a blank line stands."""
    match block:
        case Heading(text, level):
            return [f"{'#' * level} {escaped(text)}" if level < _BOLD_LEVEL else f"**{escaped(text)}**"]
        case Paragraph(words):
            return [_line_text(words)]
        case ListOf(items):
            return ["\n".join(f"- {_line_text(item)}" for item in items)] if items else []
        case Terms():
            return ["\n".join(_term_lines(block))]
        case Table():
            return [_table_text(block), *([escaped(block.note)] if block.note else [])]
        case Fold(summary, blocks):
            inner_parts = [part for inner_block in blocks for part in _render_block(inner_block)]
            return [f"<details><summary>{_summary_markup(summary)}</summary>", *inner_parts, "</details>"]
    return []


def _term_lines(terms: Terms) -> Iterator[str]:
    for name, meaning in terms.meanings:
        nested = meaning if isinstance(meaning, Terms) else None
        yield f"- {_line_text((TextSpan(name), f': {meaning}' if nested is None else ':'))}"
        yield from [] if nested is None else (f"  {line}" for line in _term_lines(nested))


def _summary_markup(text: str) -> str:
    """Return text on one line of markup, in which nothing of Markdown has a meaning, but a forge makes links."""
    words = "".join(char if char.isprintable() else " " for char in text)
    return _LINKS.sub(lambda match: match[0] + _LINK_BREAK, html.escape(words, quote=False))


def _line_text(words: Words) -> str:
    match words:
        case str():
            return escaped(words)
        case Caveat():
            return escaped(words.text)
    return "".join(_span_text(part) for part in words)


def _span_text(part: str | TextSpan) -> str:
    """Return a part as Markdown; blanks at its ends part it from its neighbours."""
    if isinstance(part, str):
        outer_blanks = part[: len(part) - len(part.lstrip())], part[len(part.rstrip()) :]
        return escaped(part).join(outer_blanks) if part.strip() else part
    if part.style == "code":  # inside it, only the closing mark has a meaning
        return f"`{part.text.replace('`', ' ')}`"
    return f"**{escaped(part.text)}**"


def _table_text(table: Table) -> str:
    rule = ["---:" if column.is_number else "---" for column in table.columns]
    rows = [list(row) for row in table.rows]
    for index, column in enumerate(table.columns):
        if column.is_group:  # stated once
            names = [row[index] for row in rows]
            for row, name, name_above in zip(rows, names, ["", *names], strict=False):
                row[index] = "" if name == name_above else name
    lines = [[escaped(column.title) for column in table.columns], rule]
    lines += [[escaped(cell, _CELL_MOST) for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
