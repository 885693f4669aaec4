"""Boxes of the seconds of judged windows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dbdyno.analyse import FEWEST_BOX_SECONDS, judge_cells, window_boxes
from dbdyno.core import RunRecord


def test_a_box_holds_the_quantiles_of_all_judged_repeats_together(record: Callable[..., RunRecord]) -> None:
    runs = [record(repeat=1), record(repeat=2), record(repeat=3, status="failed")]
    halves = [np.arange(0.0, 51.0), np.arange(51.0, 101.0), np.full(50, 9999.0)]
    windows = {run.run.run_id: half for run, half in zip(runs, halves, strict=True)}
    assert len(windows) == 3
    (box,) = window_boxes(windows, judge_cells(runs))
    values = (box.minimum, box.low, box.lower, box.median, box.upper, box.high, box.maximum)
    assert values == (0, 5, 25, 50, 75, 95, 100) and box.seconds == 101


def test_few_seconds_have_no_box(record: Callable[..., RunRecord]) -> None:
    run = record()
    lengths = (0, FEWEST_BOX_SECONDS - 1, FEWEST_BOX_SECONDS)
    boxes = [window_boxes({run.run.run_id: np.ones(length)}, judge_cells([run])) for length in lengths]
    assert list(map(len, boxes)) == [0, 0, 1]
    assert window_boxes({}, judge_cells([run])) == []
