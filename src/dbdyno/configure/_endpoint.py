"""Says where and as whom a load generator connects; passwords are random, in files that only their owner reads."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, field, replace
from pathlib import Path

from dbdyno.connections import PATH_S, tls_ca_path
from dbdyno.core import ConfigureError, Route, decode, json_value
from dbdyno.hosts import Host
from dbdyno.study import ServerAddress

LOAD_USER = "dbdyno"
ADMIN_USER = "root"


@dataclass(frozen=True, slots=True)
class Credentials:
    """Holds passwords of one data directory; hidden in its repr.

    Parameters
    ----------
    admin_password : of ``root``, over the socket
    load_password : of ``dbdyno``, who may do everything in schemas named ``dbdyno_…`` and nothing else
    """

    admin_password: str = field(repr=False)
    load_password: str = field(repr=False)

    @classmethod
    def random(cls) -> Credentials:
        """Make new ones, 144 bits each, of characters that need no quoting in SQL or a file."""
        return cls(secrets.token_urlsafe(18), secrets.token_urlsafe(18))

    def save(self, path: Path, host: Host) -> None:
        """Write to a file that only this user reads."""
        host.write_private(path, json.dumps({"admin": self.admin_password, "load": self.load_password}) + "\n")

    @classmethod
    def load(cls, path: Path, host: Host) -> Credentials:
        """Read what `save` wrote.

        Raises
        ------
        ConfigureError : missing or damaged
        """
        try:
            content = decode(dict[str, str], json_value(host.files.read_text(path)))
            return cls(content["admin"], content["load"])
        except (OSError, ValueError, KeyError) as error:
            raise ConfigureError(
                f"the passwords of the data directory next to {path} can't be read",
                type(error).__name__,
                "remove the data directory; dbdyno fills it again",
                code="unreadable",
            ) from error


def credentials_file(data_directory: Path) -> Path:
    """Return where the passwords of a data directory lie: next to it, so that they follow it into snapshots.

    >>> credentials_file(Path("/var/cache/dbdyno/snapshots/ab12/data"))
    PosixPath('/var/cache/dbdyno/snapshots/ab12/data.credentials')
    """
    return data_directory.with_name(f"{data_directory.name}.credentials")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Describes where and as whom the load generator connects.

    Parameters
    ----------
    socket : None on the loopback route
    host, port : None on the socket route
    password_file : readable by this user only
    tls : ``off`` for servers that dbdyno started unless the study sets ``tls.available``; for one that runs already, as
        the study says
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

    def order_target(self, database: str) -> dict[str, str | int | None]:
        """Return the ``target`` of a load order: where, as whom, and the name of the password's file."""
        return {
            "socket": self.socket,
            "host": self.host,
            "port": self.port,
            "user": self.user,
            "password_file": str(self.password_file) if self.password_file else None,
            "database": database,
            "tls": self.tls,
            "tls_ca_file": self.tls_ca,
            "path_timeout_ns": round(self.path_s * 1e9),
        }


def private_endpoint(route: Route, directory: Path, port: int | None, credentials: Credentials, host: Host) -> Endpoint:
    """Return the endpoint of our own server; the password of the load's user goes into a file of `directory`."""
    password_file = directory / "client.password"
    host.write_private(password_file, credentials.load_password + "\n")
    endpoint = Endpoint(str(directory / "s" / "s.sock"), None, None, LOAD_USER, password_file)
    return endpoint if route == "socket" else replace(endpoint, socket=None, host="127.0.0.1", port=port)


def running_endpoint(address: ServerAddress) -> Endpoint:
    """Return the endpoint of a server that runs already, as a study gives it."""
    return Endpoint(
        socket=address.socket,
        host=None if address.socket else address.host,
        port=None if address.socket else address.port or 3306,
        user=address.user,
        password_file=Path(address.password_file).expanduser().absolute() if address.password_file else None,
        tls=address.tls,
        tls_ca=tls_ca_path(address.tls_ca),
    )


@dataclass(frozen=True, slots=True)
class NetworkAccess:
    """Says how clients of another machine reach a server.

    Parameters
    ----------
    address : of the server's host; it listens there and nowhere else
    ports : first and last that it may listen on; None: any
    clients : the machines of the clients, the lead first
    """

    address: str
    ports: tuple[int, int] | None
    clients: tuple[NetworkClient, ...]


@dataclass(frozen=True, slots=True)
class NetworkClient:
    """Describes a machine that clients run on.

    Parameters
    ----------
    folder : private folder there, for the password
    """

    host: Host
    folder: Path

    @property
    def password_file(self) -> Path:
        """Return where the password of the load's account is."""
        return self.folder / "client.password"


def network_endpoint(access: NetworkAccess, port: int, credentials: Credentials) -> Endpoint:
    """Return the endpoint for the lead client; the password goes into a file of each."""
    for client in access.clients:
        client.host.write_private(client.password_file, credentials.load_password + "\n")
    return Endpoint(None, access.address, port, LOAD_USER, access.clients[0].password_file)
