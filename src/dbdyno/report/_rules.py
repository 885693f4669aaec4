"""Holds rules of a build against a comparison of two results folders: FAIL, NOT SHOWN or PASS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dbdyno.analyse import CellChange, Criterion, GateOutcome
from dbdyno.core import Cell, counted
from dbdyno.report._diff import ExcludedCell, StudyDiff

_NO_QUANTILE = (
    "its response times were not compared: this needs two runs on each side, with enough transactions "
    "beyond the percentile"
)


@dataclass(frozen=True, slots=True)
class OpenCell:
    """A cell for which a rule is neither broken nor shown to hold.

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
    checked : cells that the rule could be held against
    """

    criterion: Criterion
    broken: tuple[CellChange, ...]
    open: tuple[OpenCell, ...]
    missing: tuple[ExcludedCell, ...]
    checked: int

    @property
    def outcome(self) -> GateOutcome:
        """FAIL also where the rule could be held against nothing."""
        if self.broken or self.missing or self.checked == 0:
            return "FAIL"
        return "NOT SHOWN" if self.open else "PASS"


def check_rules(diff: StudyDiff, criteria: Sequence[Criterion]) -> list[RuleOutcome]:
    """Hold every rule against the changes."""
    return [_outcome(diff, criterion) for criterion in criteria]


def overall(rules: Sequence[RuleOutcome]) -> GateOutcome:
    """The worst of all rules; PASS without any."""
    order: tuple[GateOutcome, ...] = ("FAIL", "NOT SHOWN", "PASS")
    return min((rule.outcome for rule in rules), key=order.index, default="PASS")


def _outcome(diff: StudyDiff, criterion: Criterion) -> RuleOutcome:
    if criterion.measure is None:
        missing = tuple(cell for cell in diff.left_out if cell.is_missing)
        return RuleOutcome(criterion, (), (), missing, len(diff.base.judgements))
    own = diff.of(criterion.measure)
    broken = tuple(change for change in own if criterion.outcome_of(change) == "FAIL")
    shown = [change for change in own if criterion.outcome_of(change) == "NOT SHOWN"]
    found = [OpenCell(c.base, c.new, c, _remedy(criterion, c, len(own))) for c in shown]
    found += _not_compared(diff, own)
    return RuleOutcome(criterion, broken, tuple(found), (), len(own))


def _remedy(criterion: Criterion, change: CellChange, family: int) -> str:
    if change.remedy:
        return change.remedy
    needed = criterion.repeats_for(change, family)
    if needed is None:
        return "100 repeats would not decide it: the runs vary too much, or the change is too close to the limit"
    return f"{counted(needed, 'repeat')} would decide"


def _not_compared(diff: StudyDiff, own: Sequence[CellChange]) -> list[OpenCell]:
    """Cells of both folders for which the rule can't be shown to hold, since they were not compared."""
    left = [OpenCell(cell.cell, cell.cell, None, cell.reason) for cell in diff.left_out if cell.is_common]
    held = {change.new for change in own}
    rest = [change for change in diff.of("tps") if change.new not in held]
    return left + [OpenCell(change.base, change.new, None, _NO_QUANTILE) for change in rest]
