"""Computes how many connections, table handles and open files a server needs for a study's concurrency.

`configure` writes these numbers as options, and `doctor` compares the machine's limit with them.
"""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno.core import Policy
from dbdyno.engines import SettingValue

_SPARE_CONNECTIONS = 32  # for samplers, for the admin and for looking on while the load runs
_CONNECTIONS_MIN = 128
_DEFAULT_CONNECTIONS = 151
_TABLE_HANDLES_MIN, _TABLE_HANDLES_MAX = 4000, 524_288
_FILES_AT_REST = 1000


def needs_room(policy: Policy, concurrency_max: int) -> bool:
    """Return whether a policy states limits of connections and files: only aligned does where the defaults suffice."""
    return policy == "aligned" or concurrency_max + _SPARE_CONNECTIONS > _DEFAULT_CONNECTIONS


def connection_limit(concurrency_max: int, settings: Mapping[str, SettingValue]) -> int:
    """Return the connections that a server must take at once."""
    return int(settings.get("server.max_connections", max(concurrency_max + _SPARE_CONNECTIONS, _CONNECTIONS_MIN)))


def table_handles(concurrency_max: int, settings: Mapping[str, SettingValue]) -> int:
    """Return the open tables that a server must be able to keep."""
    default_count = min(max(_TABLE_HANDLES_MIN, 16 * concurrency_max), _TABLE_HANDLES_MAX)
    return int(settings.get("server.table_open_cache", default_count))


def open_files_limit(concurrency_max: int, settings: Mapping[str, SettingValue]) -> int:
    """Return the files that a server must be able to hold open.

    >>> open_files_limit(16, {}), open_files_limit(1000, {})
    (9128, 34032)
    """
    files = 2 * table_handles(concurrency_max, settings) + connection_limit(concurrency_max, settings) + _FILES_AT_REST
    return int(settings.get("server.open_files_limit", files))
