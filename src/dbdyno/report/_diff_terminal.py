"""Two results folders in the terminal, and in the log of a build: cells, what else changed, rules held or broken."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dbdyno.analyse import CellChange, change_words, counted, place_words, supported
from dbdyno.core import Cell
from dbdyno.report._changed import Changed
from dbdyno.report._diff import StudyDiff
from dbdyno.report._format import clock_time, milliseconds, printable
from dbdyno.report._rules import RuleOutcome

_MOST_CHANGED = 12
_MOST_CELLS = 8


def print_diff(diff: StudyDiff, rules: Sequence[RuleOutcome], console: Console, *, every: bool = False) -> None:
    """Print everything; `every` setting that changed, not only the first dozen of each place."""
    parts: list[RenderableType] = [*(Text(printable(line)) for line in _side_lines(diff)), Text()]
    if diff.changes:
        parts += [_table(diff), Text(_legend(diff), style="dim")]
    parts += _block("Not compared", [f"{cell_words(diff, x.cell, x.cell)}: {x.reason}" for x in diff.left_out])
    parts += _block("What else changed", list(_changed_lines(diff.changed, every=every)))
    parts += _block("What weakens it", [caveat.text for caveat in diff.caveats])
    console.print(Group(*parts, *([Text()] if rules else [])))
    for line in (line for rule in rules for line in _rule_lines(diff, rule)):
        console.print(Text(printable(line)), soft_wrap=True)  # a build's log is searched by the line


def cell_words(diff: StudyDiff, base: Cell, new: Cell) -> str:
    """A cell in words; what is the same at all places is left out, and a target that has two names shows both."""
    cells = [*diff.base.judgements, *diff.new.judgements]
    places = [(cell.workload, cell.route, cell.tier_bytes, cell.concurrency) for cell in cells]
    where = place_words((new.workload, new.route, new.tier_bytes, new.concurrency), places)
    target = new.target if base.target == new.target else f"{new.target} (was {base.target})"
    return f"{target} {where}"


def _side_lines(diff: StudyDiff) -> Iterable[str]:
    for word, side in (("base", diff.base), ("new ", diff.new)):
        manifest = side.results.manifest
        began = clock_time(manifest.created_ns)
        yield f"{word}  {side.name}: {manifest.study_name}, {began}, dbdyno {manifest.dbdyno_version}"


def _table(diff: StudyDiff) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("", overflow="fold")
    for title in ("base", "new", "change, 95 %"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("", overflow="fold")
    table.add_row(Text("TPS", style="bold"))
    for change in diff.of("tps"):
        table.add_row(*(Text(printable(word)) for word in _row(diff, change)))
    for measure in ("p50", "p95", "p99", "p999"):
        moved = [change for change in diff.of(measure) if change.verdict not in ("same", "undecided")]
        if diff.of(measure):
            words = "p99.9" if measure == "p999" else measure
            counts = f"{words}: {len(moved)} of {counted(len(diff.of(measure)), 'cell')} changed"
            table.add_row(Text(counts, style="bold"))
        for change in moved:
            table.add_row(*(Text(printable(word)) for word in _row(diff, change)))
    return table


def _row(diff: StudyDiff, change: CellChange) -> list[str]:
    more = f"; {change.repeats_needed} repeats would decide" if change.repeats_needed else ""
    values = [_value(change, value) for value in (change.base_value, change.new_value)]
    name = cell_words(diff, change.base, change.new)
    return [f"  {name}", *values, change_words(change.ratio, change.low, change.high), change.outcome + more]


def _value(change: CellChange, value: float) -> str:
    if change.measure != "tps":
        return milliseconds(value)
    return supported(value, value * (change.high - change.low) / 2)


def _legend(diff: StudyDiff) -> str:
    tps = diff.of("tps")
    found = sorted(change.smallest for change in tps)
    middle = found[len(found) // 2] if found else 1.0
    return (
        "p adjusted over all cells of a measure (Holm); slower, faster, longer, shorter: by 3 % or more; "
        "same: within 3 %.\n"
        f"In half of the cells a change of less than {100 * (middle - 1):.2g} % was likely to be missed."
    )


def _block(title: str, lines: Sequence[str]) -> list[RenderableType]:
    if not lines:
        return []
    return [Text(), Text(title, style="bold"), *(Padding(Text(f"- {printable(line)}"), (0, 0, 0, 2)) for line in lines)]


def _changed_lines(changed: Iterable[Changed], *, every: bool) -> Iterable[str]:
    by_place: dict[str, list[Changed]] = {}
    for row in changed:
        by_place.setdefault(row.where, []).append(row)
    for where, rows in by_place.items():
        ordered = sorted(rows, key=lambda row: not row.is_build)
        shown = ordered if every else ordered[:_MOST_CHANGED]
        yield from (f"{where}: {row.what} {row.base} -> {row.new}" for row in shown)
        if len(shown) < len(ordered):
            yield f"{where}: {len(ordered) - len(shown)} more (--all shows them)"


def _rule_lines(diff: StudyDiff, rule: RuleOutcome) -> Iterable[str]:
    """One line a broken cell, which a build's log is searched for, or one line that the rule held."""
    text = rule.criterion.text
    for change in rule.broken:
        words = change_words(change.ratio, change.low, change.high)
        yield f"FAIL {text}: {cell_words(diff, change.base, change.new)}: {words}"
    for cell in rule.missing:
        yield f"FAIL {text}: {cell_words(diff, cell.cell, cell.cell)}: {cell.reason}"
    if rule.checked == 0:
        yield f"FAIL {text}: no cell could be held against it"
    if not rule.is_broken:
        yield f"PASS {text}: held in {counted(rule.checked, 'cell')}"
    if rule.open:
        names = [cell_words(diff, change.base, change.new) for change in rule.open[:_MOST_CELLS]]
        rest = f" and {len(rule.open) - _MOST_CELLS} more" if len(rule.open) > _MOST_CELLS else ""
        yield f"OPEN {text}: not excluded for {counted(len(rule.open), 'cell')}: {'; '.join(names)}{rest}"
