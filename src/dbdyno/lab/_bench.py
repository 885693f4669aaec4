"""Obtains engines and servers on this machine, restores their data, and cleans up. Tests bring a bench of paper."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from dbdyno.configure import (
    CrashReport,
    NetworkAccess,
    RequestedOptions,
    Server,
    ServerBuild,
    ServerSize,
    Setting,
    StartOrder,
    attach_server,
    choose_settings,
    initialise,
    start_server,
)
from dbdyno.connections import ServerConnection
from dbdyno.core import Caveat, Home, Route, Run, Target
from dbdyno.engines import SettingValue
from dbdyno.hosts import Host
from dbdyno.lab._orphans import find_orphans, remove_orphans
from dbdyno.lab._server import LabServer
from dbdyno.lab._session import Session, own_name
from dbdyno.lab._wait_sites import LEARNING_REDO_BYTES, try_to_learn, wait_sites
from dbdyno.measure.telemetry import SourceGroup
from dbdyno.populate import FillServer, FreshServer, Snapshot, restore
from dbdyno.provision import Installation, check_available, in_use, provision
from dbdyno.store import JsonValue, SettingRow
from dbdyno.study import AfterRun, Study


class RunServer(FillServer, Protocol):
    """Represents a server ready to be measured: configured, read back, on its own copy of the data."""

    @property
    def settings(self) -> Sequence[SettingRow]:
        """Options asked, with what the server made of them."""

    @property
    def option_file(self) -> str:
        """Text of its option file; empty for a server that is not ours."""

    @property
    def pid(self) -> int | None:
        """Return its process on this machine; None where it can't be seen."""

    def client_connection(self, through: Host | None = None) -> ServerConnection:
        """Return a connection by the route and as the user of the load.

        Parameters
        ----------
        through : the load host that it is made from; None: the one that the load is led from
        """

    def variables(self) -> Mapping[str, str]:
        """Return SHOW GLOBAL VARIABLES."""

    def status(self) -> Mapping[str, str]:
        """Return SHOW GLOBAL STATUS."""

    def schema(self, database: str) -> Mapping[str, JsonValue]:
        """Return definitions, columns and bytes of the tables in a database."""

    def process(self) -> Mapping[str, JsonValue]:
        """Return what its process runs under; empty where it can't be seen."""

    def sources(self) -> Sequence[SourceGroup]:
        """Return telemetry of the machine and of this server, in groups read by one thread each."""

    def diagnose_exit(self) -> CrashReport | None:
        """Return why it ended; None while it runs or when it can't be seen."""

    def life(self) -> Mapping[str, JsonValue]:
        """Return times of its start and its ends, its use of its memory limit, how it died; as far as known by now."""

    def end(self, after_run: AfterRun) -> None:
        """End it as the study asks; `life` reports the times. A server that dbdyno did not start is left alone.

        Raises
        ------
        ConfigureError : it did not shut down cleanly, or did not come back
        """

    def session_waits(self) -> Mapping[str, JsonValue]:
        """Return what its sessions do now; see `read_session_waits`."""

    def telemetry_facts(self) -> Mapping[str, JsonValue]:
        """Return what its telemetry lacks, and what it watches."""

    def recheck_clock(self) -> tuple[Caveat, ...]:
        """Compare its host's clock again, after the load; `telemetry_facts` then have the worse of both comparisons.

        Return caveats where the clock was set, or is not known well enough for telemetry by the second.
        """

    def discard(self) -> None:
        """Kill it and throw its data away; a server that is not ours is only let go of."""


