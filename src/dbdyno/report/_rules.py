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
    missing : cells of the base without a fellow or a good run; only the rule ``missing`` is broken by them
    checked : cells that the rule could be held against
    """

    criterion: Criterion
    broken: tuple[CellChange, ...]
    open: tuple[CellChange, ...]
    missing: tuple[LeftOut, ...]
    checked: int

    @property
    def is_broken(self) -> bool:
        """Whether a build has to fail: also when the rule could be held against nothing."""
        return bool(self.broken or self.missing) or self.checked == 0


def hold_rules(diff: StudyDiff, criteria: Sequence[Criterion]) -> list[RuleOutcome]:
    """Hold every rule against the changes."""
    return [_outcome(diff, criterion) for criterion in criteria]


def _outcome(diff: StudyDiff, criterion: Criterion) -> RuleOutcome:
    if criterion.measure is None:
        missing = tuple(cell for cell in diff.left_out if cell.is_missing)
        return RuleOutcome(criterion, (), (), missing, len(diff.base.judgements))
    own = diff.of(criterion.measure)
    return RuleOutcome(criterion, tuple(criterion.broken_by(own)), tuple(criterion.open_in(own)), (), len(own))
