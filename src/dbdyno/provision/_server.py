"""Identifies a server that runs already; never starts, stops or configures it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pymysql

from dbdyno.connections import (
    PathLostError,
    ServerConnection,
    TlsPolicy,
    UnansweredError,
    connect,
    rows_of,
    tls_ca_path,
)
from dbdyno.core import EngineName, Home, HostError, ProvisionError, StudyError
from dbdyno.engines import ServerIdentity, identify
from dbdyno.hosts import Host
from dbdyno.provision._identity import check_is
from dbdyno.provision._installation import Installation, Offer, Origin, Progress
from dbdyno.study import ServerAddress


class ServerSource:
    """Running servers by the names that the study gives them."""

    name = "server"

    def __init__(self, addresses: Mapping[str, ServerAddress]) -> None:
        self._addresses = addresses

    def offers(self, host: Host, home: Home) -> list[Offer]:
        """See `Source`: those servers that answer."""
        running = []
        for address in self._addresses.values():
            try:
                installation = describe_server(address, host)
            except (ProvisionError, HostError):
                continue
            running.append(
                Offer(
                    installation.family,
                    installation.version,
                    installation.storage_engines,
                    self.name,
                    address.name,
                    installed=True,
                )
            )
        return running

    def check(self, name: EngineName, host: Host, home: Home, progress: Progress) -> None:
        """See `Source`."""
        self.obtain(name, host, home, progress)

    def obtain(self, name: EngineName, host: Host, home: Home, progress: Progress) -> Installation:
        """See `Source`. Family, version and storage engine are read from the server and must be those asked for."""
        label = name.source_place
        address = self._addresses.get(label)
        if address is None:
            known_labels = ", ".join(sorted(self._addresses)) or "the study has no [servers] table"
            raise StudyError(
                f"no server is named '{label}'", f"known: {known_labels}", f"add [servers.{label}] to the study"
            )
        installation = describe_server(address, host)
        identity = ServerIdentity(installation.family, installation.version, certain=True)
        check_is(name, identity, installation.raw_version, f"the server '{label}'")
        if name.storage_engine not in installation.storage_engines:
            raise StudyError(
                f"the server '{label}' has no storage engine {name.storage_engine}",
                f"it has: {', '.join(installation.storage_engines)}",
                "load the plug-in there, or choose one of these",
                code="storage-engine-missing",
            )
        return installation


def _password(address: ServerAddress, host: Host) -> str:
    """Return the password of an address: the content of its file, empty without one."""
    return host.read_private(Path(address.password_file)).rstrip("\n") if address.password_file else ""


def describe_server(address: ServerAddress, host: Host, password: str | None = None) -> Installation:
    """Ask a server that runs who it is.

    Parameters
    ----------
    password : of the address; None: the content of its file

    Raises
    ------
    ProvisionError : it does not answer, or does not let us in
    """
    with _logged_in(address, host, password) as connection:
        return _read_installation(connection, address)


def read_buffer_pool_bytes(address: ServerAddress, host: Host, password: str | None = None) -> int | None:
    """Ask a server that runs how large its buffer pool is; None where it has none.

    Raises
    ------
    ProvisionError : as `describe_server`
    """
    with _logged_in(address, host, password) as connection, connection.cursor() as cursor:
        cursor.execute("SHOW GLOBAL VARIABLES LIKE 'innodb_buffer_pool_size'")
        return next((int(str(row[1])) for row in rows_of(cursor, 2)), None)


@contextlib.contextmanager
def _logged_in(address: ServerAddress, host: Host, password: str | None) -> Iterator[ServerConnection]:
    used_password = _password(address, host) if password is None else password
    try:
        if address.socket and host.listener(Path(address.socket)) is None:
            raise ConnectionRefusedError("no server listens there")
        with connect(
            user=address.user,
            password=used_password,
            socket=address.socket,
            host=address.host,
            port=address.port,
            tls=TlsPolicy.of(address.tls, tls_ca_path(address.tls_ca)),
            title=f"the server '{address.name}'",
        ) as connection:
            yield connection
    except (PathLostError, UnansweredError) as error:
        raise ProvisionError(
            str(error.args[-1]),
            _address_words(address),
            "check whether the server or the network hangs; or remove it from the study",
            code="unanswered",
        ) from None
    except (pymysql.MySQLError, OSError) as error:
        if any(isinstance(cause, ConnectionRefusedError) for cause in (error, error.__context__)):
            raise ProvisionError(
                f"no server listens on {_address_words(address)}",
                "",
                "start it, or correct the address: HOST:PORT or socket:PATH",
                code="not-listening",
            ) from None
        words = error.args[-1] if error.args else error
        raise ProvisionError(
            f"the server '{address.name}' refuses the connection",
            f"{_address_words(address)}: {words}",
            "check the address, the user, the password and the TLS mode" if used_password else _NO_PASSWORD,
            code="connection-failed",
        ) from None  # the driver's own error shows the arguments of the call


_NO_PASSWORD = (
    "no password was given: name its file with --server-password-file or its variable with --server-password-env, "
    "in a study with password_file or password_env; or check the address, the user and the TLS mode"
)


def _address_words(address: ServerAddress) -> str:
    return address.socket or f"{address.host}:{address.port or 3306}"


def _read_installation(connection: ServerConnection, address: ServerAddress) -> Installation:
    with connection.cursor() as cursor:
        cursor.execute("SELECT VERSION(), @@version_comment")
        version, comment, *_ = next(iter(rows_of(cursor, 2)), ("", ""))
        cursor.execute("SHOW ENGINES")
        engines = tuple(sorted(str(r[0]).lower() for r in rows_of(cursor, 2) if r[1] in ("YES", "DEFAULT")))
        cursor.execute("SHOW GLOBAL VARIABLES LIKE 'have_backup_locks'")
        identity = identify(str(version), str(comment), frozenset(str(r[0]) for r in rows_of(cursor, 1)))
    return Installation(
        family=identity.family,
        version=identity.version,
        raw_version=str(version),
        storage_engines=engines,
        origin=Origin("server", address.name),
        address=address,
    )
