"""What a comparison of two results folders says, line by line: the same in a terminal and in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dbdyno.analyse import (
    CellChange,
    GateOutcome,
    assumed_words,
    cell_level_words,
    change_words,
    counted,
    place_words,
    supported,
)
from dbdyno.core import Cell
from dbdyno.report._changed import Changed
from dbdyno.report._diff import StudyDiff
from dbdyno.report._format import clock_time, figure, milliseconds
from dbdyno.report._rules import RuleOutcome, overall

MEASURES = ("tps", "p50", "p95", "p99", "p999")
_MOST_CHANGED = 12
_MOST_CELLS = 8
_MOST_SMALLEST = 2.0
_OUTCOMES: tuple[GateOutcome, ...] = ("FAIL", "NOT SHOWN", "PASS")


def cell_words(diff: StudyDiff, base: Cell, new: Cell) -> str:
    """A cell in words; what is the same at all places is left out, and a target that has two names shows both."""
    cells = [*diff.base.judgements, *diff.new.judgements]
    places = [(cell.workload, cell.route, cell.tier_bytes, cell.concurrency) for cell in cells]
    where = place_words((new.workload, new.route, new.tier_bytes, new.concurrency), places)
    target = new.target if base.target == new.target else f"{new.target} (was {base.target})"
    return f"{target} at {where}"


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
    still = ("same", "undecided", "not settled")
    return [change for change in diff.of(measure) if change.verdict not in still]


def change_row(diff: StudyDiff, change: CellChange) -> list[str]:
    """A cell: its name, before, after, the change with its interval, what came of it."""
    more = f"; {change.repeats_needed} repeats would decide" if change.repeats_needed else ""
    if change.assumed_spread is not None and change.verdict != "not settled":
        more = f", {assumed_words(change.assumed_spread)}{more}"
    values = _values(diff, change)
    name = cell_words(diff, change.base, change.new)
    return [name, *values, change_words(change.ratio, change.low, change.high), change.outcome + more]


def legend_lines(diff: StudyDiff) -> list[str]:
    """What the words of the table mean, and how small a change was likely to be missed."""
    found = sorted(change.smallest for change in diff.of("tps"))
    middle = found[len(found) // 2] if found else 1.0
    missed = f"a change of less than {figure(100 * (middle - 1), 2)} % was likely to be missed"
    if middle > _MOST_SMALLEST:
        missed = "the runs disagree so much that hardly any change could be shown"
    return [
        "p adjusted over all cells of a measure (Holm); slower, faster, longer, shorter: by 3 % or more; "
        "same: within 3 %; not settled: a level does not last, so nothing is compared.",
        f"In half of the cells {missed}.",
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


def rule_lines(diff: StudyDiff, rule: RuleOutcome) -> Iterable[tuple[str, str]]:
    """Outcome and words: a line a cell that is broken or open, which a build's log is searched for, and one of all."""
    text = rule.criterion.text
    for change in rule.broken:
        yield "FAIL", f"{text}: {_changed(diff, change)}"
    for cell in rule.missing:
        yield "FAIL", f"{text}: {cell_words(diff, cell.cell, cell.cell)}: {cell.reason}"
    if rule.checked == 0:
        yield "FAIL", f"{text}: no cell could be held against it"
    for open_cell in rule.open[:_MOST_CELLS]:
        is_compared = open_cell.change is not None
        what = _changed(diff, open_cell.change) if open_cell.change else cell_words(diff, open_cell.base, open_cell.new)
        yield "NOT SHOWN", f"{text}: {what}{'; ' if is_compared else ': '}{open_cell.remedy}"
    if len(rule.open) > _MOST_CELLS:
        yield "NOT SHOWN", f"{text}: and {counted(len(rule.open) - _MOST_CELLS, 'cell')} more"
    if rule.outcome == "PASS":
        how = "held" if rule.criterion.measure is None else "a greater loss is excluded"
        yield "PASS", f"{text}: {how} in {'all ' if rule.checked > 1 else ''}{counted(rule.checked, 'cell')}"


def overall_words(rules: Sequence[RuleOutcome], *, undecided: str) -> str:
    """What all rules come to; nothing without rules.

    Parameters
    ----------
    undecided : what a rule that is not shown to hold does to a build: ``fail`` or ``pass``
    """
    if not rules:
        return ""
    counts = [f"{count} {word}" for word in _OUTCOMES if (count := sum(rule.outcome == word for rule in rules))]
    words = f"{overall(rules)}: of {counted(len(rules), 'rule')} {', '.join(counts)}"
    if overall(rules) == "NOT SHOWN":
        words += "; this fails the build" if undecided == "fail" else "; --undecided pass lets it pass"
        words += " (--undecided pass would let it pass)" if undecided == "fail" else ""
    return words


def _changed(diff: StudyDiff, change: CellChange) -> str:
    words = change_words(change.ratio, change.low, change.high)
    assumed = assumed_words(change.assumed_spread)
    return f"{cell_words(diff, change.base, change.new)}: {words}{f', {assumed}' if assumed else ''}"


def _values(diff: StudyDiff, change: CellChange) -> list[str]:
    """Before and after: TPS with what is known of each side, or response times."""
    if change.measure != "tps":
        return [milliseconds(value) for value in (change.base_value, change.new_value)]
    groups = diff.base.judgements[change.base], diff.new.judgements[change.new]
    if any(group.is_vague for group in groups):
        return [cell_level_words(group) for group in groups]
    values = [
        supported(value, value * (change.high - change.low) / 2) for value in (change.base_value, change.new_value)
    ]
    pairs = zip(values, groups, strict=True)
    return [value if group.is_settled else f"({value})" for value, group in pairs]
