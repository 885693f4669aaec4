r"""Reads option files as servers do, and says what servers did with an option that was given at start.

All who have such a file use this reader: the audit, the import of logs, dumps, studies of tuned targets. They decide
what becomes of the options, and they read the files.

>>> [(o.name, o.value, o.line) for o in read_option_file("[client]\nport=1\n[mysqld]\nsync-binlog = 1 # why\n").options]
[('sync_binlog', '1', 4)]
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from dbdyno.engines._tables import read_packaged
from dbdyno.engines._versions import parse_version

_SERVER_GROUP_RE = re.compile(r"(?:mysqld|server|mariadb|mariadbd|galera)(?:[-_]?\d[\d.]*)?")
_GROUP_RE = re.compile(r"\[\s*([^\]]*?)\s*\]")
_OPTION_RE = re.compile(r"([A-Za-z][A-Za-z0-9_.-]*)\s*(?:=\s*(.*))?", re.DOTALL)
# A comment begins at any # outside of quotes; a quote that is never closed holds the rest of the line.
_BEFORE_COMMENT_RE = re.compile(r"""(?:[^'"#]+|'(?:\\.|[^'])*(?:'|$)|"(?:\\.|[^"])*(?:"|$))*""", re.DOTALL)
_FALSE_WORDS = ("0", "OFF", "FALSE")
# Variables whose own name begins with skip: they are no negations.
_SKIP_NAMES = frozenset(
    {
        "skip_external_locking", "skip_name_resolve", "skip_networking", "skip_show_database", "skip_slave_start",
        "skip_replica_start", "skip_grant_tables", "skip_replication", "skip_parallel_replication",
        "skip_character_set_client_handshake", "skip_host_cache",
    }
)  # fmt: skip

NAMES_A_FILE = " (a file name)"
"""Ends a value that reads like a switch, and that servers take for the name of files."""


@dataclass(frozen=True, slots=True)
class WrittenOption:
    """Describes an option of the server as it stands in a file.

    Parameters
    ----------
    name : as written, with underscores
    value : without its quotes and the comment behind it; ``ON`` for a bare one
    line : from 1
    group : that it stands in, in small letters; empty before the first one, where no server takes it
    is_bare : nothing but its name is there
    """

    name: str
    value: str
    line: int
    group: str
    is_bare: bool

    @property
    def asked(self) -> tuple[str, str]:
        """The variable that it is about and what it asks for, prefixes resolved; see `requested_option`."""
        return _resolve_prefix(self.name, self.value)


@dataclass(frozen=True, slots=True)
class OptionFile:
    """Describes what a file asks of the server.

    Parameters
    ----------
    options : in the order of the file; of several for one variable the last counts, as for the server
    included : lines that name other files, which were not read
    diagnostics : lines that are nothing; all with their number from 1
    """

    options: tuple[WrittenOption, ...] = ()
    included: tuple[tuple[int, str], ...] = ()
    diagnostics: tuple[tuple[int, str], ...] = ()

    @property
    def asked(self) -> dict[str, str]:
        r"""Variable -> value of all options.

        >>> read_option_file("[mysqld]\nskip-log-bin\ninnodb_file_per_table\nsort-buffer-size = '256K' # each").asked
        {'log_bin': 'OFF', 'innodb_file_per_table': 'ON', 'sort_buffer_size': '256K'}
        """
        return dict(option.asked for option in self.options)


def read_option_file(text: str) -> OptionFile:
    r"""Return the options of the server's groups, without those of clients; lines before any group are the server's.

    >>> read_option_file("[mysqld]\n!include /etc/other.cnf\n= 3\n")
    OptionFile(options=(), included=((2, '!include /etc/other.cnf'),), diagnostics=((3, 'not an option: = 3'),))
    """
    options: list[WrittenOption] = []
    include_lines: list[tuple[int, str]] = []
    diagnostics: list[tuple[int, str]] = []
    group = ""
    for number, raw_line in enumerate(text.split("\n"), 1):
        line = raw_line.strip()
        if not line or line[0] in "#;":
            continue
        if line[0] == "!":
            include_lines.append((number, line))
        elif group_match := _GROUP_RE.match(line):
            group = group_match[1].lower()
        elif (option := _OPTION_RE.fullmatch(_before_comment(line))) is None:
            diagnostics.append((number, f"not an option: {line[:80]}"))
        elif not group or _SERVER_GROUP_RE.fullmatch(group):
            name, value = option.groups()
            value_text = "ON" if value is None else _unquote(value)
            options.append(WrittenOption(name.replace("-", "_"), value_text, number, group, value is None))
    return OptionFile(tuple(options), tuple(include_lines), tuple(diagnostics))


def requested_option(line: str) -> tuple[str, str]:
    """Return variable and value of one option as it stands in a file or on a command line.

    A bare option is ``ON``; ``skip-`` and ``disable-`` mean ``OFF``; ``loose-``, ``enable-`` and ``maximum-`` are
    taken off. ``log_bin = OFF`` switches the binary log on, with files of that name.

    >>> requested_option("--skip-name-resolve"), requested_option("disable_log_bin")
    (('skip_name_resolve', 'ON'), ('log_bin', 'OFF'))
    >>> requested_option("log_bin = off")
    ('log_bin', 'off (a file name)')
    """
    name_text, sign, value_text = _before_comment(line).partition("=")
    return _resolve_prefix(name_text.strip().lstrip("-").replace("-", "_"), _unquote(value_text) if sign else "ON")


def _resolve_prefix(name: str, value: str) -> tuple[str, str]:
    name = name.lower()
    for prefix in ("loose_", "maximum_", "enable_"):
        name = name.removeprefix(prefix)
    for prefix in ("skip_", "disable_"):
        if name.startswith(prefix) and name not in _SKIP_NAMES:
            return name.removeprefix(prefix), "ON" if value.upper() in _FALSE_WORDS else "OFF"
    if name == "log_bin" and value.upper() in _FALSE_WORDS:
        value += NAMES_A_FILE
    return name, value


def _before_comment(line: str) -> str:
    """Return a line up to its comment.

    >>> _before_comment("a = 1 # why"), _before_comment('a = "x # y"'), _before_comment("a = it's # whole")
    ('a = 1', 'a = "x # y"', "a = it's # whole")
    """
    match = _BEFORE_COMMENT_RE.match(line)
    return (match[0] if match else line).strip()


def _unquote(text: str) -> str:
    value = text.strip()
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value


MeasuredState = Literal["accepted", "deprecated", "no-op", "refused"]
# MariaDB 10.2 took over MySQL's InnoDB, 11.0 lost the change buffer: these series are like the one measured after them.
_LIKE_THE_NEXT = (((10, 2), (10, 3)), ((11,), (11, 8)))
_STATES: tuple[MeasuredState, ...] = ("deprecated", "no-op", "refused")


def measured_state(name: str, family: str, version: str) -> MeasuredState | None:
    """Return what the nearest measured server of the same maker did with an option; None when that is not known.

    Percona Server keeps MySQL's options and adds its own, so MySQL answers for its later series; but what MySQL
    refuses, Percona Server may have.

    >>> measured_state("innodb_log_files_in_group", "mariadb", "11.4.10")
    'no-op'
    >>> measured_state("userstat", "percona", "8.0.45") is None
    True
    """
    entry = _options().get(name)
    if entry is None:
        return None
    server = _nearest_server(family, version)
    state: MeasuredState | None = next((s for s in _STATES if server in entry.get(s, "").split()), "accepted")
    is_other_family = not server.startswith(f"{family}-")
    return None if is_other_family and state == "refused" else state


def _nearest_server(family: str, version: str) -> str:
    """Return the newest measured server not newer than a version, of the family if it has any in that range."""
    numbers = parse_version(version)
    if family == "percona" and numbers >= (5, 7):
        family = "mysql"
    if family == "mariadb":
        numbers = max(
            numbers,
            *(next_series for from_series, next_series in _LIKE_THE_NEXT if from_series <= numbers < next_series),
            (0,),
        )
    servers: list[str] = [key for key in _document()["servers"] if key.startswith(f"{family}-")]
    family_servers = sorted((parse_version(key.partition("-")[2]), key) for key in servers)
    return next((key for series, key in reversed(family_servers) if series <= numbers), family_servers[0][1])


@functools.cache
def _options() -> Mapping[str, Mapping[str, str]]:
    return {entry["name"]: entry for entry in _document()["options"]}


@functools.cache
def _document() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(read_packaged("option_states.json"))
    return document
