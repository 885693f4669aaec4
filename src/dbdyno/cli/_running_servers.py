"""Reads `--server` of `dbdyno compare`: running servers by their addresses, asked who they are.

>>> parse_server("bench@127.0.0.1:3307", "dbdyno").port
3307
>>> parse_server("socket:/run/mysqld/mysqld.sock", "dbdyno").socket
'/run/mysqld/mysqld.sock'
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from dbdyno.core import StudyError, format_bytes, target_title
from dbdyno.nearest import nearest
from dbdyno.study import ServerAddress

if TYPE_CHECKING:
    from dbdyno.hosts import Host

PASSWORD_VARIABLE = "DBDYNO_SERVER_PASSWORD"
_SERVER_RE = re.compile(
    r"(?:(?P<user>[^@]*)@)?(?:(?:socket:)?(?P<socket>/.+)|(?P<host>\[[0-9a-fA-F:.]+\]|[^\s:/@\[\]]+)(?::(?P<port>\d{1,9}))?)"
)
# Of a URL only what can hold no password is repeated: the user up to a colon, the place up to a slash or "?".
_URL_RE = re.compile(
    r"(?P<scheme>(?:mysql|mariadb|mysqlx|tcp|jdbc:mysql|jdbc:mariadb)://)"
    r"(?:(?:(?P<user>[^:@/?]*)(?::[^?]*)?@)?(?P<place>[^:@/?]+(?::\d+)?)(?:[/?].*)?$)?"
)
_LAST_PORT = 65_535


def add_server_options(server: argparse._ArgumentGroup) -> None:
    """Add `--server`, and how to log in there."""
    server.add_argument(
        "--server",
        dest="servers",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="compare a running server: [USER@]HOST[:PORT] or [USER@]socket:PATH",
    )
    login = server.add_argument
    login("--server-user", default="dbdyno", metavar="NAME", help="account for --server (default %(default)s)")
    login(
        "--server-password-file",
        dest="server_password_files",
        action="append",
        default=[],
        metavar="FILE",
        help="file with its password, readable by its owner only; once for all, or once for each --server",
    )
    login(
        "--server-password-env",
        dest="server_password_envs",
        action="append",
        default=[],
        metavar="NAME",
        help=f"variable with its password, likewise (default {PASSWORD_VARIABLE})",
    )
    login(
        "--server-tls",
        default="preferred",
        metavar="WORD",
        help="its TLS mode, as in study files (default %(default)s)",
    )
    login("--server-tls-ca", metavar="FILE", help="PEM file of its certificate authority")


def parse_server(text: str, user: str) -> ServerAddress:
    """Return the address that a word means.

    Raises
    ------
    StudyError : it is none, or holds a password
    """
    if url := _URL_RE.match(text.strip()):
        account = f"{url['user']}@" if url["user"] else ""
        meant = f"did you mean --server {account}{url['place']}? " if url["place"] else ""
        remedy = f"{meant}A password comes from {PASSWORD_VARIABLE} or --server-password-file"
        raise StudyError(f"--server begins with {url['scheme']}", "", remedy)
    match = _SERVER_RE.fullmatch(text.strip())
    if match is None:
        raise StudyError(
            f"--server '{_remove_password(text)}' is not an address",
            "",
            "write for example --server 127.0.0.1:3306 or --server socket:/run/mysqld/mysqld.sock",
        )
    account = match["user"] or user
    if ":" in account:
        reason = "every user of this machine can read command lines"
        remedy = f"export {PASSWORD_VARIABLE}, or give --server-password-file, and change that password"
        raise StudyError(f"--server '{_remove_password(text)}' holds a password", reason, remedy)
    place = text.strip().rpartition("@")[2].removeprefix("socket:")
    port = int(match["port"]) if match["port"] else None
    if port is not None and not 1 <= port <= _LAST_PORT:
        limit = f"above {_LAST_PORT}" if port else "below 1"
        raise StudyError(f"--server '{text}': port {port} is {limit}", "", f"write {match['host']}:3306, for example")
    return ServerAddress(place, account, match["socket"], match["host"] and match["host"].strip("[]"), port)


def _remove_password(text: str) -> str:
    prefix, separator, place = text.rpartition("@")
    user, colon, _ = prefix.partition(":")
    return f"{user}{':…' if colon else ''}{separator}{place}"


def running_servers(
    choices: argparse.Namespace, host: Host, environ: Mapping[str, str] = os.environ
) -> dict[str, tuple[str, ServerAddress]]:
    """Map each target's name to its engine and address, for each server that was named; each is asked who it is.

    Raises
    ------
    StudyError : an address is wrong, or its password is not available
    ProvisionError : the server does not let us in
    """
    from dbdyno.provision import describe_server  # late: see _main

    names = choices.server_password_envs
    if not names and not choices.server_password_files and PASSWORD_VARIABLE in environ:
        names = [PASSWORD_VARIABLE]
    for name in names:
        if name not in environ:
            what, why = f"{name} is not set", "--server-password-env names it"
            raise StudyError(what, why, f"export {name}", code="password-missing")
    files = _values_per_server(choices.server_password_files, choices.servers, "--server-password-file")
    variables = _values_per_server(names, choices.servers, "--server-password-env")
    tls = _parse_tls(choices.server_tls)
    addresses = [parse_server(word, choices.server_user) for word in choices.servers]
    labels = short_labels(addresses)
    described_servers: dict[str, tuple[str, ServerAddress]] = {}
    for parsed, label, file, variable in zip(addresses, labels, files, variables, strict=True):
        address = replace(
            parsed,
            password_file=file and str(Path(file).absolute()),
            password_env=variable,
            tls=tls,
            tls_ca=choices.server_tls_ca,
        )
        description = describe_server(address, host, environ[variable] if variable else None)
        name = f"{description.family}:{description.version} ({label})"
        described_servers[name] = (f"{description.family}:{description.version}@server:{address.name}", address)
        print(
            f"  {address.name} is {target_title(f'{description.family}:{description.version}')}: dbdyno creates and "
            "drops tables there in schemas named dbdyno_…, which stay; it does not configure, start or stop the server",
            file=sys.stderr,
        )
    return described_servers


def buffer_pool_of(
    servers: Mapping[str, tuple[str, ServerAddress]], host: Host, environ: Mapping[str, str] = os.environ
) -> str | None:
    """Return the buffer pool of running servers as a tier, under which their runs are listed; None where unknown.

    Where they differ, it is the smallest, and a line says so: the audit then lists the difference, too.
    """
    from dbdyno.provision import read_buffer_pool_bytes  # late: see _main

    sizes = {
        name: read_buffer_pool_bytes(address, host, environ[address.password_env] if address.password_env else None)
        for name, (_, address) in servers.items()
    }
    known_sizes = [size for size in sizes.values() if size]
    if not known_sizes:
        return None
    if len(set(sizes.values())) > 1:
        words = ", ".join(f"{name} {format_bytes(size) if size else 'none'}" for name, size in sizes.items())
        print(f"  buffer pools differ: {words}; results are listed under the smallest", file=sys.stderr)
    return f"{max(min(known_sizes) >> 20, 1)}MB"


_TLS_WORDS = ("off", "preferred", "required", "verify-ca", "verify-identity")


def _parse_tls(text: str) -> str:
    """Return the word of study files; those of the client's --ssl-mode, such as VERIFY_CA, mean the same.

    >>> _parse_tls("DISABLED"), _parse_tls("VERIFY_CA")
    ('off', 'verify-ca')
    """
    word = text.lower().replace("_", "-")
    word = "off" if word == "disabled" else word
    if word not in _TLS_WORDS:
        raise StudyError(
            f"--server-tls '{text}' is not a TLS mode", f"modes: {', '.join(_TLS_WORDS)}", nearest(word, _TLS_WORDS)
        )
    return word


def short_labels(addresses: Sequence[ServerAddress]) -> list[str]:
    """Return a word that distinguishes each server: the end of a socket's path, a port, or a host with its port.

    >>> short_labels([parse_server(word, "u") for word in ("/run/a/my.sock", "/run/b/my.sock", "h:3307")])
    ['a/my.sock', 'b/my.sock', 'h:3307']
    >>> short_labels([parse_server(word, "u") for word in ("h", "h:3307")])
    ['port 3306', 'port 3307']
    """
    hosts = [address.host for address in addresses if address.host]
    is_one_host = len(hosts) > 1 and len(set(hosts)) == 1
    paths = {address.socket for address in addresses if address.socket}
    labels = []
    for address in addresses:
        if address.socket:
            labels.append(_shortest_distinct_end(address.socket, paths))
        else:
            labels.append(f"port {address.port or 3306}" if is_one_host else address.name)
    return labels


def _shortest_distinct_end(path: str, paths: Iterable[str]) -> str:
    """Return the shortest end of a path that no other path has."""
    other_paths = [other_path for other_path in paths if other_path != path]
    components = path.strip("/").split("/")
    path_ends = ("/".join(components[-count:]) for count in range(1, len(components) + 1))
    return next(
        (end for end in path_ends if not any(f"/{other_path}".endswith(f"/{end}") for other_path in other_paths)), path
    )


def _values_per_server(values: Sequence[str], servers: Sequence[str], option: str) -> list[str | None]:
    """Return what an option says of each server: nothing, the same of all, or of each its own, in their order."""
    if len(values) < 2:
        return [values[0] if values else None] * len(servers)
    if len(values) != len(servers):
        raise StudyError(
            f"{option} is given {len(values)} times for {len(servers)} servers",
            "it applies to all servers, or the first one to the first server and so on",
            f"give {option} once, or once for each --server in the same order",
            code="values-mismatch",
        )
    return list(values)


def server_lines(address: ServerAddress) -> list[str]:
    """Return the address as a table of a study file."""
    address_values = {field.name: getattr(address, field.name) for field in fields(address) if field.name != "name"}
    lines = [
        f"{key} = {value if isinstance(value, int) else quoted(value)}"
        for key, value in address_values.items()
        if value
    ]
    return [f"[servers.{quoted(address.name)}]", *lines]


def quoted(text: str) -> str:
    """Return text as a TOML string.

    Raises
    ------
    StudyError : it holds signs that are no text
    """
    if any(ord(sign) < 32 or ord(sign) == 127 or 0xD800 <= ord(sign) < 0xE000 for sign in text):
        raise StudyError(
            f"{text!r} contains characters that can't be printed", "", "write plain text; --name names the study"
        )
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
