"""When a server that was started counts as ready: it lets us in, it is the one we started, its settings took effect."""

from __future__ import annotations

import socket
import struct
import time
from typing import TYPE_CHECKING

from dbdyno.configure._plugin import absent_engine
from dbdyno.configure._readback import read_back
from dbdyno.configure._refused import crash_at_start
from dbdyno.configure._server import Server
from dbdyno.configure._setting import Setting
from dbdyno.configure._start_order import ALL_LINES, StartOrder
from dbdyno.connections import rows_of
from dbdyno.core import ConfigureError
from dbdyno.engines import matches
from dbdyno.hosts import Process

if TYPE_CHECKING:
    from pymysql.connections import Connection
    from pymysql.cursors import Cursor

_POLL_S = 0.05
_SETTLE_S = 10.0
_PEER = struct.Struct("3i")  # struct ucred: pid, uid, gid


def await_login(server: Server, process: Process, order: StartOrder) -> None:
    """Wait until the administrator can log in: a socket alone may belong to a server that is not ready."""
    deadline = time.monotonic() + order.timeout_s
    while True:
        try:
            with server.connect() as connection:
                check_listener(connection, process, order)
        except ConfigureError as error:
            if process.poll() is not None:
                raise crash_at_start(server, order) from error
            if (wedged := server.wedged()) is not None:
                raise ConfigureError(wedged, order.words()) from error
            if time.monotonic() >= deadline:
                raise ConfigureError(
                    f"{order.installation.title} did not let us in within {order.timeout_s:g} s",
                    f"{error.why}\n{order.words()}",
                    "see its log above; a slow disk may need a longer time",
                ) from error
            time.sleep(_POLL_S)
        else:
            return


def check_storage_engine(server: Server, order: StartOrder) -> None:
    """A server starts without a plug-in that it did not take, as long as no option of it is given."""
    there = server.storage_engines()
    if order.storage_engine not in there:
        raise absent_engine(order.storage_engine, there, order.words(ALL_LINES), order.installation)
    said = server.plugin(order.storage_engine).get("version", "")
    if said and order.plugin_version and not matches(said, order.plugin_version):
        raise ConfigureError(
            f"the plug-in of {order.storage_engine} is not of version {order.plugin_version}",
            f"the server says that it is {said}, and its options were chosen for {order.plugin_version}",
            f'leave plugin_version out, or write plugin_version = "{said}"',
        )


def check_listener(connection: Connection[Cursor], process: Process, order: StartOrder) -> None:
    """The process at the other end of the socket is the one that was started, as the kernel tells."""
    credentials = connection._sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)  # type: ignore[attr-defined]
    pid = _PEER.unpack(credentials)[0]
    if pid not in (0, process.pid):  # 0: the peer lives in a namespace that is not seen from here
        raise ConfigureError(
            f"another server than {order.installation.title} answers on its socket",
            f"process {pid} listens, process {process.pid} was started",
        )


def check_port(server: Server) -> None:
    """The server behind the port is the one behind the socket: another may have been quicker to take it."""
    with server.connect(as_load_user=True) as load, load.cursor() as cursor:
        cursor.execute("SELECT @@socket, @@port")
        found = rows_of(cursor, 2)
    with server.connect() as administrator, administrator.cursor() as cursor:
        cursor.execute("SELECT @@socket, @@port")
        if rows_of(cursor, 2) != found:
            raise ConfigureError(
                f"another server answers on port {server.endpoint.port}",
                f"its socket is {found[0][0] if found else 'not told'}",
            )


def settings_read_back(server: Server, order: StartOrder) -> tuple[Setting, ...]:
    """Compare; what a server still works at in the background (a resized redo log) gets a moment."""
    deadline = time.monotonic() + _SETTLE_S
    while True:
        try:
            return read_back(
                order.settings,
                server.variables(),
                server.status(),
                family=order.installation.family,
                version=order.installation.version,
            )
        except ConfigureError as error:
            if time.monotonic() >= deadline or "innodb_redo_log_capacity" not in error.what:
                raise
            time.sleep(_POLL_S)
