"""Writes the order that the load generator is given: ``contract/load-order.schema.json``. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from dbdyno.core import RetriedError, Run
from dbdyno.engines import conflicts_of
from dbdyno.plan import adaptive_length_rule
from dbdyno.stats import AdaptiveLengthRule
from dbdyno.store import JsonValue
from dbdyno.study import ErrorPolicy, Pacing, Search, Study, WorkloadChoice, WorkloadFolders, placed_workload

SCHEMA_VERSION = 1
_DRAIN_NS = 5 * 10**9
_CONNECT_NS = 60 * 10**9
_PROBES_MOST = 60
_COUNTS_EVERY_NS = 10 * 10**9
"""Of an open length: often enough to lose little at the window's ends, rare enough that the sum over the districts of
thousands of warehouses, which takes tens of milliseconds, adds no load."""
_THIS_MACHINE = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True)
class LoadAgent:
    """Describes a host that drives a share of the load, reached by SSH.

    Parameters
    ----------
    name : what people call it
    ssh : as ssh takes it
    program : ``dbdyno-load`` there
    password_file : of the load's account, there
    folders : of workloads that lie in a directory, there
    """

    name: str
    ssh: str
    program: str
    password_file: str
    logical_cpu_count: int
    folders: WorkloadFolders = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LoadOrder:
    """Describes what is driven, against what, and for how long.

    Parameters
    ----------
    target : address, user, name of the password's file, database: never a password
    workers : threads of the load generator
    is_step : the server has driven another concurrency before, so the warm-up is the short one
    agents : hosts that drive the load together; none: the load generator that gets the order does
    folders : of workloads that lie in a directory, on the machine of the load generator that gets the order
    is_on_server_machine : a route over the network leads to a host that is this very machine, such as a container
    """

    run: Run
    study: Study
    target: Mapping[str, JsonValue]
    workers: int
    is_step: bool = False
    agents: Sequence[LoadAgent] = ()
    folders: WorkloadFolders = field(default_factory=dict)
    is_on_server_machine: bool = False

    def to_json(self) -> dict[str, JsonValue]:
        """Return the order as it is sent and stored."""
        choice = self.study.workload_of(self.run.cell.target, self.run.cell.workload)
        name, options = placed_workload(choice.name, choice.options, self.folders)
        client = self.study.pinning.client
        return {
            "schema_version": SCHEMA_VERSION,
            "target": dict(self.target),
            "workload": {"name": name, "options": {**options}},
            "protocol": self.study.protocol,
            "rng": self.study.rng,
            "seed": self.run.seed,
            "concurrency": self.run.cell.concurrency,
            "workers": self.workers,
            "cpus": list(client) if client else None,
            "pacing": _pacing(self.study.pacing, self.study.window_ns),
            "phases": list(_phases(self.study, self.adaptive_length_rule)),
            "errors": _error_policy(self.study.errors, conflicts_of(self.storage_engine)),
            "drain_ns": _DRAIN_NS,
            "answer_timeout_ns": self.study.timeouts.answer_ns,
            **_prepared_full(self.study.errors),
            **_counter_interval(self.adaptive_length_rule),
            **_agents(self.agents, self.run.cell.concurrency, choice),
        }

    @property
    def storage_engine(self) -> str:
        """Return the storage engine of the target's tables."""
        name = self.run.cell.target
        return next((t.engine.storage_engine for t in self.study.targets if t.name == name), "innodb")

    @property
    def first_window_second(self) -> int:
        """Second at which the window begins; at the latest, where the warm-up ends by state."""
        return self.adaptive_length_rule.warm_up_s

    @property
    def window_seconds(self) -> int:
        """Seconds of the window; at most, where it ends by certainty."""
        return self.study.window_ns // 10**9

    @property
    def adaptive_length_rule(self) -> AdaptiveLengthRule:
        """Return how long to warm up and to judge."""
        return adaptive_length_rule(self.study, is_step=self.is_step)

    @property
    def client_has_own_cpus(self) -> bool:
        """Return whether the server runs on other processors than the load generator."""
        if self.target.get("host") not in (None, *_THIS_MACHINE) and not self.is_on_server_machine:
            return True
        return self.study.pinning.is_apart

    @property
    def longest_s(self) -> float:
        """Time after which a load generator that still runs must be stuck."""
        search = self.study.pacing.search
        windows_ns = self.study.window_ns
        if search is not None:
            windows_ns = _PROBES_MOST * (search.settle_ns + self.study.window_ns)
        return self.adaptive_length_rule.warm_up_s + (windows_ns + 2 * _DRAIN_NS + _CONNECT_NS) / 1e9


