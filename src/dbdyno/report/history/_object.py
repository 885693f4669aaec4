"""`dbdyno history --json`: returns the history as one object for programs."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from dbdyno.analyse import METHOD, MOST_P, CellHistory, HistoryChange, HistoryPoint, Measure
from dbdyno.core import Cell
from dbdyno.report.history._gather import History, StudyAt
from dbdyno.report.history._rules import HistoryRule, Moved
from dbdyno.report.history._words import history_caveats

SCHEMA_VERSION = 1


def history_object(history: History, measure: Measure, rules: Sequence[HistoryRule]) -> dict[str, object]:
    """Return the history as one object. Values are TPS or nanoseconds by the measure; studies are named by index."""
    return {
        "schema_version": SCHEMA_VERSION,
        "method": METHOD,
        "parameters": {"most_p": MOST_P, "least_move": history.least_move},
        "order": history.order,
        "measure": measure,
        "studies": [_study_object(study) for study in history.studies],
        "series": [_series_object(history, cell) for cell in history.cells[measure]],
        "left_out": [
            {
                "study": omission.label,
                **({} if omission.cell is None else dataclasses.asdict(omission.cell)),
                "reason": omission.reason,
            }
            for omission in history.omitted
        ],
        "caveats": [dataclasses.asdict(caveat) for caveat in history_caveats(history, measure)],
        "rules": [
            {
                "rule": rule.criterion.text,
                "outcome": rule.outcome,
                "held": not rule.is_broken,
                "checked": rule.checked,
                "unseen": rule.unseen,
                "broken": [_moved_cell_object(history, pair) for pair in rule.broken],
                "open": [_moved_cell_object(history, pair) for pair in rule.open],
                "unmeasured": [
                    {
                        **_cell_object(series.cell),
                        "study": series.study,
                        "reason": series.reason,
                        "has_no_good_run": series.has_no_good_run,
                    }
                    for series in rule.unmeasured
                ],
            }
            for rule in rules
        ],
    }


def _study_object(study: StudyAt) -> dict[str, object]:
    manifest = study.side.results.manifest
    return {
        "label": study.label,
        "path": study.side.name,
        "study": manifest.study_name,
        "began_ns": study.at_ns,
        "dbdyno_version": manifest.dbdyno_version,
    }


def _series_object(history: History, cell: CellHistory) -> dict[str, object]:
    return {
        **_cell_object(cell.cell),
        "spread_between_studies": _finite_or_null(cell.spread),
        "smallest_ratio_seen": _finite_or_null(cell.smallest),
        "points": [_point_object(point) for point in cell.points],
        "change_points": [_move_object(history, move) for move in cell.moves],
    }


def _cell_object(cell: Cell) -> dict[str, object]:
    facts = dataclasses.asdict(cell)
    return {"line": facts.pop("target"), **facts}


def _point_object(point: HistoryPoint) -> dict[str, object]:
    numbers = {name: getattr(point, name) for name in ("value", "low", "high", "runs")}
    return {"study": point.study, "target": point.cell.target, "version": point.version, **numbers}


def _move_object(history: History, move: HistoryChange) -> dict[str, object]:
    return {
        **dataclasses.asdict(move.level),
        "from_study": move.before.study,
        "to_study": move.after.study,
        "outcome": move.outcome,
        "is_finding": move.is_finding,
        "alike": list(move.alike),
        "changed": [dataclasses.asdict(row) for row in history.changed_at(move)],
    }


def _moved_cell_object(history: History, pair: Moved) -> dict[str, object]:
    return {**_cell_object(pair[0].cell), **_move_object(history, pair[1])}


def _finite_or_null(value: float) -> float | None:
    """Return null for a value that is not finite: JSON knows no infinity."""
    return value if math.isfinite(value) else None
