"""A server that runs already: asked who it is, never started, stopped or configured."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pymysql

from dbdyno.core import EngineName, HostError, ProvisionError, StudyError
from dbdyno.engines import identify, matches
from dbdyno.hosts import Home, Host
from dbdyno.provision._installation import Installation, Offer, Origin, Progress
from dbdyno.study import ServerAddress

_CONNECT_TIMEOUT_S = 10


class ServerSource:
    """Running servers by the names that the study gives them."""

    name = "server"

    def __init__(self, addresses: Mapping[str, ServerAddress]) -> None:
        self._addresses = addresses

    def offers(self, host: Host, home: Home) -> list[Offer]:
        """See `Source`: those servers that answer."""
        found = []
        for address in self._addresses.values():
            try:
                there = _ask(address, host)
            except (ProvisionError, HostError):
                continue
            found.append(
                Offer(there.family, there.version, there.storage_engines, self.name, address.name, installed=True)
            )
        return found

    def obtain(self, name: EngineName, host: Host, home: Home, progress: Progress) -> Installation:
        """See `Source`. Family, version and storage engine are read from the server and must be those asked for."""
        label = name.source_place
        address = self._addresses.get(label)
        if address is None:
            known = ", ".join(sorted(self._addresses)) or "the study names none"
            raise StudyError(f"no server is named '{label}'", f"known: {known}", f"add [servers.{label}] to the study")
        there = _ask(address, host)
        if there.family != name.family or (name.version and not matches(there.version, name.version)):
            raise StudyError(
                f"the server '{label}' is not {name.family} {name.version}".rstrip(),
                f"it says: {there.raw_version} ({there.family})",
                f"write {there.family}:{there.version}@server:{label}",
            )
        if name.storage_engine not in there.storage_engines:
            raise StudyError(
                f"the server '{label}' has no storage engine {name.storage_engine}",
                f"it has: {', '.join(there.storage_engines)}",
                "load the plug-in there, or choose one of these",
            )
        return there


def _password(address: ServerAddress, host: Host) -> str:
    """Password of an address: the content of its file, empty without one."""
    return host.read_private(Path(address.password_file)).rstrip("\n") if address.password_file else ""


def _ask(address: ServerAddress, host: Host) -> Installation:
    where = address.socket or f"{address.host}:{address.port or 3306}"
    try:
        if address.socket and not host.is_listening(Path(address.socket)):
            raise ConnectionRefusedError("nobody listens there")
        connection = pymysql.connect(
            user=address.user,
            password=_password(address, host),
            unix_socket=address.socket,
            host=address.host or "localhost",
            port=address.port or 3306,
            connect_timeout=_CONNECT_TIMEOUT_S,
            ssl_disabled=address.tls == "off",
        )
    except (pymysql.MySQLError, OSError) as error:
        words = error.args[-1] if error.args else error
        raise ProvisionError(
            f"the server '{address.name}' does not let us in",
            f"{where}: {words}",
            "check that it runs, and its user and password file in the study",
        ) from None  # the driver's own error shows the arguments of the call
    with connection, connection.cursor() as cursor:
        cursor.execute("SELECT VERSION(), @@version_comment")
        version, comment = cursor.fetchone() or ("", "")
        cursor.execute("SHOW ENGINES")
        engines = tuple(sorted(str(r[0]).lower() for r in cursor.fetchall() if r[1] in ("YES", "DEFAULT")))
        cursor.execute("SHOW GLOBAL VARIABLES LIKE 'have_backup_locks'")
        identity = identify(str(version), str(comment), frozenset(str(r[0]) for r in cursor.fetchall()))
    return Installation(
        family=identity.family,
        version=identity.version,
        raw_version=str(version),
        storage_engines=engines,
        origin=Origin("server", address.name),
        address=address,
    )
