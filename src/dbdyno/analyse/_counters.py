"""Holds what the servers of a cell counted over the windows of its judged runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dbdyno.analyse._cells import CellJudgement


@dataclass(frozen=True, slots=True)
class CellCounters:
    """Holds counters of a cell.

    Parameters
    ----------
    transactions : in the windows of the runs that have counters
    deltas : counter -> growth over these windows, and its unit
    levels : level -> its value at the end of the last window and the highest of all, and its unit
    absent : counters that the server does not have
    """

    group: CellJudgement
    transactions: int
    deltas: Mapping[str, tuple[float, str]]
    levels: Mapping[str, tuple[float, float, str]]
    absent: frozenset[str]

    def each(self, *names: str) -> float | None:
        """Return the growth of counters together for each transaction; None where one is not known."""
        if not self.transactions or any(name not in self.deltas for name in names):
            return None
        return sum(self.deltas[name][0] for name in names) / self.transactions

    def lacks(self, *names: str) -> bool:
        """Return whether the server does not have one of these."""
        return any(name.removeprefix("engine.") in self.absent for name in names)
