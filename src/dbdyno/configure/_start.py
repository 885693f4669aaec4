"""Starting a private server: option file, process, readiness by login, settings read back."""

from __future__ import annotations

import re
import secrets
import socket
import struct
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from dbdyno.configure._container import container_port, listening_options, spawn_in_container
from dbdyno.configure._credentials import Credentials, credentials_file
from dbdyno.configure._death import Death
from dbdyno.configure._engine import Engine
from dbdyno.configure._leftover import write_note
from dbdyno.configure._option_file import launch_options, option_file
from dbdyno.configure._plugin import absent_engine, plugin_error
from dbdyno.configure._readback import read_back
from dbdyno.configure._server import OUTPUT, Server, log_tail, private_endpoint
from dbdyno.configure._setting import Setting
from dbdyno.core import ConfigureError, ContainerChoice, Route
from dbdyno.engines import beside, family_of, known_options, suggest
from dbdyno.hosts import ContainerProcess, Host, MemoryGroup, Process

if TYPE_CHECKING:
    from pymysql.connections import Connection
    from pymysql.cursors import Cursor

_ON_THE_HOST = ContainerChoice()
_POLL_S = 0.05
_SETTLE_S = 10.0
_LAST_LINES = 20
_ALL_LINES = 10_000
_PORT_ATTEMPTS = 5
_FROM_BELOW = frozenset({"disk-full", "killed", "oom", "oom-limit"})
_PEER = struct.Struct("3i")  # struct ucred: pid, uid, gid
_PORT_TAKEN_RE = re.compile(r"Bind on TCP/IP port|Can't start server: ?[Bb]ind|Address already in use")
_REFUSED_RES = (
    re.compile(r"unknown (?:variable|option) '(?:--)?([\w-]+)"),
    re.compile(r"Error while setting value '[^']*' to '([\w-]+)'"),
    re.compile(r"(?:for|of) (?:variable|option) '([\w-]+)'", re.IGNORECASE),
)


@dataclass(frozen=True, slots=True)
class _Order:
    """One start, all that is known before it."""

    installation: Engine
    data_directory: Path
    settings: tuple[Setting, ...]
    storage_engine: str
    route: Route
    host: Host
    run_directory: Path
    cpus: Sequence[int] | None
    timeout_s: float
    container: ContainerChoice
    memory_limit_bytes: int | None = None

    @property
    def temporary(self) -> Path:
        return self.run_directory / "tmp"

    @property
    def error_log(self) -> Path:
        return self.temporary / "error.log"

    @property
    def output(self) -> Path:
        return self.run_directory / OUTPUT

    def words(self, lines: int = _LAST_LINES) -> str:
        """What the server said last, before its log was open too."""
        return "\n".join(filter(None, (log_tail(self.output, lines), log_tail(self.error_log, lines))))


def start_server(
    installation: Engine,
    data_directory: Path,
    settings: Sequence[Setting],
    *,
    route: Route,
    host: Host,
    run_directory: Path,
    storage_engine: str = "innodb",
    cpus: Sequence[int] | None = None,
    timeout_s: float = 120,
    container: ContainerChoice = _ON_THE_HOST,
    memory_limit_bytes: int | None = None,
) -> Server:
    """Start an engine on a data directory and read its settings back.

    It listens on a socket in a private folder, and on 127.0.0.1 only when the route is loopback.

    Parameters
    ----------
    run_directory : for the option file, temporary files and the error log; made when missing, left for the
        caller to remove
    storage_engine : its plug-in is loaded when it is one
    container : how that of an engine out of an image is held
    memory_limit_bytes : of its process, page cache included: enforced by a control group of its own

    Raises
    ------
    HostError : memory can't be bounded on this host, or not by this user
    ConfigureError : it did not start (the end of its log is given), refused an option (named), or a setting did
        not take effect (named)
    """
    order = _Order(
        installation,
        data_directory,
        tuple(settings),
        storage_engine,
        route,
        host,
        run_directory,
        cpus,
        timeout_s,
        container,
        memory_limit_bytes,
    )
    for _ in range(_PORT_ATTEMPTS - 1):
        try:
            return _start(order)
        except ConfigureError as error:
            if not _PORT_TAKEN_RE.search(error.why):  # between finding a port and taking it another may be quicker
                raise
    return _start(order)


