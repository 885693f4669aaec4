"""What a comparison of two results folders says, line by line: the same in a terminal and in Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from dbdyno.analyse import CellChange, change_words, counted, place_words, supported
from dbdyno.core import Cell
from dbdyno.report._changed import Changed
from dbdyno.report._diff import StudyDiff
from dbdyno.report._format import clock_time, milliseconds
from dbdyno.report._rules import RuleOutcome

MEASURES = ("tps", "p50", "p95", "p99", "p999")
_MOST_CHANGED = 12
_MOST_CELLS = 8


def cell_words(diff: StudyDiff, base: Cell, new: Cell) -> str:
    """A cell in words; what is the same at all places is left out, and a target that has two names shows both."""
    cells = [*diff.base.judgements, *diff.new.judgements]
    places = [(cell.workload, cell.route, cell.tier_bytes, cell.concurrency) for cell in cells]
    where = place_words((new.workload, new.route, new.tier_bytes, new.concurrency), places)
    target = new.target if base.target == new.target else f"{new.target} (was {base.target})"
    return f"{target} {where}"


def side_lines(diff: StudyDiff) -> Iterable[str]:
    """Which two folders, of when and by which dbdyno."""
    for word, side in (("base", diff.base), ("new ", diff.new)):
        manifest = side.results.manifest
        began = clock_time(manifest.created_ns)
        yield f"{word}  {side.name}: {manifest.study_name}, {began}, dbdyno {manifest.dbdyno_version}"


def measure_words(measure: str) -> str:
    """A measure as people write it."""
    return {"tps": "TPS", "p999": "p99.9"}.get(measure, measure)


def moved(diff: StudyDiff, measure: str) -> list[CellChange]:
    """Changes of a measure that are decided and are changes."""
    return [change for change in diff.of(measure) if change.verdict not in ("same", "undecided")]


def change_row(diff: StudyDiff, change: CellChange) -> list[str]:
    """A cell: its name, before, after, the change with its interval, what came of it."""
    more = f"; {change.repeats_needed} repeats would decide" if change.repeats_needed else ""
    values = [_value(change, value) for value in (change.base_value, change.new_value)]
    name = cell_words(diff, change.base, change.new)
    return [name, *values, change_words(change.ratio, change.low, change.high), change.outcome + more]


def legend_lines(diff: StudyDiff) -> list[str]:
    """What the words of the table mean, and how small a change was likely to be missed."""
    found = sorted(change.smallest for change in diff.of("tps"))
    middle = found[len(found) // 2] if found else 1.0
    return [
        "p adjusted over all cells of a measure (Holm); slower, faster, longer, shorter: by 3 % or more; "
        "same: within 3 %.",
        f"In half of the cells a change of less than {100 * (middle - 1):.2g} % was likely to be missed.",
    ]


def left_out_lines(diff: StudyDiff) -> list[str]:
    """Cells that were not compared, each with its reason."""
    return [f"{cell_words(diff, left.cell, left.cell)}: {left.reason}" for left in diff.left_out]


def changed_lines(changed: Iterable[Changed], *, every: bool) -> Iterable[str]:
    """What else changed, builds first; `every` row or the first dozen of each place."""
    by_place: dict[str, list[Changed]] = {}
    for row in changed:
        by_place.setdefault(row.where, []).append(row)
    for where, rows in by_place.items():
        ordered = sorted(rows, key=lambda row: not row.is_build)
        shown = ordered if every else ordered[:_MOST_CHANGED]
        yield from (f"{where}: {row.what} {row.base} -> {row.new}" for row in shown)
        if len(shown) < len(ordered):
            yield f"{where}: {len(ordered) - len(shown)} more (--all shows them)"


def rule_lines(diff: StudyDiff, rule: RuleOutcome) -> Iterable[str]:
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
        word = "FAIL" if rule.is_strict else "OPEN"
        yield f"{word} {text}: not excluded for {counted(len(rule.open), 'cell')}: {'; '.join(names)}{rest}"


def _value(change: CellChange, value: float) -> str:
    if change.measure != "tps":
        return milliseconds(value)
    return supported(value, value * (change.high - change.low) / 2)
