"""Adapts a configured server to what filling and measuring need: accounts, counters, tables, telemetry, end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

import pymysql

from dbdyno.configure import CrashReport, Server
from dbdyno.connections import ServerConnection
from dbdyno.core import Caveat, ConfigureError
from dbdyno.engines import counter_sources, status_refresh_of
from dbdyno.hosts import (
    ClockAccuracy,
    ClockReading,
    ContainerProcess,
    Host,
    Reader,
    Throttle,
    mapped_libraries,
    process_facts,
)
from dbdyno.lab._session_waits import read_session_waits
from dbdyno.lab._table_facts import table_bytes, table_facts
from dbdyno.measure import host_clock_caveats
from dbdyno.measure.telemetry import (
    SECOND_NS,
    CpuSource,
    DiskSource,
    MemoryLimitSource,
    MemorySource,
    NetworkSource,
    PressureSource,
    ProcessSource,
    Source,
    SourceGroup,
    StatusSource,
    absent_counters,
)
from dbdyno.store import JsonValue, SettingRow
from dbdyno.study import AfterRun

_LOG_LINES = 200
_CLOCK_BOUND_NS = 5_000_000
_SHUTDOWN_S = 1800.0  # flushing a large pool takes long, and this duration is what the study asks for
_SECRETS = frozenset({"report_password", "wsrep_sst_auth"})


class LabServer:
    """Fits `FillServer`, `FreshServer` and `RunServer`.

    Parameters
    ----------
    directory : holds data, option file and logs of a server that dbdyno started; None for any other
    restart : starts such a server again on the same data, with the same settings
    """

    def __init__(
        self,
        server: Server,
        storage_engine: str,
        host: Host,
        directory: Path | None,
        restart: Callable[[], Server] | None = None,
    ) -> None:
        self._server = server
        self._restart = restart
        self._life: dict[str, JsonValue] = {} if server.pid is None else {"start_ns": server.start_ns}
        self._storage_engine = storage_engine
        self._host = host
        self._directory = directory
        self._status: StatusSource | None = None
        self._lacking: dict[str, JsonValue] = {}
        self._absent_sources: dict[str, JsonValue] = {}
        self._throttle: Throttle | None = None
        self._clock: ClockAccuracy | None = None
        self._clock_before: ClockReading | None = None

    def throttle(self, share: float) -> None:
        """Stop its process for a share of the time from now on, until it is discarded."""
        if self._server.process is not None:
            self._throttle = Throttle(self._server.process, share)
            self._server.is_throttled = True
            self._throttle.start()

    @property
    def schema_charset(self) -> str:
        """See `FillServer`. Stated, because defaults differ between engines and change the size of rows and keys."""
        values = {setting.parameter: setting.value for setting in self._server.settings}
        charset = values.get("charset.server", "utf8mb4")
        collation = values.get("charset.collation", "utf8mb4_general_ci" if charset == "utf8mb4" else "")
        return f"CHARACTER SET {charset}" + (f" COLLATE {collation}" if collation else "")

    @property
    def pid(self) -> int | None:
        """See `RunServer`."""
        return self._server.pid

    @property
    def data_directory(self) -> Path:
        """See `FreshServer`."""
        if self._server.data_directory is None:
            raise ConfigureError(
                f"{self._server.installation.title} was not started by dbdyno: its files can't be kept"
            )
        return self._server.data_directory

    @property
    def settings(self) -> Sequence[SettingRow]:
        """See `RunServer`."""
        return [
            SettingRow(s.option, s.value, s.effective, s.reason, s.parameter, s.source) for s in self._server.settings
        ]

    @property
    def option_file(self) -> str:
        """See `RunServer`."""
        return self._server.option_file

    def connect(self) -> ServerConnection:
        """See `FillServer`. A server that is not ours is asked as the load's own user."""
        return self._server.connect()

    def client_connection(self, through: Host | None = None) -> ServerConnection:
        """See `RunServer`."""
        return self._server.connect(as_load_user=True, through=through)

    def order_target(self, database: str) -> Mapping[str, JsonValue]:
        """See `FillServer`."""
        return self._server.endpoint.order_target(database)

    def exit_reason(self) -> str | None:
        """See `FillServer`."""
        return self._server.exit_reason()

    def hang_reason(self, quiet_s: float = 0.0) -> str | None:
        """See `FillServer`. An answer to its telemetry counts, too."""
        if self._status is not None:
            quiet_s = min(quiet_s, self._status.quiet_s())
        return self._server.hang_reason(quiet_s)

    def log_tail(self) -> str:
        """See `FillServer`."""
        return self._server.log_tail(_LOG_LINES)

    def diagnose_exit(self) -> CrashReport | None:
        """See `RunServer`."""
        return self._server.diagnose_exit()

    def life(self) -> Mapping[str, JsonValue]:
        """See `RunServer`. Memory is what its limit saw of it in the run, not in a recovery after it."""
        self._note_memory()
        crash = self._server.diagnose_exit()
        return {**self._life} if crash is None else {**self._life, "death": {**crash.to_json()}}

    def end(self, after_run: AfterRun) -> None:
        """See `RunServer`. Before a recovery the page cache is emptied of its files: they are read from disk."""
        if self._server.pid is None or after_run == "discard":
            return
        self._note_memory()
        self._close_status_and_throttle()
        if after_run == "recover" and self._restart is not None:
            self._server.kill()
            self._life["kill_ns"] = self._server.kill_ns
            self._host.write_back(self.data_directory)
            self._server = self._restart()
            self._life["recovery_ns"] = self._server.start_ns
        self._server.stop(_SHUTDOWN_S)
        self._life["shutdown_ns"] = self._server.stop_ns

    def variables(self) -> Mapping[str, str]:
        """See `RunServer`. Two variables of replication may hold a password: never stored."""
        return {
            name: "(not stored)" if name in _SECRETS and value else value
            for name, value in self._server.variables().items()
        }

    def status(self) -> Mapping[str, str]:
        """See `RunServer`."""
        return self._server.status(status_refresh_of(self._storage_engine))

    def schema(self, database: str) -> Mapping[str, JsonValue]:
        """See `RunServer`. The files of a server that is not ours are not looked at."""
        data = self._server.data_directory
        with self._server.connect() as connection:
            facts = table_facts(connection, database)
            if data is None:
                return facts
            stored_bytes = table_bytes(connection, database, self._storage_engine, self._host, data)
        return facts | {"data_bytes": stored_bytes}

    def process(self) -> Mapping[str, JsonValue]:
        """See `RunServer`."""
        pid = self._server.pid
        if pid is None:
            return self._plugin_facts()
        process = self._server.process
        container_facts = {"container": process.facts()} if isinstance(process, ContainerProcess) else {}
        tree = self._server.installation.own_tree
        libraries = mapped_libraries(self._host.files, pid, () if tree is None else (tree,))
        return {
            **process_facts(self._host.files, pid),
            **container_facts,
            "libraries": [{**library} for library in libraries],
            **self._plugin_facts(),
        }

    def _plugin_facts(self) -> dict[str, JsonValue]:
        plugin = self._server.plugin(self._storage_engine)
        return {"plugin": {**plugin}} if plugin else {}

    def sources(self) -> Sequence[SourceGroup]:
        """See `RunServer`. What the machine does not offer is named in `telemetry_facts`.

        A server that drives several runs is asked anew for each.
        """
        self._close_status()
        self._lacking, self._absent_sources = {}, {}
        self._life.pop("memory", None)
        self._clock = self._host.compare_clocks()
        self._clock_before = None if self._clock is None else self._host.clock()
        watch = self._host.watch(SECOND_NS)
        machine = [source for source in self._machine_sources(watch.read) if self._is_offered(source)]
        status = self._status_source()
        return [SourceGroup(machine, watch), *([] if status is None else [SourceGroup([status])])]

    def _status_source(self) -> StatusSource | None:
        """Return the server's counters that the account may see: all but its status needs an extra privilege.

        So does bringing a storage engine's rows up to date: without it they are left out, as they may be old.
        """
        installation, refresh = self._server.installation, status_refresh_of(self._storage_engine)
        plugin = None if self._storage_engine == "innodb" else self._server.plugin(self._storage_engine)
        plugin_version = None if plugin is None else plugin.get("version", "")
        sources_of = partial(counter_sources, installation.family, installation.version, plugin_version=plugin_version)
        engines = ("innodb", self._storage_engine)
        all_counters = sources_of(storage_engines=engines)
        plain_counters = [
            counter for counter in sources_of(storage_engines=engines[:1] if refresh else engines) if counter.is_plain
        ]
        for counters, statement in ((all_counters, refresh), (plain_counters, "")):
            source = StatusSource(self._server.connect, counters, statement)
            try:
                self._lacking["absent_counters"] = list(absent_counters(source.read()))
                source.learn_own_work()
            except pymysql.MySQLError as error:
                self._note_absent("all counters" if counters is all_counters else "SHOW GLOBAL STATUS", error)
                source.close()
            else:
                self._status = source
                return source
        return None

    def session_waits(self) -> Mapping[str, JsonValue]:
        """See `RunServer`."""
        with self._server.connect() as connection:
            return read_session_waits(connection)

    def recheck_clock(self) -> tuple[Caveat, ...]:
        """See `RunServer`. Before the load the path was idle: what the load made of it shows only now."""
        clock_now = None if self._clock is None else self._host.compare_clocks()
        if self._clock is None or self._clock_before is None or clock_now is None:
            return ()
        self._clock = self._clock.worse(clock_now)
        jump_caveats = host_clock_caveats(self._clock_before, self._host.clock())
        if self._clock.bound_ns <= _CLOCK_BOUND_NS:
            return jump_caveats
        text = (
            f"the clock of the server's host is known only to {self._clock.bound_ns / 1e6:.1f} ms: telemetry may be off"
        )
        return (*jump_caveats, Caveat("clock-bound", text))

    def telemetry_facts(self) -> Mapping[str, JsonValue]:
        """See `RunServer`."""
        return {
            **self._lacking,
            "absent_sources": self._absent_sources,
            "held_share": round(self._throttle.held_s / self._throttle.elapsed_s, 4) if self._throttle else 0.0,
            "server_process_seen": self._server.pid is not None,
            **({} if self._clock is None else {"clock": asdict(self._clock)}),
        }

    def stop(self) -> None:
        """See `FreshServer`."""
        self._server.stop()

    def discard(self) -> None:
        """See `RunServer`."""
        self._close_status_and_throttle()
        self._server.kill()
        if self._directory is not None:
            self._host.remove_tree(self._directory)

    def _close_status(self) -> None:
        if self._status is not None:
            self._status.close()
            self._status = None

    def _close_status_and_throttle(self) -> None:
        self._close_status()
        if self._throttle is not None:
            self._throttle.end()
            self._server.is_throttled = False

    def _note_memory(self) -> None:
        use = self._server.read_memory_use()
        if use is not None and "memory" not in self._life:
            self._life["memory"] = {**asdict(use)}

    def _machine_sources(self, read: Reader) -> list[Source]:
        sources: list[Source] = [CpuSource(read), MemorySource(read), NetworkSource(read), PressureSource(read)]
        if self._server.pid is not None:
            sources.append(ProcessSource(read, "server", self._server.pid))
            disk = self._host.files.stat(self.data_directory)
            sources += [] if disk is None else [DiskSource(read, disk.device)]
        if self._server.memory_group is not None:
            sources.append(MemoryLimitSource("server", partial(self._server.memory_group.use, read)))
        return sources

    def _is_offered(self, source: Source) -> bool:
        try:
            source.read()
        except (OSError, ValueError) as error:
            self._note_absent(source.name, error)
            return False
        return True

    def _note_absent(self, name: str, error: Exception) -> None:
        self._absent_sources[name] = f"{type(error).__name__}: {error}"