def free_port() -> int:
    """A TCP port of 127.0.0.1 that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _start(order: _Order) -> Server:
    started_ns = time.monotonic_ns()
    host = order.host
    credentials = Credentials.load(credentials_file(order.data_directory))
    host.ensure_reachable(order.run_directory)
    host.make_directory(order.run_directory)
    host.make_directory(order.temporary, for_server=True)
    for log in (order.error_log, order.output):
        log.unlink(missing_ok=True)
    for folder in beside(order.data_directory, order.storage_engine):
        host.make_directory(folder, for_server=True)
    private = host.make_private_directory()
    group = None
    try:
        group = _memory_group(order)
        return _start_in(order, private, group, credentials, started_ns)
    except BaseException:
        host.remove_tree(private)
        if group is not None:
            host.remove_memory_group(group.folder)
        raise


def _memory_group(order: _Order) -> MemoryGroup | None:
    if order.memory_limit_bytes is None or order.installation.image:
        return None
    name = f"{order.run_directory.parent.name}-{order.run_directory.name}-{secrets.token_hex(4)}"
    return order.host.make_memory_group(name, order.memory_limit_bytes)


def _start_in(
    order: _Order, private: Path, group: MemoryGroup | None, credentials: Credentials, started_ns: int
) -> Server:
    host = order.host
    port = free_port() if order.route == "loopback" else None
    admin_socket = private / "s" / "s.sock"
    host.make_directory(admin_socket.parent, for_server=True)
    options = order.run_directory / "my.cnf"
    text = option_file(_launch(order, admin_socket, port), order.settings)
    options.write_text(text)
    process = _spawned(order, options, admin_socket.parent, group)
    endpoint = private_endpoint(order.route, private, port, credentials, host)
    if isinstance(process, ContainerProcess) and (own := container_port(order.route, order.container)):
        endpoint = replace(endpoint, host=process.address, port=own)
    server = Server(
        order.installation,
        endpoint,
        host,
        credentials=credentials,
        admin_socket=admin_socket,
        process=process,
        data_directory=order.data_directory,
        error_log=order.error_log,
        private_directory=private,
        run_directory=order.run_directory,
        memory_group=group,
    )
    server.option_file = text
    try:
        write_note(order.run_directory, process, private, host, order.installation.title, group)
        _await_login(server, process, order)
        server.start_ns = time.monotonic_ns() - started_ns
        _check_storage_engine(server, order)
        if port is not None:
            _check_port(server)
        server.settings = _read_back(server, order)
    except BaseException:
        server.kill()
        raise
    return server


def _spawned(order: _Order, options: Path, sockets: Path, group: MemoryGroup | None) -> Process:
    limit = _open_files(order.settings)
    if order.installation.image:
        return spawn_in_container(
            order.installation,
            options,
            folders=[order.temporary, sockets, *beside(order.data_directory, order.storage_engine)],
            data_directory=order.data_directory,
            output=order.output,
            route=order.route,
            choice=_bounded(order.container, order.memory_limit_bytes),
            host=order.host,
            cpus=order.cpus,
            open_files=limit,
        )
    return order.host.spawn(
        [*order.installation.server_argv, f"--defaults-file={options}"],
        stdout=order.output,
        stderr=order.output,
        as_server_user=True,
        cpus=order.cpus,
        limit_open_files=limit,
        memory_group=group,
    )


def _bounded(choice: ContainerChoice, limit_bytes: int | None) -> ContainerChoice:
    """The container's own limit, or that of the study where it is the lower one: its engine makes the group."""
    limits = [limit for limit in (choice.memory_bytes, limit_bytes) if limit is not None]
    return replace(choice, memory_bytes=min(limits, default=None))


def _launch(order: _Order, admin_socket: Path, port: int | None) -> dict[str, str]:
    family = family_of(order.installation.family, order.installation.version)
    network = listening_options(order.route, order.container, port)
    plugin = order.installation.plugin_files.get(order.storage_engine)
    return {
        **launch_options(order.installation, family, order.data_directory, order.temporary),
        **network,
        "socket": str(admin_socket),
        "pid_file": str(admin_socket.with_name("pid")),
        "log_error": str(order.error_log),
        **({"plugin_load_add": plugin} if plugin else {}),
        **({"plugin_maturity": order.installation.plugin_maturity} if order.installation.plugin_maturity else {}),
    }


