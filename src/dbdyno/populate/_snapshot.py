"""Keeps filled, verified, stopped data directories under a key that covers all that shaped them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dbdyno.core import Home, HostError, PopulateError, decode, format_bytes, json_value
from dbdyno.engines import engine_folders
from dbdyno.hosts import FileFacts, Host
from dbdyno.populate._dataset import Dataset, DatasetOrder
from dbdyno.populate._fill import fill
from dbdyno.populate._records import ConditionAnswer, FillEnd, FillProgress, FillWait, TableSpace, TableSums
from dbdyno.populate._server import FreshServer, FreshServers
from dbdyno.populate._verify import ConditionWait

DATA = "data"
FACTS = "facts.json"
USED = "used"  # says by its time when a study last took the snapshot; outside what is counted as kept
_SOON_S = 2.0
_WAIT_S = 24 * 3600
_ROW_BYTES = 300  # row, secondary index and page slack, rounded up
_EMPTY_SERVER_BYTES = 800 << 20


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Describes a stopped data directory with a dataset in it.

    Parameters
    ----------
    folder : holds ``data``, its passwords and ``facts.json``
    bytes : of all files
    disk_bytes : that they take; fewer than `bytes` where pages are compressed and leave holes
    reused : it was there already
    content_sha256 : one checksum of all tables
    space : what the tables take, where that was asked
    undecided : conditions that the server did not answer in time after the filling
    """

    folder: Path
    key: str
    tables: tuple[TableSums, ...]
    bytes: int
    disk_bytes: int
    fill_ns: int
    load_ns: int
    index_ns: int
    created_ns: int
    reused: bool
    content_sha256: str
    space: tuple[TableSpace, ...] = ()
    undecided: tuple[ConditionAnswer, ...] = ()

    @property
    def data_directory(self) -> Path:
        """Return what a run's data directory is copied from."""
        return self.folder / DATA

    @property
    def rows_total(self) -> int:
        """Rows of all tables."""
        return sum(table.rows for table in self.tables)


def snapshot_key(engine: Mapping[str, object], storage_engine: str, dataset: Dataset) -> str:
    """Return a name for all that shapes the files.

    Parameters
    ----------
    engine : version, packages, and the settings that shape files (redo capacity, page size, character set)
    """
    parts = {"engine": engine, "storage_engine": storage_engine, "dataset": dataset.digest, "layout": 4}
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:20]


def snapshot_for(
    key: str,
    engine: str,
    order: DatasetOrder,
    fresh_server: FreshServers,
    home: Home,
    on_progress: Callable[[FillProgress | FillWait | ConditionWait], None],
) -> Snapshot:
    """Return the snapshot of that key: the one that is there, if it is whole, else a new one.

    Parameters
    ----------
    engine : names what fills it, for those who look at what is kept

    Raises
    ------
    PopulateError : filling or verifying failed
    HostError : the disk is too small
    """
    host = order.host
    host.make_directory(home.snapshots)
    with _hold_lock(home.snapshots / f".{key}.lock", host, lambda: on_progress(FillWait())):
        folder = home.snapshots / key
        stored_snapshot = read_snapshot(folder, host)
        if stored_snapshot is not None:
            host.write_private(folder / USED, "")
            return stored_snapshot
        host.remove_tree(folder)
        check_space(order.dataset, order.rows_total, host, home.snapshots)
        server = fresh_server()
        try:
            fill_end = fill(order, server, on_progress)
            server.stop()
            _keep_snapshot(folder, engine, order, server, fill_end)
        finally:
            server.discard()
        snapshot = read_snapshot(folder, host)
    if snapshot is None:
        raise PopulateError("a snapshot is incomplete although it was just written", str(folder))
    return replace(snapshot, reused=False)


@contextlib.contextmanager
def _hold_lock(lock: Path, host: Host, on_wait: Callable[[], None]) -> Iterator[None]:
    """Hold a lock while the block runs; wait for another study that fills the same dataset, and report the wait."""
    with contextlib.ExitStack() as exit_stack:
        try:
            exit_stack.enter_context(host.lock(lock, _SOON_S))
        except HostError as error:
            if error.fault:
                raise
            on_wait()
            exit_stack.enter_context(host.lock(lock, _WAIT_S))
        yield


@dataclass(frozen=True, slots=True)
class SnapshotFacts:
    """Describes what the file next to the data holds."""

    key: str
    tables: tuple[dict[str, Any], ...]
    bytes: int
    fill_ns: int
    load_ns: int
    index_ns: int
    created_ns: int
    content_sha256: str
    space: tuple[TableSpace, ...]
    undecided: tuple[ConditionAnswer, ...] = ()
    engine: str = ""
    dataset: str = ""


