"""Holds rules of a build against a history: no level may have moved the wrong way by more than allowed."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dbdyno.analyse import (
    CellHistory,
    CellJudgement,
    Criterion,
    GateOutcome,
    HistoryChange,
    Measure,
    remedy_words,
)
from dbdyno.core import Cell, RequestError
from dbdyno.report.diff._side import no_good_run_words
from dbdyno.report.history._gather import History

Moved = tuple[CellHistory, HistoryChange]


@dataclass(frozen=True, slots=True)
class UnmeasuredSeries:
    """Describes a series whose newest study, or any since the date asked for, gives it nothing to compare.

    Parameters
    ----------
    cell : its line and place
    has_no_good_run : its newest study planned it, and no run there was good
    """

    cell: Cell
    study: int
    reason: str
    has_no_good_run: bool = False


@dataclass(frozen=True, slots=True)
class HistoryRule:
    """Holds what became of one rule.

    Parameters
    ----------
    broken : moves beyond what is allowed
    open : the same, but something that stayed unchanged moved with them
    unmeasured : series that a good study measured, and whose newest study does not show whether they moved
    checked : series with two points or more, without those that have no good run in their newest study
    unseen : of these, how many vary so much from study to study that one more study of what is not allowed would
        not be told apart from it
    """

    criterion: Criterion
    broken: tuple[Moved, ...]
    open: tuple[Moved, ...]
    unmeasured: tuple[UnmeasuredSeries, ...]
    checked: int
    unseen: int

    @property
    def is_broken(self) -> bool:
        """Return whether a build has to fail: also when there was nothing to hold the rule against."""
        return bool(self.broken) or self.checked == 0

    @property
    def has_lost_series(self) -> bool:
        """Return whether the newest study of a series has no good run of it: as in `diff`, a build fails by default."""
        return any(series.has_no_good_run for series in self.unmeasured)

    @property
    def outcome(self) -> GateOutcome:
        """Return FAIL, or PASS where no series could have moved further unseen; else NOT SHOWN."""
        if self.is_broken:
            return "FAIL"
        return "NOT SHOWN" if self.open or self.unmeasured or self.unseen else "PASS"


def check_history_rules(history: History, criteria: Sequence[Criterion], since_ns: int = 0) -> list[HistoryRule]:
    """Hold every rule against the moves to studies that began at `since_ns` (Unix time) or later."""
    return [_check_rule(history, criterion, since_ns) for criterion in criteria]


def since_ns(history: History, text: str) -> int:
    """Return the instant that a study's label or a date names, Unix time in nanoseconds; of a date without zone, UTC.

    Raises
    ------
    RequestError : neither
    """
    for study in history.studies:
        if study.label == text:
            return study.at_ns
    try:
        instant = datetime.datetime.fromisoformat(text)
    except ValueError as error:
        labels = ", ".join(study.label for study in history.studies[-5:])
        what, why = f"'{text}' is neither a study nor a date", f"the newest studies are {labels}"
        raise RequestError(what, why, "write --since 2026-11-01", code="unknown-date") from error
    return int((instant if instant.tzinfo else instant.replace(tzinfo=datetime.UTC)).timestamp()) * 10**9


def _check_rule(history: History, criterion: Criterion, since: int) -> HistoryRule:
    if criterion.measure is None:
        what = f"'{criterion.text}' is not a rule for a history"
        raise RequestError(what, "", "use dbdyno diff BASE NEW --fail-on missing", code="unknown-rule")
    sign = -1 if criterion.measure == "tps" else 1
    worse_moves = [
        (cell, move)
        for cell, move in history.moves(criterion.measure)
        if sign * (move.level.ratio - 1) > criterion.allowed and history.studies[move.after.study].at_ns >= since
    ]
    unmeasured = tuple(_unmeasured_series(history, criterion.measure, since))
    lost = {series.cell for series in unmeasured if series.has_no_good_run}
    judged_cells = [cell for cell in history.cells[criterion.measure] if len(cell.points) > 1 and cell.cell not in lost]
    return HistoryRule(
        criterion,
        tuple(pair for pair in worse_moves if pair[1].is_finding),
        tuple(pair for pair in worse_moves if not pair[1].is_finding),
        unmeasured,
        len(judged_cells),
        sum(cell.smallest > 1 + criterion.allowed for cell in judged_cells),
    )


def _unmeasured_series(history: History, measure: Measure, since: int) -> Iterator[UnmeasuredSeries]:
    """Yield series that some study measured, but whose newest study gives no point that others can be compared with."""
    points = {cell.cell: {(point.study, point.cell) for point in cell.points} for cell in history.cells[measure]}
    rows_by_series: dict[Cell, list[tuple[int, Cell]]] = {}
    for series, index, cell in history.rows:
        rows_by_series.setdefault(series, []).append((index, cell))
    for series, rows in rows_by_series.items():
        newest = max(index for index, _ in rows)
        groups = {(index, cell): history.studies[index].side.judgements[cell] for index, cell in rows}
        known = points.get(series, set())
        lost_groups = [group for row, group in groups.items() if row[0] == newest and row not in known]
        has_earlier = any(group.trusted for (index, _), group in groups.items() if index != newest)
        if lost_groups and (known or has_earlier):
            yield _without_point(history, series, newest, lost_groups)
        elif known and history.studies[newest].at_ns < since:
            yield UnmeasuredSeries(series, newest, f"not measured since then: last in {history.studies[newest].label}")
        elif len(known) == 1 and has_earlier:
            yield UnmeasuredSeries(
                series, newest, "no earlier study gives a value to compare with: see what is left out"
            )


def _without_point(history: History, series: Cell, study: int, groups: Sequence[CellJudgement]) -> UnmeasuredSeries:
    label = history.studies[study].label
    for group in groups:
        if reason := no_good_run_words(group, label):
            return UnmeasuredSeries(series, study, reason, has_no_good_run=True)
    unsettled = [run for group in groups if not group.is_settled for run in group.unsettled]
    reason = f"not settled: {remedy_words(unsettled)}" if unsettled else "its response times are not known"
    return UnmeasuredSeries(series, study, f"{label}: {reason}")
