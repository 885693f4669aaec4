"""Lists families of servers, their ranges of versions, and the builds that public registries offer."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from dbdyno.core import StudyError
from dbdyno.engines._tables import Row, cached, joined_rows
from dbdyno.engines._versions import Version, matches, parse_version, within
from dbdyno.nearest import nearest

GrantTable = Literal["global_priv", "user"]
SetPassword = Literal["alter", "set"]
Initialise = Literal["insecure", "bootstrap", "unsupported"]


@dataclass(frozen=True, slots=True)
class EngineFamily:
    """Describes a range of versions of one family.

    Parameters
    ----------
    initialise : how an empty data directory comes to be
    package : Debian's package of the server, without a version at its end; empty where there is none
    image : the official one, without a tag
    sql_files : for bootstrap, in order; of each group the first that is there
    grant_table : for bootstrap: where accounts are kept
    set_password : for bootstrap: whether ALTER USER takes a password, or SET PASSWORD only
    auth_plugin : of an account made without naming one
    fixed_redo : for bootstrap: redo files keep the size they were made with, another one is a reason not to start
    launch : options without which a private server of this range does not start
    """

    name: str
    title: str
    since: str
    until: str
    initialise: Initialise
    auth_plugin: str
    package: str = ""
    image: str = ""
    sql_files: tuple[tuple[str, ...], ...] = ()
    grant_table: GrantTable = "global_priv"
    set_password: SetPassword = "alter"
    fixed_redo: bool = False
    launch: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def key(self) -> str:
        """Family and first version of the range, such as ``mariadb-11.8``."""
        return f"{self.name}-{self.since}"


def family_names() -> tuple[str, ...]:
    """Return every family known.

    >>> family_names()
    ('mysql', 'percona', 'mariadb')
    """
    return tuple(dict.fromkeys(family.name for family in families()))


def nearest_family(name: str) -> str:
    """Return the hint for a family that is not known.

    >>> nearest_family("percon"), nearest_family("postgres")
    ("did you mean 'percona'?", 'dbdyno compares mariadb, mysql, percona')
    """
    return nearest(name, family_names(), f"dbdyno compares {', '.join(sorted(family_names()))}")


def family_of(name: str, version: str) -> EngineFamily:
    """Return the range that holds a version; a version newer than all known counts as the newest range.

    Raises
    ------
    StudyError : no such family (the nearest is named), or a version older than all known

    >>> family_of("mariadb", "11.8.6").key, family_of("mysql", "26.1").key
    ('mariadb-11.8', 'mysql-9.0')
    """
    ranges = [family for family in families() if family.name == name]
    if not ranges:
        raise StudyError(
            f"'{name}' is not an engine family",
            f"known: {', '.join(family_names())}",
            nearest(name, family_names(), ""),
        )
    for family in ranges:
        if within(version, family.since, family.until):
            return family
    raise StudyError(
        f"{ranges[0].title} {version} is not known",
        f"known from {ranges[0].since}",
        f"choose {ranges[0].since} or later",
    )


@cached
def families() -> tuple[EngineFamily, ...]:
    """Return all ranges of all families, oldest first within a family."""
    return tuple(
        EngineFamily(
            name=family["name"],
            title=family["title"],
            since=row["since"],
            until=row.get("until", ""),
            package=family.get("package", ""),
            image=family.get("image", ""),
            initialise=row["initialise"],
            auth_plugin=row["auth"],
            sql_files=tuple(tuple(group) for group in family.get("sql_files", ())),
            grant_table=row.get("grant_table", "global_priv"),
            set_password=row.get("set_password", "alter"),
            fixed_redo=row.get("fixed_redo", False),
            launch=MappingProxyType(dict(row.get("launch", {}))),
        )
        for family in joined_rows("family", lambda family: family["name"], "ranges")
        for row in _sorted_ranges(family["ranges"])
    )


def _sorted_ranges(ranges: list[Row]) -> list[Row]:
    """Sort by first version; a range ends where a later one begins, and of two of one beginning the first holds."""
    by_beginning: dict[Version, Row] = {}
    for row in ranges:
        by_beginning.setdefault(parse_version(row["since"]), row)
    rows = [by_beginning[beginning] for beginning in sorted(by_beginning)]
    for row, next_row in itertools.pairwise(rows):
        if not row.get("until") or parse_version(row["until"]) > parse_version(next_row["since"]):
            rows[rows.index(row)] = {**row, "until": next_row["since"]}
    return rows


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """Describes one engine that can be had from a registry.

    Parameters
    ----------
    source : as written after the ``@`` of an engine's name
    file_bytes : of the file that is fetched
    sha256 : of that file
    stands_for_series : whether the series alone may mean it; not so for a file that is far larger than another
    """

    family: str
    version: str
    source: str
    file_bytes: int
    sha256: str
    stands_for_series: bool = True

    @property
    def engine(self) -> str:
        """The engine as a user writes it, by its series.

        >>> catalogue()[0].engine
        'mysql:5.5@maven:mysql:mysql-connector-mxj-db-files:5.0.12'
        """
        return f"{self.family}:{'.'.join(self.version.split('.')[:2])}@{self.source}"


@cached
def catalogue() -> tuple[CatalogueEntry, ...]:
    """Return all of them, by family and version."""
    return tuple(
        CatalogueEntry(
            row["family"], row["version"], row["source"], row["bytes"], row["sha256"], row.get("series", True)
        )
        for row in joined_rows("engine", lambda row: row["source"], "")
    )


def catalogued(family: str, version: str, kind: str = "") -> CatalogueEntry | None:
    """Return the newest entry that answers to a version, of a kind of source where one is given; else None.

    >>> catalogued("mysql", "8.0").version, catalogued("mysql", "8.4")
    ('8.0.31', None)
    """
    of_kind = [e for e in catalogue() if e.family == family and e.source.startswith(f"{kind}:" if kind else "")]
    matching_entries = [
        e for e in of_kind if e.version == version or (e.stands_for_series and matches(e.version, version))
    ]
    return max(matching_entries, key=lambda e: parse_version(e.version), default=None)


def catalogued_by_source(family: str, version: str) -> dict[str, CatalogueEntry]:
    """Return the newest entry that answers to a version, of each kind of source that has one.

    >>> list(catalogued_by_source("mysql", "8.0")), list(catalogued_by_source("mysql", "5.6"))
    (['maven'], ['maven', 'npm'])
    """
    kinds = dict.fromkeys(entry.source.partition(":")[0] for entry in catalogue())
    return {kind: entry for kind in kinds if (entry := catalogued(family, version, kind)) is not None}


def catalogued_sha256(source: str) -> str:
    """Return what the file of a source must be; empty for a source that is not in the catalogue."""
    return next((entry.sha256 for entry in catalogue() if entry.source == source), "")
