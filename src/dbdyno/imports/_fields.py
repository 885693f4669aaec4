"""Collects what path, log and server say of where a run belongs. Nothing is guessed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dbdyno.core import Route, StudyError, TreeError, parse_bytes
from dbdyno.engines import ServerIdentity
from dbdyno.imports._diagnostic import escaped_line
from dbdyno.imports._layouts import LAYOUTS
from dbdyno.imports._pattern import FIELDS, Pattern
from dbdyno.imports._run import RunHeader
from dbdyno.study import IMPORTED, full_name

NOT_NAMED = f"{IMPORTED}not named"
LONGEST_NAME = 120
_FAMILY_WORDS = (("mariadb", "mariadb"), ("percona", "percona"), ("mysql", "mysql"))
_PERCONA_SERVER_RE = re.compile(r"ps-?\d{0,2}", re.IGNORECASE)
_LOOPBACK = frozenset({"127.0.0.1", "::1"})
_SOCKET = frozenset({"localhost"})  # to MySQL's and MariaDB's client libraries the name means the socket file


@dataclass(frozen=True, slots=True)
class Fields:
    """Holds fields of one log by its path.

    Parameters
    ----------
    values : field -> text; names other than `FIELDS` distinguish targets
    layout : name of the layout that was recognised; empty without
    fits : a pattern or a layout fits the path
    """

    values: Mapping[str, str]
    layout: str = ""
    fits: bool = False


@dataclass(frozen=True, slots=True)
class TargetIdentity:
    """Holds what is known of a target; `version` is empty and `family` ``unknown`` if nothing is."""

    name: str
    family: str
    version: str
    storage_engine: str


def path_fields(root: Path, path: str, patterns: Sequence[Pattern], given: Mapping[str, str]) -> Fields:
    """Return fields of a log, by the user's patterns or else by a known layout; `given` ones win.

    The path is taken with the folders above the imported one, so that a part of a tree is named as in the whole.
    """
    full_path = (root / path).as_posix()
    for pattern in patterns:
        path_values = pattern.match(full_path)
        if path_values is not None:
            return Fields({**path_values, **given}, fits=True)
    if not patterns:
        for layout in LAYOUTS:
            path_values = layout.fields(full_path)
            if path_values is not None:
                return Fields({**path_values, **given}, layout.name, fits=True)
    return Fields(dict(given))


def read_given(pairs: Sequence[str]) -> dict[str, str]:
    """Return fields that hold for all logs, written FIELD=VALUE.

    Raises
    ------
    TreeError : not of that form, or no such field
    """
    given_fields = {}
    for pair in pairs:
        name, separator, value = pair.partition("=")
        if not separator or name not in FIELDS or not value:
            known_names = ", ".join(FIELDS)
            raise TreeError(
                f"'{pair}' is not FIELD=VALUE", f"fields: {known_names}", "write for example --set route=network"
            )
        given_fields[name] = value
    for name, check in (("tier", lambda text: tier_bytes({"tier": text})), ("route", _parse_route)):
        if name in given_fields:
            check(given_fields[name])
    for name in ("threads", "repeat"):
        if name in given_fields and not (
            given_fields[name].isascii() and given_fields[name].isdigit() and int(given_fields[name]) > 0
        ):
            raise TreeError(f"'{name}={given_fields[name]}' is not a number", "", f"write for example --set {name}=16")
    return given_fields


def tier_bytes(values: Mapping[str, str]) -> int:
    """Return memory of a tier from its field; 0 without one.

    Raises
    ------
    TreeError : a bare number, whose unit nobody knows
    """
    text = values.get("tier", "")
    if not text:
        return 0
    if text[-1].isdigit():
        reason = f"'{text}' is a number without a unit"
        remedy = "write the unit into the pattern, such as {tier:GB}"
        raise TreeError("the memory of a tier is unclear", reason, remedy, code="tier-unclear")
    try:
        return parse_bytes(text)
    except StudyError as error:
        raise TreeError(f"'{text}' is not a memory size", "", "write for example {tier:GB} in the pattern") from error


def route_of(values: Mapping[str, str], head: RunHeader | None) -> Route:
    """Return how the client reached the server: by the path, or by the command that the log echoes."""
    if "route" in values:
        return _parse_route(values["route"])
    options = head.options if head else {}
    if options.get("mysql_socket"):
        return "socket"
    hosts = set(options.get("mysql_host", "").split(",")) - {""}  # sysbench deals its connections out to a list
    if hosts - _LOOPBACK - _SOCKET:
        return "network"
    return "socket" if hosts == _SOCKET else "loopback" if hosts and hosts <= _LOOPBACK else "unknown"


def workload_of(values: Mapping[str, str], head: RunHeader | None) -> str:
    """Return the full name of the workload; ``imported:`` with its name where dbdyno has none like it."""
    name = values.get("workload", "") or (head.test if head else "")
    if not name:
        return NOT_NAMED
    return full_name(name) or f"{IMPORTED}{escaped_line(name, LONGEST_NAME)}"


def target_of(values: Mapping[str, str], server: ServerIdentity | None, fallback: str, engine: str) -> TargetIdentity:
    """Return the target of a run.

    Parameters
    ----------
    server : who the server says it is
    fallback : name where neither path nor server gives one
    engine : default storage engine by the server's variables; empty when not known
    """
    engine_word, version_word = values.get("engine", ""), values.get("version", "")
    if server is not None and not engine_word:
        engine_word = server.family
    if server is not None and not version_word:
        version_word = server.version
    extras = [
        value if re.search("[A-Za-z]", value) else f"{name} {value}" for name, value in _extra_fields(values).items()
    ]
    storage = values.get("storage_engine", "")
    name = values.get("target", "") or " ".join(word for word in (engine_word, version_word) if word)
    name_words = [name or fallback, *([storage] if storage else []), *extras]
    version = re.match(r"\d+(?:\.\d+)*(?:-\d+)*", version_word)
    return TargetIdentity(
        escaped_line(", ".join(dict.fromkeys(name_words)), LONGEST_NAME),
        _server_family(engine_word, version_word, values.get("target", ""), server),
        version[0] if version else "",
        storage.lower() or engine.lower() or "unknown",
    )


def _extra_fields(values: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in values.items() if name not in FIELDS}


def _server_family(engine: str, version: str, target: str, server: ServerIdentity | None) -> str:
    for text in (engine, version, target):
        for word, family in _FAMILY_WORDS:
            if word in text.lower():
                return family
    if server is not None:
        return server.family
    if _PERCONA_SERVER_RE.fullmatch(engine):
        return "percona"
    first_word = re.match(r"[a-z][a-z0-9_-]{0,30}", engine.lower())
    return first_word[0] if first_word else "unknown"


def _parse_route(text: str) -> Route:
    match text:
        case "socket" | "loopback" | "network" | "unknown":
            return text
        case _:
            raise TreeError(f"'{text}' is not a route", "", "write socket, loopback or network")
