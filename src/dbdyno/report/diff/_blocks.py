"""Renders a comparison of two results folders as blocks: the same in a terminal and in Markdown.

Rules come first in Markdown, which is read from its top, and last in a terminal and in the log of a build.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from rich.console import Console
from rich.text import Text

from dbdyno.analyse import (
    CellChange,
    GateOutcome,
    assumed_words,
    cell_level_words,
    change_words,
    place_words,
    supported,
    vague_words,
)
from dbdyno.core import Cell, counted
from dbdyno.report._blocks import Block, Column, Fold, Heading, ListOf, Paragraph, Table, TextSpan, titled_list
from dbdyno.report._format import clock_time, figure, milliseconds, printable
from dbdyno.report._markdown_text import to_markdown
from dbdyno.report._terminal_text import to_terminal
from dbdyno.report.diff._changed import Changed
from dbdyno.report.diff._diff import StudyDiff
from dbdyno.report.diff._rules import RuleOutcome, overall

_MEASURES = {"tps": "TPS", "p50": "p50", "p95": "p95", "p99": "p99", "p999": "p99.9"}
_ORDER = ("slower", "slightly slower", "faster", "slightly faster", "same", "undecided", "not settled")
_STILL = ("same", "undecided", "not settled")
_COLUMNS = (
    Column("cell"),
    Column("outcome"),
    Column("base", is_number=True),
    Column("new", is_number=True),
    Column("change, 95 %", is_number=True),
)
_MOST_CHANGED = 12
_MOST_CELLS = 8
_MOST_SMALLEST = 2.0
_OUTCOMES: tuple[GateOutcome, ...] = ("FAIL", "NOT SHOWN", "PASS")


def diff_markdown(diff: StudyDiff, rules: Sequence[RuleOutcome], *, every: bool = False) -> str:
    """Return the comparison as Markdown, to be pasted into a pull request: rules, then what moved, all else folded."""
    lines = [(TextSpan(word), f" {words}") for rule in rules for word, words in _rule_lines(diff, rule)]
    verdict = f"{overall(rules)}. " if rules else ""
    rule_blocks = [ListOf(lines)] if lines else []
    return to_markdown([Heading(verdict + _diff_title(diff)), *rule_blocks, *_diff_blocks(diff, every=every)])


def print_diff(
    diff: StudyDiff,
    rules: Sequence[RuleOutcome],
    console: Console,
    *,
    every: bool = False,
    undecided: Literal["fail", "pass"] = "fail",
) -> None:
    """Print everything; `every` setting that changed, not only the first dozen of each place.

    Parameters
    ----------
    undecided : what a rule that is not shown to hold does to the build
    """
    console.print(to_terminal([Heading(_diff_title(diff)), *_diff_blocks(diff, every=every)]))
    if not rules:
        return
    console.print()
    lines = [f"{word} {words}" for rule in rules for word, words in _rule_lines(diff, rule)]
    for line in (*lines, _overall_words(rules, undecided)):
        console.print(Text(printable(line)), soft_wrap=True)  # a build's log is searched by the line


def _diff_title(diff: StudyDiff) -> str:
    counts = {word: 0 for word in _ORDER}
    for change in diff.of("tps"):
        counts[change.outcome.partition(",")[0]] += 1
    counts_words = (
        ", ".join(f"{count} {word}" for word, count in counts.items() if count) or "nothing could be compared"
    )
    return (
        f"Throughput of {counted(len(diff.of('tps')), 'cell')}: {counts_words}"
        if diff.changes
        else counts_words.capitalize()
    )


def _diff_blocks(diff: StudyDiff, *, every: bool) -> Iterator[Block]:
    """Yield what moved, what limits the comparison; and folded what did not move, was not compared, or changed."""
    for measure, words in _MEASURES.items():
        changes = diff.of(measure)
        if moved_changes := [change for change in changes if change.verdict not in _STILL]:
            yield Heading(f"{words}: {len(moved_changes)} of {counted(len(changes), 'cell')} changed", 4)
            yield _change_table(diff, moved_changes)
    if diff.changes:
        yield Paragraph(_legend_text(diff), "quiet")
    yield from titled_list("Limitations", diff.caveats, 4)
    if unchanged := [change for change in diff.of("tps") if change.verdict in _STILL]:
        title = f"{counted(len(unchanged), 'cell')} with the same or undecided throughput"
        yield Fold(title, [_change_table(diff, unchanged)])
    excluded_lines = [
        f"{_cell_words(diff, excluded_cell.cell, excluded_cell.cell)}: {excluded_cell.reason}"
        for excluded_cell in diff.left_out
    ]
    changed_lines = list(_changed_lines(diff.changed, every=every))
    if excluded_lines:
        yield Fold(f"Not compared ({len(excluded_lines)})", [ListOf(excluded_lines)])
    if changed_lines:
        yield Fold(f"What else changed ({len(diff.changed)})", [ListOf(changed_lines)])
    yield ListOf(list(_side_lines(diff)))


def _change_table(diff: StudyDiff, changes: Sequence[CellChange]) -> Table:
    return Table("changes", "Changes", _COLUMNS, [_change_row(diff, change) for change in changes])


def _cell_words(diff: StudyDiff, base: Cell, new: Cell) -> str:
    """Return a cell in words, without what is the same at all places; a target that has two names shows both."""
    cells = [*diff.base.judgements, *diff.new.judgements]
    places = [(cell.workload, cell.route, cell.tier_bytes, cell.concurrency) for cell in cells]
    where = place_words((new.workload, new.route, new.tier_bytes, new.concurrency), places)
    base_words = f" against {base.target}" if diff.is_within_one_folder else f" (was {base.target})"
    target = new.target if base.target == new.target else f"{new.target}{base_words}"
    return f"{target} at {where}"


def _side_lines(diff: StudyDiff) -> Iterable[str]:
    """Yield which folders, of when and by which dbdyno."""
    sides = [("base", diff.base), ("new", diff.new)]
    for word, side in [("base and new", diff.base)] if diff.is_within_one_folder else sides:
        manifest = side.results.manifest
        created_time = clock_time(manifest.created_ns)
        yield f"{word}: {side.name}, study {manifest.study_name}, {created_time}, dbdyno {manifest.dbdyno_version}"


def _change_row(diff: StudyDiff, change: CellChange) -> list[str]:
    """Return a cell: its name, what came of it, before, after, and the change with its interval."""
    outcome_suffix = f"; {change.repeats_needed} repeats would decide" if change.repeats_needed else ""
    if change.assumed_spread is not None and change.verdict != "not settled":
        outcome_suffix = f", {assumed_words(change.assumed_spread)}{outcome_suffix}"
    values = _value_cells(diff, change)
    name = _cell_words(diff, change.base, change.new)
    return [name, change.outcome + outcome_suffix, *values, change_words(change.ratio, change.low, change.high)]


def _legend_text(diff: StudyDiff) -> str:
    """Return what the words of the table mean, and how small a change was likely to be missed."""
    smallest_ratios = sorted(change.smallest for change in diff.of("tps"))
    median_ratio = smallest_ratios[len(smallest_ratios) // 2] if smallest_ratios else 1.0
    missed_words = f"a change below {figure(100 * (median_ratio - 1), 2)} % would probably be missed"
    if median_ratio > _MOST_SMALLEST:
        missed_words = "the runs vary too much to show any but very large changes"
    return (
        "p values are adjusted over all cells of a measure (Holm). Slower, faster, longer, shorter: by 3 % or more. "
        "Same: within 3 %. Not settled: throughput had no steady level, so nothing is compared. In half of the cells "
        f"{missed_words}.{_vague_legend(diff)}"
    )


def _changed_lines(changed: Iterable[Changed], *, every: bool) -> Iterable[str]:
    """Yield what else changed, builds first; `every` row or the first dozen of each place."""
    by_place: dict[str, list[Changed]] = {}
    for row in changed:
        by_place.setdefault(row.where, []).append(row)
    for where, rows in by_place.items():
        sorted_rows = sorted(rows, key=lambda row: not row.is_build)
        shown_rows = sorted_rows if every else sorted_rows[:_MOST_CHANGED]
        yield from (f"{where}: {row.what} {row.base} -> {row.new}" for row in shown_rows)
        if len(shown_rows) < len(sorted_rows):
            yield f"{where}: {len(sorted_rows) - len(shown_rows)} more (--all shows them)"


def _rule_lines(diff: StudyDiff, rule: RuleOutcome) -> Iterable[tuple[str, str]]:
    """Yield outcome and words: a line for each broken or open cell, to be found in a build's log, and one of all."""
    text = rule.criterion.text
    for change in rule.broken:
        yield "FAIL", f"{text}: {_change_sentence(diff, change)}"
    for cell in rule.missing:
        yield "FAIL", f"{text}: {_cell_words(diff, cell.cell, cell.cell)}: {cell.reason}"
    if rule.checked == 0:
        yield "FAIL", f"{text}: no cell could be checked"
    for open_cell in rule.open[:_MOST_CELLS]:
        is_compared = open_cell.change is not None
        subject_words = (
            _change_sentence(diff, open_cell.change)
            if open_cell.change
            else _cell_words(diff, open_cell.base, open_cell.new)
        )
        yield "NOT SHOWN", f"{text}: {subject_words}{'; ' if is_compared else ': '}{open_cell.remedy}"
    if len(rule.open) > _MOST_CELLS:
        yield "NOT SHOWN", f"{text}: {counted(len(rule.open) - _MOST_CELLS, 'cell')} more"
    if rule.outcome == "PASS":
        pass_words = "held" if rule.criterion.measure is None else "a greater loss is excluded"
        yield "PASS", f"{text}: {pass_words} in {'all ' if rule.checked > 1 else ''}{counted(rule.checked, 'cell')}"


