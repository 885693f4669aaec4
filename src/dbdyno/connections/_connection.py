"""Connects to a server with a limit on every wait, no password in clear, and no endless answer.

The driver's own time limits are for one read of the socket: a server that sends a byte now and then is waited for
without end, and a stopped one is reported only when the time is up. Here each statement has a moment by which its
whole answer must be there, and meanwhile the server's process is looked at once a second.
"""

from __future__ import annotations

import contextlib
import socket as sockets
import ssl
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pymysql.connections import Connection
from pymysql.constants import CLIENT, CR
from pymysql.cursors import Cursor
from pymysql.err import MySQLError, OperationalError

from dbdyno.connections._path import PATH_S, PathLostError, TlsPolicy, is_path_error, open_path
from dbdyno.hosts import ProcessWatch

if TYPE_CHECKING:
    _Driver = Connection[Cursor]
else:
    _Driver = Connection

_TICK_S = 1.0
_CLOSE_S = 1.0
_FULL_QUEUE_S = 0.05
_BLOCK_BYTES = 1 << 16
_ANSWER_BYTES = 64 << 20
_STATEMENT_CHARACTERS = 80
_CLEAR_METHODS = frozenset({b"mysql_clear_password", b"dialog"})
_TOO_WEAK = frozenset({b"mysql_old_password"})
_NONSENSE = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""What the driver fails with when a server's bytes are not what the protocol says."""


class UnansweredError(OperationalError):
    """The server did not answer in time, or can't: its process is stopped."""


@dataclass(frozen=True, slots=True)
class Login:
    """States who logs in, and with which database as default."""

    user: str
    password: bytes = field(repr=False)
    database: str | None


@dataclass(frozen=True, slots=True)
class ConnectionAddress:
    """Holds a server's address, and what messages call the server."""

    socket: str | None
    host: str
    port: int
    title: str


@dataclass(frozen=True, slots=True)
class ConnectionTimeouts:
    """Limits the waits of a connection.

    Parameters
    ----------
    login_s : for connecting and logging in, together
    answer_s : for the whole answer of a statement, unless `ServerConnection.within` says otherwise
    path_s : how long another host may acknowledge nothing before the connection is lost
    """

    login_s: float
    answer_s: float
    path_s: float


