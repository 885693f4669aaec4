"""Engines that public registries offer, with the digests of the files that were tried."""

from __future__ import annotations

from dataclasses import dataclass

from dbdyno.engines._tables import cached, joined_rows
from dbdyno.engines._versions import matches, parse_version


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """One engine that can be had from a registry.

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
    """All of them, by family and version."""
    return tuple(
        CatalogueEntry(
            row["family"], row["version"], row["source"], row["bytes"], row["sha256"], row.get("series", True)
        )
        for row in joined_rows("engine", lambda row: row["source"], "")
    )


def catalogued(family: str, version: str, kind: str = "") -> CatalogueEntry | None:
    """The newest entry that answers to a version, of a kind of source where one is given; None when there is none.

    >>> catalogued("mysql", "8.0").version, catalogued("mysql", "8.4")
    ('8.0.31', None)
    """
    of_kind = [e for e in catalogue() if e.family == family and e.source.startswith(f"{kind}:" if kind else "")]
    fitting = [e for e in of_kind if e.version == version or (e.stands_for_series and matches(e.version, version))]
    return max(fitting, key=lambda e: parse_version(e.version), default=None)


def catalogued_sha256(source: str) -> str:
    """What the file of a source must be; empty for a source that is not in the catalogue."""
    return next((entry.sha256 for entry in catalogue() if entry.source == source), "")
