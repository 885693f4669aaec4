"""A server that can be asked: ours, started for a study, or one that runs already."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pymysql
from pymysql.constants import CLIENT

from dbdyno.configure._credentials import ADMIN_USER, Credentials
from dbdyno.configure._death import Death, diagnose, exit_words
from dbdyno.configure._endpoint import Endpoint
from dbdyno.configure._engine import Engine
from dbdyno.configure._leftover import remove_note
from dbdyno.configure._log import TAIL_LINES, late_text, log_tail
from dbdyno.configure._setting import Setting
from dbdyno.configure._start_order import OUTPUT
from dbdyno.core import ConfigureError, HostError, Route
from dbdyno.hosts import ContainerProcess, Host, MemoryGroup, MemoryUse, OomSigns, Process

if TYPE_CHECKING:
    from pymysql.connections import Connection
    from pymysql.cursors import Cursor

_CONNECT_TIMEOUT_S = 10
_KILL_WAIT_S = 60


class Server:
    """A server at hand. One of ours ends with `stop` or `kill`; one that runs already is left as it is.

    Attributes
    ----------
    settings : options asked, each with what is effective; empty for a server that is not ours
    option_file : text of its option file; empty for a server that is not ours
    start_ns : from the call of `start_server` to the first login
    stop_ns : from asking it to end to the end of its process; None where it was not asked, or did not end cleanly
    kill_ns : from SIGKILL to the end of its process; None where it was not killed by us
    memory_use : of its memory group, read last before the group was removed; None without a group
    """

    def __init__(
        self,
        installation: Engine,
        endpoint: Endpoint,
        host: Host,
        *,
        credentials: Credentials | None = None,
        admin_socket: Path | None = None,
        process: Process | None = None,
        data_directory: Path | None = None,
        error_log: Path | None = None,
        private_directory: Path | None = None,
        run_directory: Path | None = None,
        memory_group: MemoryGroup | None = None,
    ) -> None:
        self.installation = installation
        self.endpoint = endpoint
        self.process = process
        self.data_directory = data_directory
        self.settings: tuple[Setting, ...] = ()
        self.option_file = ""
        self.start_ns = 0
        self.stop_ns: int | None = None
        self.kill_ns: int | None = None
        self.memory_use: MemoryUse | None = None
        self.memory_group = memory_group
        self._oom = host.watch_oom(process.pid) if process is not None else None
        self._death: Death | None = None
        self._is_ending = False
        self._host = host
        self._credentials = credentials
        self._admin_socket = admin_socket
        self._error_log = error_log
        self._private_directory = private_directory
        self._run_directory = run_directory

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
        """How the load reaches it."""
        return "socket" if self.endpoint.socket else "loopback"

    @property
    def is_ours(self) -> bool:
        """Whether it was started here and may be stopped."""
        return self.process is not None

    def is_alive(self) -> bool:
        """Whether its process runs; a server that is not ours counts as alive when it answers."""
        if self.process is not None:
            return self.process.poll() is None
        try:
            self.connect().close()
        except ConfigureError:
            return False
        return True

    def connect(self, database: str | None = None, *, as_load_user: bool = False) -> Connection[Cursor]:
        """A connection with autocommit: as administrator (over the socket) or as the load's own user.

        Raises
        ------
        ConfigureError : it does not let us in; the end of its log is given when it is ours and has ended
        """
        endpoint = self.endpoint
        as_load_user = as_load_user or self._credentials is None
        path = endpoint.socket if as_load_user else str(self._admin_socket)
        if path is not None and not self._host.is_listening(Path(path)):  # the driver would leak its socket
            raise self._not_let_in(f"nobody listens on {path}")
        try:
            return pymysql.connect(
                user=endpoint.user if as_load_user else ADMIN_USER,
                password=self._password(as_load_user=as_load_user),
                unix_socket=path,
                host=endpoint.host or "localhost",
                port=endpoint.port or 0,
                database=database,
                charset="utf8mb4",
                collation="utf8mb4_general_ci",  # known to every version; the default of utf8mb4 is not the same
                autocommit=True,
                connect_timeout=_CONNECT_TIMEOUT_S,
                ssl_disabled=endpoint.tls == "off",
                client_flag=CLIENT.MULTI_STATEMENTS,
            )
        except (pymysql.MySQLError, OSError) as error:
            # The driver's own traceback shows the arguments of the call.
            raise self._not_let_in(str(error.args[-1] if error.args else error)) from None

    def variables(self) -> dict[str, str]:
        """SHOW GLOBAL VARIABLES, names in lower case."""
        return self._show("SHOW GLOBAL VARIABLES")

    def status(self) -> dict[str, str]:
        """SHOW GLOBAL STATUS, names in lower case."""
        return self._show("SHOW GLOBAL STATUS")

    def storage_engines(self) -> list[str]:
        """Those that tables can be made of, lower case."""
        with self.connect() as connection, connection.cursor() as cursor:
            cursor.execute("SHOW ENGINES")
            return [str(row[0]).lower() for row in cursor.fetchall() if row[1] in ("YES", "DEFAULT")]

    def stop(self, timeout_s: float = 120) -> float:
        """End it cleanly, as a data directory that is kept needs it; the seconds that took.

        Raises
        ------
        ConfigureError : it did not end in time or not cleanly, and was killed: its data is not to be kept
        """
        if self.process is None:
            return 0.0
        started_ns = time.monotonic_ns()
        with self._taken_down():
            self.process.terminate()
            try:
                code = self.process.wait(timeout_s)
            except HostError as error:
                self.process.kill()
                self.process.wait(_KILL_WAIT_S)
                raise ConfigureError(
                    f"{self.installation.title} did not stop within {timeout_s:g} s and was killed", self.log_tail()
                ) from error
            if code != 0:
                death = self._diagnosed(code)
                raise ConfigureError(
                    f"{self.installation.title} did not end cleanly when asked to stop",
                    f"{death.words}\n{death.excerpt}",
                )
            self.stop_ns = time.monotonic_ns() - started_ns
        return (time.monotonic_ns() - started_ns) / 1e9

    def kill(self) -> None:
        """End it at once; its data directory is only good for being thrown away, or for being recovered."""
        if self.process is not None:
            started_ns, was_alive = time.monotonic_ns(), self.autopsy() is None
            with self._taken_down():
                self.process.kill()
                self.process.wait(_KILL_WAIT_S)
                if was_alive:
                    self.kill_ns = time.monotonic_ns() - started_ns

    def death(self) -> str | None:
        """How it ended, in words; None while it runs or when it is not ours to see."""
        death, code = self.autopsy(), self.process.poll() if self.process is not None else None
        if death is not None:
            return death.words
        return None if code is None else exit_words(code)  # it was we who ended it

    def autopsy(self) -> Death | None:
        """Why it ended by itself, with what its log says of it; None while it runs and when it was we who ended it."""
        code = self.process.poll() if self.process is not None and not self._is_ending else None
        if code is not None and self._death is None:
            self._death = self._diagnosed(code)
        return self._death

    def read_memory_use(self) -> MemoryUse | None:
        """What its memory group has used so far; None without a group."""
        if self.memory_group is not None:
            with contextlib.suppress(OSError):  # the group is gone: what was read last stands
                self.memory_use = self.memory_group.use()
        return self.memory_use

    def order_target(self, database: str) -> dict[str, str | int | None]:
        """The ``target`` of a load order: where, as whom, and the name of the password's file."""
        endpoint = self.endpoint
        return {
            "socket": endpoint.socket,
            "host": endpoint.host,
            "port": endpoint.port,
            "user": endpoint.user,
            "password_file": str(endpoint.password_file) if endpoint.password_file else None,
            "database": database,
            "tls": endpoint.tls,
            "tls_ca_file": None,
        }

    def log_tail(self, lines: int = TAIL_LINES) -> str:
        """The end of its error log; empty for a server that is not ours."""
        return log_tail(self._error_log, lines) if self._error_log is not None else ""

    def _not_let_in(self, words: str) -> ConfigureError:
        ended = self.process is not None and self.process.poll() is not None
        return ConfigureError(
            f"{self.installation.title} {'has ended' if ended else 'does not let us in'}",
            f"{words}\n{self.log_tail()}".strip() if ended else words,
        )

    def _show(self, statement: str) -> dict[str, str]:
        with self.connect() as connection, connection.cursor() as cursor:
            cursor.execute(statement)
            return {str(name).lower(): str(value) for name, value in cursor.fetchall()}

    def _password(self, *, as_load_user: bool) -> str:
        if self._credentials is not None:
            return self._credentials.load_password if as_load_user else self._credentials.admin_password
        address = self.installation.address
        file = address.password_file if address is not None else None
        return self._host.read_private(Path(file)).rstrip("\n") if file else ""

    def _diagnosed(self, code: int) -> Death:
        signs = self._oom.signs() if self._oom is not None else OomSigns()
        limit = self.memory_group.limit_bytes if self.memory_group is not None else None
        if isinstance(self.process, ContainerProcess):  # its engine counts for it, and its group goes with it
            signs = replace(signs, in_group=1) if self.process.was_out_of_memory else signs
        logs = [self._error_log, self._run_directory / OUTPUT if self._run_directory is not None else None]
        return diagnose(code, "\n".join(late_text(log) for log in logs if log is not None), signs, limit)

    @contextlib.contextmanager
    def _taken_down(self) -> Iterator[None]:
        """What belongs to the process goes with it: its private files, its note, its memory group."""
        self.read_memory_use()
        self._is_ending = True
        try:
            yield
        finally:
            if self.memory_group is not None and self.memory_group.is_ours:
                self._host.remove_memory_group(self.memory_group.folder)
            if self._private_directory is not None:
                self._host.remove_tree(self._private_directory)
            if self._run_directory is not None:
                remove_note(self._run_directory)


def attach_server(installation: Engine, host: Host) -> Server:
    """The server at an installation's address. Its process and its settings are not ours to see or choose."""
    address = installation.address
    if address is None:
        raise ConfigureError(f"{installation.title} is not a running server", "", "start it with start_server")
    password_file = Path(address.password_file).expanduser().absolute() if address.password_file else None
    endpoint = Endpoint(
        socket=address.socket,
        host=None if address.socket else address.host,
        port=None if address.socket else address.port or 3306,
        user=address.user,
        password_file=password_file,
        tls=address.tls,
    )
    server = Server(installation, endpoint, host)
    server.connect().close()
    return server
