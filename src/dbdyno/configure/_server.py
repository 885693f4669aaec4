"""A server that can be asked: ours, started for a study, or one that runs already."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pymysql
from pymysql.constants import CLIENT

from dbdyno.configure._credentials import ADMIN_USER, LOAD_USER, Credentials
from dbdyno.configure._engine import Engine
from dbdyno.configure._leftover import remove_note
from dbdyno.configure._setting import Setting
from dbdyno.core import ConfigureError, HostError, Route
from dbdyno.hosts import ContainerProcess, Host, Process

if TYPE_CHECKING:
    from pymysql.connections import Connection
    from pymysql.cursors import Cursor

_CONNECT_TIMEOUT_S = 10
_LOG_TAIL_LINES = 20


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where and as whom the load generator connects; the fields of a load order's ``target``.

    Parameters
    ----------
    socket : None on the loopback route
    host, port : None on the socket route
    password_file : readable by this user only
    tls : ``off`` for servers of ours, which offer none; as the study says for one that runs already
    """

    socket: str | None
    host: str | None
    port: int | None
    user: str
    password_file: Path | None
    tls: str = "off"


class Server:
    """A server at hand. One of ours ends with `stop` or `kill`; one that runs already is left as it is.

    Attributes
    ----------
    settings : options asked, each with what is effective; empty for a server that is not ours
    option_file : text of its option file; empty for a server that is not ours
    start_ns : from the call of `start_server` to the first login
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
    ) -> None:
        self.installation = installation
        self.endpoint = endpoint
        self.process = process
        self.data_directory = data_directory
        self.settings: tuple[Setting, ...] = ()
        self.option_file = ""
        self.start_ns = 0
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
        started = time.monotonic()
        with self._private_files_removed():
            self.process.terminate()
            try:
                code = self.process.wait(timeout_s)
            except HostError as error:
                self.process.kill()
                self.process.wait(30)
                raise ConfigureError(
                    f"{self.installation.title} did not stop within {timeout_s:g} s and was killed", self.log_tail()
                ) from error
            if code != 0:
                raise ConfigureError(
                    f"{self.installation.title} ended with {_exit_words(code)} when asked to stop", self.log_tail()
                )
        return time.monotonic() - started

    def kill(self) -> None:
        """End it at once; its data directory is only good for being thrown away."""
        if self.process is not None:
            with self._private_files_removed():
                self.process.kill()
                self.process.wait(30)

    def death(self) -> str | None:
        """How it ended, in words; None while it runs or when it is not ours to see."""
        code = self.process.poll() if self.process is not None else None
        if code is None:
            return None
        ran_out = isinstance(self.process, ContainerProcess) and self.process.was_out_of_memory
        return _exit_words(code) + (": out of memory within its container's limit" if ran_out else "")

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

    def log_tail(self, lines: int = _LOG_TAIL_LINES) -> str:
        """The end of its error log; empty for a server that is not ours."""
        return log_tail(self._error_log, lines) if self._error_log is not None else ""

    def _not_let_in(self, words: str) -> ConfigureError:
        ended = self.death() is not None
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

    @contextlib.contextmanager
    def _private_files_removed(self) -> Iterator[None]:
        try:
            yield
        finally:
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


def private_endpoint(route: Route, directory: Path, port: int | None, credentials: Credentials, host: Host) -> Endpoint:
    """Endpoint of a server of ours; the password of the load's user goes into a file of `directory`."""
    password_file = directory / "client.password"
    host.write_private(password_file, credentials.load_password + "\n")
    endpoint = Endpoint(str(directory / "s" / "s.sock"), None, None, LOAD_USER, password_file)
    return endpoint if route == "socket" else replace(endpoint, socket=None, host="127.0.0.1", port=port)


def log_tail(path: Path, lines: int = _LOG_TAIL_LINES) -> str:
    """Last lines of an error log; empty when there is none."""
    try:
        return "\n".join(path.read_text(errors="replace").splitlines()[-lines:])
    except OSError:
        return ""


def _exit_words(code: int) -> str:
    """An exit code for people.

    >>> _exit_words(-9), _exit_words(1)
    ('signal 9', 'exit code 1')
    """
    return f"signal {-code}" if code < 0 else f"exit code {code}"
