"""Starts a private server: option file, process, readiness by login, settings read back."""

from __future__ import annotations

import contextlib
import re
import secrets
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dbdyno.configure._call_delays import check_delays, delay_variables
from dbdyno.configure._container import container_port, listening_options, spawn_in_container
from dbdyno.configure._endpoint import Credentials, credentials_file, network_endpoint, private_endpoint
from dbdyno.configure._network import admit_clients, network_port
from dbdyno.configure._options import Setting, launch_options, option_file
from dbdyno.configure._orphan import write_note
from dbdyno.configure._readiness import (
    await_login,
    check_port,
    check_storage_engine,
    crash_at_start,
    settings_read_back,
)
from dbdyno.configure._server import Server
from dbdyno.configure._start_order import Launch, StartOrder
from dbdyno.core import ConfigureError, HostError, is_network_route
from dbdyno.engines import engine_folders, family_of
from dbdyno.hosts import ContainerProcess, MemoryGroup, Process, ProcessLimits

_PORT_ATTEMPTS = 5
_DYING_S = 0.5
_PORT_TAKEN_RE = re.compile(r"Bind on TCP/IP port|Can't start server: ?[Bb]ind|Address already in use")


def start_server(order: StartOrder) -> Server:
    """Start an engine on a data directory and read its settings back.

    It listens on a socket in a private folder, on 127.0.0.1 only when the route is loopback, and on another address
    only when it is a network.

    Raises
    ------
    HostError : memory can't be limited on this host, or not by this user
    ConfigureError : it did not start (the end of its log is given), refused an option (named), or a setting did
        not take effect (named)
    """
    if not is_network_route(order.route):
        order = replace(order, network=None)
    for _ in range(_PORT_ATTEMPTS - 1):
        try:
            return _start(order)
        except ConfigureError as error:
            if not _PORT_TAKEN_RE.search(error.why):  # between finding a port and taking it another may be quicker
                raise
    return _start(order)


def _start(order: StartOrder) -> Server:
    started_ns = time.monotonic_ns()
    host = order.host
    credentials = Credentials.load(credentials_file(order.data_directory), host)
    host.ensure_reachable(order.run_directory)
    host.make_directory(order.run_directory)
    host.make_directory(order.temporary, for_server=True)
    for log in (order.error_log, order.output):
        host.files.remove(log)
    for folder in engine_folders(order.data_directory, order.storage_engine):
        host.make_directory(folder, for_server=True)
    private_directory = host.make_private_directory()
    group = None
    try:
        group = _memory_group(order)
        return _start_process(order, private_directory, group, credentials, started_ns)
    except BaseException:
        host.remove_tree(private_directory)
        if group is not None:
            host.remove_memory_group(group.folder)
        raise


def _memory_group(order: StartOrder) -> MemoryGroup | None:
    if order.memory_limit_bytes is None or order.installation.image:
        return None
    name = f"{order.run_directory.parent.name}-{order.run_directory.name}-{secrets.token_hex(4)}"
    return order.host.make_memory_group(name, order.memory_limit_bytes)


def _start_process(
    order: StartOrder, private_directory: Path, group: MemoryGroup | None, credentials: Credentials, started_ns: int
) -> Server:
    host = order.host
    port = _port(order)
    admin_socket = private_directory / "s" / "s.sock"
    host.make_directory(admin_socket.parent, for_server=True)
    options = order.run_directory / "my.cnf"
    text = option_file(_launch_options(order, admin_socket, port), order.settings)
    host.files.write(options, text.encode())
    process = _spawn(order, options, admin_socket.parent, group)
    if order.network is not None and port is not None:
        endpoint = network_endpoint(order.network, port, credentials)
    else:
        endpoint = private_endpoint(order.route, private_directory, port, credentials, host)
    if endpoint.socket is None:
        endpoint = replace(endpoint, tls=order.tls)
    if isinstance(process, ContainerProcess) and (server_port := container_port(order.route, order.container)):
        endpoint = replace(endpoint, host=process.address, port=server_port)
    launch = Launch(
        order,
        process,
        credentials,
        admin_socket,
        private_directory,
        process.memory_group() if isinstance(process, ContainerProcess) else group,
    )
    server = Server(order.installation, endpoint, host, launch)
    server.option_file = text
    try:
        write_note(order.run_directory, process, private_directory, host, order.installation.title, group)
        await_login(server, process, order)
        check_delays(order.delays, process.pid, host)
        server.start_ns = time.monotonic_ns() - started_ns
        try:
            check_storage_engine(server, order)
            if order.network is not None:
                admit_clients(server, credentials, order.network)
            if port is not None:
                check_port(server)
            server.settings = settings_read_back(server, order)
        except ConfigureError as error:
            if not _has_ended(process):
                raise
            raise crash_at_start(server, order) from error
    except BaseException:
        server.kill()
        raise
    return server


def _has_ended(process: Process) -> bool:
    """Return whether it has ended: a connection is lost some moments before the process is gone."""
    with contextlib.suppress(HostError):
        process.wait(_DYING_S)
    return process.poll() is not None


def _port(order: StartOrder) -> int | None:
    if order.network is not None:
        return network_port(order.network, order.host)
    return order.host.free_port() if order.route == "loopback" else None


def _spawn(order: StartOrder, options: Path, sockets: Path, group: MemoryGroup | None) -> Process:
    limit = _open_files(order.settings)
    if order.installation.image:
        return spawn_in_container(order, options, sockets, limit)
    return order.host.spawn(
        [*order.installation.server_argv, f"--defaults-file={options}"],
        stdout=order.output,
        stderr=order.output,
        as_server_user=True,
        limits=ProcessLimits(order.cpus, limit, group),
        env=delay_variables(order.delays, [order.run_directory, sockets], order.host),
    )


def _launch_options(order: StartOrder, admin_socket: Path, port: int | None) -> dict[str, str]:
    family = family_of(order.installation.family, order.installation.version)
    network = listening_options(order.route, order.container, port)
    if order.network is not None:
        network["bind_address"] = order.network.address
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


def _open_files(settings: Sequence[Setting]) -> int | None:
    value = next((s.value for s in settings if s.option == "open_files_limit"), "")
    return int(value) if value.isdigit() else None
