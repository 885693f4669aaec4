"""Logs of sysbench 1.0 and 1.1: text in, one run after the other out, each with figures, seconds and caveats."""

from dbdyno.imports.sysbench._figures import RunFigures, percentile_of, run_figures
from dbdyno.imports.sysbench._head import Head
from dbdyno.imports.sysbench._intervals import Intervals, read_intervals
from dbdyno.imports.sysbench._judge import Judgement, judge
from dbdyno.imports.sysbench._log import LogPart, SysbenchRun, is_sysbench, log_parts, read_run
from dbdyno.imports.sysbench._report import COUNTS, Report, read_reports
from dbdyno.imports.sysbench._table import seconds_table

__all__ = [
    "COUNTS",
    "Head",
    "Intervals",
    "Judgement",
    "LogPart",
    "Report",
    "RunFigures",
    "SysbenchRun",
    "is_sysbench",
    "judge",
    "log_parts",
    "percentile_of",
    "read_intervals",
    "read_reports",
    "read_run",
    "run_figures",
    "seconds_table",
]
