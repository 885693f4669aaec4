"""Lists storage engines other than InnoDB: which packages hold them, and which folders their rows lie in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from dbdyno.core import RetriedError, parse_retried_error
from dbdyno.engines._tables import cached, joined_rows


@dataclass(frozen=True, slots=True)
class StorageEngine:
    """Describes what is known of a storage engine that comes as a plug-in.

    Parameters
    ----------
    packages : family -> Debian package of the plug-in
    shared : patterns of the files in the data directory that hold the rows of all its tables
    beside : folders next to the data directory that belong to it
    page_cache : whether it reads its files through the page cache
    direct_reads : the variable that makes it read past it; empty where there is none
    conflicts : errors, beyond those of every engine, by which it says that a transaction met another and is undone
    status_refresh : statement that brings its rows of SHOW GLOBAL STATUS up to date; empty where they always are
    operations_per_transaction : rows that one transaction of it may change; None: no limit is known
    """

    name: str
    title: str
    packages: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    shared: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    page_cache: bool = False
    direct_reads: str = ""
    conflicts: tuple[RetriedError, ...] = ()
    status_refresh: str = ""
    operations_per_transaction: int | None = None


@cached
def storage_engines() -> Mapping[str, StorageEngine]:
    """Return all that are known, by name. Others can be measured, too; then nothing but their name is known.

    >>> storage_engines()["tidesdb"].beside
    ('tidesdb_data',)
    """
    rows = joined_rows("storage_engine", lambda row: row["name"], "")
    return MappingProxyType(
        {
            row["name"]: StorageEngine(
                name=row["name"],
                title=row["title"],
                packages=MappingProxyType(dict(row.get("packages", {}))),
                shared=tuple(row.get("shared", ())),
                beside=tuple(row.get("beside", ())),
                page_cache=bool(row.get("page_cache", False)),
                direct_reads=str(row.get("direct_reads", "")),
                conflicts=tuple(parse_retried_error(error) for error in row.get("conflicts", ())),
                status_refresh=str(row.get("status_refresh", "")),
                operations_per_transaction=row.get("operations_per_transaction"),
            )
            for row in rows
        }
    )


def conflicts_of(storage_engine: str) -> tuple[RetriedError, ...]:
    """Return errors, beyond 1213, 1205 and 1020, by which a storage engine says that a transaction met another.

    >>> [str(error) for error in conflicts_of("tidesdb")], conflicts_of("innodb")
    (['1180/149'], ())
    """
    engine = storage_engines().get(storage_engine)
    return engine.conflicts if engine is not None else ()


def status_refresh_of(storage_engine: str) -> str:
    """Return what brings a storage engine's rows of SHOW GLOBAL STATUS up to date; empty if nothing is needed.

    >>> status_refresh_of("tidesdb"), status_refresh_of("rocksdb")
    ('SHOW ENGINE TIDESDB STATUS', '')
    """
    engine = storage_engines().get(storage_engine)
    return engine.status_refresh if engine is not None else ""


def engine_folders(data_directory: Path, storage_engine: str) -> list[Path]:
    """Return the folders next to a data directory that belong to it.

    >>> engine_folders(Path("/run/7/data"), "tidesdb"), engine_folders(Path("/run/7/data"), "innodb")
    ([PosixPath('/run/7/tidesdb_data')], [])
    """
    engine = storage_engines().get(storage_engine)
    return [data_directory.parent / name for name in engine.beside] if engine is not None else []


def plugin_packages(family: str) -> dict[str, str]:
    """Return storage engine -> Debian package of its plug-in for servers of a family.

    >>> plugin_packages("mariadb")["rocksdb"], plugin_packages("mysql")
    ('mariadb-plugin-rocksdb', {})
    """
    return {e.name: e.packages[family] for e in storage_engines().values() if family in e.packages}
