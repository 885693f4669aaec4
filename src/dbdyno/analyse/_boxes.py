"""Summarises the seconds of a cell's judged windows: five quantiles and the extremes of their throughput.

A box holds the middle half, its line is the median, whiskers reach from the 5th to the 95th percentile, dots are the
slowest and the fastest second. Seconds of all judged repeats of a cell are taken together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dbdyno.analyse._cells import CellJudgement

FEWEST_BOX_SECONDS = 10


@dataclass(frozen=True, slots=True)
class BoxPlot:
    """Holds the throughput of seconds, transactions per second.

    Parameters
    ----------
    low, high : the 5th and the 95th percentile
    seconds : how many there are
    """

    group: CellJudgement
    minimum: float
    low: float
    lower: float
    median: float
    upper: float
    high: float
    maximum: float
    seconds: int


def window_boxes(windows: Mapping[str, NDArray[np.float64]], judgements: Sequence[CellJudgement]) -> list[BoxPlot]:
    """Return a box for each judged cell; none of fewer than ten seconds, or of reports that cover more than one each.

    Parameters
    ----------
    windows : throughput of each second of a run's window, by run id
    """
    boxes = []
    for group in judgements:
        ids = [record.run.run_id for record in group.judged]
        seconds = np.concatenate([np.zeros(0), *(windows[run_id] for run_id in ids if run_id in windows)])
        if len(seconds) >= FEWEST_BOX_SECONDS:
            minimum, *inner_quantiles, maximum = np.quantile(seconds, [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1]).tolist()
            low, lower, median, upper, high = inner_quantiles
            boxes.append(BoxPlot(group, minimum, low, lower, median, upper, high, maximum, len(seconds)))
    return boxes
