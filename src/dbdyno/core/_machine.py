"""Describes the state of a machine as far as it bears on a measurement. Read by `hosts`, judged by `doctor`.

What can't be read is None (or empty where a list is meant): not known, which is not the same as fine.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Processors:
    """Describes what computes.

    Parameters
    ----------
    usable : processors that this process may use
    governors : of all processors, each once; empty where no frequency is offered to be governed, as in most guests
    turbo : whether the clock may exceed its nominal rate
    on_battery : whether no mains supply is plugged in
    nodes : processors of each NUMA node
    numa_balancing, zone_reclaim : whether the kernel moves pages between nodes; reclaims near ones before it takes far
    siblings : groups of processors that share a core; cores with one are left out
    """

    model: str = ""
    usable: tuple[int, ...] = ()
    governors: tuple[str, ...] = ()
    turbo: bool | None = None
    on_battery: bool | None = None
    nodes: tuple[tuple[int, ...], ...] = ()
    numa_balancing: bool | None = None
    zone_reclaim: bool | None = None
    siblings: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Memory:
    """Describes what is kept near.

    Parameters
    ----------
    swap_is_ram : all of swap is compressed memory (zram), none a disk
    swappiness : 0 to 200
    huge_pages : mode of transparent huge pages: always, madvise, never
    overcommit : 0 heuristic, 1 always, 2 never
    """

    total_bytes: int | None = None
    available_bytes: int | None = None
    swap_bytes: int | None = None
    swap_used_bytes: int | None = None
    swap_is_ram: bool | None = None
    swappiness: int | None = None
    huge_pages: str = ""
    overcommit: int | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """Describes how many of each thing may be had; None also where there is no limit is `UNLIMITED`.

    Parameters
    ----------
    open_files : hard limit of this process, which its servers inherit
    processes : threads of this user, or of this control group where that is fewer
    backlog : connections waiting to be accepted (net.core.somaxconn)
    ports : of the range from which outgoing connections take theirs
    """

    open_files: int | None = None
    processes: int | None = None
    backlog: int | None = None
    ports: int | None = None


UNLIMITED = 1 << 62
"""Stands for a limit that is none, so that limits can be compared."""


@dataclass(frozen=True, slots=True)
class Disk:
    """Describes the disk that holds the data directories.

    Parameters
    ----------
    queue_disk : kernel's name of the disk whose queue the scheduler orders: of a partition its disk, of a volume or an
        array a disk below it
    scheduler : active one there; empty where the device has no own queue
    """

    path: str = ""
    device: str = ""
    filesystem: str = ""
    options: tuple[str, ...] = ()
    rotational: bool | None = None
    scheduler: str = ""
    read_ahead_bytes: int | None = None
    size_bytes: int | None = None
    free_bytes: int | None = None
    queue_disk: str = ""


@dataclass(frozen=True, slots=True)
class AsyncIo:
    """Describes reading and writing without waiting.

    Parameters
    ----------
    io_uring, native : whether the kernel gave one when asked
    io_uring_why, native_why : its answer where it did not
    requests_left : of fs.aio-max-nr
    """

    io_uring: bool | None = None
    io_uring_why: str = ""
    native: bool | None = None
    native_why: str = ""
    requests_left: int | None = None


@dataclass(frozen=True, slots=True)
class BusyProcess:
    """Describes a process that uses processors."""

    pid: int
    name: str
    processors: float


@dataclass(frozen=True, slots=True)
class Load:
    """Describes what else the machine does, over a short look.

    Parameters
    ----------
    seconds : how long was looked
    used : processors at work, also such as this process may not use; this process's own left out
    stolen_share : of all processors' time that the hypervisor gave to others
    waiting_share : of all processors' time in which they were idle and a disk was waited for
    busiest : processes that used most, this one left out
    processors : of the machine, over which all of this is; None where that is not known
    """

    seconds: float = 0.0
    used: float | None = None
    stolen_share: float | None = None
    waiting_share: float | None = None
    busiest: tuple[BusyProcess, ...] = ()
    processors: int | None = None


@dataclass(frozen=True, slots=True)
class ControlGroup:
    """Describes the control group that dbdyno runs in and its servers inherit.

    Parameters
    ----------
    version : 1 or 2
    controllers : those that can be used here
    processors : quota of processor time, as a number of processors
    memory_bytes : limit
    is_writable : whether groups can be made here
    """

    version: int | None = None
    controllers: tuple[str, ...] = ()
    processors: float | None = None
    memory_bytes: int | None = None
    is_writable: bool | None = None


@dataclass(frozen=True, slots=True)
class Docker:
    """Describes what a Docker daemon (or one that speaks like it) says of itself.

    Parameters
    ----------
    error : why it said nothing; empty when it answered
    """

    socket: str
    version: str = ""
    processors: int | None = None
    memory_bytes: int | None = None
    warnings: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class Profiler:
    """Describes whether perf, the kernel's profiler, may sample the stacks of a process of this user.

    Parameters
    ----------
    version : as perf reports it; empty: it is not there, or not for this kernel
    paranoid : kernel.perf_event_paranoid; None: not known
    is_root : who may sample under any such setting
    """

    version: str = ""
    paranoid: int | None = None
    is_root: bool = False

    @property
    def sees_kernel(self) -> bool:
        """Return whether functions of the kernel can be sampled, too."""
        return self.is_root or (self.paranoid is not None and self.paranoid <= 1)

    def obstacle(self) -> tuple[str, str]:
        """Return why it can't, and the remedy; both empty where it can.

        >>> Profiler("6.1", 3).obstacle()[1]
        'sudo sysctl kernel.perf_event_paranoid=1, or run dbdyno as root'
        """
        if not self.version:
            return "perf is not installed", "install linux-perf (Debian), linux-tools-generic (Ubuntu) or perf (Fedora)"
        if not self.is_root and (self.paranoid is None or self.paranoid > _MOST_PARANOID):
            level_words = "unknown" if self.paranoid is None else str(self.paranoid)
            remedy = "sudo sysctl kernel.perf_event_paranoid=1, or run dbdyno as root"
            return f"kernel.perf_event_paranoid is {level_words}", remedy
        return "", ""


_MOST_PARANOID = 2


@dataclass(frozen=True, slots=True)
class Machine:
    """Holds everything that is looked at before a study.

    Parameters
    ----------
    clock_source : the kernel's choice
    virtualisation : ``none seen``, ``container`` or which machine it is a guest of
    delays_network : whether the kernel can hold packets back (netem) and we may ask it to
    docker : None where there is no socket
    profiler : None where it was not looked for
    """

    kernel: str = ""
    clock_source: str = ""
    virtualisation: str = ""
    delays_network: bool | None = None
    processors: Processors = field(default_factory=Processors)
    memory: Memory = field(default_factory=Memory)
    limits: Limits = field(default_factory=Limits)
    disk: Disk = field(default_factory=Disk)
    asynchronous: AsyncIo = field(default_factory=AsyncIo)
    load: Load = field(default_factory=Load)
    control_group: ControlGroup = field(default_factory=ControlGroup)
    docker: Docker | None = None
    profiler: Profiler | None = None
