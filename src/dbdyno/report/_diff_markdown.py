"""Two results folders as Markdown, to be pasted into a pull request or a build's summary: rules first, then cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dbdyno.analyse import CellChange, counted
from dbdyno.report._diff import StudyDiff
from dbdyno.report._diff_words import (
    MEASURES,
    change_row,
    changed_lines,
    left_out_lines,
    legend_lines,
    measure_words,
    moved,
    rule_lines,
    side_lines,
)
from dbdyno.report._markdown_text import bullets, escaped, folded, table_text
from dbdyno.report._rules import RuleOutcome, overall

_ORDER = ("slower", "slightly slower", "faster", "slightly faster", "same", "undecided", "not settled")


def diff_markdown(diff: StudyDiff, rules: Sequence[RuleOutcome], *, every: bool = False) -> str:
    """The comparison as Markdown: what moved stands open, all else is folded."""
    parts = [
        [f"### {escaped(_title(diff, rules))}"],
        _rules(diff, rules),
        _moved(diff),
        [escaped(" ".join(legend_lines(diff)))] if diff.changes else [],
        ["**Limitations**", bullets(caveat.text for caveat in diff.caveats)] if diff.caveats else [],
        _still(diff),
        _listed("Not compared", left_out_lines(diff)),
        _listed("What else changed", list(changed_lines(diff.changed, every=every))),
        [bullets(side_lines(diff))],
    ]
    return "\n\n".join(block for part in parts for block in part) + "\n"


def _title(diff: StudyDiff, rules: Sequence[RuleOutcome]) -> str:
    counts = {word: 0 for word in _ORDER}
    for change in diff.of("tps"):
        counts[change.outcome.partition(",")[0]] += 1
    found = ", ".join(f"{count} {word}" for word, count in counts.items() if count) or "nothing could be compared"
    words = f"Throughput of {counted(len(diff.of('tps')), 'cell')}: {found}" if diff.changes else found.capitalize()
    if not rules:
        return words
    return f"{overall(rules)}. {words}"


def _rules(diff: StudyDiff, rules: Sequence[RuleOutcome]) -> list[str]:
    lines = [line for rule in rules for line in rule_lines(diff, rule)]
    return ["\n".join(f"- **{word}** {escaped(rest)}" for word, rest in lines)] if lines else []


def _moved(diff: StudyDiff) -> list[str]:
    return [
        block
        for measure in MEASURES
        if (shown := moved(diff, measure))
        for block in (f"**{_heading(diff, measure, shown)}**", _table(diff, shown))
    ]


def _heading(diff: StudyDiff, measure: str, shown: Sequence[CellChange]) -> str:
    return f"{measure_words(measure)}: {len(shown)} of {counted(len(diff.of(measure)), 'cell')} changed"


def _still(diff: StudyDiff) -> list[str]:
    """Cells whose throughput did not change, or of which it can't be told."""
    rest = [change for change in diff.of("tps") if change.verdict in ("same", "undecided", "not settled")]
    title = f"{counted(len(rest), 'cell')} whose throughput is the same, or can't be told"
    return folded(title, _table(diff, rest)) if rest else []


def _table(diff: StudyDiff, changes: Iterable[CellChange]) -> str:
    rows = [(name, what, *numbers) for name, *numbers, what in (change_row(diff, change) for change in changes)]
    return table_text(("cell", "", "base", "new", "change, 95 %"), 3, rows)


def _listed(title: str, lines: Sequence[str]) -> list[str]:
    return folded(f"{title} ({len(lines)})", bullets(lines)) if lines else []
