"""One run's folder: written aside, renamed into place when whole, never half."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dbdyno.core import RunRecord, StoreError
from dbdyno.store import _layout as layout
from dbdyno.store._files import JsonValue, json_text, sync_folder, write_synced
from dbdyno.store._records import record_from_json, record_to_json
from dbdyno.store._series import IntervalRow, SecondRow, TelemetryRow, table_of, write_table


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One option of the server: what was asked, what the server says, and why it was asked.

    Parameters
    ----------
    effective : None where the server shows nothing to read
    parameter : neutral name, the same for every engine, such as ``redo.capacity``; empty when there is none
    source : ``baseline`` (dbdyno's own choice) or ``study``
    """

    option: str
    asked: str
    effective: str | None
    reason: str
    parameter: str = ""
    source: str = "baseline"


@dataclass(frozen=True, slots=True)
class StoredRun:
    """Everything that is kept of a run. A failed run may hold nothing but its record and a log.

    Parameters
    ----------
    variables : SHOW GLOBAL VARIABLES as read back
    status_before, status_after : SHOW GLOBAL STATUS around the load
    order : the load order, which names a password file and holds no password
    start : the load generator's start record: facts of its sessions
    end : its end record (unsent, outages, search) with the ``probes`` of a search; runs of older versions have none
    conditions : what came of asking, after the run, whether the tables are consistent with each other; runs of older
        versions have none
    space : what each table took after the run, where it was asked; runs of older versions have none
    telemetry_facts : counters that the server does not show (``absent``), the device that was watched, and the cost
        curve that the client's use was read off
    server_cnf : the option file that the server was started with
    server_log : the tail of the server's log
    """

    record: RunRecord
    seconds: Sequence[SecondRow] = ()
    intervals: Sequence[IntervalRow] = ()
    telemetry: Sequence[TelemetryRow] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    settings: Sequence[SettingRow] = ()
    status_before: Mapping[str, str] = field(default_factory=dict)
    status_after: Mapping[str, str] = field(default_factory=dict)
    order: Mapping[str, JsonValue] = field(default_factory=dict)
    start: Mapping[str, JsonValue] = field(default_factory=dict)
    end: Mapping[str, JsonValue] = field(default_factory=dict)
    conditions: Sequence[JsonValue] = ()
    space: Sequence[JsonValue] = ()
    telemetry_facts: Mapping[str, JsonValue] = field(default_factory=dict)
    server_cnf: str = ""
    server_log: str = ""


def write_run(runs: Path, run: StoredRun) -> Path:
    """Write the run's folder and rename it into place.

    Raises
    ------
    StoreError : the run is there already
    """
    run_id = run.record.run.run_id
    place = runs / run_id
    if place.exists():
        raise StoreError(f"run {run_id} is stored already", str(place), "results are only ever added")
    writing = runs / (layout.WRITING_PREFIX + run_id)
    shutil.rmtree(writing, ignore_errors=True)
    writing.mkdir(parents=True)
    _write_tables(writing, run)
    for name, text in _texts(run).items():
        write_synced(writing / name, text)
    sync_folder(writing)
    writing.rename(place)
    sync_folder(runs)
    return place


def read_record(folder: Path) -> RunRecord:
    """The record of a stored run."""
    return record_from_json(json.loads((folder / layout.RECORD).read_text(encoding="utf-8")))


def finished_folders(runs: Path) -> tuple[Path, ...]:
    """Folders of whole runs, by name."""
    if not runs.is_dir():
        return ()
    with os.scandir(runs) as entries:
        names = sorted(e.name for e in entries if e.is_dir() and not e.name.startswith("."))
    return tuple(runs / name for name in names)


def remove_unfinished(runs: Path) -> tuple[str, ...]:
    """Delete what a killed writer left half; run ids of what was deleted."""
    left = sorted(runs.glob(layout.WRITING_PREFIX + "*"))
    for folder in left:
        shutil.rmtree(folder)
    return tuple(folder.name.removeprefix(layout.WRITING_PREFIX) for folder in left)


def _write_tables(folder: Path, run: StoredRun) -> None:
    run_id = run.record.run.run_id
    write_table(folder / layout.SECONDS, table_of(SecondRow, run_id, run.seconds))
    write_table(folder / layout.INTERVALS, table_of(IntervalRow, run_id, run.intervals))
    write_table(folder / layout.TELEMETRY, table_of(TelemetryRow, run_id, run.telemetry))
    for name in (layout.SECONDS, layout.INTERVALS, layout.TELEMETRY):
        with (folder / name).open("rb") as file:
            os.fsync(file.fileno())


def _texts(run: StoredRun) -> dict[str, str]:
    settings: list[JsonValue] = [dataclasses.asdict(row) for row in run.settings]
    return {
        layout.VARIABLES: json_text(run.variables),
        layout.SETTINGS: json_text(settings),
        layout.STATUS_BEFORE: json_text(run.status_before),
        layout.STATUS_AFTER: json_text(run.status_after),
        layout.ORDER: json_text(run.order),
        layout.START: json_text(run.start),
        layout.END: json_text(run.end),
        layout.CONDITIONS: json_text(list(run.conditions)),
        layout.SPACE: json_text(list(run.space)),
        layout.TELEMETRY_FACTS: json_text(run.telemetry_facts),
        layout.SERVER_CNF: run.server_cnf,
        layout.SERVER_LOG: run.server_log,
        layout.RECORD: json_text(record_to_json(run.record)),
    }
