"""Response times by percentile, as far as histograms support them."""

from __future__ import annotations

import numpy as np
import pytest

from dbdyno.analyse import SecondHistograms, response_curve
from dbdyno.core import Cell


def test_a_curve_ends_where_too_few_transactions_lie_beyond() -> None:
    values = np.arange(1, 1001) * 1e6
    counts = np.ones((100, 1000), dtype=np.int64)
    cell = Cell("a", 1, 1, "w", "socket")
    curve = response_curve(cell, counts.sum(axis=0), values, [SecondHistograms(counts, values)])
    assert curve is not None
    assert curve.quantiles[-1] == pytest.approx(0.99976, abs=1e-5)
    assert curve.values_ns[curve.quantiles.index(0.5)] == 500_000_000
    assert response_curve(cell, counts[0, :30], values[:30], []) is None
