"""Obtains engines for servers on another host: fetched, checked and unpacked here, then copied there by content."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from dbdyno.configure import NetworkAccess, check_shaping
from dbdyno.core import Home, HostError, Target, is_network_route
from dbdyno.hosts import Host
from dbdyno.hosts.remote import RemoteHost, connect
from dbdyno.lab._bench import LocalBench
from dbdyno.lab._generator import find_generator
from dbdyno.lab._passwords import private_folder
from dbdyno.provision import Installation, in_use, provision, push_installation
from dbdyno.study import BenchChoice, Study

_LOST_PATHS = 6
"""A lost control connection is tried again for so many times what loses one of the load: what was cut may be mended."""


@contextlib.contextmanager
def connected_bench(study: Study, bench: BenchChoice | None, lab: Host) -> Iterator[RemoteHost | None]:
    """Reach the host of a bench's servers while the block runs; None: they run on this machine.

    Raises
    ------
    HostError : it can't be reached, it is this machine, or its network can't be shaped as the study asks
    """
    if bench is None or bench.server is None:
        yield None
        return
    patience_s = _LOST_PATHS * study.timeouts.path_ns / 1e9
    with connect(bench.server.ssh, find_generator(), home=bench.server.home, patience_s=patience_s) as host:
        host.home.check()
        host.end_agents_of_dead_labs()
        if any(map(is_network_route, study.routes)) and host.boot_id() == lab.boot_id():
            raise HostError(
                f"{bench.server.name} is this machine",
                "both have the same boot id, so there is no network between them",
                "name another host, or remove the routes over the network",
            )
        check_shaping(host, bench.server, study.shaped_routes)
        yield host


@contextlib.contextmanager
def network_access(study: Study, lab: Host) -> Iterator[NetworkAccess | None]:
    """How clients on this machine reach the study's servers while the block runs; None: they do not."""
    server = study.bench.server if study.bench is not None else None
    if server is None or server.address is None or not any(map(is_network_route, study.routes)):
        yield None
        return
    with private_folder(lab) as folder:
        yield NetworkAccess(server.address, server.ports, lab, folder)


@dataclass(frozen=True, slots=True)
class RemoteBench(LocalBench):
    """See `Bench`. Its `host` and `home` are those of the servers.

    Parameters
    ----------
    there : its host, which files are sent to
    lab, lab_home : the machine that engines are fetched on, which is this one
    """

    there: RemoteHost = field(kw_only=True)
    lab: Host = field(kw_only=True)
    lab_home: Home = field(kw_only=True)

    def obtain(self, target: Target, progress: Callable[[str], None]) -> Installation:
        """See `Bench`. The host needs no internet."""
        installation = provision(target.engine, self.lab, self.lab_home, progress=progress)
        with in_use(installation, self.lab_home, self.lab):
            storage_engine = target.engine.storage_engine
            moved = push_installation(installation, storage_engine, self.lab_home, self.there, self.home, progress)
        self.held.enter_context(in_use(moved, self.home, self.host))
        return moved
