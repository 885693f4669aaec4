"""Prints a history in the terminal and in the log of a build."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from dbdyno.analyse import CellHistory, HistoryChange, Measure
from dbdyno.core import counted
from dbdyno.report._blocks import Block, Column, Heading, ListOf, Paragraph, Table, titled_list
from dbdyno.report._format import printable
from dbdyno.report._terminal_text import to_terminal
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
    console.print(to_terminal(_history_blocks(history, measure, every=every)))
    if rules:
        console.print()
    for line in (line for rule in rules for line in rule_lines(history, rule)):
        console.print(Text(line), soft_wrap=True)  # a build's log is searched by the line


def _history_blocks(history: History, measure: Measure, *, every: bool) -> Iterator[Block]:
    first, last = history.studies[0], history.studies[-1]
    yield Paragraph(f"{counted(len(history.studies), 'study', 'studies')}: {study_words(first)} to {study_words(last)}")
    yield _series_table(history, measure)
    yield Heading(headline(history, measure))
    if moves := history.moves(measure):
        yield ListOf([_move_words(history, cell, move) for cell, move in moves])
    yield from titled_list("Limitations", history_caveats(history, measure))
    yield from titled_list("Left out", list(_omitted_lines(history, every=every)))


def _series_table(history: History, measure: Measure) -> Table:
    columns = [Column("series"), *(Column(title, True) for title in ("studies", "first", "last", "seen from"))]
    rows = []
    for cell in history.cells[measure]:
        end_values = [
            value_words(measure, point.value, point.low, point.high) for point in (cell.points[0], cell.points[-1])
        ]
        rows.append([cell_words(history, cell.cell), str(len(cell.points)), *end_values, smallest_words(cell)])
    note = "seen from: by how much the next study must differ to be a change point"
    return Table("series", "Series", columns, rows, note)


def rule_lines(history: History, rule: HistoryRule) -> list[str]:
    """Return one line a broken series, or one line that the rule held."""
    return [printable(line) for line in _rule_lines(history, rule)]


def _rule_lines(history: History, rule: HistoryRule) -> Iterator[str]:
    text = rule.criterion.text
    for cell, move in rule.broken:
        yield f"FAIL {text}: {cell_words(history, cell.cell)}: {move_words(move)} {between_words(history, move)}"
    if rule.checked == 0:
        yield f"FAIL {text}: no series has two studies, the newest with a good run"
    if rule.outcome == "PASS":
        yield f"PASS {text}: held in {counted(rule.checked, 'series', 'series')}"
    if rule.unseen:
        words = counted(rule.unseen, "series", "series")
        yield (
            f"NOT SHOWN {text}: in {words} of {rule.checked:,} the next study must differ by more to be a change point"
        )
    for series in rule.unmeasured[:_MOST_OMITTED]:
        yield f"NOT SHOWN {text}: {cell_words(history, series.cell)}: {series.reason}"
    if len(rule.unmeasured) > _MOST_OMITTED:
        yield f"NOT SHOWN {text}: {len(rule.unmeasured) - _MOST_OMITTED} more series without a value to compare"
    for cell, move in rule.open:
        yield f"NOT SHOWN {text}: {cell_words(history, cell.cell)}: {move_words(move)}, as {', '.join(move.alike)} did"


def _move_words(history: History, cell: CellHistory, move: HistoryChange) -> str:
    summary = f"{cell_words(history, cell.cell)}: {move_words(move)} {move.outcome}, {level_words(move)}"
    alike_words = f"; {', '.join(move.alike)} also moved although unchanged" if move.alike else ""
    return f"{summary}, {between_words(history, move)}; {changed_words(history, move)}{alike_words}"


def _omitted_lines(history: History, *, every: bool) -> Iterator[str]:
    rows = [
        f"{omission.label}{f', {cell_words(history, omission.cell)}' if omission.cell else ''}: {omission.reason}"
        for omission in history.omitted
    ]
    shown_rows = rows if every else rows[:_MOST_OMITTED]
    yield from shown_rows
    if len(shown_rows) < len(rows):
        yield f"{len(rows) - len(shown_rows)} more (--all shows them)"
