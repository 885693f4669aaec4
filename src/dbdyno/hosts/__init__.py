"""Runs commands and reaches files, processes and facts of a machine. The only package that speaks `subprocess`.

What runs here is the caller's business: this package knows nothing of engines, studies or results.

>>> from dbdyno.hosts import LocalHost
>>> LocalHost().run(["echo", "ready"], timeout_s=10).stdout.strip()
'ready'
"""

from dbdyno.hosts._facts import HostFacts
from dbdyno.hosts._home import Home
from dbdyno.hosts._local import LocalHost
from dbdyno.hosts._memory_group import MemoryGroup, MemoryUse
from dbdyno.hosts._oom import OomSigns, OomWatch
from dbdyno.hosts._private import (
    is_own_folder,
    is_own_private_folder,
    own_private_folders,
    own_user_ids,
    private_roots,
    read_own_text,
)
from dbdyno.hosts._process import EXIT_UNKNOWN, Throttle, find_process
from dbdyno.hosts._process_facts import (
    HALTED_S,
    ProcessState,
    ProcessWatch,
    mapped_libraries,
    process_facts,
    process_state,
)
from dbdyno.hosts._protocol import Completed, Host, PipedProcess, Process
from dbdyno.hosts.containers import ContainerOrder, ContainerProcess, Containers, ImageFacts, Network
from dbdyno.hosts.machine import read_machine

__all__ = [
    "EXIT_UNKNOWN",
    "HALTED_S",
    "Completed",
    "ContainerOrder",
    "ContainerProcess",
    "Containers",
    "Home",
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
    "ProcessState",
    "ProcessWatch",
    "Throttle",
    "find_process",
    "is_own_folder",
    "is_own_private_folder",
    "mapped_libraries",
    "own_private_folders",
    "own_user_ids",
    "private_roots",
    "process_facts",
    "process_state",
    "read_machine",
    "read_own_text",
]
