"""Reads and writes the hosts of a study file: on which machine its servers run, and how that is reached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dbdyno.core import ROUTES, Target, counted, is_network_route
from dbdyno.nearest import nearest
from dbdyno.study import _schema
from dbdyno.study._pacing import Pacing
from dbdyno.study._places import BenchChoice, FleetChoice, HostChoice
from dbdyno.study._tables import Tables
from dbdyno.study._toml_text import quoted
from dbdyno.study._values import Pinning, Study, WorkloadChoice
from dbdyno.study._workloads import DATA_FILE, SQL_FILES

_TABLE = "hosts"
_NOT_PUSHED = {
    "image": (
        "an image",
        "dbdyno copies engines from packages, archives and base directories to the host, but no images yet",
        "use a package or an archive",
    ),
    "server": (
        "a running server",
        "dbdyno starts the servers of a bench itself; it drives a running server from this machine, by its address",
        "remove [bench] and [hosts] (--host), or the running server",
    ),
}
"""Sources of engines that a host can't have: what they are, why not, and what to do."""
_IN_ROUNDS = frozenset({"insert-benchmark"})
"""Workloads whose connections wait for each other; the load generator refuses to share them, too."""


@dataclass(frozen=True, slots=True)
class NetworkLoad:
    """Describes what client hosts would have to drive."""

    concurrencies: tuple[int, ...]
    pacing: Pacing
    pinning: Pinning


