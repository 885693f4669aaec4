"""Where a cell lies, in the columns of a table: the target, and of the axes those on which the cells differ.

What is the same in all rows is said once, above the table.
"""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analyse import CellJudgement, listed
from dbdyno.core import format_memory, target_title
from dbdyno.report._html import Column

_AXES = (Column("workload"), Column("memory", is_name=True), Column("connections", True))


def place_columns(groups: Sequence[CellJudgement]) -> list[Column]:
    """The columns."""
    return [Column("target"), *(column for column, differs in zip(_AXES, _differing(groups), strict=True) if differs)]


def place(group: CellJudgement, groups: Sequence[CellJudgement]) -> list[str]:
    """What stands in them for one cell."""
    where = zip(_words(group), _differing(groups), strict=True)
    return [target_title(group.cell.target), *(words for words, differs in where if differs)]


def alike_words(groups: Sequence[CellJudgement]) -> str:
    """The axes that have no column, as a sentence with a blank before it."""
    words = zip(_words(groups[0]), _AXES, _differing(groups), strict=True)
    alike = [f"{axis.title} {value}" for value, axis, differs in words if not differs]
    return f" All rows: {listed(alike)}." if alike else ""


def _differing(groups: Sequence[CellJudgement]) -> list[bool]:
    return [len(set(values)) > 1 for values in zip(*(_words(group) for group in groups), strict=True)]


def _words(group: CellJudgement) -> tuple[str, str, str]:
    cell = group.cell
    return cell.workload, format_memory(cell.tier_bytes), f"{cell.concurrency:,}"