def worker_count(concurrency: int, client_cpus: Sequence[int] | None, logical_cpu_count: int) -> int:
    """Return threads of the load generator: one a processor it was given, else half of the machine's, never idle ones.

    >>> worker_count(16, None, 8), worker_count(1, (1, 2), 8), worker_count(16, (1, 2), 8), worker_count(4, None, 1)
    (4, 1, 2, 1)
    """
    threads = len(client_cpus) if client_cpus else max(logical_cpu_count // 2, 1)
    return min(threads, concurrency)


def _pacing(pacing: Pacing, window_ns: int) -> dict[str, JsonValue]:
    arrivals = pacing.arrivals
    if pacing.search is not None:
        return {"kind": "search", **_search(pacing.search, window_ns), "arrivals": arrivals}
    if pacing.stretches:
        profile: list[JsonValue] = [asdict(stretch) for stretch in pacing.stretches]
        return {"kind": "varied-rate", "streams": [{"transaction": None, "profile": profile}], "arrivals": arrivals}
    if pacing.rate_per_s is not None:
        return {"kind": "fixed-rate", "rate_per_s": pacing.rate_per_s, "arrivals": arrivals}
    if pacing.think is not None:
        return {"kind": "closed", "think": asdict(pacing.think)}
    return {"kind": "closed"}


def _search(search: Search, window_ns: int) -> dict[str, JsonValue]:
    return {
        "quantile": search.quantile,
        "response_ns": search.response_ns,
        "first_per_s": search.first_per_s,
        "precision": search.precision,
        "settle_ns": search.settle_ns,
        "window_ns": window_ns,
    }


def _error_policy(policy: ErrorPolicy, conflicts: Sequence[RetriedError]) -> dict[str, JsonValue]:
    """Return what the study says, and conflicts of the storage engine; the rest is up to the imitated tool."""
    retried_errors: list[JsonValue] = [{**error.to_json()} for error in dict.fromkeys((*conflicts, *policy.also))]
    values: dict[str, JsonValue]
    values = {"retry_limit": policy.retry_limit, "draws": policy.draws, "pause_ns": policy.pause_ns or None}
    values["also"] = retried_errors or None
    return {name: value for name, value in values.items() if value is not None}


def _prepared_full(policy: ErrorPolicy) -> dict[str, JsonValue]:
    return {} if policy.prepared_full == "stop" else {"prepared_full": policy.prepared_full}


def _counter_interval(rule: AdaptiveLengthRule) -> dict[str, JsonValue]:
    """Order the server's own counts all along where the ends of the window can't be ordered."""
    return {"counts_every_ns": _COUNTS_EVERY_NS} if rule.is_open else {}


def _agents(agents: Sequence[LoadAgent], concurrency: int, choice: WorkloadChoice) -> dict[str, JsonValue]:
    rows: list[JsonValue] = []
    for index, agent in enumerate(agents):
        share = -(-(concurrency - index) // len(agents))
        _, placed_options = placed_workload(choice.name, choice.options, agent.folders)
        own_options = {name: v for name, v in placed_options.items() if v != choice.options.get(name)}
        rows.append(
            {
                "name": agent.name,
                "ssh": agent.ssh,
                "program": agent.program,
                "password_file": agent.password_file,
                "workers": worker_count(share, None, agent.logical_cpu_count),
                **({"options": own_options} if own_options else {}),
            }
        )
    return {"agents": rows} if rows else {}


def _phases(study: Study, rule: AdaptiveLengthRule) -> list[JsonValue]:
    """Return the phases. A search makes its own windows; what is ordered is driven before it, and something must be.

    A run whose length is left open is ordered at its longest and ended from outside; its phases are known afterwards.
    """
    if rule.is_open:
        return [{"name": "open", "duration_ns": rule.longest_s * 10**9}]
    if study.pacing.search is not None:
        return [{"name": "warm-up", "duration_ns": max(study.warm_up_ns, 10**9)}]
    phases = [("warm-up", rule.warm_up_s * 10**9), ("window", study.window_ns)]
    return [{"name": name, "duration_ns": duration_ns} for name, duration_ns in phases if duration_ns]
