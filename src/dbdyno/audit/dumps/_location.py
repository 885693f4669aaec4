"""Finds the target, tier, campaign and moment of a file from its folder and its name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

Moment = Literal["", "start", "end"]

_TIER = r"(?:tier|bp|pool|mem|ram)[-_ ]?\d+(?:\.\d+)?[kmgt]?i?b?|\d+(?:\.\d+)?[kmgt]i?b?"
_TIER_RE = re.compile(_TIER, re.IGNORECASE)
_TIER_IN_NAME = re.compile(rf"(?:^|[-_. ])({_TIER})(?=$|[-_. ])", re.IGNORECASE)
_VENDORS = frozenset(
    {"mysql", "mariadb", "percona", "percona-server", "percona_server", "ps", "mysql-server", "mariadb-server"}
)
_SERVER_RE = re.compile(r"(?:mysql|my|mariadb|maria|percona|percona[-_]server|ps)[-_ ]?v?\d", re.IGNORECASE)
_ENDINGS = re.compile(r"\.(gz|txt|tsv|csv|out|log|json|cnf|ini|toml|dump|lst)$", re.IGNORECASE)
_KIND_WORDS = re.compile(
    r"(?:^|[-_. ])(?:(?:show|global)[-_. ]?)*(pt[-_]mysql[-_]summary|mysql[-_]summary|variables|vars|status"
    r"|config|options?|my|facts|stats?)(?=$|[-_. ])",
    re.IGNORECASE,
)
_MOMENTS: dict[Moment, re.Pattern[str]] = {
    "start": re.compile(r"(?:^|[-_. ])(?:before|start|begin|pre|first)(?=$|[-_. ])", re.IGNORECASE),
    "end": re.compile(r"(?:^|[-_. ])(?:after|end|post|late|last|final)(?=$|[-_. ])", re.IGNORECASE),
}


@dataclass(frozen=True, slots=True)
class DumpLocation:
    """Holds where a file belongs.

    Parameters
    ----------
    folders : of the target, below the folder that is audited
    label : what the file's name says of the target; empty when it says nothing
    tier : memory tier by folder or name; empty for none
    moment : before or after a load, by name
    """

    folders: tuple[str, ...]
    label: str
    tier: str
    moment: Moment


def dump_location(path: PurePath) -> DumpLocation:
    """Return the place of a file by its path below the audited folder.

    >>> dump_location(PurePath("mysql/8.4.8/Tier12G.vars.txt"))
    DumpLocation(folders=('mysql', '8.4.8'), label='', tier='Tier12G', moment='')
    >>> dump_location(PurePath("2GB/mariadb-11.8.status_after.tsv.gz"))
    DumpLocation(folders=(), label='mariadb-11.8', tier='2GB', moment='end')
    >>> dump_location(PurePath("mysql-8.0-2G.show_global_variables.txt"))
    DumpLocation(folders=(), label='mysql-8.0', tier='2G', moment='')
    """
    tier = ""
    folders = []
    for folder in path.parts[:-1]:
        if _TIER_RE.fullmatch(folder):
            tier = folder
        else:
            folders.append(folder)
    stem = path.name
    while _ENDINGS.search(stem):
        stem = _ENDINGS.sub("", stem)
    moment: Moment = next((moment for moment, words in _MOMENTS.items() if words.search(stem)), "")
    for words in (*_MOMENTS.values(), _KIND_WORDS):
        stem = words.sub("", stem)
    named = _TIER_IN_NAME.search(stem)
    label = _TIER_IN_NAME.sub("", stem).strip("-._ ")
    return DumpLocation(tuple(folders), label, named[1] if named else tier, moment)


def names_a_server(label: str) -> bool:
    """Return whether a file's name says which server it is of.

    >>> names_a_server("mysql-8.4"), names_a_server("ps8"), names_a_server("mysqld"), names_a_server("50-server")
    (True, True, False, False)
    """
    return _SERVER_RE.search(label) is not None


def campaign_and_target(folders: tuple[str, ...], label: str) -> tuple[tuple[str, ...], str]:
    """Return folders of the campaign, and the target's name.

    A version below a folder is a target of both; so is a vendor's folder. Otherwise the last folder is the target,
    and a label in the file's name is another one.

    >>> campaign_and_target(("logs", "percona-server", "8.4.7-7"), "")
    (('logs',), 'percona-server/8.4.7-7')
    >>> campaign_and_target(("run1", "b"), ""), campaign_and_target(("run1",), "mysql-9")
    ((('run1',), 'b'), (('run1',), 'mysql-9'))
    """
    if len(folders) > 1 and re.match(r"v?\d+\.\d+", folders[-1]):
        target = folders[-2:]
    else:
        vendor_index = next((index for index, folder in enumerate(folders) if folder.lower() in _VENDORS), None)
        target = folders[vendor_index:] if vendor_index is not None else folders[-1:]
    if not label:
        return folders[: len(folders) - len(target)], "/".join(target)
    if target and _is_server_name(target):
        return folders[: len(folders) - len(target)], "/".join((*target, label))
    return folders, label


def _is_server_name(target: tuple[str, ...]) -> bool:
    return target[0].lower() in _VENDORS or re.match(r"v?\d+\.\d+", target[-1]) is not None
