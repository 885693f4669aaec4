"""Processes that do not wait for a processor because something else runs on the machine.

Tests against a known truth ask what the load generator makes of the times it sees, to half a percent. How long a
process waits for a processor is another matter, and no part of the truth that is known. So what needs little processor
time runs before all else, where the machine allows it (as root, mostly); and a load runs on the processor of its
server, so that a virtual machine's processor that is taken away for a tenth of a second is taken from both.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator


@contextlib.contextmanager
def ahead_of_others() -> Iterator[None]:
    """Processes that are started in the block have real-time priority, if that is allowed.

    Niceness would not do: the kernel can share the processors between sessions before it looks at that.
    """
    usual, parameters = os.sched_getscheduler(0), os.sched_getparam(0)
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    try:
        yield
    finally:
        os.sched_setscheduler(0, usual, parameters)


@contextlib.contextmanager
def first_in_line(cpu: int) -> Iterator[None]:
    """Processes that are started in the block are `ahead_of_others`, on one processor.

    `cpu` counts those that there are; with fewer it goes round.
    """
    cpus = os.sched_getaffinity(0)
    with ahead_of_others():
        try:
            os.sched_setaffinity(0, {sorted(cpus)[cpu % len(cpus)]})
            yield
        finally:
            os.sched_setaffinity(0, cpus)
