"""Sums service times of a run's statement types from the histograms of its seconds."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dbdyno.store import FilledCounts, sums_of
from dbdyno.tables import Table

STATEMENT_COLUMNS = ("second", "kind", "phase", "type", "completed", "failed", "retries_json", "service_histogram")
"""Columns of the intervals that are read for it."""


@dataclass(frozen=True, slots=True)
class StatementSums:
    """Holds service times of a run's statement types and of its transactions, second by second of the settled part.

    Parameters
    ----------
    first : number of its first second
    counts, sums_ns : statement type -> how many were answered in each second, and their times together
    transactions, attempts : committed; and all, with those that were repeated or given up
    transaction_sums_ns : service times of the committed ones of each second together
    """

    first: int
    counts: dict[str, NDArray[np.int64]]
    sums_ns: dict[str, NDArray[np.float64]]
    transactions: int
    attempts: int
    transaction_sums_ns: NDArray[np.float64]

    @classmethod
    def read(cls, window: Table, first: int, served: FilledCounts) -> StatementSums:
        """Read the rows of a window, from a second on.

        Parameters
        ----------
        served : service times of its transactions from that second on
        """
        settled_rows = window.at(window.numbers("second") >= first)
        length = int(settled_rows.numbers("second").max(initial=first - 1)) - first + 1
        is_statement = settled_rows.texts("kind").among(["statement"])
        statements, transactions = settled_rows.at(is_statement), settled_rows.at(~is_statement)
        counts, sums = sums_of(statements.texts("service_histogram").tolist())
        seconds, types = statements.numbers("second").astype(np.int64) - first, statements.texts("type")
        counts_by_type, sums_by_type = {}, {}
        for name in types.names:
            is_type = types.among([name])
            if is_type.any():
                counts_by_type[name] = np.bincount(seconds[is_type], counts[is_type], length).astype(np.int64)
                sums_by_type[name] = np.bincount(seconds[is_type], sums[is_type], length).astype(np.float64)
        completed_count = _column_sum(transactions, "completed")
        retry_count = sum(
            sum(json.loads(text).values()) for text in transactions.texts("retries_json").tolist() if text
        )
        attempts = completed_count + retry_count + _column_sum(transactions, "failed")
        served_sums = np.zeros(length)
        served_sums[served.first - first :][: served.seconds] = served.sums_ns
        return cls(first, counts_by_type, sums_by_type, completed_count, attempts, served_sums)


def _column_sum(table: Table, name: str) -> int:
    """Return the sum of a column of counts; what is not known counts for nothing."""
    return round(float(np.nansum(table.numbers(name))))
