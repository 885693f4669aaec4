"""The one writer of a results folder: adds, never changes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from dbdyno.core import HostError
from dbdyno.store import _layout as layout
from dbdyno.store._files import JsonValue, json_text, write_whole
from dbdyno.store._fingerprints import StoredFingerprint
from dbdyno.store._journal import append_entries, append_entry
from dbdyno.store._live import LiveLog
from dbdyno.store._looks import write_look
from dbdyno.store._manifest import FileFacts, Manifest, file_facts, write_manifest
from dbdyno.store._runs import PackedRun, StoredRun, finished_folders, place_packed, read_record, write_run


class ResultsWriter:
    """Made by `Results.writing`, which holds the lock while this lives."""

    def __init__(self, path: Path, manifest: Manifest, command_line: str) -> None:
        self._path = path
        self._packed: dict[str, FileFacts] = {}
        commands = manifest.command_lines
        self._manifest = replace(manifest, command_lines=(*commands, command_line) if command_line else commands)

    def append(self, event: str, /, **facts: JsonValue) -> None:
        """Add a line to the journal, on the disk when this returns."""
        with _disk_errors(self._path):
            append_entry(self._path / layout.JOURNAL, event, facts)

    def append_all(self, event: str, rows: Iterable[Mapping[str, JsonValue]]) -> None:
        """Add a line for each row to the journal, all on the disk when this returns."""
        with _disk_errors(self._path):
            append_entries(self._path / layout.JOURNAL, event, rows)

    @property
    def live(self) -> LiveLog:
        """What tells others of the run under way."""
        return LiveLog(self._path / layout.LIVE)

    def write_host(self, facts: Mapping[str, JsonValue]) -> None:
        """Replace the facts of the machine, where they come to be known only from the runs."""
        with _disk_errors(self._path):
            write_whole(self._path / layout.HOST, json_text(facts))

    def write_engine(self, target: str, facts: Mapping[str, JsonValue]) -> None:
        """Keep what was installed for a target."""
        self._write(layout.ENGINES, target, facts)

    def write_dataset(self, target: str, facts: Mapping[str, JsonValue]) -> None:
        """Keep what a target's runs started from."""
        self._write(layout.DATASETS, target, facts)

    def write_fingerprints(self, target: str, fingerprints: Sequence[StoredFingerprint]) -> None:
        """Keep what a target made of the events that all targets were sent."""
        self._write(layout.FINGERPRINTS, target, {"fingerprints": [made.to_json() for made in fingerprints]})

    def write_look(self, look: StoredRun) -> None:
        """Keep what was seen of a target's server before its first run; its record is of a run not made."""
        with _disk_errors(self._path):
            write_look(self._path / layout.LOOKS, look)

    def add_run(self, run: StoredRun) -> None:
        """Store a run: whole, or, after a kill, not at all.

        Raises
        ------
        StoreError : the run is there already
        HostError : the disk refuses
        """
        with _disk_errors(self._path):
            write_run(self._path / layout.RUNS, run)
        self.update_manifest()

    def add_packed(self, packed: PackedRun) -> None:
        """Store one of many runs; `update_manifest`, or the end of writing, makes all of them last together.

        Raises
        ------
        HostError : the disk refuses
        """
        with _disk_errors(self._path):
            place_packed(self._path / layout.RUNS, packed)
        prefix = f"{layout.RUNS}/{packed.run_id}/"
        self._packed.update({prefix + name: facts for name, facts in packed.facts.items()})

    def set_aside_failed(self) -> tuple[str, ...]:
        """Make room for another attempt at every failed run; its folder is kept elsewhere. The ids of these runs."""
        failed = [f for f in finished_folders(self._path / layout.RUNS) if read_record(f).status == "failed"]
        aside = self._path / layout.SET_ASIDE
        with _disk_errors(self._path):
            for folder in failed:
                aside.mkdir(exist_ok=True)
                attempts = len(list(aside.glob(f"{folder.name}.*")))
                folder.rename(aside / f"{folder.name}.{attempts + 1}")
        return tuple(folder.name for folder in failed)

    def note_versions(self, versions: Mapping[str, str]) -> None:
        """Add versions of what takes part to the manifest."""
        self._manifest = replace(self._manifest, versions={**self._manifest.versions, **versions})

    def update_manifest(self) -> None:
        """List every file with size and checksum."""
        with _disk_errors(self._path):
            if self._packed:
                os.sync()
            known = {**self._manifest.files, **self._packed}
            self._packed.clear()
            self._manifest = replace(self._manifest, files=file_facts(self._path, known))
            write_manifest(self._path, self._manifest)

    def _write(self, folder: str, target: str, facts: Mapping[str, JsonValue]) -> None:
        name = f"{layout.target_slug(target)}.json"
        with _disk_errors(self._path):
            (self._path / folder).mkdir(exist_ok=True)  # a folder of an older version lacks the newer ones
            write_whole(self._path / folder / name, json_text({"target": target, **facts}))


@contextmanager
def _disk_errors(path: Path) -> Iterator[None]:
    """A disk that fills up under a study is the world's fault: what is stored stays, and the study goes on later."""
    try:
        yield
    except OSError as error:
        raise HostError(
            f"the results folder {path} can't be written", error.strerror or str(error), "free space and run again"
        ) from error
