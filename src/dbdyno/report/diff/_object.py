"""`dbdyno diff --json`: returns the comparison of two results folders as one object for programs."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from dbdyno.analyse import METHOD, CellChange
from dbdyno.core import Cell, is_vague_ratio
from dbdyno.report.diff._diff import StudyDiff
from dbdyno.report.diff._rules import OpenCell, RuleOutcome, overall
from dbdyno.report.diff._side import DiffSide

SCHEMA_VERSION = 1


def diff_object(diff: StudyDiff, rules: Sequence[RuleOutcome]) -> dict[str, object]:
    """Return the comparison as one object. Ratios are new over base; the measure's name gives TPS or nanoseconds."""
    return {
        "schema_version": SCHEMA_VERSION,
        "method": METHOD,
        "base": _side_object(diff.base),
        "new": _side_object(diff.new),
        "changes": [_change_object(change) for change in diff.changes],
        "left_out": [
            {**_cell_object(excluded_cell.cell), "reason": excluded_cell.reason, "is_missing": excluded_cell.is_missing}
            for excluded_cell in diff.left_out
        ],
        "changed": [dataclasses.asdict(row) for row in diff.changed],
        "unchanged_targets": [
            {name: _finite_or_null(value) for name, value in dataclasses.asdict(shift).items()}
            for shift in diff.shifts.values()
        ],
        "caveats": [dataclasses.asdict(caveat) for caveat in diff.caveats],
        "outcome": overall(rules) if rules else None,
        "rules": [
            {
                "rule": rule.criterion.text,
                "outcome": rule.outcome,
                "held": rule.outcome == "PASS",
                "checked": rule.checked,
                "broken": [_change_object(change) for change in rule.broken],
                "open": [_open_cell_object(cell) for cell in rule.open],
                "missing": [_cell_object(excluded_cell.cell) for excluded_cell in rule.missing],
            }
            for rule in rules
        ],
    }


def _side_object(side: DiffSide) -> dict[str, object]:
    manifest = side.results.manifest
    return {
        "path": side.name,
        "study": manifest.study_name,
        "study_digest": manifest.study_digest,
        "created_ns": manifest.created_ns,
        "dbdyno_version": manifest.dbdyno_version,
    }


def _cell_object(cell: Cell) -> dict[str, object]:
    return dataclasses.asdict(cell)


def _open_cell_object(cell: OpenCell) -> dict[str, object]:
    """Return a cell for which a rule is not shown, with what would decide it; its change where it was compared."""
    cell_fields = (
        _change_object(cell.change)
        if cell.change is not None
        else {**_cell_object(cell.new), "base_target": cell.base.target}
    )
    return {**cell_fields, "remedy": cell.remedy}


def _change_object(change: CellChange) -> dict[str, object]:
    """Return a change; ends of an interval that says nothing are null."""
    numbers = ["base_value", "new_value", "ratio", "p_adjusted", "p_marked", "smallest", "assumed_spread"]
    interval_keys = ["low", "high"]
    is_vague = is_vague_ratio(change.low, change.high)
    return {
        **_cell_object(change.new),
        "base_target": change.base.target,
        "measure": change.measure,
        **{name: _finite_or_null(getattr(change, name)) for name in numbers},
        **{name: None if is_vague else _finite_or_null(getattr(change, name)) for name in interval_keys},
        "is_significant": change.is_significant,
        "remedy": change.remedy,
        "verdict": change.verdict,
        "outcome": change.outcome,
        "repeats_needed": change.repeats_needed,
    }


def _finite_or_null(value: object) -> object:
    """Return null for an end that is not finite: JSON knows no infinity."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
