"""Readings of machine, processes and server each second, on the load's own clock; one file a source.

A source that fails costs a caveat, never the run. What a source does not offer is absent, never zero.
"""

from dbdyno.measure.telemetry._cpu import CpuSource
from dbdyno.measure.telemetry._disk import DiskSource, device_number
from dbdyno.measure.telemetry._memory import MemorySource
from dbdyno.measure.telemetry._memory_limit import MemoryLimitSource
from dbdyno.measure.telemetry._network import NetworkSource
from dbdyno.measure.telemetry._pressure import PressureSource
from dbdyno.measure.telemetry._process import ProcessSource
from dbdyno.measure.telemetry._quota import QuotaSource
from dbdyno.measure.telemetry._reading import Reading, Source
from dbdyno.measure.telemetry._sampler import Sampler
from dbdyno.measure.telemetry._sampler_group import STOP_S, SamplerGroup, Telemetry
from dbdyno.measure.telemetry._status import StatusSource, absent_counters

__all__ = [
    "STOP_S",
    "CpuSource",
    "DiskSource",
    "MemoryLimitSource",
    "MemorySource",
    "NetworkSource",
    "PressureSource",
    "ProcessSource",
    "QuotaSource",
    "Reading",
    "Sampler",
    "SamplerGroup",
    "Source",
    "StatusSource",
    "Telemetry",
    "absent_counters",
    "device_number",
]