@dataclass(frozen=True, slots=True)
class HostsReader(Tables):
    """Reads ``[hosts.NAME]`` and ``[bench.NAME]``."""

    def benches(
        self,
        document: Mapping[str, Any],
        routes: Sequence[str],
        targets: Sequence[Target],
        workloads: Sequence[WorkloadChoice],
        load: NetworkLoad,
    ) -> tuple[BenchChoice, ...]:
        """Return where the servers run; none: on this machine."""
        hosts = {name: self._host(name, entry) for name, entry in self._mapping(document, _TABLE).items()}
        tables = self._mapping(document, "bench")
        benches = tuple(self._bench(name, entry, hosts) for name, entry in tables.items())
        self._check_hosts_used(hosts, benches)
        for route in filter(is_network_route, routes):
            self._check_network_addresses(benches, route)
        by_ray = self.fleet(document).engine == "ray"
        self._refuse_shared_benches(benches, routes, by_ray=by_ray)
        if any(bench.server is not None for bench in benches):
            self._check_pushable(targets, workloads, by_ray=by_ray)
        for bench in benches:
            if bench.clients:
                self._check_drivable(bench, routes, workloads, load)
        return benches

    def fleet(self, document: Mapping[str, Any]) -> FleetChoice:
        """Return what drives several benches."""
        entry = self._mapping(document, "fleet")
        fleet = FleetChoice(**self._table(entry, "fleet", _schema.FLEET))
        if entry and len(self._mapping(document, "bench")) < 2:
            what = "[fleet] says what drives several benches, and the study has fewer than two"
            self._fail("fleet", "engine", what, remedy="add a [bench.NAME], or remove [fleet]")
        return fleet

    def _check_network_addresses(self, benches: Sequence[BenchChoice], route: str) -> None:
        for bench in benches or (BenchChoice(""),):
            if bench.server is None:
                what = f"the route '{route}' needs a server on another host"
                remedy = 'add [hosts.db1] with ssh and address, and [bench.a] with server = "db1"'
                self._fail("axes", "route", what, "without [bench] and its server, servers run on this machine", remedy)
            if bench.server.address is None:
                what = f"the route '{route}' needs the address that the server listens on"
                remedy = 'add address = "10.1.0.2" to the host, or --host-address'
                self._fail(f"hosts.{bench.server.name}", "ssh", what, remedy=remedy)
            if route not in ROUTES and ":" in bench.server.address:
                what = f"the shaped route '{route}' needs an IPv4 address"
                self._fail(f"hosts.{bench.server.name}", "address", what, f"{bench.server.address} is IPv6")

    def _host(self, name: str, entry: object) -> HostChoice:
        table = f"{_TABLE}.{name}"
        if not isinstance(entry, dict):
            self._fail(_TABLE, name, f"[{table}] is not a table")
        values = self._table(entry, table, _schema.HOST)
        return HostChoice(name, **{**values, "ssh": values["ssh"] or name})

    def _bench(self, name: str, entry: object, hosts: Mapping[str, HostChoice]) -> BenchChoice:
        table = f"bench.{name}"
        if not isinstance(entry, dict):
            self._fail("bench", name, f"[{table}] is not a table", remedy=f'write [{table}] and server = "HOST"')
        values = self._table(entry, table, _schema.BENCH)
        server = self._look_up_host(values["server"], table, "server", hosts) if values["server"] else None
        clients = tuple(self._look_up_host(client, table, "client", hosts) for client in values["client"])
        self._refuse_shared_machine(table, server, clients)
        return BenchChoice(name, server, clients)

    def _look_up_host(self, host: str, table: str, key: str, hosts: Mapping[str, HostChoice]) -> HostChoice:
        if host not in hosts:
            remedy = nearest(host, hosts, f"add [{_TABLE}.{host}]")
            self._fail(table, key, f"no host is named '{host}'", f"hosts: {', '.join(hosts) or 'none'}", remedy)
        return hosts[host]

    def _refuse_shared_machine(self, table: str, server: HostChoice | None, clients: Sequence[HostChoice]) -> None:
        """Refuse one machine in two places of a bench."""
        if clients and server is None:
            what = f"[{table}] has clients on other hosts and no server on one"
            why = "clients on other hosts need the route 'network', and that needs a server on another host"
            self._fail(table, "client", what, why, 'add server = "HOST", or remove client')
        destinations = [server.ssh for server in (server,) if server is not None]
        for client in clients:
            if client.ssh in destinations:
                is_server = server is not None and client.ssh == server.ssh
                why = "a load on the server's host takes its processors" if is_server else ""
                what = f"{client.name} is {'the server and a client' if is_server else 'a client twice'} in [{table}]"
                self._fail(table, "client", what, why, "name each machine once")
            destinations.append(client.ssh)

    def _check_hosts_used(self, hosts: Mapping[str, HostChoice], benches: Sequence[BenchChoice]) -> None:
        used_names = [bench.server.name for bench in benches if bench.server is not None]
        used_names += [client.name for bench in benches for client in bench.clients]
        for name in hosts:
            if name not in used_names:
                remedy = f'add [bench.a] with server = "{name}", or remove the host'
                self._fail(f"{_TABLE}.{name}", "ssh", f"[{_TABLE}.{name}] is not used by any bench", remedy=remedy)

    def _check_drivable(
        self, bench: BenchChoice, routes: Sequence[str], workloads: Sequence[WorkloadChoice], load: NetworkLoad
    ) -> None:
        """Refuse a load that the bench's client hosts can't drive as one client."""
        table, count = f"bench.{bench.name}", len(bench.clients)
        if not any(map(is_network_route, routes)):
            what = f"[{table}] has clients on other hosts, and the study has no route to the server from there"
            self._fail(table, "client", what, remedy='add "network" to axes.route, or remove client')
        if load.pacing.search is not None:
            what, why = "a search can't be driven from client hosts", "its next rate depends on the results of all"
            self._fail(table, "client", what, why, "remove client, or give rates one by one")
        if load.pinning.client is not None:
            what, why = "pinning.client names processors, and clients run on other hosts", "each host has its own"
            self._fail("pinning", "client", what, why, "remove pinning.client, or client from the bench")
        if min(load.concurrencies) < count:
            what = f"{counted(min(load.concurrencies), 'connection')} can't be distributed over {count} client hosts"
            self._fail("axes", "concurrency", what, remedy=f"ask for {count} or more, or name fewer hosts in client")
        for choice in workloads:
            if count > 1 and choice.name in _IN_ROUNDS:
                what = f"'{choice.label}' can't be shared by several client hosts"
                why = "its connections work in rounds that one process keeps"
                self._fail(table, "client", what, why, "name one host in client")

    def _refuse_shared_benches(self, benches: Sequence[BenchChoice], routes: Sequence[str], *, by_ray: bool) -> None:
        """Refuse benches that share a machine.

        With Ray, what a bench names no host for is its own node. Otherwise it is this machine, also for the clients of
        a network.
        """
        uses_network = any(map(is_network_route, routes))
        owners: dict[str, str] = {}
        for bench in benches:
            keys: dict[str, str] = {}
            if bench.server is not None or not by_ray:
                keys["" if bench.server is None else bench.server.ssh] = "server"
            keys |= {client.ssh: "client" for client in bench.clients}
            if not by_ray and uses_network and not bench.clients:
                keys.setdefault("", "client")
            for machine, key in keys.items():
                if owners.setdefault(machine, bench.name) != bench.name:
                    drives = "" if machine or key == "server" else ": both drive their load from this one"
                    what = f"benches {owners[machine]} and {bench.name} have the same machine{drives}"
                    why = "two runs at once on a machine would disturb each other"
                    remedy = "name hosts in client" if drives else "give each bench its own host"
                    self._fail(f"bench.{bench.name}", key, what, why, remedy)

    def _check_pushable(self, targets: Sequence[Target], workloads: Sequence[WorkloadChoice], *, by_ray: bool) -> None:
        for index, target in enumerate(targets):
            kind = target.engine.source_kind
            if kind in _NOT_PUSHED:
                source, why, remedy = _NOT_PUSHED[kind]
                words = f"'{target.name}' is {source}, which can't be used on another host"
                self._fail("target", "engine", words, why, remedy, index=index)
        for index, choice in enumerate(workloads):
            if by_ray and choice.name.startswith(SQL_FILES):
                what = f"'{choice.label}' is a folder on this machine, which the nodes of a Ray cluster can't read"
                remedy = 'use a built-in workload, or remove engine = "ray" from [fleet]'
                self._fail("workload", "name", what, remedy=remedy, index=index)
            has_file = any(o.get(DATA_FILE) for o in (choice.options, *(t.workload_options for t in targets)))
            if has_file and by_ray:
                what = (
                    f"the nodes of a Ray cluster can't read the data file of '{choice.label}', which is on this machine"
                )
                remedy = f'remove {DATA_FILE}, or engine = "ray" from [fleet]'
                self._fail("workload", DATA_FILE, what, remedy=remedy, index=index)


