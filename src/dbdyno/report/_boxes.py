"""How the seconds of the judged windows of a cell are spread: five quantiles and the extremes of their throughput.

A box holds the middle half, its line is the median, whiskers reach from the 5th to the 95th percentile, dots are the
slowest and the fastest second. Seconds of all judged repeats of a cell are taken together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dbdyno.analyse import CellJudgement
from dbdyno.report._windows import told_tps, window_tps
from dbdyno.store import Results
from dbdyno.study import Study

FEWEST_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Box:
    """Throughput of seconds, transactions per second.

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


def window_boxes(results: Results, study: Study, judgements: Sequence[CellJudgement]) -> list[Box]:
    """A box for each judged cell; none of fewer than ten seconds, or of reports that cover more than one each."""
    read = window_tps if study.imported is None else told_tps
    found = []
    for group in judgements:
        runs = [read(results.seconds(record.run.run_id)) for record in group.judged]
        seconds = np.concatenate([np.zeros(0), *runs])
        if len(seconds) >= FEWEST_SECONDS:
            minimum, *inner, maximum = np.quantile(seconds, [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1]).tolist()
            low, lower, median, upper, high = inner
            found.append(Box(group, minimum, low, lower, median, upper, high, maximum, len(seconds)))
    return found
