"""Windows of stored runs, read second by second and judged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from dbdyno.analyse import SHORTEST_WINDOW_S, WindowJudgement, judge_window
from dbdyno.core import RunRecord
from dbdyno.store import Results
from dbdyno.study import Study


def judged_windows(results: Results, study: Study, records: Sequence[RunRecord]) -> dict[str, WindowJudgement]:
    """By run id the windows of three minutes or more; none where the study itself varies the rate."""
    if study.pacing.stretches or study.pacing.search is not None:
        return {}
    long_enough = [record.run.run_id for record in records if record.window_s >= SHORTEST_WINDOW_S and record.tps_mean]
    tps = window_tps if study.imported is None else told_tps
    found = {run_id: judge_window(tps(results.seconds(run_id))) for run_id in long_enough}
    return {run_id: window for run_id, window in found.items() if window is not None}


def window_tps(seconds: pa.Table) -> np.ndarray:
    """Throughput of the window, one value a second; 0 where a second was not reported."""
    is_window = np.array([phase == "window" for phase in seconds["phase"].to_pylist()], dtype=np.bool_)
    second = seconds["second"].to_numpy()[is_window]
    if len(second) == 0:
        return np.zeros(0)
    tps = np.zeros(int(second.max() - second.min()) + 1)
    tps[second - second.min()] = seconds["tps"].to_numpy()[is_window]
    return tps


def told_tps(seconds: pa.Table) -> np.ndarray:
    """Throughput as an imported tool told it: its reports cover the time since the one before, so a gap is no zero.

    Empty where they cover more than a second each: stalls and waves inside of them can't be seen.
    """
    second, tps = seconds["second"].to_numpy(), seconds["tps"].to_numpy()
    if len(second) == 0 or (seconds["duration_ns"].to_numpy() > 10**9).any():
        return np.zeros(0)
    each = np.arange(second.min(), second.max() + 1)
    covered: np.ndarray = tps[np.searchsorted(second, each)]
    return covered
