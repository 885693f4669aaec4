"""Makes encoded histograms, and a table of those of seconds, for tests that look at single ones."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from hdrh.histogram import HdrHistogram
from numpy.typing import NDArray

from dbdyno.store import filled_counts


def dense_counts(encoded: Iterable[tuple[int, str | None]]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Counts, shape (seconds, bins), and the highest value of each bin."""
    found = filled_counts(encoded)
    table = np.zeros((found.seconds, len(found.values_ns)), dtype=np.int64)
    np.add.at(table, (found.second, found.column), found.count)
    assert table.sum(axis=0).tolist() == found.total.tolist()
    return table, found.values_ns


def encoded(*values_ns: int) -> str:
    """A histogram of these values."""
    histogram = HdrHistogram(1, 3_600_000_000_000, 3)
    for value in values_ns:
        histogram.record_value(value)
    return histogram.encode().decode()
