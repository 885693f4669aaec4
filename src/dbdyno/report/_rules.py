"""Rules of a build held against a comparison of two results folders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dbdyno.analyse import CellChange, Criterion
from dbdyno.report._diff import LeftOut, StudyDiff


@dataclass(frozen=True, slots=True)
class RuleOutcome:
    """What became of one rule.

    Parameters
    ----------
    broken : cells that are worse by more than allowed, with certainty
    open : cells whose interval does not exclude that they are
    is_strict : the rule is broken by these, too
    missing : cells of the base without a fellow or a good run; only the rule ``missing`` is broken by them
    checked : cells that the rule could be held against
    """

    criterion: Criterion
    broken: tuple[CellChange, ...]
    open: tuple[CellChange, ...]
    missing: tuple[LeftOut, ...]
    checked: int
    is_strict: bool = False

    @property
    def is_broken(self) -> bool:
        """Whether a build has to fail: also when the rule could be held against nothing."""
        return bool(self.broken or self.missing or (self.is_strict and self.open)) or self.checked == 0


def hold_rules(diff: StudyDiff, criteria: Sequence[Criterion], *, strict: bool = False) -> list[RuleOutcome]:
    """Hold every rule against the changes; when `strict`, what is open breaks it."""
    return [_outcome(diff, criterion, strict) for criterion in criteria]


def _outcome(diff: StudyDiff, criterion: Criterion, strict: bool) -> RuleOutcome:
    if criterion.measure is None:
        missing = tuple(cell for cell in diff.left_out if cell.is_missing)
        return RuleOutcome(criterion, (), (), missing, len(diff.base.judgements), strict)
    own = diff.of(criterion.measure)
    broken, open_cells = criterion.broken_by(own), criterion.open_in(own)
    return RuleOutcome(criterion, tuple(broken), tuple(open_cells), (), len(own), strict)