def _overall_words(rules: Sequence[RuleOutcome], undecided: str) -> str:
    """Return what all rules come to.

    Parameters
    ----------
    undecided : what a rule that is not shown to hold does to a build: ``fail`` or ``pass``
    """
    counts = [f"{count} {word}" for word in _OUTCOMES if (count := sum(rule.outcome == word for rule in rules))]
    words = f"{overall(rules)}: {counted(len(rules), 'rule')}"
    words += f", {', '.join(counts)}" if len(rules) > 1 else ""
    if overall(rules) == "NOT SHOWN":
        words += "; this fails the build" if undecided == "fail" else "; passed because of --undecided pass"
        words += " (--undecided pass would let it pass)" if undecided == "fail" else ""
    return words


def _change_sentence(diff: StudyDiff, change: CellChange) -> str:
    words = change_words(change.ratio, change.low, change.high)
    spread_words = assumed_words(change.assumed_spread)
    return f"{_cell_words(diff, change.base, change.new)}: {words}{f', {spread_words}' if spread_words else ''}"


def _vague_legend(diff: StudyDiff) -> str:
    cells = {cell for change in diff.of("tps") for cell in (change.base, change.new)}
    groups = [side.judgements[cell] for side in (diff.base, diff.new) for cell in cells & side.judgements.keys()]
    return " ?: runs that disagree, or are too noisy for an interval." if any(g.is_vague for g in groups) else ""


def _value_cells(diff: StudyDiff, change: CellChange) -> list[str]:
    """Return before and after: TPS with what is known of each side, or response times."""
    if change.measure != "tps":
        return [milliseconds(value) for value in (change.base_value, change.new_value)]
    groups = diff.base.judgements[change.base], diff.new.judgements[change.new]
    if any(group.is_vague for group in groups):
        # Numbers do not break: with the reason in words, the other columns would have no room.
        return [cell_level_words(group).replace(f", {vague_words(group)}", " ?") for group in groups]
    values = [
        supported(value, value * (change.high - change.low) / 2) for value in (change.base_value, change.new_value)
    ]
    pairs = zip(values, groups, strict=True)
    return [value if group.is_settled else f"({value})" for value, group in pairs]
