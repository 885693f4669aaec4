"""Computes response times of a cell by percentile, as far as its histograms support them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dbdyno.analyse._latency import ENOUGH_BEYOND, SecondHistograms
from dbdyno.core import Cell
from dbdyno.stats import exceedances_at

CURVE_QUANTILES = (
    0.1,
    0.2,
    0.3,
    0.4,
    0.5,
    0.6,
    0.7,
    0.8,
    0.85,
    *np.round(1 - 10 ** -np.arange(1.0, 4.01, 0.125), 6).tolist(),
)
"""From the tenth percentile to p99.99, eight to each nine."""


@dataclass(frozen=True, slots=True)
class ResponseCurve:
    """Describes one line.

    Parameters
    ----------
    quantiles : ascending, 0 to 1
    values_ns : of each
    """

    cell: Cell
    quantiles: tuple[float, ...]
    values_ns: tuple[int, ...]


def response_curve(
    cell: Cell, counts: NDArray[np.int64], values_ns: NDArray[np.float64], seconds: Sequence[SecondHistograms]
) -> ResponseCurve | None:
    """Return the curve of a merged histogram, up to the last percentile that enough transactions lie beyond.

    Those beyond are counted as independent ones, as for single percentiles: those of one stall are slow together.

    Parameters
    ----------
    counts, values_ns : shape (bins,), of all judged runs together
    seconds : of each run
    """
    supported_count = _supported_percentile_count(int(counts.sum()), seconds)
    if supported_count < 2:
        return None
    quantiles = CURVE_QUANTILES[:supported_count]
    cumulative_counts = np.cumsum(counts)
    ranks = np.ceil(np.asarray(quantiles) * cumulative_counts[-1])
    values = values_ns[np.searchsorted(cumulative_counts, ranks)]
    return ResponseCurve(cell, quantiles, tuple(int(value) for value in values))


def _supported_percentile_count(total: int, seconds: Sequence[SecondHistograms]) -> int:
    """Return how many of the percentiles, by bisection: the higher the percentile, the fewer lie beyond it."""
    counts_beyond = [exceedances_at(run.counts, run.values_ns, CURVE_QUANTILES) for run in seconds if run.counts.any()]

    def is_enough(place: int) -> bool:
        if total * (1 - CURVE_QUANTILES[place]) < ENOUGH_BEYOND:
            return False
        return sum(beyond_at(CURVE_QUANTILES[place]) for beyond_at in counts_beyond) >= ENOUGH_BEYOND

    low, high = 0, len(CURVE_QUANTILES)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if is_enough(middle - 1) else (low, middle - 1)
    return low
