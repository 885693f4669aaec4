"""Reads and writes the hosts of a study file: on which machine its servers run, and how that is reached."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dbdyno.core import ROUTES, Target, is_network_route
from dbdyno.nearest import nearest
from dbdyno.study import _schema
from dbdyno.study._tables import Tables
from dbdyno.study._values import BenchChoice, FleetChoice, HostChoice, Study, WorkloadChoice
from dbdyno.study._workloads import SQL_FILES

_TABLE = "hosts"
_NOT_PUSHED = {"image": "an image", "basedir": "a base directory", "server": "a running server"}


@dataclass(frozen=True, slots=True)
class HostsReader(Tables):
    """Reads ``[hosts.NAME]`` and ``[bench.NAME]``."""

    def benches(
        self,
        document: Mapping[str, Any],
        routes: Sequence[str],
        targets: Sequence[Target],
        workloads: Sequence[WorkloadChoice],
    ) -> tuple[BenchChoice, ...]:
        """Return where the servers run; none: on this machine."""
        hosts = {name: self._host(name, entry) for name, entry in self._mapping(document, _TABLE).items()}
        tables = self._mapping(document, "bench")
        benches = tuple(self._bench(name, entry, hosts) for name, entry in tables.items())
        self._used(hosts, benches)
        if self.fleet(document).engine == "processes":
            self._used_once(benches)
        for route in filter(is_network_route, routes):
            self._reached_by_network(benches, route)
        if any(bench.server is not None for bench in benches):
            self._pushable(targets, workloads)
        return benches

    def fleet(self, document: Mapping[str, Any]) -> FleetChoice:
        """Return what drives several benches."""
        entry = self._mapping(document, "fleet")
        fleet = FleetChoice(**self._table(entry, "fleet", _schema.FLEET))
        if entry and len(self._mapping(document, "bench")) < 2:
            what = "[fleet] says what drives several benches, and the study has fewer than two"
            self._fail("fleet", "engine", what, remedy="add a [bench.NAME], or remove [fleet]")
        return fleet

    def _reached_by_network(self, benches: Sequence[BenchChoice], route: str) -> None:
        for bench in benches or (BenchChoice(""),):
            if bench.server is None:
                what = f"the route '{route}' needs a server on another host"
                remedy = 'add [hosts.db1] with ssh and address, and [bench.a] with server = "db1"'
                self._fail("axes", "route", what, "without [bench] and its server, servers run on this machine", remedy)
            if bench.server.address is None:
                what = f"the route '{route}' needs the address that the server listens on"
                self._fail(f"hosts.{bench.server.name}", "ssh", what, remedy='add address = "10.1.0.2" to the host')
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
        if values["client"]:
            what = "clients on other hosts are not supported yet"
            self._fail(table, "client", what, "the load generator runs on this machine", "remove client")
        server = values["server"]
        if not server:
            return BenchChoice(name)
        if server not in hosts:
            remedy = nearest(server, hosts, f"add [{_TABLE}.{server}]")
            self._fail(table, "server", f"no host is named '{server}'", f"hosts: {', '.join(hosts) or 'none'}", remedy)
        return BenchChoice(name, hosts[server])

    def _used(self, hosts: Mapping[str, HostChoice], benches: Sequence[BenchChoice]) -> None:
        servers = [bench.server.name for bench in benches if bench.server is not None]
        for name in hosts:
            if name not in servers:
                remedy = f'add [bench.a] with server = "{name}", or remove the host'
                self._fail(f"{_TABLE}.{name}", "ssh", f"[{_TABLE}.{name}] is not used by any bench", remedy=remedy)

    def _used_once(self, benches: Sequence[BenchChoice]) -> None:
        """Refuse benches with one machine; with Ray, a bench without a host is the node that drives it."""
        servers = [bench.server.name if bench.server is not None else "" for bench in benches]
        for index, (bench, server) in enumerate(zip(benches, servers, strict=True)):
            if server in servers[:index]:
                what = f"benches {benches[servers.index(server)].name} and {bench.name} have the same machine"
                why = "two runs at once on a machine would disturb each other"
                self._fail(f"bench.{bench.name}", "server", what, why, "give each bench its own host")

    def _pushable(self, targets: Sequence[Target], workloads: Sequence[WorkloadChoice]) -> None:
        for index, target in enumerate(targets):
            kind = target.engine.source_kind
            what = "a plug-in file" if target.engine.plugin else _NOT_PUSHED.get(kind, "")
            if what:
                why = (
                    "dbdyno copies engines from packages and archives to the host; other sources are not "
                    "supported there yet"
                )
                words = f"'{target.name}' is {what}, which can't be used on another host"
                self._fail("target", "engine", words, why, "use a package or an archive", index=index)
        for choice in workloads:
            if choice.name.startswith(SQL_FILES):
                what = f"'{choice.label}' is a folder on this machine, which clients on another host can't read"
                self._fail("workload", "name", what, remedy="use a built-in workload")


def benches_text(study: Study) -> str:
    """The tables of benches, their hosts and what drives them; empty without any."""
    fleet = study.fleet
    lines = [f'\n[fleet]\nengine = "{fleet.engine}"\naddress = {json.dumps(fleet.address)}']
    return "\n".join([*map(_bench_text, study.benches), *(lines if fleet != FleetChoice() else [])])


def _bench_text(bench: BenchChoice) -> str:
    table, host = f"\n[bench.{json.dumps(bench.name)}]", bench.server
    if host is None:
        return table
    name = json.dumps(host.name)
    lines = [f"\n[hosts.{name}]", f"ssh = {json.dumps(host.ssh)}"]
    lines += [f"address = {json.dumps(host.address)}"] if host.address is not None else []
    lines += [f"home = {json.dumps(host.home)}"] if host.home else []
    lines += [f'ports = "{host.ports[0]}-{host.ports[1]}"'] if host.ports is not None else []
    lines += [f"sudo = {json.dumps(host.sudo)}"] if host.sudo else []
    return "\n".join([*lines, table, f"server = {name}"])
