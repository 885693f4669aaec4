"""Where and as whom a load generator connects."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from dbdyno.configure._credentials import LOAD_USER, Credentials
from dbdyno.connections import PATH_S
from dbdyno.core import Route
from dbdyno.hosts import Host


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where and as whom the load generator connects; the fields of a load order's ``target``.

    Parameters
    ----------
    socket : None on the loopback route
    host, port : None on the socket route
    password_file : readable by this user only
    tls : ``off`` for servers of ours, which offer none; as the study says for one that runs already
    tls_ca : PEM file of the authority that the server's certificate is to be signed by
    path_s : how long the way to it may be silent, where it is on another host
    """

    socket: str | None
    host: str | None
    port: int | None
    user: str
    password_file: Path | None
    tls: str = "off"
    tls_ca: str | None = None
    path_s: float = PATH_S


def private_endpoint(route: Route, directory: Path, port: int | None, credentials: Credentials, host: Host) -> Endpoint:
    """Endpoint of a server of ours; the password of the load's user goes into a file of `directory`."""
    password_file = directory / "client.password"
    host.write_private(password_file, credentials.load_password + "\n")
    endpoint = Endpoint(str(directory / "s" / "s.sock"), None, None, LOAD_USER, password_file)
    return endpoint if route == "socket" else replace(endpoint, socket=None, host="127.0.0.1", port=port)
