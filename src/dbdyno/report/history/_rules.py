"""Holds rules of a build against a history: no level may have moved the wrong way by more than allowed."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass

from dbdyno.analyse import CellHistory, Criterion, GateOutcome, HistoryChange
from dbdyno.core import RequestError
from dbdyno.report.history._gather import History

Moved = tuple[CellHistory, HistoryChange]


@dataclass(frozen=True, slots=True)
class HistoryRule:
    """Holds what became of one rule.

    Parameters
    ----------
    broken : moves beyond what is allowed
    open : the same, but something that stayed unchanged moved with them
    checked : series with two points or more
    unseen : of these, how many vary so much from study to study that one more study of what is not allowed would
        not be told apart from it
    """

    criterion: Criterion
    broken: tuple[Moved, ...]
    open: tuple[Moved, ...]
    checked: int
    unseen: int

    @property
    def is_broken(self) -> bool:
        """Return whether a build has to fail: also when there was nothing to hold the rule against."""
        return bool(self.broken) or self.checked == 0

    @property
    def outcome(self) -> GateOutcome:
        """Return FAIL, or PASS where no series could have moved further unseen; else NOT SHOWN."""
        if self.is_broken:
            return "FAIL"
        return "NOT SHOWN" if self.open or self.unseen else "PASS"


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
        raise RequestError(
            f"'{text}' is neither a study nor a date", f"the newest studies are {labels}", "write --since 2026-11-01"
        ) from error
    return int((instant if instant.tzinfo else instant.replace(tzinfo=datetime.UTC)).timestamp()) * 10**9


def _check_rule(history: History, criterion: Criterion, since: int) -> HistoryRule:
    if criterion.measure is None:
        raise RequestError(
            f"'{criterion.text}' is not a rule for a history", "", "use dbdyno diff BASE NEW --fail-on missing"
        )
    sign = -1 if criterion.measure == "tps" else 1
    worse_moves = [
        (cell, move)
        for cell, move in history.moves(criterion.measure)
        if sign * (move.level.ratio - 1) > criterion.allowed and history.studies[move.after.study].at_ns >= since
    ]
    judged_cells = [cell for cell in history.cells[criterion.measure] if len(cell.points) > 1]
    return HistoryRule(
        criterion,
        tuple(pair for pair in worse_moves if pair[1].is_finding),
        tuple(pair for pair in worse_moves if not pair[1].is_finding),
        len(judged_cells),
        sum(cell.smallest > 1 + criterion.allowed for cell in judged_cells),
    )
