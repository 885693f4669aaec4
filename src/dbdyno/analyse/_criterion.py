"""What a change must not do, as an exit code asks: no cell slower, no quantile longer, none missing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dbdyno.analyse._diff import QUANTILE_OF, CellChange, Measure
from dbdyno.core import RequestError

_RE = re.compile(r"(\S+?)\s*:\s*(\d+(?:\.\d+)?)\s*%")
_FORMS = "slower:3%, p99:10% (also p50, p95, p999), or missing"


@dataclass(frozen=True, slots=True)
class Criterion:
    """One rule of a build.

    Parameters
    ----------
    text : as it was asked for
    measure : None for the rule that no cell may be missing
    allowed : share by which a cell may be worse, 0 to 1
    """

    text: str
    measure: Measure | None
    allowed: float

    def broken_by(self, changes: Sequence[CellChange]) -> list[CellChange]:
        """Cells that are worse by more than allowed, the change itself being significant (adjusted p below 0.05)."""
        return [change for change in self._own(changes) if change.is_significant and self._is_beyond(change.ratio)]

    def open_in(self, changes: Sequence[CellChange]) -> list[CellChange]:
        """Cells that do not break the rule, and whose 95 % interval does not exclude that they should."""
        broken = self.broken_by(changes)
        worst = [(change, change.low if self.measure == "tps" else change.high) for change in self._own(changes)]
        return [change for change, ratio in worst if change not in broken and self._is_beyond(ratio)]

    def _own(self, changes: Sequence[CellChange]) -> list[CellChange]:
        return [change for change in changes if change.measure == self.measure]

    def _is_beyond(self, ratio: float) -> bool:
        return ratio < 1 - self.allowed if self.measure == "tps" else ratio > 1 + self.allowed


def parse_criterion(text: str) -> Criterion:
    """A rule as it is written on the command line.

    Raises
    ------
    RequestError : none of the forms

    >>> parse_criterion("slower:3%"), parse_criterion("p99:10%").measure, parse_criterion("missing").measure
    (Criterion(text='slower:3%', measure='tps', allowed=0.03), 'p99', None)
    """
    if text.strip() == "missing":
        return Criterion(text, None, 0.0)
    match = _RE.fullmatch(text.strip())
    measure: Measure | None = None
    if match is not None:
        measure = "tps" if match[1] == "slower" else QUANTILE_OF.get(match[1])
    if match is None or measure is None:
        raise RequestError(f"'{text}' is no rule to fail on", "", f"write {_FORMS}")
    allowed = float(match[2]) / 100
    if measure == "tps" and allowed >= 1:
        raise RequestError(f"'{text}' can't be broken", "nothing is slower by 100 % or more", f"write {_FORMS}")
    return Criterion(text, measure, allowed)
