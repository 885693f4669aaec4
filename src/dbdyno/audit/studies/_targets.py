"""Reads the facts of a target, as the audit takes them, from its stored runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dbdyno.audit import TargetFacts
from dbdyno.audit.studies._inspection import RunSource
from dbdyno.audit.studies._window import Window
from dbdyno.core import IDLE_TIMES, RunRecord, Target, is_network_route
from dbdyno.engines import read_option_file
from dbdyno.study import Study

THIS_MACHINE = (None, "127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True)
class TargetRuns:
    """Holds runs of one target that are compared with those of others.

    Parameters
    ----------
    runs : those that were driven, in the order in which they were
    """

    source: RunSource
    study: Study
    target: Target
    runs: tuple[RunRecord, ...]

    @property
    def judged(self) -> RunRecord:
        """The run whose window and dumps speak for the target: the last at the highest concurrency."""
        return max(self.runs, key=lambda record: (record.run.cell.concurrency, record.run.order_index))

    @property
    def is_ours(self) -> bool:
        """Return whether dbdyno started it, with its own option file and restored data."""
        return not self.is_imported and not self.target.engine.source.startswith("server")

    @property
    def is_imported(self) -> bool:
        """Made by another tool: only what its files hold is known, and nothing of the machine."""
        return self.study.imported is not None

    def document(self, name: str) -> Any:  # noqa: ANN401 - foreign JSON
        """Return a document of the judged run; empty where it was stored without."""
        return self.source.document(self.judged.run.run_id, name)


def target_facts(runs: TargetRuns) -> TargetFacts:
    """Return all that is stored of a target, in the audit's words."""
    run_id = runs.judged.run.run_id
    window = runs.source.window(run_id)
    option_file = runs.source.option_file(run_id)  # empty for a server that dbdyno did not start
    return TargetFacts(
        name=runs.target.name,
        variables=_dump_rows(runs.document("variables")),
        status=_dump_rows(runs.document("status_before")),
        status_end=_dump_rows(runs.document("status_after")),
        counters_each_second=window.counters(),
        option_file=read_option_file(option_file).asked if option_file else None,
        session=_session_facts(runs),
        schema=_schema_facts(runs),
        host=_host_facts(runs, window),
        run=_run_facts(runs, window),
        version=runs.judged.version,
        storage_engine=runs.judged.storage_engine,
    )


def _dump_rows(dump: Mapping[str, Any]) -> dict[str, str] | None:
    return {name.lower(): str(value) for name, value in dump.items()} or None


def _session_facts(runs: TargetRuns) -> dict[str, Any]:
    """Return facts of the load's own sessions, one for each run."""
    starts = [runs.source.document(record.run.run_id, "start") for record in runs.runs]
    session_starts = [start for start in starts if start.get("session")]
    if not session_starts:
        return {}
    names = {
        "ssl_cipher": "tls_cipher",
        "compression": "compression",
        "auth_plugin": "auth_plugin",
        "collation_connection": "collation",
        "isolation": "isolation",
    }
    facts: dict[str, Any] = {
        fact_name: sorted({str(start["session"].get(session_key) or "") for start in session_starts})
        for fact_name, session_key in names.items()
        if all(session_key in start["session"] for start in session_starts)
    }
    if len(facts.get("collation_connection", ())) == 1:
        facts["collation_connection"] = facts["collation_connection"][0]
    facts["ssl_version"] = " and ".join(
        sorted({str(start["session"].get("tls_version") or "") for start in session_starts})
    )
    facts["transport"] = _transport_name(runs)
    return facts


def _transport_name(runs: TargetRuns) -> str:
    """Return socket, loopback or network; a server elsewhere is reached by the network under any route's name."""
    route = runs.judged.run.cell.route
    return "network" if _is_remote(runs) or is_network_route(route) else route


def _is_remote(runs: TargetRuns) -> bool:
    if runs.is_ours or runs.is_imported:
        return False
    address = runs.study.servers.get(runs.target.engine.source.partition(":")[2])
    return address is not None and address.host not in THIS_MACHINE


def _schema_facts(runs: TargetRuns) -> dict[str, Any]:
    schema_document = runs.document("schema")
    facts = {name: schema_document[name] for name in ("ddl", "columns", "data_bytes") if schema_document.get(name)}
    datasets = (runs.source.dataset(runs.target.name) or {}).get("datasets", ())
    workload = runs.study.workload_of(runs.target.name, runs.judged.run.cell.workload)
    matching_datasets = [
        entry for entry in datasets if workload.uses_dataset(entry.get("workload", workload.name), entry["options"])
    ] or list(datasets)
    if matching_datasets:
        facts["row_count"] = matching_datasets[0]["rows_total"]
    return facts


