"""Reads LinkBench: the log of its request phase, and the CSV of ``-csvstats`` and ``-csvstream``."""

from dbdyno.imports.linkbench._csv import ThreadTotals, read_stats, read_stream
from dbdyno.imports.linkbench._log import Phase, log_parts, read_phase
from dbdyno.imports.linkbench._tool import LINKBENCH, read, survey

__all__ = [
    "LINKBENCH",
    "Phase",
    "ThreadTotals",
    "log_parts",
    "read",
    "read_phase",
    "read_stats",
    "read_stream",
    "survey",
]
