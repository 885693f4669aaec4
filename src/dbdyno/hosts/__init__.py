"""Runs commands and reaches files, processes and facts of a machine. The only package that speaks `subprocess`.

What runs here is the caller's business: this package knows nothing of engines, studies or results.

>>> from dbdyno.hosts import LocalHost
>>> LocalHost().run(["echo", "ready"], timeout_s=10).stdout.strip()
'ready'
"""

from dbdyno.hosts._commands import ending_words
from dbdyno.hosts._facts import HostFacts
from dbdyno.hosts._files import FileFacts, Files, FileWatch, Reader, Space
from dbdyno.hosts._kernel import have_one_kernel
from dbdyno.hosts._local import LocalHost
from dbdyno.hosts._memory_group import MemoryGroup, MemoryUse
from dbdyno.hosts._oom import OomSigns, OomWatch
from dbdyno.hosts._private import (
    is_own_folder,
    is_own_private_folder,
    own_private_folders,
    private_roots,
    read_own_text,
)
from dbdyno.hosts._process import EXIT_UNKNOWN, Throttle
from dbdyno.hosts._process_facts import (
    TICKS_PER_SECOND,
    ProcessState,
    ProcessWatch,
    mapped_libraries,
    parse_stat,
    process_facts,
    process_state,
)
from dbdyno.hosts._process_protocol import Completed, PipedProcess, Process, ProcessLimits
from dbdyno.hosts._protocol import Address, ClockAccuracy, ClockReading, Host
from dbdyno.hosts._system import ServerUser, System
from dbdyno.hosts.containers import ContainerOrder, ContainerProcess, Containers, ImageFacts, Network
from dbdyno.hosts.machine import read_machine, read_profiler

__all__ = [
    "EXIT_UNKNOWN",
    "TICKS_PER_SECOND",
    "Address",
    "ClockAccuracy",
    "ClockReading",
    "Completed",
    "ContainerOrder",
    "ContainerProcess",
    "Containers",
    "FileFacts",
    "FileWatch",
    "Files",
    "Host",
    "HostFacts",
    "ImageFacts",
    "LocalHost",
    "MemoryGroup",
    "MemoryUse",
    "Network",
    "OomSigns",
    "OomWatch",
    "PipedProcess",
    "Process",
    "ProcessLimits",
    "ProcessState",
    "ProcessWatch",
    "Reader",
    "ServerUser",
    "Space",
    "System",
    "Throttle",
    "ending_words",
    "have_one_kernel",
    "is_own_folder",
    "is_own_private_folder",
    "mapped_libraries",
    "own_private_folders",
    "parse_stat",
    "private_roots",
    "process_facts",
    "process_state",
    "read_machine",
    "read_own_text",
    "read_profiler",
]
