"""Lists the checks of a machine, one file per subject, in the order of their printing."""

from dbdyno.doctor._verdict import MachineCheck
from dbdyno.doctor.checks._disk import ASYNCHRONOUS_CHECKS, DISK_CHECKS
from dbdyno.doctor.checks._limits import CONTAINERS_CHECKS, LIMITS_CHECKS
from dbdyno.doctor.checks._load import LOAD_CHECKS
from dbdyno.doctor.checks._memory import MEMORY_CHECKS, NUMA_CHECKS
from dbdyno.doctor.checks._prerequisites import GENERATOR_CHECKS, KERNEL_CHECKS
from dbdyno.doctor.checks._processors import CLOCK_CHECKS, PROCESSORS_CHECKS
from dbdyno.doctor.checks._remote import REMOTE_CHECKS

CHECKS: tuple[MachineCheck, ...] = (
    *PROCESSORS_CHECKS,
    *CLOCK_CHECKS,
    *NUMA_CHECKS,
    *MEMORY_CHECKS,
    *LIMITS_CHECKS,
    *DISK_CHECKS,
    *ASYNCHRONOUS_CHECKS,
    *LOAD_CHECKS,
    *CONTAINERS_CHECKS,
    *KERNEL_CHECKS,
    *GENERATOR_CHECKS,
)

_OF_LOAD_HOSTS = frozenset(
    (
        *(check.check_id for check in (*PROCESSORS_CHECKS, *CLOCK_CHECKS, *LOAD_CHECKS, *REMOTE_CHECKS)),
        *("open-files", "local-ports", "free-space", "cpu-quota"),
    )
) - {"pinning", "shared-cores", "disk-waits", "remote-shaping", "repeat-spread"}

LOAD_HOST_CHECKS = tuple(check for check in (*CHECKS, *REMOTE_CHECKS) if check.check_id in _OF_LOAD_HOSTS)
"""Those of a remote host on which no servers run: its memory, its file system and limits of servers don't matter."""

__all__ = ["CHECKS", "LOAD_HOST_CHECKS", "REMOTE_CHECKS"]
