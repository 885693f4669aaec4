"""How many files, threads and connections there may be."""

from __future__ import annotations

import resource

from dbdyno.core import UNLIMITED, Limits
from dbdyno.hosts.machine._files import Tree


def read_limits(tree: Tree, group_processes: int | None) -> Limits:
    """Limits of this process and of the kernel; `group_processes`: what its control group allows, None: anything."""
    _, files = resource.getrlimit(resource.RLIMIT_NOFILE)
    _, own = resource.getrlimit(resource.RLIMIT_NPROC)
    threads = tree.number("/proc/sys/kernel/threads-max")
    processes = [_plain(own), threads, group_processes]
    return Limits(
        open_files=_plain(files),
        processes=min(count for count in processes if count is not None),
        backlog=tree.number("/proc/sys/net/core/somaxconn"),
        ports=_ports(tree.text("/proc/sys/net/ipv4/ip_local_port_range")),
    )


def _plain(limit: int) -> int:
    return UNLIMITED if limit == resource.RLIM_INFINITY else limit


def _ports(text: str) -> int | None:
    ends = text.split()
    return int(ends[1]) - int(ends[0]) + 1 if len(ends) == 2 else None
