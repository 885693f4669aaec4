"""Two results folders in the terminal, and in the log of a build: cells, what else changed, rules held or broken."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from dbdyno.analyse import counted
from dbdyno.report._diff import StudyDiff
from dbdyno.report._diff_words import (
    MEASURES,
    change_row,
    changed_lines,
    left_out_lines,
    legend_lines,
    measure_words,
    moved,
    overall_words,
    rule_lines,
    side_lines,
)
from dbdyno.report._format import printable
from dbdyno.report._rules import RuleOutcome
from dbdyno.report._terminal import titled_list


def print_diff(
    diff: StudyDiff, rules: Sequence[RuleOutcome], console: Console, *, every: bool = False, undecided: str = "fail"
) -> None:
    """Print everything; `every` setting that changed, not only the first dozen of each place.

    Parameters
    ----------
    undecided : what a rule that is not shown to hold does to the build: ``fail`` or ``pass``
    """
    parts: list[RenderableType] = [*(Text(printable(line)) for line in side_lines(diff)), Text()]
    if diff.changes:
        parts += [_table(diff), Text("\n".join(legend_lines(diff)), style="dim")]
    parts += titled_list("Not compared", left_out_lines(diff))
    parts += titled_list("What else changed", list(changed_lines(diff.changed, every=every)))
    parts += titled_list("Limitations", [caveat.text for caveat in diff.caveats])
    console.print(Group(*parts, *([Text()] if rules else [])))
    lines = [f"{word} {text}" for rule in rules for word, text in rule_lines(diff, rule)]
    for line in (*lines, overall_words(rules, undecided=undecided)):
        if line:
            console.print(Text(printable(line)), soft_wrap=True)  # a build's log is searched by the line


def _table(diff: StudyDiff) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("", overflow="fold")
    for title in ("base", "new", "change, 95 %"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("", overflow="fold")
    for measure in MEASURES:
        found, shown = diff.of(measure), moved(diff, measure)
        if not found:
            continue
        words = measure_words(measure)
        is_throughput = measure == "tps"
        title = words if is_throughput else f"{words}: {len(shown)} of {counted(len(found), 'cell')} changed"
        table.add_row(Text(title, style="bold"))
        for change in found if is_throughput else shown:
            name, *cells = (printable(word) for word in change_row(diff, change))
            table.add_row(Text(f"  {name}"), *map(Text, cells))
    return table
