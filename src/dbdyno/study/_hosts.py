"""Reads and writes the hosts of a study file: on which machine its servers run, and how that is reached."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dbdyno.core import Target
from dbdyno.nearest import nearest
from dbdyno.study import _schema
from dbdyno.study._tables import Tables
from dbdyno.study._values import BenchChoice, HostChoice, WorkloadChoice
from dbdyno.study._workloads import SQL_FILES

_TABLE = "hosts"
_NOT_PUSHED = {"image": "an image", "basedir": "a base directory", "server": "a running server"}


@dataclass(frozen=True, slots=True)
class HostsReader(Tables):
    """Reads ``[hosts.NAME]`` and ``[bench.NAME]``."""

    def bench(
        self,
        document: Mapping[str, Any],
        routes: Sequence[str],
        targets: Sequence[Target],
        workloads: Sequence[WorkloadChoice],
    ) -> BenchChoice | None:
        """Return where the servers run; None: on this machine."""
        hosts = {name: self._host(name, entry) for name, entry in self._mapping(document, _TABLE).items()}
        benches = self._mapping(document, "bench")
        if len(benches) > 1:
            what = f"{len(benches)} benches ({', '.join(benches)}): a study runs on one"
            why = "dbdyno does not support several benches yet"
            self._fail(f"bench.{list(benches)[1]}", "", what, why, "keep only one")
        bench = next((self._bench(name, entry, hosts) for name, entry in benches.items()), None)
        self._all_used(hosts, bench)
        if bench is None:
            if "network" in routes:
                what = "the route 'network' needs a server on another host"
                remedy = 'add [hosts.db1] with ssh and address, and [bench.a] with server = "db1"'
                self._fail("axes", "route", what, "without [bench] servers run on this machine", remedy)
            return None
        if "network" in routes and bench.server.address is None:
            what = "the route 'network' needs the address that the server listens on"
            self._fail(f"hosts.{bench.server.name}", "ssh", what, remedy='add address = "10.1.0.2" to the host')
        self._pushable(targets, workloads)
        return bench

    def _host(self, name: str, entry: object) -> HostChoice:
        table = f"{_TABLE}.{name}"
        if not isinstance(entry, dict):
            self._fail(_TABLE, name, f"[{table}] is not a table")
        values = self._table(entry, table, _schema.HOST)
        if values.pop("sudo"):
            what = f"[{table}] asks for sudo, which dbdyno does not use yet"
            why = "without it, memory limits, cold caches and network delays need an account with those privileges"
            self._fail(table, "sudo", what, why, "remove sudo")
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
        if server not in hosts:
            remedy = nearest(server, hosts, f"add [{_TABLE}.{server}]")
            self._fail(table, "server", f"no host is named '{server}'", f"hosts: {', '.join(hosts) or 'none'}", remedy)
        return BenchChoice(name, hosts[server])

    def _all_used(self, hosts: Mapping[str, HostChoice], bench: BenchChoice | None) -> None:
        for name in hosts:
            if bench is None or name != bench.server.name:
                remedy = f'add [bench.a] with server = "{name}", or remove the host'
                self._fail(f"{_TABLE}.{name}", "ssh", f"[{_TABLE}.{name}] is not used by any bench", remedy=remedy)

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


def bench_text(bench: BenchChoice | None) -> str:
    """The tables of a bench and its host; empty without one."""
    if bench is None:
        return ""
    host, name = bench.server, json.dumps(bench.server.name)
    lines = [f"\n[hosts.{name}]", f"ssh = {json.dumps(host.ssh)}"]
    lines += [f"address = {json.dumps(host.address)}"] if host.address is not None else []
    lines += [f"home = {json.dumps(host.home)}"] if host.home else []
    lines += [f'ports = "{host.ports[0]}-{host.ports[1]}"'] if host.ports is not None else []
    return "\n".join([*lines, f"\n[bench.{json.dumps(bench.name)}]", f"server = {name}"])
