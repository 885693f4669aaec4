"""Samples machine, processes and server each second, on the load's own clock; one file per subject.

A source that fails costs a caveat, never the run. What a source does not offer is absent, never zero.
"""

from dbdyno.measure.telemetry._machine import (
    CpuSource,
    DiskSource,
    MemorySource,
    NetworkSource,
    PressureSource,
)
from dbdyno.measure.telemetry._process import MemoryLimitSource, ProcessSource, QuotaSource
from dbdyno.measure.telemetry._sampler import (
    SECOND_NS,
    STOP_S,
    Reading,
    Sampler,
    SamplerGroup,
    Source,
    SourceGroup,
    Telemetry,
)
from dbdyno.measure.telemetry._session_threads import SessionThreads, StackFrame, ThreadsPlace, WaitStack
from dbdyno.measure.telemetry._stack_profile import PerfRecording, ProfiledWindow, stack_profile
from dbdyno.measure.telemetry._status import StatusSource, absent_counters

__all__ = [
    "SECOND_NS",
    "STOP_S",
    "CpuSource",
    "DiskSource",
    "MemoryLimitSource",
    "MemorySource",
    "NetworkSource",
    "PerfRecording",
    "PressureSource",
    "ProcessSource",
    "ProfiledWindow",
    "QuotaSource",
    "Reading",
    "Sampler",
    "SamplerGroup",
    "SessionThreads",
    "Source",
    "SourceGroup",
    "StackFrame",
    "StatusSource",
    "Telemetry",
    "ThreadsPlace",
    "WaitStack",
    "absent_counters",
    "stack_profile",
]
