"""Reads a results folder.

Reading needs no lock and no right to write: a laptop rebuilds every page from a copy.
`Results.writing` gives the one writer.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import dbdyno
from dbdyno.core import ResultComparison, RunRecord, StoreError, compare_results
from dbdyno.store import _layout as layout
from dbdyno.store._altered import QUICK_CHECK, RESUMING_CHECK, FileAlteration, FolderCheck, check_folder
from dbdyno.store._damage import read_text, reading, reading_intervals
from dbdyno.store._documents import document_kind, read_document
from dbdyno.store._files import JsonValue, json_text, write_whole
from dbdyno.store._fingerprints import StoredFingerprint
from dbdyno.store._folder_checks import check_free, check_until_quiet, hold_folder, let_pass, unwritable
from dbdyno.store._histograms import Histogram, merged_histogram
from dbdyno.store._inspections import read_inspections
from dbdyno.store._journal import MACHINE_EXAMINED, REPEATS_RAISED, JournalEntry, drop_torn_line, read_entries
from dbdyno.store._live import bench_logs, read_live
from dbdyno.store._lock import exclusive_lock, is_being_written
from dbdyno.store._manifest import Manifest, facts_of, read_manifest, study_digest, top_files
from dbdyno.store._runs import StoredRun, finished_folders, read_record, remove_unfinished
from dbdyno.store._series import IntervalKind, IntervalRow, SecondRow, TelemetryRow, completed, read_table
from dbdyno.store._views import open_views
from dbdyno.tables import Table

if TYPE_CHECKING:
    import duckdb

    from dbdyno.store._writer import ResultsWriter


@dataclass(frozen=True, slots=True)
class Results:
    """Reads the stored results of one study.

    Parameters
    ----------
    path : the folder
    manifest : as it was when the folder was opened; `study_digest` and versions live here
    check : how it was looked at before it was used
    alterations : what in it is not as dbdyno wrote it, and was let pass by `check`
    is_locked : who opened it holds its lock, see `locked`; `writing` needs no other
    """

    path: Path
    manifest: Manifest
    check: FolderCheck = QUICK_CHECK
    alterations: tuple[FileAlteration, ...] = ()
    is_locked: bool = False

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
        """Create a new results folder. The manifest is written last: a folder without one is not yet created.

        Raises
        ------
        StoreError : the folder holds results already or foreign files, or can't be written
        """
        from dbdyno.store._writer import seal_manifest  # late: readers need no writer

        check_free(path)
        manifest = Manifest(study_name, study_digest(study_text), dbdyno.__version__, time.time_ns())
        try:
            for name in (layout.ENGINES, layout.DATASETS, layout.RUNS):
                (path / name).mkdir(parents=True, exist_ok=True)
            write_whole(path / layout.STUDY, study_text)
            write_whole(path / layout.PLAN, json_text(plan))
            write_whole(path / layout.HOST, json_text(host))
            (path / layout.JOURNAL).touch()
            manifest = replace(manifest, files=facts_of(path, top_files(path)))
            seal_manifest(path, manifest)
        except OSError as error:
            raise unwritable(path, error) from error
        return cls(path, manifest)

    @classmethod
    def open(cls, path: Path, study_text: str | None = None, check: FolderCheck = QUICK_CHECK) -> Self:
        """Return the results in a folder, once they were found to be as they were written.

        Parameters
        ----------
        study_text : when given, the folder must belong to this study

        Raises
        ------
        StoreError : not a results folder, of another study, or of a newer schema
        AlteredError : not as dbdyno wrote it, and `check` does not let that pass
        """
        if study_text is not None and study_digest(study_text) != (manifest := read_manifest(path)[0]).study_digest:
            raise _other_study(path, manifest)
        manifest, checked_folder = check_until_quiet(path, check)
        return cls(path, manifest, check, let_pass(path, checked_folder.alterations, check))

    def refuse_alterations(self, check: FolderCheck) -> None:
        """Raise AlteredError where the folder was opened with alterations that this check does not let pass."""
        let_pass(self.path, self.alterations, check)

    @classmethod
    def open_or_create(
        cls,
        path: Path,
        study_text: str,
        plan: JsonValue,
        host: Mapping[str, JsonValue],
        *,
        study_name: str,
        check: FolderCheck = RESUMING_CHECK,
    ) -> Results:
        """Return the folder of this study, made when it is not there: what `dbdyno run` begins with."""
        if (path / layout.MANIFEST).exists():
            return cls.open(path, study_text, check)
        return cls.create(path, study_text, plan, host, study_name=study_name)

    def raise_repeats(self, study_text: str, plan: JsonValue, earlier: int, repeats: int) -> Results:
        """Replace the study by the same one with more repeats; what is stored stays, and the journal notes it.

        Parameters
        ----------
        earlier, repeats : of the stored study and of the new one; equal where a kill has left half of this

        Raises
        ------
        StoreError, AlteredError : see `writing`
        """
        with self.writing() as writer:
            if repeats > earlier:
                writer.append(REPEATS_RAISED, earlier=earlier, repeats=repeats, stored=len(self.run_ids()))
            writer.replace_study(study_text, plan)
        return replace(Results.open(self.path, study_text, self.check), is_locked=self.is_locked)

    @property
    def repeats_looked_at(self) -> tuple[int, ...]:
        """Return each number of repeats whose results could be looked at before more were asked for, ascending."""
        raised: list[Any] = [entry.facts for entry in self.journal() if entry.event == REPEATS_RAISED]
        return tuple(sorted({facts["earlier"] for facts in raised if facts["stored"]}))

    @staticmethod
    @contextmanager
    def locked(path: Path) -> Iterator[None]:
        """Hold the lock of a folder, made where it is missing: nobody else writes to it, moves it or removes it.

        Raises
        ------
        StoreError : another process holds it, or the folder can't be written
        """
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(path, error) from error
        with exclusive_lock(path / layout.LOCK):
            yield

    @contextmanager
    def writing(self, command_line: Sequence[str] = ()) -> Iterator[ResultsWriter]:
        """Give the one writer, under the folder's lock. What a killed writer left half is removed first.

        Raises
        ------
        StoreError : another process is writing, the folder holds another study by now, or it can't be written
        AlteredError : the folder is not as dbdyno wrote it, and the check that opened it does not let that pass
        """
        from dbdyno.store._writer import ResultsWriter

        lock = nullcontext() if self.is_locked else exclusive_lock(self.path / layout.LOCK)
        with hold_folder(self.path) as folder, lock:
            manifest, digest = read_manifest(self.path)
            if manifest.study_digest != self.manifest.study_digest:
                raise _other_study(self.path, manifest)
            try:
                drop_torn_line(folder.path / layout.JOURNAL)
                remove_unfinished(folder.path / layout.RUNS)
            except OSError as error:
                raise unwritable(self.path, error) from error
            checked_folder = check_folder(self.path, manifest, digest, is_full=False)
            let_pass(self.path, checked_folder.alterations, replace(self.check, allow_missing_runs=True))
            writer = ResultsWriter(folder, manifest, digest, checked_folder)
            writer.note_command(shlex.join(command_line))
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
        """Return facts of a target's installation; None before it was provisioned."""
        facts: Mapping[str, Any] | None = self._optional_json(f"{layout.ENGINES}/{layout.target_slug(target)}.json")
        return facts

    def dataset(self, target: str) -> Mapping[str, Any] | None:
        """Return facts of a target's dataset; None before it was populated."""
        facts: Mapping[str, Any] | None = self._optional_json(f"{layout.DATASETS}/{layout.target_slug(target)}.json")
        return facts

    def fingerprints(self, target: str) -> dict[str, StoredFingerprint]:
        """Return what a target made of the events that all were sent, by workload; empty where they were not."""
        name = f"{layout.FINGERPRINTS}/{layout.target_slug(target)}.json"
        facts = self._optional_json(name) or {}
        with reading(self.path / name):
            fingerprints = [StoredFingerprint.from_json(row) for row in facts.get("fingerprints", ())]
        return {fingerprint.workload: fingerprint for fingerprint in fingerprints}

    def compared(self, targets: Sequence[str], workloads: Sequence[str]) -> list[ResultComparison]:
        """Compare what these targets made of the same events; none of a workload where nothing was compared."""
        fingerprints_by_target = {target: self.fingerprints(target) for target in targets}
        comparisons = [
            compare_results(
                label,
                {
                    target: fingerprints[label].made
                    for target, fingerprints in fingerprints_by_target.items()
                    if label in fingerprints
                },
            )
            for label in workloads
        ]
        return [comparison for comparison in comparisons if comparison.targets_count + len(comparison.unknown) > 1]

    def inspections(self) -> tuple[StoredRun, ...]:
        """Return what each target's server said of itself before the first run, without load; none in older folders."""
        return tuple(read_inspections(self.path / layout.LOOKS))

    def records(self) -> tuple[RunRecord, ...]:
        """Return every stored run, in the order of the plan."""
        records = (read_record(folder) for folder in finished_folders(self.path / layout.RUNS))
        return tuple(sorted(records, key=lambda record: (record.run.order_index, record.run.run_id)))

    def run_ids(self) -> frozenset[str]:
        """Return ids of the stored runs, without reading them."""
        return frozenset(folder.name for folder in finished_folders(self.path / layout.RUNS))

    def run_folder(self, run_id: str) -> Path:
        """Return the folder of a stored run, for links to its files."""
        return self.path / layout.RUNS / run_id

    def run_files(self, run_id: str) -> dict[str, bytes]:
        """Return the files of a stored run by name, to be stored elsewhere as well."""
        return {path.name: path.read_bytes() for path in sorted(self.run_folder(run_id).iterdir())}

    def target_files(self) -> dict[str, dict[str, bytes]]:
        """Return what is stored of the targets, to be stored elsewhere as well.

        Returns
        -------
        Path of a file, or of a folder -> name in it, empty for a file itself -> content
        """
        files_by_unit: dict[str, dict[str, bytes]] = {}
        for unit in sorted(path for folder in layout.OF_TARGETS for path in (self.path / folder).glob("[!.]*")):
            files = sorted(unit.iterdir()) if unit.is_dir() else [unit]
            name = unit.relative_to(self.path).as_posix()
            files_by_unit[name] = {path.name if unit.is_dir() else "": path.read_bytes() for path in files}
        return files_by_unit

    def seconds(self, run_id: str, columns: Sequence[str] | None = None) -> Table:
        """Return one row per second: see `SecondRow`; only the named columns, which saves most of the reading time."""
        return self._table(run_id, layout.SECONDS, SecondRow, columns)

    def intervals(self, run_id: str, columns: Sequence[str] | None = None) -> Table:
        """Return one row a second and type: see `IntervalRow`; `columns` as for `seconds`."""
        return self._table(run_id, layout.INTERVALS, IntervalRow, columns)

    def telemetry(self, run_id: str, columns: Sequence[str] | None = None) -> Table:
        """Return one row a second and metric: see `TelemetryRow`; `columns` as for `seconds`."""
        return self._table(run_id, layout.TELEMETRY, TelemetryRow, columns)

    def document(self, run_id: str, name: str) -> Any:  # noqa: ANN401 - foreign JSON, typed by its reader
        """Return a run's JSON file, such as ``variables``, ``settings``, ``status_before``, ``order`` or ``start``.

        See `StoredRun` for what each holds.
        """
        return self._json(f"{layout.RUNS}/{run_id}/{name}.json")

    def space(self, run_id: str) -> list[Mapping[str, Any]]:
        """Return what each table took after a run; empty where it was not asked."""
        tables: list[Mapping[str, Any]] = self._optional_json(f"{layout.RUNS}/{run_id}/{layout.SPACE}") or []
        return tables

    def optional_document(self, run_id: str, name: str) -> Any:  # noqa: ANN401 - as document
        """Return what `document` returns; empty where the run was stored without it: ``schema``, ``process``."""
        return self._optional_json(f"{layout.RUNS}/{run_id}/{name}.json") or {}

    def text(self, run_id: str, name: str) -> str:
        """Return a run's text file, ``server.cnf`` or ``server.log``; empty where an imported run has none."""
        path = f"{layout.RUNS}/{run_id}/{name}"
        return self._text(path) if self._has_file(path) else ""

    def histogram(
        self,
        run_id: str,
        kind: IntervalKind = "transaction",
        type: str | None = None,
        *,
        phase: str = "window",
        clock: str = "service",
    ) -> Histogram:
        """Return the histogram of a whole phase, merged from its seconds; of all types when none is named.

        Parameters
        ----------
        clock : ``service`` (from when it was sent) or ``response`` (from when it was due)
        """
        rows = self.intervals(run_id).rows()
        with reading_intervals(self.run_folder(run_id)):
            return merged_histogram(
                row[f"{clock}_histogram"]
                for row in rows
                if row["kind"] == kind and row["phase"] == phase and type in (None, row["type"])
            )

    def journal(self) -> tuple[JournalEntry, ...]:
        """Return what happened, in order."""
        return read_entries(self.path / layout.JOURNAL)

    def examinations(self) -> tuple[Mapping[str, Any], ...]:
        """Return what was seen of the machine at each start of the study, and found of it; none in older folders."""
        return tuple(entry.facts for entry in self.journal() if entry.event == MACHINE_EXAMINED)

    @property
    def is_being_written(self) -> bool:
        """Whether a process on this machine writes to the folder now."""
        return is_being_written(self.path)

    def live(self) -> tuple[JournalEntry, ...]:
        """Return what happens in the run under way, while the folder is written to."""
        return read_live(self.path / layout.LIVE)

    def live_of_benches(self) -> list[tuple[JournalEntry, ...]]:
        """Return the same of each of several benches; none where a study has one, or is not under way."""
        return [entries for path in bench_logs(self.path) if (entries := read_live(path))]

    def connect(self) -> duckdb.DuckDBPyConnection:
        """Connect to DuckDB with the views runs, seconds, intervals, telemetry, settings and counters."""
        records = self.records()
        return open_views(records, [self.run_folder(record.run.run_id) for record in records])

    def verify(self) -> tuple[str, ...]:
        """Return one line for each file that is not as the manifest says; none when all is well."""
        manifest, digest = read_manifest(self.path)
        return tuple(map(str, check_folder(self.path, manifest, digest, is_full=True).alterations))

    def _table(self, run_id: str, name: str, row: type, columns: Sequence[str] | None = None) -> Table:
        """Return a run's table with all columns, also of newer versions; no rows where an imported run has none."""
        path = f"{layout.RUNS}/{run_id}/{name}"
        stored_table = self._read_table(path, row, columns) if self._has_file(path) else Table({})
        return completed(row, stored_table, columns)

    def _read_table(self, name: str, row: type, columns: Sequence[str] | None) -> Table:
        return read_table(self.path / name, row, columns)

    def _has_file(self, name: str) -> bool:
        """Return whether a run has a file; one that is listed and gone is missed when it is read."""
        return name in self.manifest.files or (self.path / name).exists()

    def _text(self, name: str) -> str:
        return read_text(self.path / name)

    def _json(self, name: str) -> Any:  # noqa: ANN401 - foreign JSON
        return read_document(self.path / name, document_kind(name))

    def _optional_json(self, name: str) -> Any:  # noqa: ANN401 - as _json; None where there is no such file
        return self._json(name) if (self.path / name).exists() else None


def _other_study(path: Path, manifest: Manifest) -> StoreError:
    return StoreError(
        f"{path} holds the results of another study",
        f"its study is {path / layout.STUDY} ('{manifest.study_name}')",
        "name another folder with -o, or run the study in that folder",
        code="other-study",
    )
