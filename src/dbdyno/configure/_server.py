"""Talks to a server: ours, started for a study, or one that runs already."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pymysql

from dbdyno.configure._crash_report import CrashReport, diagnose, exit_words
from dbdyno.configure._endpoint import ADMIN_USER, Endpoint, running_endpoint
from dbdyno.configure._engine import Engine
from dbdyno.configure._options import Setting
from dbdyno.configure._orphan import remove_note
from dbdyno.configure._start_order import TAIL_LINES, Launch, late_text, log_tail
from dbdyno.connections import (
    PathLostError,
    ServerConnection,
    TlsPolicy,
    UnansweredError,
    connect,
    rows_of,
)
from dbdyno.core import ConfigureError, HostError, Route
from dbdyno.hosts import Address, ContainerProcess, Host, MemoryUse, OomSigns, Process, ProcessWatch

_KILL_WAIT_S = 60
_ANSWERED_S = 2.0
_QUIET_S = 60.0
"""A server that answered nobody for so long is asked to let us in; a stall of a busy one is shorter or lets us in."""
_LOOK_S = 1.0


class Server:
    """Controls a server. One that dbdyno started ends with `stop` or `kill`; one that runs already is left alone.

    Attributes
    ----------
    settings : options asked, each with what is effective; empty for a server that is not ours
    option_file : text of its option file; empty for a server that is not ours
    start_ns : from the call of `start_server` to the first login
    stop_ns : from asking it to end to the end of its process; None where it was not asked, or did not end cleanly
    kill_ns : from SIGKILL to the end of its process; None where it was not killed by us
    memory_use : of its memory group, read last before the group was removed; None without a group
    listener_pid : of the process that was last seen to accept connections on its socket; 0: it can't be seen
    is_throttled : its process is stopped and continued in turns, by us: then a stopped process means nothing
    """

    def __init__(
        self,
        installation: Engine,
        endpoint: Endpoint,
        host: Host,
        launch: Launch | None = None,
    ) -> None:
        process = launch.process if launch is not None else None
        self.installation = installation
        self.endpoint = endpoint
        self.process = process
        self.data_directory = launch.order.data_directory if launch is not None else None
        self.settings: tuple[Setting, ...] = ()
        self.option_file = ""
        self.start_ns = 0
        self.stop_ns: int | None = None
        self.kill_ns: int | None = None
        self.memory_use: MemoryUse | None = None
        self.memory_group = launch.memory_group if launch is not None else None
        self.is_throttled = False
        self.listener_pid: int | None = None
        self._oom = host.watch_oom(process.pid) if process is not None else None
        self._watch = (
            ProcessWatch(host.files.read_bytes, process.pid, process.start_ticks, is_excused=lambda: self.is_throttled)
            if process is not None
            else None
        )
        self._last_probe = 0.0
        self._hang_reason: str | None = None
        self._has_let_in = False
        self._crash_report: CrashReport | None = None
        self._is_ending = False
        self._host, self._launch = host, launch
        self._reached: set[tuple[Host, Address]] = set()

    def __repr__(self) -> str:
        """Name and address, never a password."""
        return f"Server({self.installation.title}, {self.endpoint.socket or self.endpoint.port}, pid={self.pid})"

    @property
    def pid(self) -> int | None:
        """Process id; None for a server that runs already, whose process is not ours to see."""
        return self.process.pid if self.process is not None else None

    @property
    def start_ticks(self) -> int | None:
        """Start time of the process: with the pid it names the process for ever."""
        return self.process.start_ticks if self.process is not None else None

    @property
    def route(self) -> Route:
        """Return how the load reaches it."""
        if self.endpoint.socket:
            return "socket"
        return "loopback" if self.endpoint.host == "127.0.0.1" or not self.is_ours else "network"

    @property
    def is_ours(self) -> bool:
        """Return whether it was started here and may be stopped."""
        return self.process is not None

    def is_alive(self) -> bool:
        """Return whether its process runs; a server that is not ours counts as alive when it answers."""
        if self.process is not None:
            return not self._has_ended()
        try:
            self.connect().close()
        except ConfigureError:
            return False
        return True

    def connect(
        self, database: str | None = None, *, as_load_user: bool = False, through: Host | None = None
    ) -> ServerConnection:
        """Return a connection with autocommit: as administrator (over the socket) or as the load's own user.

        Parameters
        ----------
        through : the machine that the server sees the load's user at; None: the one that the load is led from

        Raises
        ------
        ConfigureError : it does not let us in; the end of its log is given when it is ours and has ended
        """
        try:
            connection = self._open_connection(
                database, as_load_user=as_load_user or self._launch is None, through=through
            )
        except PathLostError as error:
            if self._has_ended():  # the address of a container goes with it
                raise self._refused_connection_error(str(error.args[-1])) from None
            remedy = "check cable, switch, route and power of its host"
            raise ConfigureError(str(error.args[-1]), self._endpoint_words(), remedy, fault="network") from None
        except UnansweredError as error:
            remedy = "" if self.is_ours else "check whether the server or the network hangs"
            raise ConfigureError(str(error.args[-1]), self._endpoint_words(), remedy) from None
        except (pymysql.MySQLError, OSError) as error:
            # The driver's own traceback shows the arguments of the call.
            if self._has_let_in:
                self._has_let_in = False  # One that runs on, or starts again, is not waited for at each attempt.
                self._give_time_to_exit()
            raise self._refused_connection_error(str(error.args[-1] if error.args else error)) from None
        self._has_let_in = True
        return connection

    def hang_reason(self, quiet_s: float = 0.0) -> str | None:
        """Return why no answer is to be expected of it, in words; None while that can't be said.

        Its process is halted for long, or it is asked to let us in and does not answer. Once said, it stands.

        Parameters
        ----------
        quiet_s : how long nobody has had an answer, as far as the caller knows; 0: not known
        """
        if 0.0 < quiet_s < _ANSWERED_S and self._watch is not None:
            self._watch.note_answer()  # so it is not halted; to look would be two requests to a remote host each second
        elif self._hang_reason is None and not self._has_ended():  # else see `exit_reason`
            halt_words = self._watch.verdict() if self._watch is not None else None
            self._hang_reason = f"{self.installation.title} {halt_words}" if halt_words else self._probe_login(quiet_s)
        return self._hang_reason

    def variables(self) -> dict[str, str]:
        """Return SHOW GLOBAL VARIABLES, names in lower case."""
        return self._show_values("SHOW GLOBAL VARIABLES")

    def status(self, refresh: str = "") -> dict[str, str]:
        """Return SHOW GLOBAL STATUS, names in lower case.

        Parameters
        ----------
        refresh : statement that brings its rows up to date; empty where none is needed
        """
        return self._show_values("SHOW GLOBAL STATUS", refresh)

    def storage_engines(self) -> list[str]:
        """Return those that tables can be made of, lower case."""
        with self.connect() as connection, connection.cursor() as cursor:
            cursor.execute("SHOW ENGINES")
            return [str(row[0]).lower() for row in rows_of(cursor, 2) if row[1] in ("YES", "DEFAULT")]

    def plugin(self, storage_engine: str) -> dict[str, str]:
        """Return what the server says of a storage engine's plug-in: version, library, maturity; empty for InnoDB.

        ``version`` is that of its author, which MariaDB alone shows; empty where the server does not show it.
        """
        if storage_engine == "innodb":
            return {}
        with self.connect() as connection, connection.cursor(pymysql.cursors.DictCursor) as cursor:
            cursor.execute("SELECT * FROM information_schema.plugins WHERE plugin_name = %s", (storage_engine,))
            row = {str(name).lower(): str(value or "") for name, value in (cursor.fetchone() or {}).items()}
        facts = {
            "version": row.get("plugin_auth_version", ""),
            "library": row.get("plugin_library", ""),
            "maturity": row.get("plugin_maturity", "").lower(),
        }
        return {name: value for name, value in facts.items() if value}

    def stop(self, timeout_s: float = 120) -> float:
        """End it cleanly, as a data directory that is kept needs it; the seconds that took.

        Raises
        ------
        ConfigureError : it did not end in time or not cleanly, and was killed: its data is not to be kept
        """
        if self.process is None:
            return 0.0
        started_ns = time.monotonic_ns()
        with self._clean_up_after_exit():
            self.process.terminate()
            code = self._await_exit(self.process, timeout_s)
            if code != 0:
                crash = self._exit_report(code)
                raise ConfigureError(
                    f"{self.installation.title} did not shut down cleanly",
                    f"{crash.words}\n{crash.excerpt}",
                )
            self.stop_ns = time.monotonic_ns() - started_ns
        return (time.monotonic_ns() - started_ns) / 1e9

    def kill(self) -> None:
        """End it at once; its data directory is only good for being thrown away, or for being recovered."""
        if self.process is not None:
            started_ns, was_alive = time.monotonic_ns(), self.diagnose_exit() is None
            with self._clean_up_after_exit():
                self._kill(self.process)
                if was_alive:
                    self.kill_ns = time.monotonic_ns() - started_ns

    def exit_reason(self) -> str | None:
        """Return how it ended, in words; None while it runs or when it is not ours to see."""
        code = self._exit_code()  # asked for once: each time is a request where the server's host is another
        crash = self._diagnose_exit(code)
        if crash is not None:
            return crash.words
        return None if code is None else exit_words(code)  # it was we who ended it

    def diagnose_exit(self) -> CrashReport | None:
        """Say why it ended by itself, with its log's words; None while it runs and when it was we who ended it."""
        return self._diagnose_exit(None if self._is_ending else self._exit_code())

    def _exit_code(self) -> int | None:
        return self.process.poll() if self.process is not None else None

    def _diagnose_exit(self, code: int | None) -> CrashReport | None:
        if code is not None and not self._is_ending and self._crash_report is None:
            self._crash_report = self._exit_report(code)
        return self._crash_report

    def read_memory_use(self) -> MemoryUse | None:
        """Return what its memory group has used so far; None without a group."""
        if self.memory_group is not None:
            with contextlib.suppress(OSError):  # the group is gone: the last reading counts
                self.memory_use = self.memory_group.use(self._host.files.read_bytes)
        return self.memory_use

    def log_tail(self, lines: int = TAIL_LINES) -> str:
        """Return the end of its error log; empty for a server that is not ours."""
        return log_tail(self._launch.order.error_log, self._host, lines) if self._launch is not None else ""

    def _probe_login(self, quiet_s: float) -> str | None:
        now_s = time.monotonic()
        if quiet_s < _QUIET_S or now_s - self._last_probe < _QUIET_S:
            return None
        self._last_probe = now_s
        try:
            self._open_connection(None, as_load_user=self._launch is None).close()
        except (PathLostError, UnansweredError) as error:
            return f"{error.args[-1]}; no connection had an answer in the {quiet_s:.0f} s before"
        except (pymysql.MySQLError, OSError):  # an answer, even if not the expected one
            return None
        return None

    def _open_connection(
        self, database: str | None, *, as_load_user: bool, through: Host | None = None
    ) -> ServerConnection:
        endpoint = self.endpoint
        path = endpoint.socket if as_load_user or self._launch is None else str(self._launch.admin_socket)
        if path is not None:
            self.listener_pid = self._host.listener(Path(path))
            if self.listener_pid is None:
                raise ConnectionRefusedError(f"no process listens on {path}")
        address: Address = Path(path) if path is not None else (endpoint.host or "", endpoint.port or 0)
        through = through or (self._launch.load_host if self._launch is not None else None)
        if as_load_user and through is not None and not isinstance(address, Path):
            self._reached.add((through, address))
            address = through.reach_through(address)
        elif self.is_ours:
            self._reached.add((self._host, address))
            address = self._host.reach(address)
        return connect(
            user=endpoint.user if as_load_user else ADMIN_USER,
            password=self._password(as_load_user=as_load_user),
            socket=str(address) if isinstance(address, Path) else None,
            host=None if isinstance(address, Path) else address[0],
            port=None if isinstance(address, Path) else address[1],
            database=database,
            tls=TlsPolicy.of(endpoint.tls, endpoint.tls_ca) if as_load_user else TlsPolicy("off"),
            title=self.installation.title,
            path_s=endpoint.path_s,
            watch=self._watch,
        )

    def _await_exit(self, process: Process, timeout_s: float) -> int:
        """Return its exit code; killed when the time is up, or when its process is halted and will not hear of it."""
        deadline = time.monotonic() + timeout_s
        while True:
            left_s = deadline - time.monotonic()
            try:
                return process.wait(max(min(_LOOK_S, left_s), 0.0))
            except HostError as error:
                halt_words = self._watch.verdict() if self._watch is not None else None
                if left_s > _LOOK_S and halt_words is None:
                    continue
                log_excerpt = self.log_tail()
                self._kill(process)
                deadline_words = "when asked to" if halt_words else f"within {timeout_s:g} s"
                what = f"{self.installation.title} did not stop {deadline_words} and was killed"
                raise ConfigureError(f"{what}: it {halt_words}" if halt_words else what, log_excerpt) from error

    def _kill(self, process: Process) -> None:
        process.kill()
        try:
            process.wait(_KILL_WAIT_S)
        except HostError as error:
            state = self._watch.state() if self._watch is not None else ""
            raise HostError(
                f"{self.installation.title}, process {process.pid}, did not end within {_KILL_WAIT_S} s of SIGKILL",
                state or error.why,
                "check its disk: the kernel ends a process only after its reads and writes finish",
            ) from error

    def _endpoint_words(self) -> str:
        endpoint = self.endpoint
        if self.is_ours:
            return ""
        return endpoint.socket or f"{endpoint.host}:{endpoint.port}"

    def _has_ended(self) -> bool:
        return self._exit_code() is not None

    def _give_time_to_exit(self) -> None:
        """Wait a little: a process that is killed loses its connections before it has ended."""
        if self.process is not None:
            with contextlib.suppress(HostError):
                self.process.wait(_LOOK_S)

    def _refused_connection_error(self, words: str) -> ConfigureError:
        exit_reason = self.exit_reason()
        if exit_reason is None:
            return ConfigureError(f"{self.installation.title} refuses the connection", words, code="connection-refused")
        why = f"{words}\n{self.log_tail()}".strip()
        return ConfigureError(f"{self.installation.title} has ended: {exit_reason}", why, code="ended")

    def _show_values(self, statement: str, before: str = "") -> dict[str, str]:
        with self.connect() as connection, connection.cursor() as cursor:
            if before:
                cursor.execute(before)
            cursor.execute(statement)
            return {str(name).lower(): str(value) for name, value, *_ in rows_of(cursor, 2)}

    def _password(self, *, as_load_user: bool) -> str:
        if self._launch is not None:
            credentials = self._launch.credentials
            return credentials.load_password if as_load_user else credentials.admin_password
        address = self.installation.address
        file = address.password_file if address is not None else None
        return self._host.read_private(Path(file)).rstrip("\n") if file else ""

    def _exit_report(self, code: int) -> CrashReport:
        signs = self._oom.signs() if self._oom is not None else OomSigns()
        limit = self.memory_group.limit_bytes if self.memory_group is not None else None
        if isinstance(self.process, ContainerProcess):  # its engine counts for it, and its group goes with it
            signs = replace(signs, in_group=1) if self.process.was_out_of_memory else signs
        logs = [self._launch.order.error_log, self._launch.order.output] if self._launch is not None else []
        return diagnose(code, "\n".join(late_text(log, self._host) for log in logs), signs, limit)

    @contextlib.contextmanager
    def _clean_up_after_exit(self) -> Iterator[None]:
        """Remove what belongs to the ended process: its private files, its note, its memory group."""
        self.read_memory_use()
        self._is_ending = True
        try:
            yield
        finally:
            while self._reached:  # a sampler's thread may still connect
                host, address = self._reached.pop()
                host.leave(address)
            if self.memory_group is not None and self.memory_group.is_ours:
                self._host.remove_memory_group(self.memory_group.folder)
            if self._launch is not None:
                self._host.remove_tree(self._launch.private_directory)
                remove_note(self._launch.order.run_directory, self._host)


def attach_server(installation: Engine, host: Host) -> Server:
    """Return the server at an installation's address. Its process and its settings are not ours to see or choose."""
    address = installation.address
    if address is None:
        raise ConfigureError(f"{installation.title} is not a running server", "", "start it with start_server")
    server = Server(installation, running_endpoint(address), host)
    server.connect().close()
    return server
