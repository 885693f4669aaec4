"""Carries what the steps of a study share: the study, the machine, the results folder, the stream of events."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from dbdyno.core import DbdynoError, Home, Profiler, Route, Run, Target, is_network_route
from dbdyno.hosts import Host, HostFacts
from dbdyno.lab import _events as events
from dbdyno.lab._bench import Bench, RunServer
from dbdyno.lab._retry import NO_RETRY, RetryChoice
from dbdyno.measure import LoadAgent
from dbdyno.measure.client import Calibration
from dbdyno.plan import Plan
from dbdyno.populate import ConditionAnswer, Dataset, Snapshot
from dbdyno.provision import Installation
from dbdyno.store import JsonValue, Results, ResultsWriter, StoredRun
from dbdyno.study import ResolvedWorkload, Study, WorkloadFolders

Auditor: TypeAlias = Callable[[Results, Study, Sequence[StoredRun]], events.ServersAudited]
"""Judges servers by inspections: stored runs without a load, one per target."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Holds choices of the caller that are not part of the study.

    Parameters
    ----------
    command_line : how dbdyno was called, for the manifest
    retry : stored runs that are made again
    calibration : of the load generator on the servers' machine; None: not known
    examined : state of each machine that was examined and its diagnosis, for the journal
    auditor : judges the targets' servers before the first run, and may stop the study there; None: no audit
    profiler : profiles each run's server; None: none is, as in all runs that are judged
    only : ids of the runs to make now; None: all that are missing
    machine : name of the machine that a part of the study runs on; empty: that of the study's bench, if it has one
    """

    command_line: Sequence[str] = ()
    retry: RetryChoice = NO_RETRY
    calibration: Calibration | None = None
    examined: Sequence[Mapping[str, JsonValue]] = ()
    auditor: Auditor | None = None
    profiler: Profiler | None = None
    only: frozenset[str] | None = None
    machine: str = ""


@dataclass(frozen=True, slots=True)
class PreparedTarget:
    """Describes a target ready for its runs.

    Parameters
    ----------
    snapshots : digest of a dataset -> snapshot; empty for a running server, which was filled in place
    undecided : digest of a dataset -> conditions that were not answered in time after it was filled
    wait_sites : names waits of the server's threads; None for a running server
    """

    target: Target
    installation: Installation
    snapshots: Mapping[str, Snapshot] = field(default_factory=dict)
    undecided: Mapping[str, tuple[ConditionAnswer, ...]] = field(default_factory=dict)
    wait_sites: Path | None = None

    @property
    def is_running_server(self) -> bool:
        """Not ours: neither configured, restored nor stopped."""
        return self.installation.address is not None


@dataclass(frozen=True, slots=True)
class UnpreparedTarget:
    """Describes a target whose server died or refused while it was set up: its runs fail with this reason."""

    target: Target
    installation: Installation
    error: DbdynoError


@dataclass(frozen=True, slots=True)
class LoadClient:
    """Describes where the load generator runs.

    Parameters
    ----------
    host : of several the first, whose clock counts the seconds
    generator : path of ``dbdyno-load`` there
    agents : hosts that are one client together; none: the load is driven on `host` alone
    agent_hosts : the host of each of `agents`
    lab, lab_generator : where their records are merged; None without `agents`
    folders : where workloads that lie in a directory are on `host`; empty: where the study says
    lab_folders : where they are on `lab`
    is_on_server_machine : one kernel runs both, whatever names they have
    """

    host: Host
    generator: Path
    logical_cpu_count: int
    agents: tuple[LoadAgent, ...] = ()
    lab: Host | None = None
    lab_generator: Path | None = None
    agent_hosts: tuple[Host, ...] = ()
    folders: WorkloadFolders = field(default_factory=dict)
    lab_folders: WorkloadFolders = field(default_factory=dict)
    is_on_server_machine: bool = False

    @property
    def order_folders(self) -> WorkloadFolders:
        """Return the folders on the machine that the load order is given to."""
        return self.lab_folders if self.agents else self.folders


@dataclass(frozen=True, slots=True)
class RunContext:
    """Carries the study and everything that its steps use from one to the next.

    Parameters
    ----------
    host, home : of the servers, and of the clients on the routes socket and loopback
    generator : path of ``dbdyno-load`` there
    machine : facts of that machine
    network_client : where the clients of the route network and of shaped ones run; None: the study has none
    folders : where workloads that lie in a directory are on `host`; empty: where the study says
    emit : hands an event to the journal, the live log and the console
    """

    study: Study
    plan: Plan
    results: Results
    bench: Bench
    host: Host
    home: Home
    generator: Path
    machine: HostFacts
    options: RunOptions
    writer: ResultsWriter
    emit: events.OnEvent
    network_client: LoadClient | None = None
    folders: WorkloadFolders = field(default_factory=dict)

    def client(self, route: Route) -> LoadClient:
        """Return where the clients of a route run: those of the network on another machine than the server."""
        if is_network_route(route) and self.network_client is not None:
            return self.network_client
        return LoadClient(self.host, self.generator, self.machine.logical_cpu_count, folders=self.folders)

    def dataset(self, target: str, label: str) -> Dataset:
        """Return the dataset of a workload as a target is given it, to be filled on the servers' host."""
        return Dataset.of_study(self.study, self.study.workload_of(target, label), self.folders)

    def workload(self, target: str, label: str) -> ResolvedWorkload | None:
        """Look up what the load generator says of a workload; None where it was not asked."""
        return self.plan.workloads.get((target, label))

    def run_server(self, run: Run, prepared: PreparedTarget) -> RunServer:
        """Start a server on restored data for a run, or attach to one that is not ours."""
        if prepared.is_running_server:
            return self.bench.running_server(prepared.target, prepared.installation)
        snapshot = prepared.snapshots[self.dataset(run.cell.target, run.cell.workload).digest]
        return self.bench.run_server(run, prepared.target, prepared.installation, snapshot)
