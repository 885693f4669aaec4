"""The checks, one file a subject; the order is that in which they are printed."""

from dbdyno.doctor._verdict import Check
from dbdyno.doctor.checks._asynchronous import CHECKS as _ASYNCHRONOUS
from dbdyno.doctor.checks._clock import CHECKS as _CLOCK
from dbdyno.doctor.checks._containers import CHECKS as _CONTAINERS
from dbdyno.doctor.checks._disk import CHECKS as _DISK
from dbdyno.doctor.checks._generator import CHECKS as _GENERATOR
from dbdyno.doctor.checks._kernel import CHECKS as _KERNEL
from dbdyno.doctor.checks._limits import CHECKS as _LIMITS
from dbdyno.doctor.checks._load import CHECKS as _LOAD
from dbdyno.doctor.checks._memory import CHECKS as _MEMORY
from dbdyno.doctor.checks._numa import CHECKS as _NUMA
from dbdyno.doctor.checks._processors import CHECKS as _PROCESSORS

CHECKS: tuple[Check, ...] = (
    *_PROCESSORS,
    *_CLOCK,
    *_NUMA,
    *_MEMORY,
    *_LIMITS,
    *_DISK,
    *_ASYNCHRONOUS,
    *_LOAD,
    *_CONTAINERS,
    *_KERNEL,
    *_GENERATOR,
)

__all__ = ["CHECKS"]
