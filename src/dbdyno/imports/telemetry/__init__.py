"""Reads what sampled the machine during the load: iostat, vmstat, mpstat, dstat. One file per tool."""

from dbdyno.imports.telemetry._dstat import read_dstat
from dbdyno.imports.telemetry._iostat import read_iostat
from dbdyno.imports.telemetry._mpstat import read_mpstat
from dbdyno.imports.telemetry._readings import ToolReports, align
from dbdyno.imports.telemetry._vmstat import read_vmstat

__all__ = [
    "ToolReports",
    "align",
    "read_dstat",
    "read_iostat",
    "read_mpstat",
    "read_vmstat",
]
