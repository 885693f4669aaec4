"""Where commands run: files, processes and facts of a machine. The only room that speaks `subprocess`.

What runs here is the caller's business: this room knows nothing of engines, studies or results.

>>> from dbdyno.hosts import LocalHost
>>> LocalHost().run(["echo", "ready"], timeout_s=10).stdout.strip()
'ready'
"""

from dbdyno.hosts._facts import HostFacts
from dbdyno.hosts._hold import Hold
from dbdyno.hosts._home import Home
from dbdyno.hosts._local import LocalHost
from dbdyno.hosts._memory_group import MemoryGroup, MemoryUse
from dbdyno.hosts._oom import OomSigns, OomWatch
from dbdyno.hosts._process import EXIT_UNKNOWN, find_process
from dbdyno.hosts._process_facts import process_facts
from dbdyno.hosts._protocol import Completed, Host, PipedProcess, Process
from dbdyno.hosts.containers import ContainerOrder, ContainerProcess, Containers, ImageFacts, Network
from dbdyno.hosts.machine import read_machine

__all__ = [
    "EXIT_UNKNOWN",
    "Completed",
    "ContainerOrder",
    "ContainerProcess",
    "Containers",
    "Hold",
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
    "find_process",
    "process_facts",
    "read_machine",
]
