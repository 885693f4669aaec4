"""One run measured: order, load generator, samplers on the same clock, and the figures of the window.

Judging what the figures mean is left to `analyse`; here a run is only called good, suspect or failed.
"""

from dbdyno.measure._figures import WindowFigures, window_figures
from dbdyno.measure._judge import Judgement, judge
from dbdyno.measure._measure import MeasuredRun, ServerProcess, measure_run
from dbdyno.measure._order import LoadOrder, worker_count
from dbdyno.measure._records import parse_record

__all__ = [
    "Judgement",
    "LoadOrder",
    "MeasuredRun",
    "ServerProcess",
    "WindowFigures",
    "judge",
    "measure_run",
    "parse_record",
    "window_figures",
    "worker_count",
]
