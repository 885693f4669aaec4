"""Measures one run: order, load generator, samplers on the same clock, and the figures of the window.

Judging what the figures mean is left to `analyse`; here a run is only called good, suspect or failed.
"""

from dbdyno.measure._collect import MeasuredServer
from dbdyno.measure._counters import CounterDelta, counters_document, window_counters
from dbdyno.measure._drive import load_sessions
from dbdyno.measure._figures import window_figures
from dbdyno.measure._judge import Judgement, judge
from dbdyno.measure._load_order import LoadAgent, LoadOrder, worker_count
from dbdyno.measure._measure import LoadGenerator, MeasuredRun, ServerWatch, measure_run
from dbdyno.measure._records import EndRecord, IntervalRecord, StartRecord, parse_record
from dbdyno.measure._standstill import Standstill, standstill
from dbdyno.measure._wall_clock import WallClock, host_clock_caveats

__all__ = [
    "CounterDelta",
    "EndRecord",
    "IntervalRecord",
    "Judgement",
    "LoadAgent",
    "LoadGenerator",
    "LoadOrder",
    "MeasuredRun",
    "MeasuredServer",
    "ServerWatch",
    "Standstill",
    "StartRecord",
    "WallClock",
    "counters_document",
    "host_clock_caveats",
    "judge",
    "load_sessions",
    "measure_run",
    "parse_record",
    "standstill",
    "window_counters",
    "window_figures",
    "worker_count",
]
