"""What an option file asks the server for."""

from __future__ import annotations

import re

_SERVER_GROUPS = re.compile(r"(mysqld|server|mariadb|mariadbd|galera|mysqld_safe)([-_]?\d[\d.]*)?", re.IGNORECASE)
_LAUNCHER_GROUP = "mysqld_safe"
# Variables whose own name begins with skip: they are no negations.
_SKIP_NAMES = frozenset(
    {
        "skip_external_locking", "skip_name_resolve", "skip_networking", "skip_show_database", "skip_slave_start",
        "skip_replica_start", "skip_grant_tables", "skip_replication", "skip_parallel_replication",
        "skip_character_set_client_handshake", "skip_host_cache",
    }
)  # fmt: skip


def parse_option_file(text: str) -> dict[str, str]:
    r"""Options of the server's groups by name; the last one given counts, as for the server.

    A bare option is ``ON``; ``skip-`` and ``disable-`` mean ``OFF``; ``loose-``, ``enable-`` and ``maximum-`` are
    taken off. Groups of clients are left out; lines before the first group count as the server's.

    >>> parse_option_file("[mysqld]\nskip-log-bin\ninnodb_file_per_table\nsort-buffer-size = '256K' # each\n[client]")
    {'log_bin': 'OFF', 'innodb_file_per_table': 'ON', 'sort_buffer_size': '256K'}
    """
    options: dict[str, str] = {}
    group = "mysqld"
    for line in text.splitlines():
        stripped = line.strip()
        if not stripped or stripped[0] in "#;!":
            continue
        if stripped.startswith("["):
            group = stripped.partition("]")[0].strip("[] \t").lower()
            continue
        if group != _LAUNCHER_GROUP and _SERVER_GROUPS.fullmatch(group):
            name, value = parse_option(stripped)
            options[name] = value
    return options


def parse_option(line: str) -> tuple[str, str]:
    """Name and value of one option as it stands in a file or on a command line.

    >>> parse_option("--skip-name-resolve"), parse_option("--log-bin=binlog"), parse_option("disable_log_bin")
    (('skip_name_resolve', 'ON'), ('log_bin', 'binlog'), ('log_bin', 'OFF'))
    """
    left, sign, right = line.partition("=")
    name = left.strip().lstrip("-").replace("-", "_").lower()
    value = _unquote(right) if sign else "ON"
    for prefix in ("loose_", "maximum_", "enable_"):
        name = name.removeprefix(prefix)
    for prefix in ("skip_", "disable_"):
        if name.startswith(prefix) and name not in _SKIP_NAMES:
            return name.removeprefix(prefix), "ON" if value.upper() in ("0", "OFF", "FALSE") else "OFF"
    return name, value


def _unquote(text: str) -> str:
    value = text.strip()
    if value[:1] in ("'", '"') and value.find(value[0], 1) > 0:
        return value[1 : value.find(value[0], 1)]
    return re.split(r"\s#", f" {value}")[0].strip()