class Bench(Protocol):
    """Represents the machine under a study."""

    def clean_up(self) -> tuple[str, ...]:
        """Stop and remove what killed runs have left; one line each."""

    def others(self) -> tuple[str, ...]:
        """Return servers of other studies that run on this machine now; one line each."""

    def check_engine(self, target: Target, progress: Callable[[str], None]) -> None:
        """Check that an engine can be had, before any is fetched.

        Raises
        ------
        StudyError, ProvisionError : it can't
        """

    def obtain(self, target: Target, progress: Callable[[str], None]) -> Installation:
        """Bring an engine."""

    def shaping(self, target: Target, installation: Installation) -> Mapping[str, object]:
        """Return all of engine and settings that shapes the files of its datasets."""

    def fresh_server(self, target: Target, installation: Installation) -> FreshServer:
        """Initialise and start a server on an empty data directory."""

    def wait_sites(
        self, target: Target, installation: Installation, generator: Path, progress: Callable[[str], None]
    ) -> Path | None:
        """Return the file of return addresses that show what this build's threads wait for; learned once per build.

        None where it could not be learned now.
        """

    def running_server(self, target: Target, installation: Installation) -> RunServer:
        """Return a server that dbdyno did not start, to be filled or measured unchanged."""

    def run_server(self, run: Run, target: Target, installation: Installation, snapshot: Snapshot) -> RunServer:
        """Restore the data and start a server on it, configured for the run's tier.

        Raises
        ------
        ConfigureError : it did not start, or a setting did not take effect
        """


