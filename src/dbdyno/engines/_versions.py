"""Compares versions as numbers, and identifies a server by its own words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from dbdyno.core import StudyError

Version = tuple[int, ...]
_TRIPLE_RE = re.compile(r"\d+(?:\.\d+)+")


@lru_cache(maxsize=4096)  # tables are looked up with the same few versions many times
def parse_version(text: str) -> Version:
    """Return the numbers of a version.

    Raises
    ------
    StudyError : there are none

    >>> parse_version("11.8"), parse_version("8.0.46-37") < parse_version("10.5.23")
    ((11, 8), True)
    """
    match = re.match(r"\d+(?:\.\d+)*", text)
    if match is None:
        raise StudyError(f"'{text}' is not a version", "", "write numbers and dots, such as 11.8 or 8.0.46")
    return tuple(int(part) for part in match[0].split("."))


def within(version: str, since: str, until: str) -> bool:
    """Return whether a version lies in a range; an empty bound is no bound, `until` itself lies outside.

    >>> within("8.0.46", "8.0.30", ""), within("11.8.6", "10.5", "11.0"), within("10.11", "10.11.8", "")
    (True, False, False)
    """
    numbers = parse_version(version)
    return (not since or numbers >= parse_version(since)) and (not until or numbers < parse_version(until))


def plugin_within(version: str | None, since: str, until: str) -> bool:
    """Return whether a plug-in of this version has what a row describes; None: any version that may be meant.

    A plug-in whose version is not known (an empty text) has what every version has, and nothing else.

    >>> plugin_within("4.2.4", "4.5.1", ""), plugin_within("", "4.5.1", ""), plugin_within("", "", "")
    (False, False, True)
    >>> plugin_within(None, "4.5.1", "")
    True
    """
    if version is None or not (since or until):
        return True
    return bool(version) and within(version, since, until)


def matches(version: str, prefix: str) -> bool:
    """Return whether a version is what was asked for: the same leading numbers.

    >>> matches("11.8.6", "11.8"), matches("11.8.6", "11"), matches("11.80.1", "11.8")
    (True, True, False)
    """
    prefix_numbers = parse_version(prefix)
    return parse_version(version)[: len(prefix_numbers)] == prefix_numbers


@dataclass(frozen=True, slots=True)
class ServerIdentity:
    """Identifies a server.

    Parameters
    ----------
    certain : the words decide it; False where the family only follows from nothing saying otherwise
    """

    family: str
    version: str
    certain: bool


def identify(version: str, version_comment: str = "", variables: frozenset[str] = frozenset()) -> ServerIdentity:
    """Return the family and version from ``SELECT VERSION()``, ``@@version_comment`` and the names of its variables.

    A suffix alone does not make a Percona Server: Debian's MySQL calls itself 9.7.4-2. Features never follow
    from the first number alone: MariaDB 10 is not above MySQL 8.

    >>> identify("5.5.5-10.6.23-MariaDB-0ubuntu0.22.04.1")
    ServerIdentity(family='mariadb', version='10.6.23', certain=True)
    >>> identify("9.7.4-2", "(Debian)").family, identify("8.0.45-36", "Percona Server (GPL), Release 36").family
    ('mysql', 'percona')
    """
    text = version.removeprefix("5.5.5-") if re.match(r"5\.5\.5-\d+\.", version) else version
    match = _TRIPLE_RE.search(text)
    if match is None:
        raise StudyError(f"'{version}' is not a server's version", "", "is this a MySQL-compatible server?")
    if "mariadb" in text.lower() or "aria_pagecache_buffer_size" in variables:
        return ServerIdentity("mariadb", match[0], certain=True)
    if "percona" in version_comment.lower() or "have_backup_locks" in variables:
        return ServerIdentity("percona", match[0], certain=True)
    return ServerIdentity("mysql", match[0], certain=bool(version_comment or variables))
