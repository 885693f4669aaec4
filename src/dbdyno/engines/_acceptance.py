"""What servers made of an option that was given to them at start, as measured."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import Any, Literal

from dbdyno.engines._tables import read_packaged
from dbdyno.engines._versions import parse_version

MeasuredState = Literal["accepted", "deprecated", "no-op", "refused"]
# MariaDB 10.2 took over MySQL's InnoDB, 11.0 lost the change buffer: these series are like the one measured after them.
_LIKE_THE_NEXT = (((10, 2), (10, 3)), ((11,), (11, 8)))
_STATES: tuple[MeasuredState, ...] = ("deprecated", "no-op", "refused")


def measured_state(name: str, family: str, version: str) -> MeasuredState | None:
    """What the nearest measured server of the same maker did with an option; None when that is not known.

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
    server = _nearest(family, version)
    state: MeasuredState | None = next((s for s in _STATES if server in entry.get(s, "").split()), "accepted")
    borrowed = not server.startswith(f"{family}-")
    return None if borrowed and state == "refused" else state


def _nearest(family: str, version: str) -> str:
    """The newest measured server not newer than a version, of the family if it has any in that range."""
    numbers = parse_version(version)
    if family == "percona" and numbers >= (5, 7):
        family = "mysql"
    if family == "mariadb":
        numbers = max(numbers, *(after for since, after in _LIKE_THE_NEXT if since <= numbers < after), (0,))
    servers: list[str] = [key for key in _document()["servers"] if key.startswith(f"{family}-")]
    own = sorted((parse_version(key.partition("-")[2]), key) for key in servers)
    return next((key for series, key in reversed(own) if series <= numbers), own[0][1])


@functools.cache
def _options() -> Mapping[str, Mapping[str, str]]:
    return {entry["name"]: entry for entry in _document()["options"]}


@functools.cache
def _document() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(read_packaged("acceptance.json"))
    return document