_FILL_TIER_BYTES = 256 << 20
_FILL_CONCURRENCY = 8
_START_S = 120.0
_RECOVERY_S = 1800.0
_NOTHING: Mapping[str, SettingValue] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class LocalBench:
    """See `Bench`. One at a time: a second server would disturb the first.

    Parameters
    ----------
    exit_stack : what is let go of at the end of the study: nobody removes its engines or its session's folder before
    network : how clients of another machine reach the servers; None: there are none
    """

    study: Study
    host: Host
    home: Home
    exit_stack: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    network: NetworkAccess | None = None
    session: Session = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "session", Session.own(self.home, self.host))
        self.exit_stack.enter_context(self.session.hold())
        limit = self.study.limits.memory
        needs_memory_group = any(target.engine.source_kind not in ("image", "server") for target in self.study.targets)
        # Checked before anything is fetched or filled: can this engine be had at all?
        if limit is not None and needs_memory_group:
            least_bytes = limit.bytes_at(min(self.study.tiers_bytes))
            group = self.host.make_memory_group(f"{own_name(self.host)}-probe", least_bytes)
            self.host.remove_memory_group(group.folder)

    def clean_up(self) -> tuple[str, ...]:
        """See `Bench`."""
        return remove_orphans(self.home, self.host, self.session)

    def others(self) -> tuple[str, ...]:
        """See `Bench`."""
        return tuple(str(server) for server in find_orphans(self.home, self.host).servers)

    def check_engine(self, target: Target, progress: Callable[[str], None]) -> None:
        """See `Bench`."""
        check_available(target.engine, self.host, self.home, servers=self.study.servers, progress=progress)

    def obtain(self, target: Target, progress: Callable[[str], None]) -> Installation:
        """See `Bench`."""
        installation = provision(target.engine, self.host, self.home, servers=self.study.servers, progress=progress)
        self.exit_stack.enter_context(in_use(installation, self.home, self.host))
        return installation

    def shaping(self, target: Target, installation: Installation) -> Mapping[str, object]:
        """See `Bench`. Every setting of the filling server counts: which of them shape files is not ours to guess."""
        settings = self._settings(target, installation, _FILL_TIER_BYTES, _FILL_CONCURRENCY)
        packages = sorted((package.name, package.version, package.sha256) for package in installation.origin.packages)
        return {
            "family": installation.family,
            "version": installation.raw_version,
            "packages": packages,
            "settings": sorted((setting.option, setting.value) for setting in settings),
        }

    def fresh_server(self, target: Target, installation: Installation) -> LabServer:
        """See `Bench`."""
        settings = self._settings(target, installation, _FILL_TIER_BYTES, _FILL_CONCURRENCY)
        return self._empty_server(target, installation, settings)

    def _learning_server(self, target: Target, installation: Installation) -> LabServer:
        """Return a server like a fresh one, with a redo log so small that sessions wait for room in it."""
        names = {setting.parameter for setting in self._settings(target, installation, _FILL_TIER_BYTES, 1)}
        redo = {"redo.capacity": LEARNING_REDO_BYTES} if "redo.capacity" in names else {}
        settings = self._settings(target, installation, _FILL_TIER_BYTES, _FILL_CONCURRENCY, redo)
        return self._empty_server(target, installation, settings)

    def _empty_server(self, target: Target, installation: Installation, settings: tuple[Setting, ...]) -> LabServer:
        directory = self.session.new_directory()
        try:
            initialise(installation, directory / "data", self.host)
            return self._start_server(self._start_order(target, installation, settings, "socket", directory))
        except BaseException:
            self.host.remove_tree(directory)
            raise

    def wait_sites(
        self, target: Target, installation: Installation, generator: Path, progress: Callable[[str], None]
    ) -> Path | None:
        """See `Bench`."""
        engine = target.engine.storage_engine

        def learn() -> list[JsonValue] | None:
            progress("learning what its threads wait for (once per build)")
            return try_to_learn(lambda: self._learning_server(target, installation), engine, self.host, generator)

        return wait_sites(self.shaping(target, installation), engine, self.home, self.host, learn)

    def running_server(self, target: Target, installation: Installation) -> LabServer:
        """See `Bench`."""
        server = self._apply_path_limit(attach_server(installation, self.host))
        return LabServer(server, target.engine.storage_engine, self.host, None)

    def run_server(self, run: Run, target: Target, installation: Installation, snapshot: Snapshot) -> LabServer:
        """See `Bench`."""
        settings = self._settings(target, installation, run.cell.tier_bytes, self.study.connections_max)
        directory = self.session.new_directory()
        try:
            restore(snapshot, directory / "data", self.host)
            limit = self.study.limits.memory
            limit_bytes = limit.bytes_at(run.cell.tier_bytes) if limit is not None else None
            order = self._start_order(target, installation, settings, run.cell.route, directory)
            server = self._start_server(replace(order, memory_limit_bytes=limit_bytes, delays=target.delays))
        except BaseException:
            self.host.remove_tree(directory)
            raise
        if target.throttled_share:
            server.throttle(target.throttled_share)
        return server

    def _start_order(
        self, target: Target, installation: Installation, settings: tuple[Setting, ...], route: Route, directory: Path
    ) -> StartOrder:
        return StartOrder(
            installation=installation,
            data_directory=directory / "data",
            settings=settings,
            route=route,
            host=self.host,
            run_directory=directory,
            storage_engine=target.engine.storage_engine,
            cpus=self.study.pinning.server,
            timeout_s=_START_S,
            container=target.container,
            plugin_version=_plugin_version(target, installation) or "",
            network=self.network,
        )

    def _start_server(self, order: StartOrder) -> LabServer:
        def start(timeout_s: float) -> Server:
            return self._apply_path_limit(start_server(replace(order, timeout_s=timeout_s)))

        return LabServer(
            start(order.timeout_s), order.storage_engine, self.host, order.run_directory, lambda: start(_RECOVERY_S)
        )

    def _apply_path_limit(self, server: Server) -> Server:
        """Give its endpoint the study's limit for the path."""
        server.endpoint = replace(server.endpoint, path_s=self.study.timeouts.path_ns / 1e9)
        return server

    def _settings(
        self,
        target: Target,
        installation: Installation,
        tier_bytes: int,
        concurrency_max: int,
        overrides: Mapping[str, SettingValue] = _NOTHING,
    ) -> tuple[Setting, ...]:
        server_cpus = self.study.pinning.server
        processors = len(server_cpus) if server_cpus else self.host.facts(self.home.root).logical_cpu_count
        build = ServerBuild(
            installation.family,
            installation.version,
            target.engine.storage_engine,
            _plugin_version(target, installation),
        )
        size = ServerSize(tier_bytes, concurrency_max, processors)
        return choose_settings(build, size, RequestedOptions.of(self.study, target, overrides))


def _plugin_version(target: Target, installation: Installation) -> str | None:
    """Return the plug-in's version: as its file says, else as the study does; None for InnoDB."""
    engine = target.engine
    if engine.storage_engine == "innodb":
        return None
    return installation.plugin_version(engine.storage_engine) or engine.plugin_version
