"""Holds rules of a build against a comparison of two results folders: FAIL, NOT SHOWN or PASS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dbdyno.analyse import CellChange, Criterion, GateOutcome
from dbdyno.core import Cell, counted
from dbdyno.report.diff._diff import ExcludedCell, StudyDiff

_NO_QUANTILE = (
    "its response times were not compared: this needs two runs on each side, with enough transactions "
    "beyond the percentile"
)


@dataclass(frozen=True, slots=True)
class OpenCell:
    """Describes a cell for which a rule is neither broken nor shown to hold.

    Parameters
    ----------
    base, new : as each side names it
    change : None where it could not be compared
    remedy : what would decide it, or why it was not compared
    """

    base: Cell
    new: Cell
    change: CellChange | None
    remedy: str


@dataclass(frozen=True, slots=True)
class RuleOutcome:
    """Holds what became of one rule.

    Parameters
    ----------
    broken : cells that are worse by more than allowed, beyond chance
    open : cells for which it is not shown
    missing : cells of the base without a fellow or a good run; only the rule ``missing`` is broken by them
    checked : cells that the rule could be held against; of the rule ``missing`` those with a good run in base
    """

    criterion: Criterion
    broken: tuple[CellChange, ...]
    open: tuple[OpenCell, ...]
    missing: tuple[ExcludedCell, ...]
    checked: int

    @property
    def outcome(self) -> GateOutcome:
        """Return the outcome: FAIL also where the rule could be held against nothing."""
        if self.broken or self.missing or self.checked == 0:
            return "FAIL"
        return "NOT SHOWN" if self.open else "PASS"


def check_rules(diff: StudyDiff, criteria: Sequence[Criterion]) -> list[RuleOutcome]:
    """Hold every rule against the changes."""
    return [_rule_outcome(diff, criterion) for criterion in criteria]


def overall(rules: Sequence[RuleOutcome]) -> GateOutcome:
    """Return the worst of all rules; PASS without any."""
    order: tuple[GateOutcome, ...] = ("FAIL", "NOT SHOWN", "PASS")
    return min((rule.outcome for rule in rules), key=order.index, default="PASS")


def _rule_outcome(diff: StudyDiff, criterion: Criterion) -> RuleOutcome:
    if criterion.measure is None:
        missing_cells = tuple(cell for cell in diff.left_out if cell.is_missing)
        good_base_cells = {change.base for change in diff.of("tps")}
        good_base_cells |= {cell.cell for cell in diff.left_out if cell.is_missing or cell.is_common}
        return RuleOutcome(criterion, (), (), missing_cells, len(good_base_cells))
    changes = diff.of(criterion.measure)
    broken_changes = tuple(change for change in changes if criterion.outcome_of(change) == "FAIL")
    open_changes = [change for change in changes if criterion.outcome_of(change) == "NOT SHOWN"]
    tested_count = sum(change.verdict != "not settled" for change in changes)
    open_cells = [OpenCell(c.base, c.new, c, _remedy_words(criterion, c, tested_count)) for c in open_changes]
    open_cells += _cells_not_compared(diff, changes)
    return RuleOutcome(criterion, broken_changes, tuple(open_cells), (), len(changes))


def _remedy_words(criterion: Criterion, change: CellChange, family: int) -> str:
    if change.remedy:
        return change.remedy
    repeats = criterion.repeats_for(change, family)
    if repeats is None:
        return "100 repeats would not decide it: the runs vary too much, or the change is too close to the limit"
    return f"{counted(repeats, 'repeat')} would decide"


def _cells_not_compared(diff: StudyDiff, changes: Sequence[CellChange]) -> list[OpenCell]:
    """Return cells of both folders for which the rule can't be shown to hold, since they were not compared."""
    excluded_cells = [OpenCell(cell.cell, cell.cell, None, cell.reason) for cell in diff.left_out if cell.is_common]
    compared_cells = {change.new for change in changes}
    other_changes = [change for change in diff.of("tps") if change.new not in compared_cells]
    return excluded_cells + [OpenCell(change.base, change.new, None, _NO_QUANTILE) for change in other_changes]