def _host_facts(runs: TargetRuns, window: Window) -> dict[str, Any]:
    """Return the machine that the server ran on: this one, unless the server is elsewhere."""
    if runs.is_imported:
        return _observed_machine(runs)
    if _is_remote(runs):
        return {"name": runs.study.servers[runs.target.engine.source.partition(":")[2]].host}
    benches = runs.source.host.get("benches", {})
    host, process = benches.get(runs.judged.bench, runs.source.host), runs.document("process")
    machines = [benches[name] for name in sorted({run.bench for run in runs.runs}) if name in benches] or [host]
    processors = host.get("logical_cpu_count") or 0
    is_client_elsewhere = bool(runs.study.benches) and is_network_route(runs.judged.run.cell.route)
    facts = {
        "machine_id": _joined_machine_fact(machines, "boot_id"),
        "name": _joined_machine_fact(machines, "hostname"),
        "numa_nodes": host.get("numa_node_count"),
        "thp_mode": host.get("transparent_huge_pages"),
        "rotational": host.get("rotational"),
        "free_memory_bytes": _cacheable_bytes(runs, window),
        "rss_bytes": window.median("server.resident"),
        "idle_share": _processors_used_share(_idle_processors(window), processors),
        "client_cpu_share": None
        if is_client_elsewhere
        else _processors_used_share(window.median("client.cpu.user", "client.cpu.system"), processors),
        "processors": processors or None,
        "cpu_partition": "processors of their own" if runs.study.pinning.is_apart or is_client_elsewhere else None,
        **{name: process.get(name) for name in ("proc_limits", "cgroup", "allocator", "numa_policy")},
    }
    if runs.is_ours:
        engine = runs.source.engine(runs.target.name) or {}
        facts |= {"option_files_read": [], "servers": 1, "base_image": _build_origin(engine)}
    return {name: value for name, value in facts.items() if value is not None}


def _joined_machine_fact(machines: Sequence[Mapping[str, Any]], fact: str) -> str | None:
    """Return a fact of the benches of a target's runs: the same for all targets whose rounds they share."""
    return " and ".join(str(machine[fact]) for machine in machines if machine.get(fact)) or None


def _observed_machine(runs: TargetRuns) -> dict[str, Any]:
    """Return the machine by the readings during the load; all of them, where its runs were not made on one."""
    starts = [runs.source.document(record.run.run_id, "start") for record in runs.runs]
    machines = [machine for start in starts if isinstance(machine := start.get("machine"), Mapping)]
    names = sorted({str(name) for machine in machines if (name := machine.get("hostname"))})
    return {"name": " and ".join(names)} if names else {}


def _cacheable_bytes(runs: TargetRuns, window: Window) -> float | None:
    """Return the memory that can cache the server's files: the machine's, or what a memory limit leaves free."""
    free_bytes = window.median("memory.available")
    limit: int | None = runs.document("life").get("memory", {}).get("limit_bytes")
    own_bytes = window.median("server.limit.anonymous")
    if limit is None or own_bytes is None:
        return free_bytes
    headroom_bytes = max(limit - own_bytes, 0.0)
    return headroom_bytes if free_bytes is None else min(free_bytes, headroom_bytes)


def _build_origin(engine: Mapping[str, Any]) -> str | None:
    """Return what the build was made for, such as the distribution of its package."""
    return f"{engine['source']} {engine['location']}" if engine.get("location") else None


def _idle_processors(window: Window) -> float | None:
    """Return processors without work: those that wait for a disk could run something, too."""
    known_times = [name for name in IDLE_TIMES if name in window.metrics]
    return window.median(*known_times) if known_times else None


def _processors_used_share(processors_used: float | None, processors: int) -> float | None:
    return None if processors_used is None or not processors else processors_used / processors


def _run_facts(runs: TargetRuns, window: Window) -> dict[str, Any]:
    if runs.is_imported:
        return {"transactions_each_second": list(window.tps)}
    if not any(record.span.started_ns for record in runs.runs):
        return {}  # inspected, not driven
    errors: Counter[str] = Counter()
    for record in runs.runs:
        errors.update(dict(record.figures.errors))
    return {
        "errors": dict(errors),
        "transactions": sum(record.figures.transactions for record in runs.runs),
        "drops_errors": False,
        "transactions_each_second": list(window.tps_at("engine.pool.misses")),
        "start_times": [record.span.started_ns for record in runs.runs if record.run.cell == runs.judged.run.cell],
    }


def of_target(source: RunSource, study: Study, target: Target, records: Sequence[RunRecord]) -> TargetRuns | None:
    """Return the runs of a target among these that were driven; None when there is none."""
    driven_records = tuple(
        record
        for record in records
        if record.run.cell.target == target.name
        and record.status in ("good", "suspect")
        and source.document(record.run.run_id, "variables")
    )
    return TargetRuns(source, study, target, driven_records) if driven_records else None
