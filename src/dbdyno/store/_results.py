"""A results folder, read.

Reading needs no lock and no right to write: a laptop rebuilds every page from a copy.
`Results.writing` gives the one writer.
"""

from __future__ import annotations

import hashlib
import json
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

import dbdyno
from dbdyno.core import ResultComparison, RunRecord, StoreError, compare_results
from dbdyno.store import _layout as layout
from dbdyno.store._damage import reading
from dbdyno.store._files import JsonValue, json_text, write_whole
from dbdyno.store._fingerprints import StoredFingerprint
from dbdyno.store._histograms import Histogram, merged_histogram
from dbdyno.store._journal import MACHINE_EXAMINED, JournalEntry, drop_torn_line, read_entries
from dbdyno.store._live import read_live
from dbdyno.store._lock import exclusive_lock, is_held
from dbdyno.store._looks import read_looks
from dbdyno.store._manifest import Manifest, damaged_files, file_facts, read_manifest, write_manifest
from dbdyno.store._runs import StoredRun, finished_folders, read_record, remove_unfinished
from dbdyno.store._series import IntervalKind, IntervalRow, SecondRow, TelemetryRow, completed, read_table, schema_of
from dbdyno.store._views import connect
from dbdyno.store._writer import ResultsWriter


def study_digest(study_text: str) -> str:
    r"""SHA-256 of what a study file says; comments, order and blanks don't count.

    >>> study_digest("a = 1\nb = 2") == study_digest("# why\nb=2\na=1")
    True
    """
    values = tomllib.loads(study_text)
    return hashlib.sha256(json.dumps(values, sort_keys=True, default=str).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Results:
    """The stored results of one study.

    Parameters
    ----------
    path : the folder
    manifest : as it was when the folder was opened; `study_digest` and versions live here
    """

    path: Path
    manifest: Manifest

    @classmethod
    def create(
        cls,
        path: Path,
        study_text: str,
        plan: JsonValue,
        host: Mapping[str, JsonValue],
        *,
        study_name: str,
    ) -> Results:
        """A new results folder. The manifest is written last: a folder without one is not yet created.

        Raises
        ------
        StoreError : the folder holds results already or foreign files, or can't be written
        """
        _check_free(path)
        manifest = Manifest(study_name, study_digest(study_text), dbdyno.__version__, time.time_ns())
        try:
            for name in (layout.ENGINES, layout.DATASETS, layout.RUNS):
                (path / name).mkdir(parents=True, exist_ok=True)
            write_whole(path / layout.STUDY, study_text)
            write_whole(path / layout.PLAN, json_text(plan))
            write_whole(path / layout.HOST, json_text(host))
            (path / layout.JOURNAL).touch()
            manifest = replace(manifest, files=file_facts(path, {}))
            write_manifest(path, manifest)
        except OSError as error:
            raise _unwritable(path, error) from error
        return cls(path, manifest)

    @classmethod
    def open(cls, path: Path, study_text: str | None = None) -> Results:
        """The results in a folder.

        Parameters
        ----------
        study_text : when given, the folder must belong to this study

        Raises
        ------
        StoreError : not a results folder, of another study, or of a newer schema
        """
        manifest = read_manifest(path)
        if study_text is not None and study_digest(study_text) != manifest.study_digest:
            raise StoreError(
                f"{path} holds the results of another study",
                f"it was made by the study in {path / layout.STUDY} ('{manifest.study_name}')",
                "give another folder with -o, or run the study that is in the folder",
            )
        return cls(path, manifest)

    @classmethod
    def open_or_create(
        cls, path: Path, study_text: str, plan: JsonValue, host: Mapping[str, JsonValue], *, study_name: str
    ) -> Results:
        """The folder of this study, made when it is not there: what `dbdyno run` begins with."""
        if (path / layout.MANIFEST).exists():
            return cls.open(path, study_text)
        return cls.create(path, study_text, plan, host, study_name=study_name)

    @contextmanager
    def writing(self, command_line: Sequence[str] = ()) -> Iterator[ResultsWriter]:
        """The one writer, under the folder's lock. What a killed writer left half is removed first.

        Raises
        ------
        StoreError : another process is writing, or the folder can't be written
        """
        with exclusive_lock(self.path / layout.LOCK):
            try:
                drop_torn_line(self.path / layout.JOURNAL)
                remove_unfinished(self.path / layout.RUNS)
            except OSError as error:
                raise _unwritable(self.path, error) from error
            writer = ResultsWriter(self.path, read_manifest(self.path), " ".join(command_line))
            writer.update_manifest()
            yield writer
            writer.update_manifest()

    @property
    def study_text(self) -> str:
        """The study file."""
        return self._text(layout.STUDY)

    @property
    def plan(self) -> Any:  # noqa: ANN401 - foreign JSON, typed by its reader
        """The plan as stored."""
        return self._json(layout.PLAN)

    @property
    def host(self) -> Mapping[str, Any]:
        """Facts of the host."""
        facts: Mapping[str, Any] = self._json(layout.HOST)
        return facts

    def engine(self, target: str) -> Mapping[str, Any] | None:
        """Facts of a target's installation; None before it was provisioned."""
        facts: Mapping[str, Any] | None = self._optional_json(f"{layout.ENGINES}/{layout.target_slug(target)}.json")
        return facts

    def dataset(self, target: str) -> Mapping[str, Any] | None:
        """Facts of a target's dataset; None before it was populated."""
        facts: Mapping[str, Any] | None = self._optional_json(f"{layout.DATASETS}/{layout.target_slug(target)}.json")
        return facts

    def fingerprints(self, target: str) -> dict[str, StoredFingerprint]:
        """What a target made of the events that all were sent, by workload; empty where they were not."""
        facts = self._optional_json(f"{layout.FINGERPRINTS}/{layout.target_slug(target)}.json") or {}
        found = [StoredFingerprint.from_json(row) for row in facts.get("fingerprints", ())]
        return {fingerprint.workload: fingerprint for fingerprint in found}

    def compared(self, targets: Sequence[str], workloads: Sequence[str]) -> list[ResultComparison]:
        """How what these targets made of the same events compares; none of a workload where nothing was compared."""
        stored = {target: self.fingerprints(target) for target in targets}
        found = [
            compare_results(label, {target: known[label].made for target, known in stored.items() if label in known})
            for label in workloads
        ]
        return [comparison for comparison in found if comparison.targets_count + len(comparison.unknown) > 1]

    def looks(self) -> tuple[StoredRun, ...]:
        """What each target's server said of itself before the first run: no load, no seconds; none in older folders."""
        return tuple(read_looks(self.path / layout.LOOKS))

    def records(self) -> tuple[RunRecord, ...]:
        """Every stored run, in the order of the plan."""
        records = (read_record(folder) for folder in finished_folders(self.path / layout.RUNS))
        return tuple(sorted(records, key=lambda record: (record.run.order_index, record.run.run_id)))

    def run_ids(self) -> frozenset[str]:
        """Ids of the stored runs, without reading them."""
        return frozenset(folder.name for folder in finished_folders(self.path / layout.RUNS))

    def run_folder(self, run_id: str) -> Path:
        """Folder of a stored run, for links to its files."""
        return self.path / layout.RUNS / run_id

    def seconds(self, run_id: str) -> pa.Table:
        """One row a second: see `SecondRow`."""
        return self._table(run_id, layout.SECONDS, SecondRow)

    def intervals(self, run_id: str) -> pa.Table:
        """One row a second and type: see `IntervalRow`."""
        return self._table(run_id, layout.INTERVALS, IntervalRow)

    def telemetry(self, run_id: str) -> pa.Table:
        """One row a second and metric: see `TelemetryRow`."""
        return self._table(run_id, layout.TELEMETRY, TelemetryRow)

    def document(self, run_id: str, name: str) -> Any:  # noqa: ANN401 - foreign JSON, typed by its reader
        """A run's JSON file, such as ``variables``, ``settings``, ``status_before``, ``order`` or ``start``.

        See `StoredRun` for what each holds.
        """
        return self._json(f"{layout.RUNS}/{run_id}/{name}.json")

    def space(self, run_id: str) -> list[Mapping[str, Any]]:
        """What each table took after a run; empty where it was not asked."""
        tables: list[Mapping[str, Any]] = self._optional_json(f"{layout.RUNS}/{run_id}/{layout.SPACE}") or []
        return tables

    def optional_document(self, run_id: str, name: str) -> Any:  # noqa: ANN401 - as document
        """As `document`, and empty where the run was stored without it: ``schema``, ``process``."""
        return self._optional_json(f"{layout.RUNS}/{run_id}/{name}.json") or {}

    def text(self, run_id: str, name: str) -> str:
        """A run's text file, ``server.cnf`` or ``server.log``; empty where an imported run has none."""
        path = f"{layout.RUNS}/{run_id}/{name}"
        return self._text(path) if self._is_kept(path) else ""

    def histogram(
        self,
        run_id: str,
        kind: IntervalKind = "transaction",
        type: str | None = None,
        *,
        phase: str = "window",
        clock: str = "service",
    ) -> Histogram:
        """Histogram of a whole phase, merged from its seconds; of all types when none is named.

        Parameters
        ----------
        clock : ``service`` (from when it was sent) or ``response`` (from when it was due)
        """
        rows = self.intervals(run_id).to_pylist()
        return merged_histogram(
            row[f"{clock}_histogram"]
            for row in rows
            if row["kind"] == kind and row["phase"] == phase and type in (None, row["type"])
        )

    def journal(self) -> tuple[JournalEntry, ...]:
        """What happened, in order."""
        return read_entries(self.path / layout.JOURNAL)

    def examinations(self) -> tuple[Mapping[str, Any], ...]:
        """What was seen of the machine at each start of the study, and found of it; none in older folders."""
        return tuple(entry.facts for entry in self.journal() if entry.event == MACHINE_EXAMINED)

    @property
    def is_being_written(self) -> bool:
        """Whether a process on this machine writes to the folder now."""
        return is_held(self.path / layout.LOCK)

    def live(self) -> tuple[JournalEntry, ...]:
        """What happens in the run under way, while the folder is written to."""
        return read_live(self.path / layout.LIVE)

    def connect(self) -> duckdb.DuckDBPyConnection:
        """DuckDB with the views runs, seconds, intervals, telemetry, settings and counters."""
        records = self.records()
        return connect(records, [self.run_folder(record.run.run_id) for record in records])

    def verify(self) -> tuple[str, ...]:
        """One line for each file that is not as the manifest says; none when all is well."""
        return damaged_files(self.path, read_manifest(self.path))

    def _table(self, run_id: str, name: str, row: type) -> pa.Table:
        """A run's table with all columns, those of newer versions too; no rows where an imported run has none."""
        path = f"{layout.RUNS}/{run_id}/{name}"
        return completed(row, read_table(self.path / path)) if self._is_kept(path) else schema_of(row).empty_table()

    def _is_kept(self, name: str) -> bool:
        """Whether a run has a file; one that is listed and gone is missed when it is read."""
        return name in self.manifest.files or (self.path / name).exists()

    def _text(self, name: str) -> str:
        with reading(self.path / name):
            return (self.path / name).read_text(encoding="utf-8")

    def _json(self, name: str) -> Any:  # noqa: ANN401 - foreign JSON
        with reading(self.path / name):
            return json.loads((self.path / name).read_text(encoding="utf-8"))

    def _optional_json(self, name: str) -> Any:  # noqa: ANN401 - as _json; None where there is no such file
        return self._json(name) if (self.path / name).exists() else None


def _check_free(path: Path) -> None:
    if (path / layout.MANIFEST).exists():
        raise StoreError(f"{path} holds results already", "", "give another folder with -o, or run its study again")
    if path.exists() and not path.is_dir():
        raise StoreError(f"{path} is not a folder", "", "give a folder with -o")
    if path.is_dir():
        foreign = sorted(
            entry.name
            for entry in path.iterdir()
            if entry.name not in layout.CREATED_BY_US and not entry.name.startswith(".")
        )
        if foreign:
            raise StoreError(
                f"{path} is not empty and is not a results folder",
                f"it holds {', '.join(foreign[:3])}",
                "give a new or empty folder with -o",
            )


def _unwritable(path: Path, error: OSError) -> StoreError:
    return StoreError(f"{path} can't be written", error.strerror or str(error), "choose a folder you may write with -o")
