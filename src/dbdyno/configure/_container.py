"""Runs servers in containers of official images, or of any image that keeps to their conventions.

The entry point of such an image makes an empty data directory ready, with accounts from files (never from words that
others can read) and our own SQL, and becomes the server; what begins with a dash is the server's. Folders are mounted
at their own paths, so option file, socket and log have one name inside and outside.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pymysql

from dbdyno.configure._endpoint import ADMIN_USER, Credentials
from dbdyno.configure._engine import Engine
from dbdyno.configure._options import option_file
from dbdyno.configure._start_order import StartOrder, log_tail
from dbdyno.connections import connect
from dbdyno.core import ContainerChoice, HostError, Route
from dbdyno.engines import EngineFamily, engine_folders, family_of
from dbdyno.hosts import ContainerOrder, ContainerProcess, Host, Network

CONTAINER_NOTE = "container.json"
_DATA = "/var/lib/mysql"
_ACCOUNTS = "/docker-entrypoint-initdb.d/dbdyno.sql"
_PORT = 3306
_POLL_S = 0.1
_STOP_S = 300
_LINES = 12


def network_of(route: Route, choice: ContainerChoice) -> Network:
    """Return the network a server's container needs for a route: none where only its socket is used."""
    return "none" if route == "socket" and choice.network == "host" else choice.network


def listening_options(route: Route, choice: ContainerChoice, port: int | None) -> dict[str, str]:
    """Return where a server in a container listens.

    >>> listening_options("loopback", ContainerChoice("bridge"), 4711)
    {'bind_address': '0.0.0.0', 'port': '3306'}
    """
    if route == "socket":
        return {"skip_networking": ""}
    if choice.network == "bridge":
        return {"bind_address": "0.0.0.0", "port": str(_PORT)}
    return {"bind_address": "127.0.0.1", "port": str(port)}


def spawn_in_container(order: StartOrder, options: Path, sockets: Path, open_files: int | None) -> ContainerProcess:
    """Start the server of an image on a data directory that is ready.

    The note by which its container is found lies next to its output.

    Parameters
    ----------
    options : its option file
    sockets : folder of its socket
    """
    choice, installation = _with_lower_limit(order.container, order.memory_limit_bytes), order.installation
    folders = [order.temporary, sockets, *engine_folders(order.data_directory, order.storage_engine)]
    container_order = ContainerOrder(
        installation.image,
        (f"--defaults-file={options}",),
        folders=_mounts(order.data_directory, folders),
        files={options: str(options)}
        | {Path(file): mount_path for file, mount_path in installation.mounted_files.items()},
        network=network_of(order.route, choice),
        cpus=order.cpus,
        memory_bytes=choice.memory_bytes,
        open_files=open_files,
    )
    process = order.host.containers().start(container_order, order.output)
    write_container_note(order.output.parent, process, order.host)
    return process


def _with_lower_limit(choice: ContainerChoice, limit_bytes: int | None) -> ContainerChoice:
    """Return the container's own limit, or that of the study where it is the lower one: its engine makes the group."""
    limits = [limit for limit in (choice.memory_bytes, limit_bytes) if limit is not None]
    return replace(choice, memory_bytes=min(limits, default=None))


def container_port(route: Route, choice: ContainerChoice) -> int | None:
    """Return the port of a server that has its own address; None when it has not."""
    return _PORT if route != "socket" and choice.network == "bridge" else None


def initialise_in_container(
    installation: Engine,
    data_directory: Path,
    temporary: Path,
    credentials: Credentials,
    accounts: Sequence[str],
    host: Host,
) -> None:
    """Fill an empty data directory by the image's entry point, and stop the server that it then becomes.

    During this a temporary server without network answers, too: ready is the one that is the container's first process.

    Raises
    ------
    HostError : it ended, or did not become ready in time; its own words are given
    """
    family = family_of(installation.family, installation.version)
    socket, pid_file, output = temporary / "s.sock", temporary / "pid", data_directory.parent / "initialise.out"
    launch = {"datadir": str(data_directory), "socket": str(socket), "pid_file": str(pid_file), "skip_networking": ""}
    options, password, sql = temporary / "my.cnf", temporary / "root", temporary / "accounts.sql"
    host.write_private(options, option_file(launch | {"tmpdir": str(temporary), **family.launch}, []), for_server=True)
    host.write_private(password, credentials.admin_password, for_server=True)
    host.write_private(sql, "\n".join(accounts) + "\n", for_server=True)
    order = ContainerOrder(
        installation.image,
        (f"--defaults-file={options}",),
        folders=_mounts(data_directory, [temporary]),
        files={sql: _ACCOUNTS},
        environment=_environment(family, password),
    )
    process = host.containers().start(order, output)
    write_container_note(output.parent, process, host)
    try:
        _await_first_process(process, socket, pid_file, credentials, output, host)
        process.terminate()
        code = process.wait(_STOP_S)
    finally:
        process.kill()
        process.wait(_STOP_S)
        host.files.remove(output.parent / CONTAINER_NOTE)
    if code != 0:
        raise HostError(f"the server of the image ended with exit code {code}", log_tail(output, host, _LINES))
    host.files.remove(output)


def write_container_note(folder: Path, process: ContainerProcess, host: Host) -> None:
    """Say which container runs on a folder, so that what a killed run leaves can be removed by its id."""
    host.write_private(folder / CONTAINER_NOTE, json.dumps({"container": process.container_id}) + "\n")


def remove_noted_containers(folder: Path, host: Host) -> list[str]:
    """Remove the containers that notes below a folder name, by their ids; which, in words."""
    lines = []
    entries = host.files.entries(folder, recursive=True)
    for note in (entry.path for entry in entries if entry.path.name == CONTAINER_NOTE):
        try:
            container_id = str(json.loads(host.files.read_bytes(note))["container"])
        except (OSError, ValueError, KeyError, TypeError):
            continue
        with contextlib.suppress(HostError):  # no engine answers: its containers can't be removed, nor do they run
            if host.containers().remove(container_id):
                lines.append(f"removed the container {container_id[:12]}")
        host.files.remove(note)
    return lines


def _mounts(data_directory: Path, folders: Sequence[Path]) -> dict[Path, str]:
    return {path: str(path) for path in (data_directory, *folders)}


def _environment(family: EngineFamily, password: Path) -> dict[str, str]:
    """Return what the entry points of official images ask for; MariaDB's know both prefixes."""
    prefixes = ("MYSQL", "MARIADB") if family.name == "mariadb" else ("MYSQL",)
    values = {"ROOT_PASSWORD_FILE": str(password), "ROOT_HOST": "localhost", "INITDB_SKIP_TZINFO": "1"}
    return {f"{prefix}_{name}": value for prefix in prefixes for name, value in values.items()}


def _await_first_process(
    process: ContainerProcess, socket: Path, pid_file: Path, credentials: Credentials, output: Path, host: Host
) -> None:
    deadline = time.monotonic() + _STOP_S
    while not (log_tail(pid_file, host) == "1" and _can_log_in(socket, credentials)):
        if process.poll() is not None:
            raise HostError("the image's entry point ended before the server was ready", log_tail(output, host, _LINES))
        if time.monotonic() >= deadline:
            raise HostError(
                f"the image's entry point did not become the server within {_STOP_S} s",
                "its first process is not the server; the official images end with exec",
            )
        time.sleep(_POLL_S)


def _can_log_in(socket: Path, credentials: Credentials) -> bool:
    try:
        connect(user=ADMIN_USER, password=credentials.admin_password, socket=str(socket)).close()
    except (pymysql.MySQLError, OSError):
        return False
    return True
