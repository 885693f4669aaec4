"""Stores one run's folder: written elsewhere first, renamed into place when whole, never half."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from dbdyno.core import RunRecord, StoreError
from dbdyno.store import _layout as layout
from dbdyno.store._damage import read_json, reading
from dbdyno.store._files import JsonValue, json_text, sync_folder, write_synced
from dbdyno.store._manifest import ManifestEntry
from dbdyno.store._records import record_from_json, record_to_json
from dbdyno.store._series import IntervalRow, SecondRow, TelemetryRow, empty_table_bytes, table_bytes, table_of
from dbdyno.store._stack_profile import StackProfile, profile_files
from dbdyno.tables import Table

_ALWAYS = frozenset({layout.RECORD, layout.VARIABLES, layout.SETTINGS})


@dataclass(frozen=True, slots=True)
class SettingRow:
    """Describes one option of the server: what was asked, what the server says, and why it was asked.

    Parameters
    ----------
    effective : None where the server shows nothing to read
    parameter : neutral name, the same for every engine, such as ``redo.capacity``; empty when there is none
    source : ``baseline`` (dbdyno's own choice), ``settings`` (a neutral one of the study), ``study`` (a raw
        option of it) or ``file`` (the option file of a tuned target)
    """

    option: str
    asked: str
    effective: str | None
    reason: str
    parameter: str = ""
    source: str = "baseline"


@dataclass(frozen=True, slots=True)
class StoredRun:
    """Holds everything that is kept of a run. A failed run may hold nothing but its record and a log.

    Parameters
    ----------
    variables, variables_after : SHOW GLOBAL VARIABLES before and after the load; the latter empty of a server that
        died, and not there in runs of older versions
    status_before, status_after : SHOW GLOBAL STATUS around the load
    order : the load order, which names a password file and holds no password
    start : the load generator's start record: facts of its sessions
    end : its end record (unsent, outages, search) with the ``probes`` of a search; runs of older versions have none
    conditions : what came of asking, after the run, whether the tables are consistent with each other; runs of older
        versions have none
    space : what each table took after the run, where it was asked; runs of older versions have none
    schema : definitions and columns of the test tables (``ddl``, ``columns``) and bytes of their files (``data_bytes``)
        before the load; runs of older versions have none
    process : limits, control group, allocator and memory policy of the server's process, where it can be seen; runs
        of older versions have none
    life : of our own server: times of its start, shutdown and recovery, what its memory limit made of it, how it
        died; runs of older versions have none
    telemetry_facts : counters that the server does not show (``absent``), the device that was watched, and the cost
        curve that the client's use was read off
    counters : what counters of server and disk grew by over the window, with those that the server lacks by name; runs
        of older versions have none
    server_cnf : the option file that the server was started with
    server_log : the tail of the server's log
    origin : of an imported run: the files it was made from, each with role, path, size and checksum
    profile : of the server's threads, where they were profiled
    """

    record: RunRecord
    seconds: Sequence[SecondRow] | Table = ()
    intervals: Sequence[IntervalRow] | Table = ()
    telemetry: Sequence[TelemetryRow] | Table = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    variables_after: Mapping[str, str] = field(default_factory=dict)
    settings: Sequence[SettingRow] = ()
    status_before: Mapping[str, str] = field(default_factory=dict)
    status_after: Mapping[str, str] = field(default_factory=dict)
    order: Mapping[str, JsonValue] = field(default_factory=dict)
    start: Mapping[str, JsonValue] = field(default_factory=dict)
    end: Mapping[str, JsonValue] = field(default_factory=dict)
    conditions: Sequence[JsonValue] = ()
    space: Sequence[JsonValue] = ()
    schema: Mapping[str, JsonValue] = field(default_factory=dict)
    process: Mapping[str, JsonValue] = field(default_factory=dict)
    life: Mapping[str, JsonValue] = field(default_factory=dict)
    telemetry_facts: Mapping[str, JsonValue] = field(default_factory=dict)
    counters: Mapping[str, JsonValue] = field(default_factory=dict)
    server_cnf: str = ""
    server_log: str = ""
    origin: Sequence[JsonValue] = ()
    profile: StackProfile | None = None


@dataclass(frozen=True, slots=True)
class PackedRun:
    """Describes a run as the bytes of its files, made in whichever process; only their writing is left to do."""

    run_id: str
    files: Mapping[str, bytes]
    facts: Mapping[str, ManifestEntry]


def server_files(
    *,
    variables: Mapping[str, str],
    status_before: Mapping[str, str],
    settings: Sequence[SettingRow],
    server_cnf: str,
    server_log: str,
) -> dict[str, bytes]:
    """Return the files of a run that describe its server; see `StoredRun`. Made once for all runs that share them."""
    return {
        layout.VARIABLES: json_text(variables).encode(),
        layout.STATUS_BEFORE: json_text(status_before).encode(),
        layout.SETTINGS: json_text([dataclasses.asdict(row) for row in settings]).encode(),
        layout.SERVER_CNF: server_cnf.encode(),
        layout.SERVER_LOG: server_log.encode(),
    }


def pack_run(run: StoredRun, shared: Mapping[str, bytes] = MappingProxyType({})) -> PackedRun:
    """Return every file of a run that holds something, with its checksum.

    Logs hold little of what our own runs do, so in an import of thousands half the files would be empty.

    Parameters
    ----------
    shared : of its `server_files`, in place of those that the run itself would give
    """
    contents = {**run_contents(run), **shared}
    files = {name: content for name, content in contents.items() if name in _ALWAYS or not _is_empty(content)}
    return PackedRun(run.record.run.run_id, files, content_facts(files))


def _is_empty(content: bytes) -> bool:
    """Return whether a file holds nothing: no text, or a document or table without entries."""
    empty_tables = (empty_table_bytes(row) for row in (SecondRow, IntervalRow, TelemetryRow))
    return content in (b"", b"{}\n", b"[]\n", *empty_tables)


def write_packed_aside(runs: Path, packed: PackedRun) -> None:
    """Write a packed run, not to its place yet and not forced to the disk: the caller does both for many together."""
    place = runs / f"{layout.WRITING_PREFIX}{packed.run_id}"
    place.mkdir(parents=True)
    for name, content in packed.files.items():
        descriptor = os.open(place / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        try:
            unwritten = memoryview(content)
            while unwritten:
                unwritten = unwritten[os.write(descriptor, unwritten) :]
        finally:
            os.close(descriptor)


def content_facts(contents: Mapping[str, bytes], prefix: str = "") -> dict[str, ManifestEntry]:
    """Return the size and checksum of files that are about to be written."""
    return {
        prefix + name: ManifestEntry(len(content), hashlib.sha256(content).hexdigest())
        for name, content in contents.items()
    }


def check_new_run(runs: Path, run_id: str) -> None:
    """Refuse a run that is stored already.

    Raises
    ------
    StoreError : it is
    """
    if (runs / run_id).exists():
        raise StoreError(
            f"run {run_id} is already stored", str(runs / run_id), "dbdyno never replaces results", code="stored-twice"
        )


def write_folder(place: Path, contents: Mapping[str, bytes]) -> None:
    """Write a folder of files aside and rename it into place; one that is there is renamed away just before.

    Removing that one first would take many steps, and a kill between them leaves half of it, which looks altered.
    """
    writing = place.with_name(layout.WRITING_PREFIX + place.name)
    replaced = writing.with_name(f"{writing.name}.replaced")
    for leftover in (writing, replaced):
        shutil.rmtree(leftover, ignore_errors=True)
    writing.mkdir(parents=True)
    for name, content in contents.items():
        write_synced(writing / name, content)
    sync_folder(writing)
    if place.exists():
        place.rename(replaced)
    writing.rename(place)
    sync_folder(place.parent)
    shutil.rmtree(replaced, ignore_errors=True)


def read_record(folder: Path) -> RunRecord:
    """Return the record of a stored run.

    Raises
    ------
    DamageError : it is missing or damaged
    """
    path = folder / layout.RECORD
    row = read_json(path)
    with reading(path):
        return record_from_json(row)


def finished_folders(runs: Path) -> tuple[Path, ...]:
    """Return folders of whole runs, by name."""
    if not runs.is_dir():
        return ()
    with os.scandir(runs) as entries:
        names = sorted(e.name for e in entries if e.is_dir() and not e.name.startswith("."))
    return tuple(runs / name for name in names)


def remove_unfinished(runs: Path) -> tuple[str, ...]:
    """Delete what a killed writer left half; run ids of what was deleted."""
    unfinished_folders = sorted(runs.glob(layout.WRITING_PREFIX + "*"))
    for folder in unfinished_folders:
        shutil.rmtree(folder)
    return tuple(folder.name.removeprefix(layout.WRITING_PREFIX) for folder in unfinished_folders)


def run_contents(run: StoredRun) -> dict[str, bytes]:
    """Return every file of a run."""
    run_id = run.record.run.run_id
    tables: dict[str, tuple[type, Sequence[Any] | Table]] = {
        layout.SECONDS: (SecondRow, run.seconds),
        layout.INTERVALS: (IntervalRow, run.intervals),
        layout.TELEMETRY: (TelemetryRow, run.telemetry),
    }
    content = {
        name: table_bytes(row, table_of(row, run_id, rows)) if len(rows) else empty_table_bytes(row)
        for name, (row, rows) in tables.items()
    }
    about_server = server_files(
        variables=run.variables,
        status_before=run.status_before,
        settings=run.settings,
        server_cnf=run.server_cnf,
        server_log=run.server_log,
    )
    profile_contents = {} if run.profile is None else profile_files(run.profile)
    return content | about_server | {name: text.encode() for name, text in _file_texts(run).items()} | profile_contents


def _file_texts(run: StoredRun) -> dict[str, str]:
    texts = {
        layout.VARIABLES_AFTER: json_text(run.variables_after),
        layout.STATUS_AFTER: json_text(run.status_after),
        layout.ORDER: json_text(run.order),
        layout.START: json_text(run.start),
        layout.END: json_text(run.end),
        layout.CONDITIONS: json_text(list(run.conditions)),
        layout.SPACE: json_text(list(run.space)),
        layout.SCHEMA: json_text(run.schema),
        layout.PROCESS: json_text(run.process),
        layout.LIFE: json_text(run.life),
        layout.TELEMETRY_FACTS: json_text(run.telemetry_facts),
        layout.COUNTERS: json_text(run.counters),
        layout.RECORD: json_text(record_to_json(run.record)),
    }
    if run.origin:
        texts[layout.ORIGIN] = json_text(list(run.origin))
    return texts
