"""Defines the values of a study: the question and its choices, checked and typed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from dbdyno.core import Policy, RetriedError, Route, Target, format_duration, is_network_route, short_percent
from dbdyno.engines import SettingValue, parameters_for
from dbdyno.study._limits import UNBOUNDED, USUAL, StudyLimits, Timeouts
from dbdyno.study._pacing import CLOSED_LOOP, Pacing
from dbdyno.study._places import BenchChoice, FleetChoice, RouteChoice, ServerAddress
from dbdyno.study._workloads import OptionValue, dataset_name, family_name, options_of

Order = Literal["interleaved", "as-written", "unknown"]
Protocol = Literal["prepared", "text", "unknown"]
RandomSource = Literal["sysbench", "dbdyno", "unknown"]
AuditStop = Literal["never", "critical", "high"]
AfterRun = Literal["discard", "stop", "recover"]
Restore = Literal["run", "ladder"]


def concerns(name: str, storage_engine: str) -> bool:
    """Return whether a neutral parameter means something for targets of a storage engine.

    >>> concerns("flush.page_cleaners", "rocksdb"), concerns("commit.durability", "rocksdb")
    (False, True)
    """
    return any(entry.parameter_id == name for entry in parameters_for(storage_engine))


@dataclass(frozen=True, slots=True)
class WorkloadChoice:
    """Describes what clients do.

    Parameters
    ----------
    label : unique in the study, shown everywhere; the name unless the study gives another
    name : such as ``sysbench/oltp_read_write``
    options : option -> value, the imitated tool's names with underscores
    """

    label: str
    name: str
    options: Mapping[str, OptionValue] = field(default_factory=dict)

    @property
    def dataset_options(self) -> dict[str, OptionValue]:
        """The options that shape the data: workloads that agree in them share one dataset."""
        known_options = options_of(self.name)
        return {name: value for name, value in sorted(self.options.items()) if known_options[name].shapes_data}

    def uses_dataset(self, workload: str, options: object) -> bool:
        """Return whether it works on a dataset that was filled for a workload with these options.

        >>> read_only = WorkloadChoice("ro", "sysbench/oltp_read_only", {"tables": 8})
        >>> [read_only.uses_dataset(f"sysbench/{name}", {"tables": 8}) for name in ("oltp_insert", "bulk_insert")]
        [True, False]
        """
        return dataset_name(workload) == dataset_name(self.name) and options == self.dataset_options

    @property
    def family(self) -> str:
        """Workloads of one family share a schema.

        >>> WorkloadChoice("rw", "sysbench/oltp_read_write").family
        'sysbench'
        """
        return family_name(self.name)


@dataclass(frozen=True, slots=True)
class ResolvedWorkload:
    """Describes a workload with its options, as the load generator will run it.

    Parameters
    ----------
    options : every option with its value, defaults included
    quirks : identifiers of the active ones
    tables, rows_total : of its dataset
    conditions : how many queries check whether its tables are consistent with each other
    """

    name: str
    imitates: str
    options: Mapping[str, str]
    quirks: tuple[str, ...]
    transaction_types: tuple[str, ...]
    tables: int
    rows_total: int
    conditions: int = 0


@dataclass(frozen=True, slots=True)
class ErrorPolicy:
    """Describes what becomes of a transaction that meets a transient error, and of statements that can't be prepared.

    None is as the tool does it that the workload imitates.

    Parameters
    ----------
    draws : values of a repeated transaction: drawn anew, or those of the first attempt
    retry_limit : repeats after which it counts as failed
    also : further errors after which it is repeated, beyond those of the tool and of the storage engine
    pause_ns : from the third attempt on a repeat waits a random time up to this, doubled each time; 0: never
    prepared_full : when the server's max_prepared_stmt_count is reached: send the rest as text, or stop
    """

    draws: Literal["new", "same"] | None = None
    retry_limit: int | None = None
    pause_ns: int = 0
    prepared_full: Literal["text", "stop"] = "stop"
    also: tuple[RetriedError, ...] = ()


@dataclass(frozen=True, slots=True)
class Pinning:
    """Holds processors for the server and for the load generator; None leaves it to the scheduler."""

    server: tuple[int, ...] | None = None
    client: tuple[int, ...] | None = None

    @property
    def is_apart(self) -> bool:
        """Return whether both are pinned and share no processor.

        >>> Pinning((0,), (1,)).is_apart, Pinning((0, 1), (1,)).is_apart, Pinning(None, (1,)).is_apart
        (True, False, False)
        """
        return self.server is not None and self.client is not None and not set(self.server) & set(self.client)


@dataclass(frozen=True, slots=True)
class AdaptiveLength:
    """Describes what of a run's length is left to the run itself.

    Parameters
    ----------
    warm_up : it ends when throughput and server have settled; the study's `warm_up_ns` is its cap
    window_least_ns : the window ends when it is sure enough, first asked after this time; the study's `window_ns` is
        its cap. None: the window has a fixed length
    target_half_width : the window ends when its mean is known to this share of it
    gates : the server's own state is asked, too
    """

    warm_up: bool = False
    window_least_ns: int | None = None
    target_half_width: float = 0.02
    gates: bool = True

    def __bool__(self) -> bool:
        """Return whether anything is left open."""
        return self.warm_up or self.window_least_ns is not None


@dataclass(frozen=True, slots=True)
class Imported:
    """Describes where the results of a study come from that dbdyno did not run.

    Parameters
    ----------
    tool : which wrote the logs, such as ``sysbench``
    origin : the folder that held them, as its owner named it
    """

    tool: str
    origin: str


@dataclass(frozen=True, slots=True)
class Study:
    """Describes one experiment, complete: everything that `dbdyno run` needs to know.

    Parameters
    ----------
    servers : addresses for targets whose engine is ``FAMILY@server:NAME``
    seed : of the order of runs, of the rows and of the load
    warm_up_ns, window_ns : with `adaptive_length` at most
    settle_ns : idle pause before each run
    equivalence_events : sent to each target before the runs, to compare what they make of them; 0: not compared
    audit_stop : findings of the audit that stop the study before its first run: of this weight or graver
    sentinel : name of the target that is driven again and again to watch the machine; empty: none is
    after_run : what to do with each of our own servers after its run
    restore : when data are restored and a server is started: before each run, or once for a ladder, which is all
        concurrencies of a target at one workload, tier and route
    step_warm_up_ns : in a ladder, warm-up of each concurrency after the first
    repeats_max : most runs of a cell; those beyond `repeats` are made while its level is not known to
        `level_target_half_width`, a half-width as a share. None: none beyond
    scaled : name of the scale that was chosen of a larger study; empty: it is at its own
    order, protocol, rng : unknown of imported results alone
    imported : of results that were imported; such a study can be reported and not be run. Their logs hold neither
        `seed`, `warm_up_ns` and `settle_ns`, which are 0 then and mean nothing, nor a `policy`
    policy : how targets are configured; results of different policies are not compared
    settings : neutral parameters that all targets get where they concern them, id -> value in the parameter's unit
    benches : where servers run; several share the work. None: on this machine
    fleet : what drives the benches, where there are several
    shaped_routes : those of the routes that are a network made slower
    """

    name: str
    question: str
    targets: tuple[Target, ...]
    workloads: tuple[WorkloadChoice, ...]
    tiers_bytes: tuple[int, ...]
    concurrencies: tuple[int, ...]
    routes: tuple[Route, ...]
    warm_up_ns: int
    window_ns: int
    settle_ns: int
    repeats: int
    seed: int
    order: Order
    protocol: Protocol
    rng: RandomSource
    pacing: Pacing = CLOSED_LOOP
    errors: ErrorPolicy = ErrorPolicy()
    pinning: Pinning = Pinning()
    limits: StudyLimits = UNBOUNDED
    timeouts: Timeouts = USUAL
    servers: Mapping[str, ServerAddress] = field(default_factory=dict)
    equivalence_events: int = 500
    audit_stop: AuditStop = "never"
    adaptive_length: AdaptiveLength = AdaptiveLength()
    sentinel: str = ""
    after_run: AfterRun = "discard"
    restore: Restore = "run"
    step_warm_up_ns: int = 60 * 10**9
    repeats_max: int | None = None
    level_target_half_width: float = 0.03
    scaled: str = ""
    imported: Imported | None = None
    policy: Policy = "aligned"
    settings: Mapping[str, SettingValue] = field(default_factory=dict)
    benches: tuple[BenchChoice, ...] = ()
    fleet: FleetChoice = field(default_factory=FleetChoice)
    shaped_routes: tuple[RouteChoice, ...] = ()

    @property
    def bench(self) -> BenchChoice | None:
        """Return the bench of a study that has one; each bench of several is given a study with itself alone."""
        return self.benches[0] if len(self.benches) == 1 else None

    @property
    def connections_max(self) -> int:
        """Return how many connections the settings of servers are chosen for."""
        return self.limits.connections or max(self.concurrencies)

    @property
    def server_limits(self) -> StudyLimits:
        """Return the limits that keep servers as they are when only some concurrencies are run."""
        return replace(self.limits, connections=self.connections_max)

    def without_unused(self) -> Study:
        """Return the study without settings, addresses, routes and clients that no target or route of it uses.

        A study file that holds these is refused; a study that is made of another's cells may have them left.
        """
        kinds = {target.engine.storage_engine for target in self.targets}
        servers = {target.engine.source_place for target in self.targets if target.engine.source_kind == "server"}
        has_network = any(map(is_network_route, self.routes))
        return replace(
            self,
            settings={
                name: value for name, value in self.settings.items() if any(concerns(name, kind) for kind in kinds)
            },
            servers={name: address for name, address in self.servers.items() if name in servers},
            benches=self.benches if has_network else tuple(replace(bench, clients=()) for bench in self.benches),
            shaped_routes=tuple(route for route in self.shaped_routes if route.name in self.routes),
        )

    def settings_of(self, target: Target) -> dict[str, SettingValue]:
        """Return neutral parameters of a target: the study's where they concern its storage engine, and its own."""
        storage_engine = target.engine.storage_engine
        study_settings = {name: value for name, value in self.settings.items() if concerns(name, storage_engine)}
        return {**study_settings, **target.settings}

    @property
    def warm_up_words(self) -> str:
        """Return how long the load is driven before it is judged."""
        if self.imported is not None:
            return "not in the logs"
        length = format_duration(self.warm_up_ns)
        words = f"until settled, at most {length}" if self.adaptive_length.warm_up else length
        if self.restore == "run":
            return words
        return f"{words}; {format_duration(self.step_warm_up_ns)} for each further concurrency on the same server"

    @property
    def repeats_words(self) -> str:
        """Return how often each cell is run."""
        if self.repeats_max is None:
            return str(self.repeats)
        width = f"±{short_percent(self.level_target_half_width)}"
        return f"{self.repeats} to {self.repeats_max}, until its mean is known to {width}"

    def repeats_more_than(self, other: Study) -> bool:
        """Return whether this is the other study with more repeats of each cell, or as many.

        Not of studies with `repeats_max`: which runs are further ones, that is asked of the repeats.
        """
        return (
            self.repeats_max is None and self.repeats >= other.repeats and replace(other, repeats=self.repeats) == self
        )

    @property
    def window_words(self) -> str:
        """Return how long it is judged."""
        length, least_ns = format_duration(self.window_ns), self.adaptive_length.window_least_ns
        if least_ns is None:
            return length
        return f"until known to ±{short_percent(self.adaptive_length.target_half_width)}, at most {length}"

    @property
    def bench_words(self) -> str:
        """Return on which machines servers and clients run; empty where all run on the lab's."""
        if not self.benches:
            return ""
        local_routes = " and ".join(route for route in self.routes if not is_network_route(route))
        network_routes = " and ".join(route for route in self.routes if is_network_route(route))
        bench_names = ", ".join(bench.words for bench in self.benches)
        words = [f"servers on {bench_names}", *([f"clients by {local_routes} there"] if local_routes else [])]
        if network_routes:
            words += [f"clients by {network_routes} on {network_words}" for network_words in self._network_words()]
        return "; ".join(words)

    def _network_words(self) -> list[str]:
        """Return where clients of the network run and what they connect to; benches with the same clients together."""
        addresses: dict[str, list[str]] = {}
        for bench in self.benches:
            if bench.server is not None:
                addresses.setdefault(bench.client_words, []).append(bench.server.address or "")
        return [f"{clients}, to {' and '.join(server_addresses)}" for clients, server_addresses in addresses.items()]

    @property
    def shaped_words(self) -> str:
        """Return what the shaped routes are; empty without any."""
        return "; ".join(route.words for route in self.shaped_routes)

    def shaped_route(self, name: Route) -> RouteChoice | None:
        """Return the shaped route of that name; None: the route is unchanged."""
        return next((route for route in self.shaped_routes if route.name == name), None)

    def workload(self, label: str) -> WorkloadChoice:
        """Return the workload that a cell names."""
        return next(choice for choice in self.workloads if choice.label == label)

    def workload_of(self, target: str, label: str) -> WorkloadChoice:
        """Return the workload as a target is given it."""
        choice = self.workload(label)
        return replace(choice, options={**choice.options, **self.target(target).workload_options})

    def target(self, name: str) -> Target:
        """Return the target that a cell names."""
        return next(target for target in self.targets if target.name == name)
