"""Opens a server to the clients of another machine: one address, one port, one account for them at each start."""

from __future__ import annotations

import contextlib
import json
import random
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from dbdyno.configure._endpoint import Credentials, NetworkAccess
from dbdyno.configure._initialise import account_statements
from dbdyno.configure._server import Server
from dbdyno.core import ConfigureError, HostError, format_address
from dbdyno.hosts import Host

_LISTENERS = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_TRIAL_S = 30
"""More than a connection attempt lasts, so a listener whose lab is gone ends by itself."""
_LISTEN = "0A"  # st of a listening socket
_NOT_ALLOWED_RE = re.compile(r"Host '([0-9A-Fa-f.:]+)' is not allowed to connect")


def network_port(access: NetworkAccess, host: Host) -> int:
    """Return a port that nobody on the server's host listens on.

    Raises
    ------
    HostError : all that are allowed are taken
    """
    if access.ports is None:
        return host.free_port()
    first_port, last_port = access.ports
    texts = [(content or b"").decode() for content in host.files.read_many(_LISTENERS)]
    free_ports = set(range(first_port, last_port + 1)) - listening_ports("\n".join(texts).splitlines())
    if not free_ports:
        raise HostError(
            f"no port from {first_port} to {last_port} is free", "", "free a port, or widen the host's range"
        )
    return random.choice(sorted(free_ports))


def listening_ports(lines: Iterable[str]) -> set[int]:
    """Return ports that somebody listens on, of lines of ``/proc/net/tcp``.

    >>> listening_ports(["  0: 0100007F:0CEA 00000000:0000 0A 0:0", "  1: 0100007F:0CEB 00000000:0000 01 0:0"])
    {3306}
    """
    rows = [line.split() for line in lines]
    return {int(row[1].rpartition(":")[2], 16) for row in rows if len(row) > 3 and row[3] == _LISTEN}


@contextlib.contextmanager
def trial_listener(host: Host, program: Path, access: NetworkAccess) -> Iterator[tuple[str, int]]:
    """Yield address and port on which the null server listens there while the block runs, as servers would.

    Parameters
    ----------
    program : the load generator on that host

    Raises
    ------
    HostError : nothing can listen there
    """
    port = network_port(access, host)
    place = format_address(access.address, port)
    process = host.spawn_piped(
        [str(program), "null-server", "--listen", place, "--anyone", "--serve", f"{_TRIAL_S}s"], stdin=b""
    )
    lines = process.lines()
    try:
        line = next(lines, "")
        if not line:
            words = process.wait(_TRIAL_S).stderr.strip() or "the null server ended"
            raise HostError(
                f"nothing can listen on {place}",
                words,
                "name an address of that host in `address` of [hosts.NAME]",
                code="address-unusable",
            )
        yield access.address, int(json.loads(line)["port"])
    finally:
        process.kill()
        for _ in lines:
            pass
        process.wait(_TRIAL_S)


def admit_clients(server: Server, credentials: Credentials, access: NetworkAccess) -> None:
    """Make the load's account for the address that the server sees each client host at: the server itself reports it.

    Data of a snapshot have no such account, so the first attempt is refused.

    Raises
    ------
    ConfigureError : the server can't be reached over the network, or does not report the address
    """
    for client in access.clients:
        _allow_client(server, credentials, client.host)


def _allow_client(server: Server, credentials: Credentials, client: Host) -> None:
    try:
        server.connect(as_load_user=True, through=client).close()
    except ConfigureError as error:
        match = _NOT_ALLOWED_RE.search(error.why)
        if match is None:
            raise
        statements = account_statements(credentials, hosts=(match[1],))[1:]
        with server.connect() as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
