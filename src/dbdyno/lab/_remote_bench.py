"""Obtains engines for servers on another host: fetched, checked and unpacked here, then copied there by content."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from dbdyno.configure import NetworkAccess, NetworkClient, check_shaping
from dbdyno.core import Home, HostError, Target, is_network_route
from dbdyno.hosts import Host, HostFacts, LocalHost, have_one_kernel
from dbdyno.hosts.remote import RemoteHost, connect
from dbdyno.lab._bench import LocalBench
from dbdyno.lab._context import LoadClient
from dbdyno.lab._generator import find_generator
from dbdyno.lab._passwords import remote_private_folder
from dbdyno.measure import LoadAgent
from dbdyno.provision import Installation, check_available, in_use, provision, push_installation
from dbdyno.study import NO_FOLDERS, BenchChoice, HostChoice, Study, WorkloadFolders

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
    with _connect_host(study, bench.server) as host:
        host.home.check()
        if any(map(is_network_route, study.routes)) and not bench.clients:
            _check_different_machines(bench.server.name, host, "this machine", lab)
        check_shaping(host, bench.server, study.shaped_routes)
        yield host


@dataclass(frozen=True, slots=True)
class ClientHost:
    """Describes a host that drives a share of the load of the route network."""

    choice: HostChoice
    host: RemoteHost


@dataclass(frozen=True, slots=True)
class StudyHosts:
    """Holds the machines that a study runs on.

    Parameters
    ----------
    host, home : of this machine
    generator : path of ``dbdyno-load`` here; None: it is looked for
    server_host : where the servers run, of a study with a bench; see `connected_bench`
    clients : where the clients of the route network run; see `connected_clients`
    """

    host: LocalHost
    home: Home
    generator: Path | None = None
    server_host: RemoteHost | None = None
    clients: Sequence[ClientHost] = ()


@contextlib.contextmanager
def connected_clients(
    study: Study, bench: BenchChoice | None, server: RemoteHost | None
) -> Iterator[tuple[ClientHost, ...]]:
    """Reach the hosts of a bench's clients while the block runs; none: they run on this machine.

    Raises
    ------
    HostError : one can't be reached, or two of the bench's hosts are one machine
    """
    with contextlib.ExitStack() as exit_stack:
        named_hosts = [] if bench is None or bench.server is None or server is None else [(bench.server.name, server)]
        clients = []
        for choice in () if bench is None else bench.clients:
            host = exit_stack.enter_context(_connect_host(study, choice))
            for name, other_host in named_hosts:
                _check_different_machines(choice.name, host, name, other_host)
            named_hosts.append((choice.name, host))
            clients.append(ClientHost(choice, host))
        yield tuple(clients)


@contextlib.contextmanager
def _connect_host(study: Study, choice: HostChoice) -> Iterator[RemoteHost]:
    reconnect_timeout_s = _LOST_PATHS * study.timeouts.path_ns / 1e9
    with connect(choice.ssh, find_generator(), home=choice.home, reconnect_timeout_s=reconnect_timeout_s) as host:
        host.end_agents_of_dead_labs()
        yield host


def _check_different_machines(name: str, host: Host, other_name: str, other_host: Host) -> None:
    if host.boot_id() == other_host.boot_id():
        raise HostError(
            f"{name} is {other_name}" if other_name == "this machine" else f"{name} and {other_name} are one machine",
            "both have the same boot id, so there is no network between them",
            "name another host, or remove the routes over the network",
        )


def check_separate_machines(study: Study, facts: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse benches that share a machine, by whatever names it was reached; facts as in ``host.json``, by bench.

    Raises
    ------
    HostError : two have the same boot id
    """
    uses_network = any(map(is_network_route, study.routes))
    owners: dict[str, str] = {}
    for bench, machine in facts.items():
        drivers = [machine["client"]] if uses_network and "client" in machine else machine.get("clients", {}).values()
        for boot_id in {str(host["boot_id"]) for host in (machine, *drivers) if "boot_id" in host}:
            if owners.setdefault(boot_id, bench) != bench:
                raise HostError(
                    f"benches {owners[boot_id]} and {bench} have the same machine",
                    "hosts of both have the same boot id; two runs at once on a machine would disturb each other",
                    "give each bench its own host",
                    code="same-machine",
                )


