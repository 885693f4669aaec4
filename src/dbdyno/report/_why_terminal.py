"""`dbdyno explain` in the terminal: three lines, the parts as a table, what was counted, and the steps."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from dbdyno.report._format import printable
from dbdyno.report._study_analysis import StudyAnalysis
from dbdyno.report._terminal import titled_list
from dbdyno.report._why import (
    ABOUT,
    ABOUT_COUNTED,
    ABOUT_THREADS,
    Why,
    counted_rows,
    counted_titles,
    part_rows,
    part_titles,
    step_lines,
)


def print_why(analysis: StudyAnalysis, why: Why, console: Console) -> None:
    """Print the explanation to a console."""
    parts: list[RenderableType] = [
        Text(printable(line), style="bold" if not index else "") for index, line in enumerate(why.lines)
    ]
    if why.gap is not None and why.gap.parts:
        parts += [Text(), _table(part_titles(why.gap), part_rows(why.gap)), Text(ABOUT, style="dim")]
    if why.thread_gap is not None and why.thread_gap.parts:
        parts += [Text(), _table(part_titles(why.thread_gap), part_rows(why.thread_gap))]
        parts += [Text(ABOUT_THREADS, style="dim")]
    counted = counted_rows(why)
    if why.gap is not None and counted:
        parts += [Text(), _table(counted_titles(why.gap), counted), Text(ABOUT_COUNTED, style="dim")]
    parts += titled_list("More connections", step_lines(why))
    notes = [f"{analysis.fairness.warning}"] if analysis.fairness.warning else []
    parts += titled_list("Limitations", notes)
    console.print(Group(*parts))


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column(titles[0], overflow="fold")
    for title in titles[1:]:
        table.add_column(title, justify="right")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    return table
