"""A history in the terminal and in the log of a build."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dbdyno.analyse import CellHistory, HistoryChange, Measure, counted
from dbdyno.report._format import printable
from dbdyno.report._terminal import titled_list
from dbdyno.report.history._gather import History
from dbdyno.report.history._rules import HistoryRule
from dbdyno.report.history._words import (
    between_words,
    cell_words,
    changed_words,
    headline,
    history_caveats,
    level_words,
    move_words,
    smallest_words,
    study_words,
    value_words,
)

_MOST_OMITTED = 8


def print_history(
    history: History, measure: Measure, rules: Sequence[HistoryRule], console: Console, *, every: bool = False
) -> None:
    """Print everything; `every` cell that was left out, not only the first ones."""
    first, last = history.studies[0], history.studies[-1]
    head = f"{counted(len(history.studies), 'study', 'studies')}: {study_words(first)} to {study_words(last)}"
    parts: list[RenderableType] = [Text(printable(head)), Text(), _table(history, measure)]
    parts.append(Text("last column: by how much one more study would have to differ to be a change point", style="dim"))
    parts += [Text(), Text(headline(history, measure), style="bold")]
    for cell, move in history.moves(measure):
        parts += [Padding(Text(printable(line)), (0, 0, 0, 2)) for line in _move_lines(history, cell, move)]
    parts += titled_list("Limitations", [caveat.text for caveat in history_caveats(history, measure)])
    parts += titled_list("Left out", list(_omitted_lines(history, every=every)))
    console.print(Group(*parts, *([Text()] if rules else [])))
    for line in (line for rule in rules for line in rule_lines(history, rule)):
        console.print(Text(line), soft_wrap=True)  # a build's log is searched by the line


def rule_lines(history: History, rule: HistoryRule) -> list[str]:
    """One line a broken series, or one line that the rule held."""
    return [printable(line) for line in _rule_lines(history, rule)]


def _rule_lines(history: History, rule: HistoryRule) -> Iterator[str]:
    text = rule.criterion.text
    for cell, move in rule.broken:
        yield f"FAIL {text}: {cell_words(history, cell.cell)}: {move_words(move)} {between_words(history, move)}"
    if rule.checked == 0:
        yield f"FAIL {text}: no series has two studies"
    if rule.outcome == "PASS":
        yield f"PASS {text}: held in {counted(rule.checked, 'series', 'series')}"
    if rule.unseen:
        words = counted(rule.unseen, "series", "series")
        yield f"NOT SHOWN {text}: in {words} of {rule.checked:,} one more study would have to differ by more to be seen"
    for cell, move in rule.open:
        yield f"NOT SHOWN {text}: {cell_words(history, cell.cell)}: {move_words(move)}, as {', '.join(move.alike)} did"


def _table(history: History, measure: Measure) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("", overflow="fold")
    for title in ("studies", "first", "last"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("seen from", justify="right", no_wrap=True)
    for cell in history.cells[measure]:
        ends = [value_words(measure, point.value, point.low, point.high) for point in (cell.points[0], cell.points[-1])]
        row = [cell_words(history, cell.cell), str(len(cell.points)), *ends, smallest_words(cell)]
        table.add_row(*(Text(printable(word)) for word in row))
    return table


def _move_lines(history: History, cell: CellHistory, move: HistoryChange) -> Iterator[str]:
    yield f"{cell_words(history, cell.cell)}: {move_words(move)} {move.outcome}, {level_words(move)}"
    yield f"  {between_words(history, move)}; {changed_words(history, move)}"
    if move.alike:
        yield f"  {', '.join(move.alike)} moved alike although nothing of it changed"


def _omitted_lines(history: History, *, every: bool) -> Iterable[str]:
    rows = [
        f"{left.label}{f', {cell_words(history, left.cell)}' if left.cell else ''}: {left.reason}"
        for left in history.omitted
    ]
    shown = rows if every else rows[:_MOST_OMITTED]
    yield from shown
    if len(shown) < len(rows):
        yield f"{len(rows) - len(shown)} more (--all shows them)"