@contextlib.contextmanager
def network_access(study: Study, lab: Host, clients: Sequence[ClientHost] = ()) -> Iterator[NetworkAccess | None]:
    """Give the network clients' way to the study's servers while the block runs; None: there are none.

    Parameters
    ----------
    clients : hosts that they run on; none: this machine
    """
    server = study.bench.server if study.bench is not None else None
    if server is None or server.address is None or not any(map(is_network_route, study.routes)):
        yield None
        return
    with contextlib.ExitStack() as exit_stack:
        hosts: Sequence[Host] = [client.host for client in clients] or [lab]
        folders = [exit_stack.enter_context(remote_private_folder(host)) for host in hosts]
        network_clients = tuple(NetworkClient(host, folder) for host, folder in zip(hosts, folders, strict=True))
        yield NetworkAccess(server.address, server.ports, network_clients)


def client_facts(clients: Sequence[ClientHost], lab: HostFacts) -> dict[str, Any]:
    """Return facts of the machines that clients run on, by the names that ``host.json`` has for them."""
    if not clients:
        return {"client": asdict(lab)}
    return {"clients": {client.choice.name: asdict(client.host.facts()) for client in clients}}


def network_client(
    access: NetworkAccess | None,
    study_hosts: StudyHosts,
    generator: Path,
    lab_folders: WorkloadFolders = NO_FOLDERS,
    client_folders: Sequence[WorkloadFolders] = (),
) -> LoadClient:
    """Return where the clients of the route network run: on this machine, or led by the first of several hosts.

    Parameters
    ----------
    generator : path of ``dbdyno-load`` here
    lab_folders, client_folders : where workloads in a folder are on this machine, and on each client host
    """
    lab, clients = study_hosts.host, study_hosts.clients
    is_on_server_machine = access is not None and _drives_its_own_machine(study_hosts)
    if access is None or not clients:
        return LoadClient(
            lab,
            generator,
            lab.facts(study_hosts.home.root).logical_cpu_count,
            folders=lab_folders,
            is_on_server_machine=is_on_server_machine,
        )
    agents = tuple(
        LoadAgent(
            client.choice.name,
            client.choice.ssh,
            client.host.program.path,
            str(remote_client.password_file),
            client.host.facts().logical_cpu_count,
            folders,
        )
        for client, remote_client, folders in zip(clients, access.clients, client_folders, strict=True)
    )
    lead_host = clients[0].host
    lead_program = Path(lead_host.program.path)
    hosts = tuple(client.host for client in clients)
    return LoadClient(
        lead_host,
        lead_program,
        agents[0].logical_cpu_count,
        agents,
        lab,
        generator,
        hosts,
        folders=agents[0].folders,
        lab_folders=lab_folders,
        is_on_server_machine=is_on_server_machine,
    )


def _drives_its_own_machine(study_hosts: StudyHosts) -> bool:
    """Return whether a client of the network runs on the server's machine, whatever names both have."""
    server_host = study_hosts.server_host
    client_hosts: Sequence[Host] = [client.host for client in study_hosts.clients] or [study_hosts.host]
    return server_host is not None and any(have_one_kernel(server_host, host) for host in client_hosts)


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

    def check_engine(self, target: Target, progress: Callable[[str], None]) -> None:
        """See `Bench`."""
        check_available(target.engine, self.lab, self.lab_home, progress=progress)

    def obtain(self, target: Target, progress: Callable[[str], None]) -> Installation:
        """See `Bench`. The host needs no internet."""
        installation = provision(target.engine, self.lab, self.lab_home, progress=progress)
        with in_use(installation, self.lab_home, self.lab):
            storage_engine = target.engine.storage_engine
            remote_installation = push_installation(
                installation, storage_engine, self.lab_home, self.there, self.home, progress
            )
        self.exit_stack.enter_context(in_use(remote_installation, self.home, self.host))
        return remote_installation