def benches_text(study: Study) -> str:
    """Return the tables of benches, their hosts and what drives them; empty without any."""
    fleet = study.fleet
    lines = [f'\n[fleet]\nengine = "{fleet.engine}"\naddress = {quoted(fleet.address)}']
    return "\n".join([*map(_bench_text, study.benches), *(lines if fleet != FleetChoice() else [])])


def _bench_text(bench: BenchChoice) -> str:
    table, server = f"\n[bench.{quoted(bench.name)}]", bench.server
    if server is None:
        return table
    hosts = [line for host in (server, *bench.clients) for line in _host_lines(host)]
    names = ", ".join(quoted(client.name) for client in bench.clients)
    clients = [f"client = [{names}]"] if names else []
    return "\n".join([*hosts, table, f"server = {quoted(server.name)}", *clients])


def _host_lines(host: HostChoice) -> list[str]:
    lines = [f"\n[hosts.{quoted(host.name)}]", f"ssh = {quoted(host.ssh)}"]
    lines += [f"address = {quoted(host.address)}"] if host.address is not None else []
    lines += [f"home = {quoted(host.home)}"] if host.home else []
    lines += [f'ports = "{host.ports[0]}-{host.ports[1]}"'] if host.ports is not None else []
    lines += [f"sudo = [{', '.join(map(quoted, host.sudo))}]"] if host.sudo else []
    return lines
