"""Judges stalls of a run's window second by second: of its settled part, or of all of it where it was not judged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dbdyno.core import AnalysisError, SettledPart
from dbdyno.stats import stalled_seconds, stalls


@dataclass(frozen=True, slots=True)
class WindowStalls:
    """Holds stalls of a window.

    Parameters
    ----------
    is_stalled : shape (seconds,), which of the window's seconds are stalled
    median : the median second; None where it did nothing, so that there is no level that a stall could fall below
    count : stalled seconds
    is_coarse : so few transactions a second that groups of ten seconds were judged
    lowest, highest : the slowest and the fastest second, relative to the median
    """

    is_stalled: NDArray[np.bool_]
    median: float | None = None
    count: int = 0
    is_coarse: bool = False
    lowest: float = 0.0
    highest: float = 0.0

    @property
    def share(self) -> float:
        """Return the share of the window that is stalled, 0 to 1; all of it where the median second did nothing."""
        return 1.0 if self.median is None else self.count / len(self.is_stalled)


def window_stalls(window: NDArray[np.float64], judged: SettledPart | None) -> WindowStalls:
    """Return the stalls of a window of one value a second, or one a report; `judged`: None where it is too short."""
    is_stalled = np.zeros(len(window), dtype=np.bool_)
    settled = window[judged.judged_from_s if judged else 0 :]
    try:
        is_stalled[len(window) - len(settled) :] = stalled_seconds(settled)
        median, count, is_coarse = _stall_figures(settled, judged)
    except AnalysisError:
        return WindowStalls(is_stalled)
    lowest, highest = float(settled.min() / median), float(settled.max() / median)
    return WindowStalls(is_stalled, median, count, is_coarse, lowest, highest)


def _stall_figures(settled: NDArray[np.float64], judged: SettledPart | None) -> tuple[float, int, bool]:
    """Return the median second, stalled seconds, and whether groups of ten were judged."""
    if judged is None:
        found = stalls(settled)
        return found.median, round(found.share * len(settled)), found.coarse
    if judged.stall_median is None:
        raise AnalysisError("no stalls in this window", "zero throughput in its median second")
    return judged.stall_median, judged.stalled_s, judged.stalls_are_coarse
