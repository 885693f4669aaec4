"""Reads logs of sysbench 0.4, 0.5, 1.0 and 1.1: text in; runs with figures, seconds and caveats out."""

from dbdyno.imports.sysbench._figures import percentile_of, run_figures
from dbdyno.imports.sysbench._judge import judge_log
from dbdyno.imports.sysbench._log import SysbenchRun, is_sysbench, log_parts, read_run
from dbdyno.imports.sysbench._tool import SYSBENCH, seconds_table

__all__ = [
    "SYSBENCH",
    "SysbenchRun",
    "is_sysbench",
    "judge_log",
    "log_parts",
    "percentile_of",
    "read_run",
    "run_figures",
    "seconds_table",
]
