"""Stalls: seconds of a window with less than half the throughput of its median second."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dbdyno.core import AnalysisError

STALL_FLOOR = 0.5
COARSE_BELOW_TPS = 20.0


@dataclass(frozen=True, slots=True)
class Stalls:
    """Stalled seconds of a window.

    Parameters
    ----------
    share : of the window's seconds, 0 to 1
    count : stalls, each a row of stalled seconds without a gap
    longest_s : of them, seconds
    lost : transactions not done because of them, as a share of the window's, 0 to 1
    coarse : so few transactions a second that chance alone gives stalled seconds
    """

    share: float
    count: int
    longest_s: int
    lost: float
    coarse: bool


def stalls(tps: ArrayLike, floor: float = STALL_FLOOR) -> Stalls:
    """Stalls of a window of one value per second.

    Parameters
    ----------
    tps : committed transactions per second, no gaps
    floor : share of the window's median below which a second counts as stalled

    Raises
    ------
    AnalysisError : the window is empty or its median is zero

    >>> stalls([100.0, 100.0, 10.0, 20.0, 100.0, 0.0, 100.0, 100.0, 100.0, 100.0])
    Stalls(share=0.3, count=2, longest_s=2, lost=0.27, coarse=False)
    """
    values = np.asarray(tps, dtype=np.float64)
    median = float(np.median(values)) if len(values) else 0.0
    if median <= 0:
        raise AnalysisError("no stalls in this window", f"{len(values)} seconds with a median of {median} per second")
    stalled = values < floor * median
    edges = np.diff(np.concatenate(([0], stalled.astype(np.int8), [0])))
    lengths = np.flatnonzero(edges == -1) - np.flatnonzero(edges == 1)
    lost = float((median - values[stalled]).sum()) / (median * len(values))
    longest = int(lengths.max()) if len(lengths) else 0
    return Stalls(float(stalled.mean()), len(lengths), longest, lost, median < COARSE_BELOW_TPS)