def _await_login(server: Server, process: Process, order: _Order) -> None:
    """Wait until the administrator can log in: a socket alone may belong to a server that is not ready."""
    deadline = time.monotonic() + order.timeout_s
    while True:
        try:
            with server.connect() as connection:
                _check_listener(connection, process, order)
        except ConfigureError as error:
            if process.poll() is not None:
                raise _died(server, order) from error
            if time.monotonic() >= deadline:
                raise ConfigureError(
                    f"{order.installation.title} did not let us in within {order.timeout_s:g} s",
                    f"{error.why}\n{order.words()}",
                    "see its log above; a slow disk may need a longer time",
                ) from error
            time.sleep(_POLL_S)
        else:
            return


def _check_storage_engine(server: Server, order: _Order) -> None:
    """A server starts without a plug-in that it did not take, as long as no option of it is given."""
    there = server.storage_engines()
    if order.storage_engine not in there:
        raise absent_engine(order.storage_engine, there, order.words(_ALL_LINES), order.installation)


def _check_listener(connection: Connection[Cursor], process: Process, order: _Order) -> None:
    """The process at the other end of the socket is the one that was started, as the kernel tells."""
    credentials = connection._sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)  # type: ignore[attr-defined]
    pid = _PEER.unpack(credentials)[0]
    if pid not in (0, process.pid):  # 0: the peer lives in a namespace that is not seen from here
        raise ConfigureError(
            f"another server than {order.installation.title} answers on its socket",
            f"process {pid} listens, process {process.pid} was started",
        )


def _check_port(server: Server) -> None:
    """The server behind the port is the one behind the socket: another may have been quicker to take it."""
    with server.connect(as_load_user=True) as load, load.cursor() as cursor:
        cursor.execute("SELECT @@socket, @@port")
        found = cursor.fetchone()
    with server.connect() as administrator, administrator.cursor() as cursor:
        cursor.execute("SELECT @@socket, @@port")
        if cursor.fetchone() != found:
            raise ConfigureError(
                f"another server answers on port {server.endpoint.port}", f"its socket is {found and found[0]}"
            )


def _died(server: Server, order: _Order) -> ConfigureError:
    words = order.words()
    title = order.installation.title
    death = server.autopsy()
    if death is not None and death.kind in _FROM_BELOW:  # what the server then says of its parts is not what is wrong
        return _dead(title, death, words)
    refused_plugin = plugin_error(order.words(_ALL_LINES), order.installation)
    if refused_plugin is not None:  # its options are unknown then, which is not what is wrong
        return refused_plugin
    everything = order.words(_ALL_LINES)  # old servers take a long leave after they have said why
    for pattern in _REFUSED_RES:
        match = pattern.search(everything)
        if match:
            option = match[1].replace("-", "_")
            near = suggest(option, known_options())
            if order.storage_engine != "innodb" and option.startswith(f"{order.storage_engine}_"):
                near = f"is the plug-in one of {order.storage_engine}, and of a version that has this option?"
            line = next(line for line in everything.splitlines() if match[0] in line)
            return ConfigureError(
                f"{title} refused the option {option}",
                line,
                near if option not in near else "correct its value, or remove it from the settings of the target",
            )
    return ConfigureError(f"{title} did not start", words, "") if death is None else _dead(title, death, words)


def _dead(title: str, death: Death, words: str) -> ConfigureError:
    remedy = "choose a higher [limits] memory, or a smaller tier" if death.kind == "oom-limit" else ""
    return ConfigureError(f"{title} did not start: {death.words}", death.excerpt or words, remedy)


def _read_back(server: Server, order: _Order) -> tuple[Setting, ...]:
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


def _open_files(settings: Sequence[Setting]) -> int | None:
    value = next((s.value for s in settings if s.option == "open_files_limit"), "")
    return int(value) if value.isdigit() else None
