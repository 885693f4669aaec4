"""Finds stalls: seconds of a window with less than half the throughput of its median second."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbdyno.core import AnalysisError
from dbdyno.stats._series import FloatArray, group_means

STALL_FLOOR = 0.5
COARSE_BELOW_TPS = 20.0
COARSE_GROUP_S = 10


@dataclass(frozen=True, slots=True)
class Stalls:
    """Holds stalled seconds of a window.

    Parameters
    ----------
    share : of the window's seconds, 0 to 1
    count : stalls, each a row of stalled seconds without a gap
    longest_s : of them, seconds
    lost : transactions not done because of them, as a share of the window's, 0 to 1
    coarse : so few transactions a second that chance alone gives stalled seconds: groups of ten seconds were judged
    median : of the window's seconds, or of those groups, transactions per second
    zero_s : seconds in which nothing was done
    """

    share: float
    count: int
    longest_s: int
    lost: float
    coarse: bool
    median: float
    zero_s: int


def stalls(tps: ArrayLike, floor: float = STALL_FLOOR) -> Stalls:
    """Return stalls of a window of one value per second.

    Parameters
    ----------
    tps : committed transactions per second, no gaps
    floor : share of the window's median below which a second counts as stalled

    Raises
    ------
    AnalysisError : the window is empty or its median is zero

    >>> summary = stalls([100.0, 100.0, 10.0, 20.0, 100.0, 0.0, 100.0, 100.0, 100.0, 100.0])
    >>> summary.share, summary.count, summary.longest_s, summary.lost, summary.zero_s
    (0.3, 2, 2, 0.27, 1)
    """
    values, group_s, median = _group_seconds(np.asarray(tps, dtype=np.float64))
    stalled = values < floor * median
    edges = np.diff(np.concatenate(([0], stalled.astype(np.int8), [0])))
    lengths = np.flatnonzero(edges == -1) - np.flatnonzero(edges == 1)
    longest = int(lengths.max()) if len(lengths) else 0
    return Stalls(
        share=float(stalled.mean()),
        count=len(lengths),
        longest_s=longest * group_s,
        lost=float((median - values[stalled]).sum()) / (median * len(values)),
        coarse=group_s > 1,
        median=median,
        zero_s=int((np.asarray(tps) == 0).sum()),
    )


def stalled_seconds(tps: ArrayLike, floor: float = STALL_FLOOR) -> NDArray[np.bool_]:
    """Return which seconds of a window are stalled, as `stalls` counts them.

    Raises
    ------
    AnalysisError : the window is empty or its median is zero

    >>> stalled_seconds([100.0, 100.0, 10.0]).tolist()
    [False, False, True]
    """
    seconds = np.asarray(tps, dtype=np.float64)
    values, group_s, median = _group_seconds(seconds)
    is_stalled = np.repeat(values < floor * median, group_s)
    return np.concatenate((is_stalled, np.zeros(len(seconds) - len(is_stalled), dtype=np.bool_)))


def _group_seconds(seconds: FloatArray) -> tuple[FloatArray, int, float]:
    """Return the values to judge, how many seconds each stands for, and the median second."""
    median = float(np.median(seconds)) if len(seconds) else 0.0
    if median <= 0:
        raise AnalysisError("no stalls in this window", f"{len(seconds)} seconds with a median of {median} per second")
    if median >= COARSE_BELOW_TPS or len(seconds) < COARSE_GROUP_S:
        return seconds, 1, median
    groups = group_means(seconds, COARSE_GROUP_S)
    return groups, COARSE_GROUP_S, float(np.median(groups))
