"""Makes a table of the histograms of seconds, for tests that look at single ones."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from dbdyno.store import filled_counts


def dense_counts(encoded: Iterable[tuple[int, str | None]]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Counts, shape (seconds, bins), and the highest value of each bin."""
    found = filled_counts(encoded)
    table = np.zeros((found.seconds, len(found.values_ns)), dtype=np.int64)
    np.add.at(table, (found.second, found.column), found.count)
    assert table.sum(axis=0).tolist() == found.total.tolist()
    return table, found.values_ns
