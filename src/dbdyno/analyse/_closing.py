"""Judges the last seconds of runs as if they were the whole window, as reports of runs that last for hours do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from dbdyno.analyse._cells import CellJudgement, judge_cells
from dbdyno.core import RunRecord
from dbdyno.stats import noise_interval, settled_part


def closing_cells(
    records: Sequence[RunRecord], tps_of: Callable[[RunRecord], ArrayLike], last_s: int
) -> list[CellJudgement]:
    """Return every cell by the last seconds of its runs' windows; a run with a shorter window has no level.

    Parameters
    ----------
    tps_of : throughput of a run's window, one value a second
    last_s : seconds that are judged, at least two
    """
    return judge_cells([_judge_last_seconds(record, tps_of, last_s) for record in records])


def _judge_last_seconds(record: RunRecord, tps_of: Callable[[RunRecord], ArrayLike], last_s: int) -> RunRecord:
    seconds = np.asarray(tps_of(record) if record.figures.tps_mean else [], dtype=np.float64)
    if len(seconds) < last_s:
        return replace(record, figures=replace(record.figures, tps_mean=None, tps_half_width=None), settled=None)
    noise, part = noise_interval(seconds[-last_s:]), settled_part(seconds[-last_s:])
    if part is not None:  # whether they have a level is judged; what is quoted of them is the mean of them all
        part = replace(part, tps_mean=noise.mean, tps_half_width=noise.half_width)
    figures = replace(record.figures, window_s=float(last_s), tps_mean=noise.mean, tps_half_width=noise.half_width)
    return replace(record, figures=figures, settled=part)