def read_snapshot(folder: Path, host: Host) -> Snapshot | None:
    """Return the snapshot in a folder; None when there is none or its files are not those that were kept."""
    try:
        facts = read_facts(folder, host)
        tables = tuple(TableSums.from_json(table) for table in facts.tables)
    except (OSError, ValueError):
        return None
    kept_files = _kept_files(folder, host)
    snapshot = Snapshot(
        folder,
        facts.key,
        tables,
        sum(entry.size_bytes for entry in kept_files),
        sum(entry.disk_bytes for entry in kept_files),
        facts.fill_ns,
        facts.load_ns,
        facts.index_ns,
        facts.created_ns,
        reused=True,
        content_sha256=facts.content_sha256,
        space=facts.space,
        undecided=facts.undecided,
    )
    return snapshot if snapshot.bytes == facts.bytes else None


def read_facts(folder: Path, host: Host) -> SnapshotFacts:
    """Return what stands in the file of a snapshot's folder; OSError or ValueError where it can't be read."""
    return decode(SnapshotFacts, json_value(host.files.read_text(folder / FACTS)))


def restore(snapshot: Snapshot, data_directory: Path, host: Host) -> str:
    """Copy a snapshot to where a server will run on it; ``reflink`` or ``copy``, whichever was possible."""
    copy_method = host.copy_tree(snapshot.data_directory, data_directory)
    for entry in host.files.entries(snapshot.folder):
        path = entry.path
        if path.name.startswith(f"{DATA}."):
            copy = data_directory.with_name(data_directory.name + path.name.removeprefix(DATA))
            host.run(["cp", "-a", "--", str(path), str(copy)], timeout_s=60)
        elif entry.kind == "directory" and path.name != DATA:  # of its storage engine, next to the data directory
            host.copy_tree(path, data_directory.with_name(path.name))
            host.write_back(data_directory.with_name(path.name))
    host.write_back(data_directory)
    return copy_method


def check_space(dataset: Dataset, rows_total: int, host: Host, place: Path) -> None:
    """Refuse before filling what would not fit: the snapshot, and the copy that a run works on.

    Raises
    ------
    HostError : the disk is too small
    """
    needed_bytes = 2 * (rows_total * _ROW_BYTES + _EMPTY_SERVER_BYTES)
    free_bytes = host.free_bytes(place)
    if free_bytes < needed_bytes:
        raise HostError(
            f"the disk is too small for {dataset.title}",
            f"{place} has {format_bytes(free_bytes)} free; filling and running need about {format_bytes(needed_bytes)}",
            "free some space (dbdyno clean --datasets 7d lists what studies have left), choose fewer rows, or point "
            "DBDYNO_HOME at a larger disk",
            code="disk-exceeded",
        )


def _kept_files(folder: Path, host: Host) -> list[FileFacts]:
    """Return the files of the data directory, and those next to it that belong to it."""
    entries = host.files.entries(folder, recursive=True)
    return [entry for entry in entries if entry.kind != "directory" and entry.path.parent != folder]


def _keep_snapshot(folder: Path, engine: str, order: DatasetOrder, server: FreshServer, fill_end: FillEnd) -> None:
    host = order.host
    new_folder = folder.with_name(f".{folder.name}.new")
    host.remove_tree(new_folder)
    host.make_directory(new_folder)
    data = server.data_directory
    sibling_paths = [entry.path for entry in host.files.entries(data.parent)]
    for path in (data, *(path for path in sibling_paths if path.name.startswith(f"{data.name}."))):
        destination = new_folder / (DATA + path.name.removeprefix(data.name))
        host.run(["mv", "-T", "--", str(path), str(destination)], timeout_s=3600)
    for path in engine_folders(data, order.storage_engine):
        host.run(["mv", "-T", "--", str(path), str(new_folder / path.name)], timeout_s=3600)
    # MySQL's own identity: servers that start from this snapshot must not share it.
    host.files.remove(new_folder / DATA / "auto.cnf")
    facts = {
        "key": folder.name,
        "engine": engine,
        "dataset": order.dataset.title,
        "tables": [table.to_json() for table in fill_end.tables],
        "content_sha256": fill_end.content_sha256,
        "space": [table.to_json() for table in fill_end.space],
        "undecided": [answer.to_json() for answer in fill_end.undecided],
        "bytes": sum(entry.size_bytes for entry in _kept_files(new_folder, host)),
        "fill_ns": fill_end.elapsed_ns,
        "load_ns": fill_end.load_ns,
        "index_ns": fill_end.index_ns,
        "created_ns": time.time_ns(),
    }
    host.write_private(new_folder / FACTS, json.dumps(facts, indent=1) + "\n")
    host.run(["mv", "-T", "--", str(new_folder), str(folder)], timeout_s=60)
