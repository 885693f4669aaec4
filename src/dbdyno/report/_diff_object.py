"""`dbdyno diff --json`: two results folders compared, as one object for programs."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from dbdyno.analyse import CellChange
from dbdyno.core import Cell
from dbdyno.report._diff import StudyDiff
from dbdyno.report._rules import RuleOutcome
from dbdyno.report._side import Side
from dbdyno.stats import METHOD

SCHEMA_VERSION = 1


def diff_object(diff: StudyDiff, rules: Sequence[RuleOutcome]) -> dict[str, object]:
    """The comparison as one object. Ratios are new over base; values are TPS or nanoseconds by the measure's name."""
    return {
        "schema_version": SCHEMA_VERSION,
        "method": METHOD,
        "base": _side(diff.base),
        "new": _side(diff.new),
        "changes": [_change(change) for change in diff.changes],
        "left_out": [
            {**_cell(left.cell), "reason": left.reason, "is_missing": left.is_missing} for left in diff.left_out
        ],
        "changed": [dataclasses.asdict(row) for row in diff.changed],
        "unchanged_targets": [
            {name: _finite(value) for name, value in dataclasses.asdict(shift).items()}
            for shift in diff.shifts.values()
        ],
        "caveats": [dataclasses.asdict(caveat) for caveat in diff.caveats],
        "rules": [
            {
                "rule": rule.criterion.text,
                "held": not rule.is_broken,
                "checked": rule.checked,
                "broken": [_change(change) for change in rule.broken],
                "open": [_change(change) for change in rule.open],
                "missing": [_cell(left.cell) for left in rule.missing],
            }
            for rule in rules
        ],
    }


def _side(side: Side) -> dict[str, object]:
    manifest = side.results.manifest
    return {
        "path": side.name,
        "study": manifest.study_name,
        "study_digest": manifest.study_digest,
        "created_ns": manifest.created_ns,
        "dbdyno_version": manifest.dbdyno_version,
    }


def _cell(cell: Cell) -> dict[str, object]:
    return dataclasses.asdict(cell)


def _change(change: CellChange) -> dict[str, object]:
    numbers = ("base_value", "new_value", "ratio", "low", "high", "p_adjusted", "p_marked", "smallest")
    return {
        **_cell(change.new),
        "base_target": change.base.target,
        "measure": change.measure,
        **{name: _finite(getattr(change, name)) for name in numbers},
        "verdict": change.verdict,
        "outcome": change.outcome,
        "repeats_needed": change.repeats_needed,
    }


def _finite(value: object) -> object:
    """JSON knows no infinity: an end that is not known is null."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
