"""Writes a results folder as its only writer: adds, never changes."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from dbdyno.core import HostError
from dbdyno.store import _layout as layout
from dbdyno.store._altered import CheckedFolder
from dbdyno.store._files import JsonValue, json_text, sync_folder, write_whole
from dbdyno.store._fingerprints import StoredFingerprint
from dbdyno.store._held_folder import HeldFolder
from dbdyno.store._inspections import inspection_contents
from dbdyno.store._journal import MANIFEST_WRITTEN, STORED, append_entries, append_entry
from dbdyno.store._live import LiveLog
from dbdyno.store._manifest import (
    Manifest,
    ManifestEntry,
    facts_of,
    manifest_text,
    study_digest,
    unit_digest,
    unit_of,
    units_of,
)
from dbdyno.store._runs import (
    PackedRun,
    StoredRun,
    check_new_run,
    content_facts,
    finished_folders,
    run_contents,
    write_folder,
    write_packed_aside,
)


class ResultsWriter:
    """Made by `Results.writing`, which holds the lock while this lives."""

    def __init__(self, held: HeldFolder, manifest: Manifest, manifest_sha256: str, checked: CheckedFolder) -> None:
        self._held = held
        self._path = path = held.path
        self._packed: dict[str, dict[str, ManifestEntry]] = {}
        self._unfinished: Callable[[], object] | None = None
        self._manifest = manifest
        self._files = {**manifest.files, **checked.unlisted}
        for unit in [unit for unit in units_of(self._files) if not (path / unit).exists()]:
            self._files = self._files_without(unit)
        if not checked.has_checksums:  # the manifest before the one that is written next
            self.append(MANIFEST_WRITTEN, sha256=manifest_sha256)

    def folder_problem(self) -> HostError | None:
        """Return what became of a folder that is no longer where it was; None while it is."""
        return self._held.problem()

    def note_command(self, command_line: str) -> None:
        """Add how dbdyno was called to the manifest."""
        if command_line:
            self._manifest = replace(self._manifest, command_lines=(*self._manifest.command_lines, command_line))

    def append(self, event: str, /, **facts: JsonValue) -> None:
        """Add a line to the journal, on the disk when this returns."""
        with _disk_errors(self._held.named):
            append_entry(self._path / layout.JOURNAL, event, facts)

    def append_all(self, event: str, rows: Iterable[Mapping[str, JsonValue]]) -> None:
        """Add a line for each row to the journal, all on the disk when this returns."""
        with _disk_errors(self._held.named):
            append_entries(self._path / layout.JOURNAL, event, rows)

    @property
    def live(self) -> LiveLog:
        """Return the log that shows others the run under way."""
        return LiveLog(self._path / layout.LIVE)

    def live_of_benches(self, count: int) -> list[LiveLog]:
        """Return the logs that show others the run under way on each bench; what killed writers left is removed."""
        folder = self._path / layout.LIVE_BENCHES
        shutil.rmtree(folder, ignore_errors=True)
        with _disk_errors(self._held.named):
            folder.mkdir()
        return [LiveLog(folder / f"{number}.jsonl") for number in range(1, count + 1)]

    def write_host(self, facts: Mapping[str, JsonValue]) -> None:
        """Replace the facts of the machine, where they come to be known only from the runs."""
        with _disk_errors(self._held.named):
            self._store_file(layout.HOST, json_text(facts))

    def replace_study(self, study_text: str, plan: JsonValue) -> None:
        """Replace the study by one that asks for the same runs and more."""
        with _disk_errors(self._held.named):
            self._store_file(layout.STUDY, study_text)
            self._store_file(layout.PLAN, json_text(plan))
        self._manifest = replace(self._manifest, study_digest=study_digest(study_text))

    def write_engine(self, target: str, facts: Mapping[str, JsonValue]) -> None:
        """Keep what was installed for a target."""
        self._write(layout.ENGINES, target, facts)

    def write_dataset(self, target: str, facts: Mapping[str, JsonValue]) -> None:
        """Keep what a target's runs started from."""
        self._write(layout.DATASETS, target, facts)

    def write_fingerprints(self, target: str, fingerprints: Sequence[StoredFingerprint]) -> None:
        """Keep what a target made of the events that all targets were sent."""
        self._write(
            layout.FINGERPRINTS, target, {"fingerprints": [fingerprint.to_json() for fingerprint in fingerprints]}
        )

    def write_inspection(self, inspection: StoredRun) -> None:
        """Keep what was seen of a target's server before its first run; its record is of a run not made."""
        with _disk_errors(self._held.named):
            slug = layout.target_slug(inspection.record.run.cell.target)
            self._store_folder(f"{layout.LOOKS}/{slug}", inspection_contents(inspection))

    def add_target_files(self, units: Mapping[str, Mapping[str, bytes]]) -> None:
        """Keep what another folder of the same study holds of its targets, as far as it is not here yet.

        Parameters
        ----------
        units : see `Results.target_files`
        """
        known_units = units_of(self._files)
        with _disk_errors(self._held.named):
            for unit, contents in units.items():
                if unit in known_units:
                    continue
                if set(contents) == {""}:
                    (self._path / unit).parent.mkdir(exist_ok=True)
                    self._store_file(unit, contents[""].decode())
                else:
                    self._store_folder(unit, contents)

    def add_run(self, run: StoredRun) -> None:
        """Store a run: whole, or, after a kill, not at all.

        Raises
        ------
        StoreError : the run is there already
        HostError : the disk refuses
        """
        self.add_run_files(run.record.run.run_id, run_contents(run))

    def add_run_files(self, run_id: str, contents: Mapping[str, bytes]) -> None:
        """Store a run that was stored elsewhere, by the contents of its files; see `add_run`."""
        with _disk_errors(self._held.named):
            check_new_run(self._path / layout.RUNS, run_id)
            self._store_folder(f"{layout.RUNS}/{run_id}", contents)
        self.update_manifest()

    def add_packed(self, packed: PackedRun) -> None:
        """Store one of many runs: it is written aside, and `update_manifest`, or the end of writing, adds all of them.

        Raises
        ------
        StoreError : the run is there already
        HostError : the disk refuses
        """
        with _disk_errors(self._held.named):
            check_new_run(self._path / layout.RUNS, packed.run_id)
            write_packed_aside(self._path / layout.RUNS, packed)
        unit = f"{layout.RUNS}/{packed.run_id}"
        self._packed[unit] = {f"{unit}/{name}": facts for name, facts in packed.facts.items()}

    def set_aside(self, run_ids: Collection[str]) -> tuple[str, ...]:
        """Set stored runs aside to make room for another attempt; return their ids."""
        folders = [folder for folder in finished_folders(self._path / layout.RUNS) if folder.name in run_ids]
        aside_folder = self._path / layout.SET_ASIDE
        with _disk_errors(self._held.named):
            for folder in folders:
                aside_folder.mkdir(exist_ok=True)
                attempts = len(list(aside_folder.glob(f"{folder.name}.*")))
                destination = aside_folder / f"{folder.name}.{attempts + 1}"
                self._change_unit(f"{layout.RUNS}/{folder.name}", {}, partial(_move, folder, destination))
        return tuple(folder.name for folder in folders)

    def note_versions(self, versions: Mapping[str, str]) -> None:
        """Add versions of what takes part to the manifest."""
        self._manifest = replace(self._manifest, versions={**self._manifest.versions, **versions})

    def update_manifest(self) -> None:
        """List every file that was stored, with size and checksum; the journal has the list's own digest first."""
        with _disk_errors(self._held.named):
            self._finish_change()
            if self._packed:
                self._place_packed()
            files = {**self._files, **facts_of(self._path, [layout.JOURNAL])}
            self._manifest = replace(self._manifest, files=dict(sorted(files.items())))
            seal_manifest(self._path, self._manifest)

    def _place_packed(self) -> None:
        """Move packed runs to their places, once the disk has all of them and the journal what they are."""
        os.sync()
        rows = [{"unit": unit, "sha256": unit_digest(facts)} for unit, facts in self._packed.items()]
        append_entries(self._path / layout.JOURNAL, STORED, rows)
        for unit, facts in self._packed.items():
            place = self._path / unit
            place.with_name(layout.WRITING_PREFIX + place.name).rename(place)
            self._files |= facts
        sync_folder(self._path / layout.RUNS)
        self._packed.clear()

    def _write(self, folder: str, target: str, facts: Mapping[str, JsonValue]) -> None:
        with _disk_errors(self._held.named):
            (self._path / folder).mkdir(exist_ok=True)  # a folder of an older version lacks the newer ones
            name = f"{folder}/{layout.target_slug(target)}.json"
            self._store_file(name, json_text({"target": target, **facts}))

    def _store_file(self, name: str, text: str) -> None:
        self._change_unit(name, content_facts({name: text.encode()}), partial(write_whole, self._path / name, text))

    def _store_folder(self, unit: str, contents: Mapping[str, bytes]) -> None:
        facts = content_facts(contents, f"{unit}/")
        self._change_unit(unit, facts, partial(write_folder, self._path / unit, contents))

    def _change_unit(self, unit: str, facts: Mapping[str, ManifestEntry], change: Callable[[], object]) -> None:
        """Store a unit, or take it away where it has no files; `change` may be called again when it is done.

        Ctrl-C may cut it off at any point, and a study that was interrupted writes its manifest at the end. So the
        change is kept until it is done: what the manifest lists is then there, and what it no longer lists is not.
        """
        self._finish_change()
        digest = unit_digest(facts) if facts else ""
        append_entry(self._path / layout.JOURNAL, STORED, {"unit": unit, "sha256": digest})
        files = {**self._files_without(unit), **facts}
        self._unfinished, self._files = change, files
        change()
        self._unfinished = None

    def _finish_change(self) -> None:
        if self._unfinished is not None:
            self._unfinished()
            self._unfinished = None

    def _files_without(self, unit: str) -> dict[str, ManifestEntry]:
        return {name: facts for name, facts in self._files.items() if unit_of(name) != unit}


def _move(folder: Path, destination: Path) -> None:
    """Move a folder, unless that is done."""
    if folder.exists():
        folder.rename(destination)


def seal_manifest(path: Path, manifest: Manifest) -> None:
    """Replace the manifest, once the journal has its digest."""
    text = manifest_text(manifest)
    append_entry(path / layout.JOURNAL, MANIFEST_WRITTEN, {"sha256": hashlib.sha256(text.encode()).hexdigest()})
    write_whole(path / layout.MANIFEST, text)


@contextmanager
def _disk_errors(path: Path) -> Iterator[None]:
    """Raise HostError if the disk fills up under a study: what is stored stays, and the study goes on later."""
    try:
        yield
    except OSError as error:
        what, why = f"the results folder {path} can't be written", error.strerror or str(error)
        raise HostError(what, why, "free space and run again", code="not-writable") from error
