"""Shows the configuration of each target as read back: what was set, and where the targets differ."""

from __future__ import annotations

from dbdyno.core import counted, target_title
from dbdyno.report._blocks import Block, Column, Paragraph, Section, Table, folded, section, subtitle, to_see
from dbdyno.report._settings import EMPTY, VariableRow, requested_settings, variable_rows
from dbdyno.report.sections._frame import Page


def settings_section(page: Page) -> Section:
    """Return what was set on the servers, what they report, and where the targets differ."""
    rows = variable_rows(page.analysis)
    partial_rows = [row for row in rows if None in row.values]
    shared_rows = [row for row in rows if None not in row.values]
    differing_rows = [row for row in shared_rows if row.differs]
    columns = [Column("variable"), *_target_columns(page, most=90)]

    def cells(row: VariableRow) -> list[str]:
        return [row.name, *("-" if value is None else value or EMPTY for value in row.values)]

    return section(
        "settings",
        "Configuration as read back",
        subtitle(
            "Options written for each target with the reason, then the values that the running servers reported."
            if page.analysis.study.imported is None
            else "Options from the option files next to the logs, then the servers' dumped variables."
        ),
        *(Paragraph(line) for line in page.analysis.settings_lines),
        _requested_settings_block(page),
        folded(
            f"{counted(len(differing_rows), 'variable')} of all targets with different values",
            Table("differences", "Values that differ between targets", columns, [cells(row) for row in differing_rows]),
        )
        if differing_rows
        else to_see("All variables that every target has are equal." if shared_rows else "No variables were read."),
        folded(
            f"{counted(len(partial_rows), 'variable')} that not all targets have",
            Table("only-some", "Variables that only some targets have", columns, [cells(row) for row in partial_rows]),
        )
        if rows
        else None,
        folded(
            f"All {counted(len(rows), 'variable')}",
            Table("variables", "All variables", columns, [cells(r) for r in rows], marked=[r.differs for r in rows]),
        )
        if rows
        else None,
    )


def _requested_settings_block(page: Page) -> Block:
    settings_by_target = requested_settings(page.analysis)
    options: dict[str, dict[str, tuple[str, str, str]]] = {}
    for target, settings in settings_by_target.items():
        for row in settings:
            options.setdefault(row.option, {})[target] = (row.asked, row.effective, row.reason)
    columns = [Column("option"), *_target_columns(page), Column("why")]
    rows, row_marks = [], []
    for option, by_target in sorted(options.items()):
        target_values = [_setting_cell(by_target.get(target)) for target in page.analysis.targets]
        reasons = dict.fromkeys(values[2] for values in by_target.values())
        rows.append([option, *target_values, "; ".join(reasons)])
        row_marks.append(len(set(target_values)) > 1)
    if not rows:
        if page.analysis.study.imported is not None:
            return to_see("There was no option file next to the logs.")
        return to_see("No settings were written: the servers kept their configuration.")
    table = Table(
        "settings", "Options written, as read back; rows that differ are marked", columns, rows, marked=row_marks
    )
    return folded(f"{counted(len(rows), 'option')} written, with reasons", table)


def _target_columns(page: Page, most: int | None = None) -> list[Column]:
    facets = {target: page.facets.of(targets=[target]) for target in page.analysis.targets}
    return [Column(target_title(target), most=most, facets=facet_tokens) for target, facet_tokens in facets.items()]


def _setting_cell(setting: tuple[str, str, str] | None) -> str:
    if setting is None:
        return "-"
    asked_value, effective, _ = setting
    is_effective = asked_value.lower() == effective.lower() or effective == "not shown"
    return (asked_value or EMPTY) if is_effective else f"{effective or EMPTY} (asked: {asked_value or EMPTY})"