class ServerConnection(_Driver):
    """Waits with a limit, authenticates without clear passwords, and bounds answers; see the module.

    Parameters
    ----------
    tls : see `TlsPolicy`
    watch : of the server's process, where it can be seen
    """

    # Attributes of the driver that its type stubs do not list.
    _sock: sockets.socket | None
    _secure: bool
    _ssl_required: bool
    ctx: ssl.SSLContext | _Upgrade
    server_capabilities: int
    server_version: str

    def __init__(
        self,
        login: Login,
        address: ConnectionAddress,
        tls: TlsPolicy,
        timeouts: ConnectionTimeouts,
        watch: ProcessWatch | None,
    ) -> None:
        self._path_s = timeouts.path_s
        self._where, self._tls, self._watch = address.title, tls, watch
        self._login_s, self.answer_s = timeouts.login_s, timeouts.answer_s
        self._begun = self._due = 0.0
        self._doing = "logging in"
        self._is_in = False
        self._inbox = bytearray()
        self._taken_bytes = 0
        super().__init__(
            user=login.user,
            password=login.password,
            unix_socket=address.socket,
            host=address.host,
            port=address.port,
            database=login.database,
            charset="utf8mb4",
            collation="utf8mb4_general_ci",  # known to every version; the default of utf8mb4 is not the same
            autocommit=True,
            client_flag=CLIENT.MULTI_STATEMENTS,
            ssl_disabled=True,
            defer_connect=True,
        )
        if tls.wants_tls(is_local=self.unix_socket is not None):
            self.ssl = True
            self._ssl_required = tls.is_required
            self.ctx = _Upgrade(self, tls.context())
            if tls.is_required:
                self.client_flag |= CLIENT.SSL

    @contextlib.contextmanager
    def within(self, limit_s: float) -> Iterator[None]:
        """Limit the time of the block's statements."""
        previous_s, self.answer_s = self.answer_s, limit_s
        try:
            yield
        finally:
            self.answer_s = previous_s

    def connect(self, sock: sockets.socket | None = None) -> None:
        """Connect and log in, all within the time of a log-in."""
        self._begin_action("logging in", self._login_s)
        self._is_in = False
        self._inbox.clear()
        try:
            open_socket = self._open_socket() if sock is None else sock
        except PathLostError as error:
            raise PathLostError(error.args[0], f"{self._where}: {error.args[1]}") from None
        except OSError as error:
            words = f"no connection within {self._login_s:g} s" if isinstance(error, TimeoutError) else error
            raise OperationalError(CR.CR_CONN_HOST_ERROR, f"{self._where}: {words}") from None
        self._secure = self.unix_socket is not None
        with self._translate_protocol_errors():
            super().connect(open_socket)
        self._is_in = True

    def close(self) -> None:
        """Say good-bye, and wait no longer than a moment for that to be sent."""
        self._begin_action("closing", _CLOSE_S)
        super().close()

    def abandon(self) -> None:
        """End it without a word, also while another thread waits for an answer, which then fails at once."""
        sock = self._sock
        if sock is not None:
            with contextlib.suppress(OSError):
                sockets.socket.shutdown(sock, sockets.SHUT_RDWR)  # the socket's own: encryption would ask the peer
            self._force_close()  # type: ignore[attr-defined]

    def query(self, sql: str | bytes, unbuffered: bool = False) -> int:
        """Do as the driver; an answer that is none is an error of the server."""
        with self._translate_protocol_errors():
            return super().query(sql, unbuffered)

    def next_result(self, unbuffered: bool = False) -> int:
        """Do as the driver; an answer that is none is an error of the server."""
        with self._translate_protocol_errors():
            return super().next_result(unbuffered)

    def check_upgrade(self) -> None:
        """Refuse bytes that came before the encryption: they may be anybody's."""
        if self._inbox:
            what = "the server sent something before the encryption began"
            raise OperationalError(CR.CR_SSL_CONNECTION_ERROR, what)

    def remaining_s(self) -> float:
        """Return seconds until the answer must be there; never 0, which would mean not to wait at all."""
        return max(self._due - time.monotonic(), 0.001)

    def _open_socket(self) -> sockets.socket:
        if self.unix_socket is not None:
            return self._open_unix_socket(str(self.unix_socket))
        return open_path(str(self.host), self.port, self._login_s, self._path_s)

    def _open_unix_socket(self, path: str) -> sockets.socket:
        unix_socket = sockets.socket(sockets.AF_UNIX)
        try:
            while True:
                try:
                    unix_socket.settimeout(self.remaining_s())
                    unix_socket.connect(path)
                except BlockingIOError:  # its queue is full
                    self._check_deadline()
                    time.sleep(_FULL_QUEUE_S)
                else:
                    return unix_socket
        except BaseException:
            unix_socket.close()
            raise

    def _begin_action(self, doing: str, limit_s: float) -> None:
        self._doing, self._begun, self._taken_bytes = doing, time.monotonic(), 0
        self._due = self._begun + limit_s

    def _execute_command(self, command: int, sql: str | bytes) -> None:
        if self._is_in:
            text = sql.decode("utf-8", "replace") if isinstance(sql, bytes) else sql
            self._begin_action(text[:_STATEMENT_CHARACTERS], self.answer_s)
        super()._execute_command(command, sql)  # type: ignore[misc]

    def _request_authentication(self) -> None:
        """Check that the requested encryption is there or can be had, before anything about the user is sent."""
        if self._ssl_required and not self.server_capabilities & CLIENT.SSL:
            raise OperationalError(
                CR.CR_SSL_CONNECTION_ERROR,
                f'the server offers no TLS, but the study has tls = "{self._tls.word}": nothing was sent',
            )
        super()._request_authentication()  # type: ignore[misc]

    def _process_auth(self, plugin_name: bytes, auth_packet: object, handler: object = None) -> object:
        """Log in: a password in clear needs an encrypted connection or a Unix socket; broken methods fail."""
        name = plugin_name.decode("ascii", "replace")
        if plugin_name in _TOO_WEAK:
            raise OperationalError(CR.CR_AUTH_PLUGIN_ERR, f"the server wants {name}, which is insecure")
        if plugin_name in _CLEAR_METHODS and not self._secure:
            raise OperationalError(
                CR.CR_AUTH_PLUGIN_ERR,
                f"the server wants the password in clear text ({name}) over an unencrypted connection: not sent",
            )
        answer: object = super()._process_auth(plugin_name, auth_packet, handler)  # type: ignore[misc]
        return answer

    def _read_bytes(self, num_bytes: int) -> bytes:
        while len(self._inbox) < num_bytes:
            self._inbox += self._receive()
        data = bytes(self._inbox[:num_bytes])
        del self._inbox[:num_bytes]
        return data

    def _receive(self) -> bytes:
        while True:
            try:
                part = self._ready_socket().recv(_BLOCK_BYTES)
            except OSError as error:
                self._raise_socket_error(error)
                continue
            if not part:
                raise self._lost_error("the server closed the connection")
            if self._watch is not None:
                self._watch.note_answer()
            self._taken_bytes += len(part)
            if self._taken_bytes > _ANSWER_BYTES:
                raise self._lost_error(f"its answer to {self._doing} is longer than {_ANSWER_BYTES >> 20} MiB")
            return part

    def _write_bytes(self, data: bytes) -> None:
        unsent = memoryview(data)
        while unsent:
            try:
                unsent = unsent[self._ready_socket().send(unsent) :]
            except OSError as error:
                self._raise_socket_error(error)

    def _raise_socket_error(self, error: OSError) -> None:
        """Raise what a call of the socket has ended with, unless it has only waited and the process is not halted."""
        if is_path_error(error):  # the kernel's ETIMEDOUT is a TimeoutError, too
            self._force_close()  # type: ignore[attr-defined]
            words = f"{self._where}: the path to it was lost: nothing was acknowledged for {self._path_s:g} s"
            raise PathLostError(CR.CR_SERVER_LOST, f"{words} ({self._doing})") from None
        if not isinstance(error, TimeoutError):
            raise self._lost_error(str(error)) from None
        # Only now: looking at a process on another host costs a round trip, as much as most statements.
        halt_words = self._watch.verdict() if self._watch is not None else None
        if halt_words is not None:
            raise self._unanswered_error(halt_words)

    def _ready_socket(self) -> sockets.socket:
        """Return the socket, set to wait for a moment; raises when the time is up."""
        if self._sock is None:
            raise self._lost_error("the connection was closed")
        self._check_deadline()
        self._sock.settimeout(min(self.remaining_s(), _TICK_S))
        return self._sock

    def _check_deadline(self) -> None:
        """Raise when the time is up."""
        now_s = time.monotonic()
        if now_s >= self._due:
            state = self._watch.state() if self._watch is not None else ""
            raise self._unanswered_error(
                f"has answered nothing for {now_s - self._begun:.0f} s" + (f"; {state}" if state else "")
            )

    def _unanswered_error(self, words: str) -> UnansweredError:
        self._force_close()  # type: ignore[attr-defined]
        return UnansweredError(CR.CR_SERVER_LOST, f"{self._where} {words} ({self._doing})")

    def _lost_error(self, words: str) -> OperationalError:
        self._force_close()  # type: ignore[attr-defined]
        return OperationalError(CR.CR_SERVER_LOST, f"connection lost: {words}")

    @contextlib.contextmanager
    def _translate_protocol_errors(self) -> Iterator[None]:
        try:
            yield
        except MySQLError:
            raise
        except (*_NONSENSE, struct.error) as error:
            self._force_close()  # type: ignore[attr-defined]
            words = f"its answer to {self._doing} breaks the protocol: {error}"
            raise OperationalError(CR.CR_MALFORMED_PACKET, words) from error


