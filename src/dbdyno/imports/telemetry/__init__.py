"""What ran beside the load: iostat, vmstat, mpstat, dstat. One file a tool."""

from dbdyno.imports.telemetry._dstat import read_dstat
from dbdyno.imports.telemetry._iostat import machine_facts, read_iostat
from dbdyno.imports.telemetry._mpstat import read_mpstat
from dbdyno.imports.telemetry._readings import Placed, Reports, Series, place
from dbdyno.imports.telemetry._vmstat import read_vmstat

__all__ = [
    "Placed",
    "Reports",
    "Series",
    "machine_facts",
    "place",
    "read_dstat",
    "read_iostat",
    "read_mpstat",
    "read_vmstat",
]
