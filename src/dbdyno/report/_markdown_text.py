"""Writes text, lists and tables as Markdown.

What comes from files is escaped, also against what forges make of plain text: names that notify people, numbers that
become links to issues, addresses that become links.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_SPECIAL = re.compile(r"([\\`*_\[\]|~])")
_CELL_MOST = 200
_SPELL = "<!-- -->"  # shows nothing, and keeps a forge from making a link of what it parts
_LINKS = re.compile(r"@(?=\w)|#(?=\d)|(?<=\bGH)-(?=\d)|(?<=\bwww)\.|:(?=//)")


def escaped(text: str, most: int = 2000) -> str:
    r"""Text that stays text in Markdown, on one line; cut at `most` characters, for forges take 65,536 in all.

    >>> escaped("a|b <i> @root #12"), escaped("x_y\n*z*")
    ('a\\|b &lt;i&gt; @<!-- -->root #<!-- -->12', 'x\\_y \\*z\\*')
    """
    words = "".join(char if char.isprintable() else " " for char in text)
    words = words if len(words) <= most else f"{words[:most]}…"
    words = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    words = _LINKS.sub(lambda match: match[0] + _SPELL, _SPECIAL.sub(r"\\\1", words))
    # What stands first in a line can make a heading or a list of it.
    return re.sub(r"^(\s*)([#+=-]|\d+[.)])(?=\s|$)", r"\1\\\2", words).strip()


def bullets(texts: Iterable[str]) -> str:
    """A list, a line each."""
    return "\n".join(f"- {escaped(text)}" for text in texts)


def folded(title: str, block: str) -> list[str]:
    """A block that a forge shows when it is opened; the title, our own words, stands in HTML."""
    return [f"<details><summary>{title}</summary>", block, "</details>"]


def table_text(titles: Sequence[str], numbers: int, rows: Iterable[Sequence[str]]) -> str:
    """A table whose last `numbers` columns stand right."""
    rule = ["---"] * (len(titles) - numbers) + ["---:"] * numbers
    lines = [list(titles), rule, *([escaped(cell, _CELL_MOST) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
