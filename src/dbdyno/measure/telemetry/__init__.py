"""Samples machine, processes and server each second, on the load's own clock; one file per subject.

A source that fails costs a caveat, never the run. What a source does not offer is absent, never zero.
"""

from dbdyno.measure.telemetry._machine import (
    CpuSource,
    DiskSource,
    MemorySource,
    NetworkSource,
    PressureSource,
    device_number,
)
from dbdyno.measure.telemetry._process import MemoryLimitSource, ProcessSource, QuotaSource
from dbdyno.measure.telemetry._sampler import STOP_S, Reading, Sampler, SamplerGroup, Source, Telemetry
from dbdyno.measure.telemetry._session_threads import SessionThreads, StackFrame, ThreadsPlace, WaitStack
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
    "SessionThreads",
    "Source",
    "StackFrame",
    "StatusSource",
    "Telemetry",
    "ThreadsPlace",
    "WaitStack",
    "absent_counters",
    "device_number",
]