class _Upgrade:
    """Takes the place of the driver's handshake rules, and checks that they are kept."""

    def __init__(self, connection: ServerConnection, context: ssl.SSLContext) -> None:
        self._connection, self._context = connection, context

    def wrap_socket(self, sock: sockets.socket, server_hostname: str) -> ssl.SSLSocket:
        """Shake hands; a failure is reported in words of TLS."""
        self._connection.check_upgrade()
        sock.settimeout(self._connection.remaining_s())
        try:
            return self._context.wrap_socket(sock, server_hostname=server_hostname)
        except ssl.SSLCertVerificationError as error:
            raise _refused_error(f"the server's certificate is refused: {error.verify_message}") from None
        except TimeoutError:
            raise _refused_error("the server did not finish the handshake in time") from None
        except (ssl.SSLError, OSError) as error:
            raise _refused_error(f"the handshake failed: {error.strerror or error}") from None


def _refused_error(words: str) -> OperationalError:
    return OperationalError(CR.CR_SSL_CONNECTION_ERROR, f"TLS: {words}")


LOGIN_S = 10.0
ANSWER_S = 60.0
_OFF = TlsPolicy("off")


def connect(
    *,
    user: str,
    password: str,
    socket: str | None = None,
    host: str | None = None,
    port: int | None = None,
    database: str | None = None,
    tls: TlsPolicy = _OFF,
    title: str = "",
    login_s: float = LOGIN_S,
    answer_s: float = ANSWER_S,
    path_s: float = PATH_S,
    watch: ProcessWatch | None = None,
) -> ServerConnection:
    """Return a connection with autocommit and utf8mb4.

    Parameters
    ----------
    title : what messages call the server; its address without one
    login_s, answer_s, path_s : see `ConnectionTimeouts`
    watch : see `ServerConnection`

    Raises
    ------
    pymysql.MySQLError : the server does not let us in, does not answer, or does not keep to the policy of encryption
    """
    title = title or socket or f"{host or 'localhost'}:{port or 3306}"
    login = Login(user, password.encode(), database)  # the driver takes text for Latin-1
    address = ConnectionAddress(socket, host or "localhost", port or 3306, title)
    connection = ServerConnection(login, address, tls, ConnectionTimeouts(login_s, answer_s, path_s), watch)
    connection.connect()
    return connection
