"""`dbdyno explain` in the terminal: three lines, the parts as a table, what was counted, and the steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from dbdyno.analyse.explain import CauseRanking
from dbdyno.report._deep import ABOUT_DEEP, KINDS, DeepProfile, deep_lines, deep_rows, deep_titles
from dbdyno.report._format import printable
from dbdyno.report._proofs import ABOUT_PROOFS, PROOF_TITLES, proof_lines, proof_rows
from dbdyno.report._study_analysis import StudyAnalysis
from dbdyno.report._terminal import titled_list
from dbdyno.report._why import (
    ABOUT,
    ABOUT_COUNTED,
    ABOUT_THREADS,
    Why,
    counted_rows,
    counted_titles,
    moment_lines,
    part_rows,
    part_titles,
    route_lines,
    side_titles,
    step_lines,
)
from dbdyno.report._why_causes import ABOUT_CAUSES, ABOUT_USERS, cause_rows, user_rows, user_titles

_MOST_FUNCTIONS = 4


def print_why(analysis: StudyAnalysis, why: Why, console: Console) -> None:
    """Print the explanation to a console."""
    parts: list[RenderableType] = [
        Text(printable(line), style="bold" if not index else "") for index, line in enumerate(why.lines)
    ]
    if why.ranking is not None:
        parts += [Text(), *_causes(why.ranking), Text(ABOUT_CAUSES, style="dim")]
    if why.proofs:
        parts += [Text(), _table(PROOF_TITLES, proof_rows(why.proofs))]
        parts += [Text(printable(f"  {line}")) for line in proof_lines(why.proofs)] + [Text(ABOUT_PROOFS, style="dim")]
    if why.deep is not None:
        parts += _deep(why.deep)
    if why.gap is not None and why.gap.parts:
        parts += [Text(), _table(part_titles(why.gap), part_rows(why.gap)), Text(ABOUT, style="dim")]
    if why.thread_gap is not None and why.thread_gap.parts:
        parts += [Text(), _table(part_titles(why.thread_gap), part_rows(why.thread_gap))]
        parts += [Text(ABOUT_THREADS, style="dim")]
        users = user_rows(why.known)
        if users:
            parts += [Text(), _table(user_titles(side_titles(why.thread_gap)), users), Text(ABOUT_USERS, style="dim")]
    counted = counted_rows(why)
    if why.gap is not None and counted:
        parts += [Text(), _table(counted_titles(why.gap), counted), Text(ABOUT_COUNTED, style="dim")]
    parts += titled_list("More connections", step_lines(why))
    parts += titled_list("Over the network", route_lines(why))
    parts += titled_list("Stalls and waves", moment_lines(why))
    notes = [f"{analysis.fairness.warning}"] if analysis.fairness.warning else []
    parts += titled_list("Limitations", notes)
    console.print(Group(*parts))


def _causes(ranking: CauseRanking) -> Iterator[RenderableType]:
    """A line a cause; below each what would remove it, and the settings that differ."""
    table = Table.grid(padding=(0, 2, 0, 0))
    for _ in range(2):
        table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for grade, words, difference, settings, remedy in cause_rows(ranking):
        table.add_row(grade, difference, Text(printable(words), style="bold" if grade else ""))
        for line in filter(None, (settings and f"differs: {settings}", remedy)):
            table.add_row("", "", Text(printable(line)))
    yield table


def _deep(deep: DeepProfile) -> Iterator[RenderableType]:
    """The whole times, and the few functions that differ most."""
    yield Text("\nIn which functions", style="bold")
    for line in deep_lines(deep):
        yield Text(printable(f"  {line}"))
    for kind, words in KINDS.items():
        if rows := deep_rows(deep, kind, _MOST_FUNCTIONS):
            yield Text()
            yield _table([words, *deep_titles(deep)[1:]], rows)
    yield Text(ABOUT_DEEP, style="dim")


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column(titles[0], overflow="fold")
    for title in titles[1:]:
        table.add_column(title, justify="right")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    return table
