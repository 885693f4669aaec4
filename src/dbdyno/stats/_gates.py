"""Judges steady state from the server's side: gates that a window must pass in addition to a level throughput.

A level line can be the quiet before a change: a redo log still filling, a pool still warming, compaction debt still
growing. Each gate takes what telemetry read over the window and says whether it passes; None when it could not be read,
which is not the same as failed and never counts as passed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dbdyno.stats._drift import GROUP_S, drift
from dbdyno.stats._series import checked_series

MOST_DRIFT = 0.10
CAPACITY_SHARE = 0.01
REDO_CYCLES = 2.0
MOST_MISSES = 0.01
MOST_FREE = 0.02
_LEAST_SECONDS = 30


@dataclass(frozen=True, slots=True)
class ServerSteadiness:
    """Holds what the gates say together.

    Parameters
    ----------
    failed, unread : names of gates that did not pass, and of those that could not be read
    """

    failed: tuple[str, ...]
    unread: tuple[str, ...]

    @property
    def is_confirmed(self) -> bool:
        """Return whether the server's own state confirms that the window is steady."""
        return not self.failed and not self.unread


def server_steadiness(gates: Mapping[str, bool | None]) -> ServerSteadiness:
    """Return gates by name, taken together. No gate at all confirms nothing.

    >>> server_steadiness({"redo": True, "history": None}).unread
    ('history',)
    """
    failed = tuple(name for name, passed in gates.items() if passed is False)
    unread = tuple(name for name, passed in gates.items() if passed is None)
    return ServerSteadiness(failed, unread if gates else ("any",))


def is_settled(readings: ArrayLike | None, capacity: float | None = None) -> bool | None:
    """Return whether a reading stays level: it drifts by at most a tenth, or by less than 1 % of its capacity.

    Parameters
    ----------
    readings : one a second over the window, at least 30; None when not read
    capacity : in the unit of the readings; None when it has none

    Notes
    -----
    As in every drift, groups of ten seconds are looked at; an incomplete last group is left out.

    >>> is_settled([100.0, 101.0] * 30), is_settled(np.linspace(1, 9, 60)), is_settled(np.linspace(1, 9, 60), 1e6)
    (True, False, True)
    """
    if readings is None or len(np.atleast_1d(np.asarray(readings))) < _LEAST_SECONDS:
        return None
    values = checked_series(readings)
    values = values[: len(values) // GROUP_S * GROUP_S]
    mean = float(values.mean())
    if float(np.ptp(values)) == 0:
        return True
    if mean == 0:
        return None
    change = abs(drift(values).change)
    return change <= MOST_DRIFT or (capacity is not None and change * abs(mean) < CAPACITY_SHARE * capacity)


def redo_cycled(written_bytes: float | None, capacity_bytes: float | None) -> bool | None:
    """Return whether the redo log has been written over: at least twice its capacity since the dataset was filled.

    >>> redo_cycled(600e6, 256e6), redo_cycled(500e6, 256e6), redo_cycled(None, 256e6)
    (True, False, None)
    """
    if written_bytes is None or capacity_bytes is None:
        return None
    return written_bytes >= REDO_CYCLES * capacity_bytes


def cache_settled(
    physical_reads: ArrayLike | None,
    row_reads: ArrayLike | None,
    *,
    holds_dataset: bool | None,
    free_share: float | None,
) -> bool | None:
    """Return whether the cache is full: it holds the whole dataset, or as much as fits with reads that stay level.

    Parameters
    ----------
    physical_reads, row_reads : per second over the window
    holds_dataset : whether the whole dataset is in the cache
    free_share : of the cache's pages at the end of the window

    >>> cache_settled([0.0] * 60, [1000.0] * 60, holds_dataset=True, free_share=0.4)
    True
    >>> cache_settled([500.0] * 60, [1000.0] * 60, holds_dataset=False, free_share=0.4)
    False
    """
    is_whole = _all_passed(holds_dataset, _has_few_misses(physical_reads, row_reads))
    is_full = _all_passed(None if free_share is None else free_share <= MOST_FREE, is_settled(physical_reads))
    return _any_passed(is_whole, is_full)


def dirty_data_settled(
    dirty: ArrayLike | None, age: ArrayLike | None, *, dirty_capacity: float | None, age_capacity: float | None
) -> bool | None:
    """Return whether unwritten data stay level: dirty pages and checkpoint age, or compaction debt and its files.

    >>> dirty_data_settled([50.0] * 60, [7.0] * 60, dirty_capacity=1000.0, age_capacity=100.0)
    True
    """
    return _all_passed(is_settled(dirty, dirty_capacity), is_settled(age, age_capacity))


def device_settled(
    written_bytes: ArrayLike | None,
    transactions: ArrayLike | None,
    *,
    is_flash: bool | None,
    written_since_trim: float | None,
    dataset_bytes: float | None,
) -> bool | None:
    """Return whether the device costs each transaction the same, and flash was written over once since its trim.

    Parameters
    ----------
    written_bytes, transactions : per second over the window; seconds without a transaction are left out
    written_since_trim : bytes written to the device

    >>> device_settled([9e6] * 60, [1e3] * 60, is_flash=False, written_since_trim=None, dataset_bytes=None)
    True
    """
    if written_bytes is None or transactions is None or is_flash is None:
        return None
    transaction_counts = np.asarray(transactions, dtype=np.float64)
    per_transaction = (
        np.asarray(written_bytes, dtype=np.float64)[transaction_counts > 0] / transaction_counts[transaction_counts > 0]
    )
    if not is_flash:
        return is_settled(per_transaction)
    is_known = written_since_trim is not None and dataset_bytes is not None
    return _all_passed(
        is_settled(per_transaction), (written_since_trim or 0) >= (dataset_bytes or 0) if is_known else None
    )


def _has_few_misses(physical_reads: ArrayLike | None, row_reads: ArrayLike | None) -> bool | None:
    if physical_reads is None or row_reads is None:
        return None
    misses, rows = float(np.asarray(physical_reads).mean()), float(np.asarray(row_reads).mean())
    return misses < MOST_MISSES * rows if rows > 0 else None


def _all_passed(*parts: bool | None) -> bool | None:
    """Return failed when one has; unread when one is; else passed."""
    return False if False in parts else None if None in parts else True


def _any_passed(*parts: bool | None) -> bool | None:
    """Return passed when one has; unread when one is; else failed."""
    return True if True in parts else None if None in parts else False
