"""Reads the throughput of a stored window as a series of one value per second, without gaps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dbdyno.store._series import SecondRow
from dbdyno.tables import Table

FloatArray = NDArray[np.float64]
_SECOND_NS = 10**9


def window_tps(seconds: Table | Sequence[SecondRow]) -> FloatArray:
    """Return the throughput of the window of a run that dbdyno drove; 0 where a second was not reported."""
    if isinstance(seconds, Table):
        is_window = seconds.texts("phase").among({"window"})
        return _fill_gaps_with_zeros(seconds.numbers("second")[is_window], seconds.numbers("tps")[is_window])
    rows = [row for row in seconds if row.phase == "window"]
    return _fill_gaps_with_zeros(np.array([row.second for row in rows]), np.array([row.tps for row in rows]))


def printed_tps(seconds: Table) -> FloatArray:
    """Return throughput as an imported tool printed it: a report covers the time since the last, so a gap is no zero.

    Empty where most cover more than a second each: stalls and waves inside of them can't be seen.
    """
    second, tps, duration_ns = (seconds.numbers(name) for name in ("second", "tps", "duration_ns"))
    if len(second) == 0 or np.median(duration_ns) > _SECOND_NS:
        return np.zeros(0)
    end_s = second + np.maximum(np.rint(duration_ns / _SECOND_NS), 1)
    tps_by_second: FloatArray = tps[np.searchsorted(end_s, np.arange(second.min(), end_s.max()), side="right")]
    return tps_by_second


def _fill_gaps_with_zeros(second: NDArray[np.int64], tps: FloatArray) -> FloatArray:
    if len(second) == 0:
        return np.zeros(0)
    tps_by_second = np.zeros(int(second.max() - second.min()) + 1)
    tps_by_second[second - second.min()] = tps
    return tps_by_second
