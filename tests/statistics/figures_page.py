"""Tables of figures in docs/concepts/steady-state.md, written by the simulations that give them.

Each table stands between two comments that name it. `DBDYNO_WRITE_FIGURES=1` (as `make statistics` sets it) puts the
new figures there; without it the simulations only check that the figures are what they should be.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "concepts" / "steady-state.md"


def publish(name: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Put a table into the page, if that is asked for."""
    lines = [_line(head), "|" + "---|" * len(head), *(_line(row) for row in rows)]
    print(f"\n{name}\n" + "\n".join(lines))
    if not os.environ.get("DBDYNO_WRITE_FIGURES"):
        return
    begin, end = f"<!-- figures: {name} -->", "<!-- end of figures -->"
    text = PAGE.read_text()
    pattern = re.compile(re.escape(begin) + r".*?" + re.escape(end), re.DOTALL)
    if len(pattern.findall(text)) != 1:
        raise LookupError(f"{PAGE} has no place for the figures {name}")
    table = "\n".join([begin, *lines, end])
    PAGE.write_text(pattern.sub(lambda _: table, text))


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
