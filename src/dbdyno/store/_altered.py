"""Checks whether a results folder is as dbdyno wrote it.

The manifest lists every file with size and checksum, the journal names the manifest's own digest, and each line of the
journal names the digest of the one before. Reading every file of a large folder takes seconds, so what was read once
and has kept size, modification time and change time is not read again: their digest is kept in ``.checked.json``, which
only the owner of the folder writes. A copy has other times: it is read once.

This shows what somebody changed by hand, a copy that stopped half way, and a disk that lost blocks. Who writes all
digests anew is not found out; for that, keep the digest of the journal elsewhere.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dbdyno.core import Cell, decode, format_memory, json_value, read_input, read_input_text
from dbdyno.store import _layout as layout
from dbdyno.store._damage import MOST_BYTES, read_json, reading
from dbdyno.store._files import write_whole
from dbdyno.store._journal import MANIFEST_WRITTEN, STORED, JournalEntry, chained_entries, most_bytes
from dbdyno.store._manifest import Manifest, ManifestEntry, facts_of, top_files, unit_digest, unit_of, units_of
from dbdyno.store._records import record_from_json

_CHECKED = ".checked.json"
_TOPS = (layout.ENGINES, layout.DATASETS, layout.FINGERPRINTS, layout.LOOKS, layout.RUNS)


@dataclass(frozen=True, slots=True)
class FileAlteration:
    """Describes one thing that is not as it was written.

    Parameters
    ----------
    place : the file, or the folder of a run, inside the results folder
    what : what is the matter with it
    cell : which run it belongs to, in words; empty when it is no run's, or not known
    is_missing_run : a run's whole folder is gone; the study can make it again
    """

    place: str
    what: str
    cell: str = ""
    is_missing_run: bool = False

    def __str__(self) -> str:
        """Format it in one line."""
        return f"{self.place}{f' ({self.cell})' if self.cell else ''} {self.what}"


@dataclass(frozen=True, slots=True)
class FolderCheck:
    """Describes how a results folder is looked at before it is used.

    Parameters
    ----------
    is_full : read every file, also those that have kept their size and times since they were read last
    allow_altered : use it nevertheless; `Results.alterations` says what is wrong
    allow_missing_runs : runs whose folder is gone are no reason to refuse it: they are about to be made again
    """

    is_full: bool = False
    allow_altered: bool = False
    allow_missing_runs: bool = False

    def refuses(self, alteration: FileAlteration) -> bool:
        """Return whether a folder can't be used for this."""
        return not (self.allow_altered or (self.allow_missing_runs and alteration.is_missing_run))


QUICK_CHECK = FolderCheck()
"""Read what has other times than when it was read last, and refuse what is altered."""


RESUMING_CHECK = FolderCheck(allow_missing_runs=True)
"""The same before a study goes on: runs that are gone are made again."""


@dataclass(frozen=True, slots=True)
class CheckedFolder:
    """Holds what a check found.

    Parameters
    ----------
    unlisted : files that were stored when dbdyno was stopped, and that the manifest could not list any more
    has_checksums : the manifest is the last one that the journal names
    """

    alterations: tuple[FileAlteration, ...]
    unlisted: Mapping[str, ManifestEntry]
    has_checksums: bool


def check_folder(folder: Path, manifest: Manifest, manifest_sha256: str, *, is_full: bool) -> CheckedFolder:
    """Hold a folder against its manifest and its journal.

    Parameters
    ----------
    manifest_sha256 : of the manifest's file
    is_full : read every file, also those that have kept their times
    """
    journal = _Journal.read(folder, manifest, manifest_sha256)
    is_sealed = journal.seals[-1:] == [manifest_sha256]
    alterations = list(journal.alterations)
    # A kill between the journal's line and the manifest leaves the previous manifest.
    if journal.seals and manifest_sha256 not in journal.seals[-2:]:
        alterations.append(FileAlteration(layout.MANIFEST, "differs from the one in the journal"))
    units = _Units(folder, manifest, journal, is_full=is_full)
    alterations += units.alterations()
    return CheckedFolder(tuple(sorted(alterations, key=lambda alteration: alteration.place)), units.unlisted, is_sealed)


@dataclass(frozen=True, slots=True)
class _Journal:
    """Holds what the journal says of the files.

    Parameters
    ----------
    seals : digests of manifests, first to last
    stored : unit -> digest of what was to be stored last
    under_way : units stored since the manifest that is there was written: it does not list them as they are
    begun : ids of runs that were begun; all that journals of older versions hold
    """

    alterations: tuple[FileAlteration, ...] = ()
    seals: list[str] = field(default_factory=list)
    stored: dict[str, str] = field(default_factory=dict)
    under_way: set[str] = field(default_factory=set)
    begun: set[str] = field(default_factory=set)

    @classmethod
    def read(cls, folder: Path, manifest: Manifest, manifest_sha256: str) -> _Journal:
        path, listed_facts = folder / layout.JOURNAL, manifest.files.get(layout.JOURNAL)
        if not path.is_file():
            return cls((FileAlteration(layout.JOURNAL, "is missing"),) if listed_facts else ())
        with reading(path):
            content = read_input(path, most_bytes())
            entries, broken_line = chained_entries(content)
        alterations = []
        if broken_line is not None:
            alterations.append(FileAlteration(layout.JOURNAL, f"was altered before its line {broken_line}"))
        elif (
            listed_facts
            and listed_facts.sha256
            and hashlib.sha256(content[: listed_facts.bytes]).hexdigest() != listed_facts.sha256
        ):
            alterations.append(FileAlteration(layout.JOURNAL, "does not begin with the content that dbdyno wrote"))
        journal = cls(tuple(alterations))
        for entry in entries:
            journal._take_entry(entry, manifest_sha256)
        return journal

    def _take_entry(self, entry: JournalEntry, manifest_sha256: str) -> None:
        if entry.event == MANIFEST_WRITTEN:
            self.seals.append(str(entry.facts.get("sha256")))
            if self.seals[-1] == manifest_sha256:
                self.under_way.clear()
        elif entry.event == STORED:
            unit = str(entry.facts.get("unit"))
            self.stored[unit] = str(entry.facts.get("sha256"))
            self.under_way.add(unit)
        elif entry.event == "run-started":
            self.begun.add(f"{layout.RUNS}/{entry.facts.get('run_id')}")


class _Units:
    """Holds what is there against what is listed, unit by unit."""

    def __init__(self, folder: Path, manifest: Manifest, journal: _Journal, *, is_full: bool) -> None:
        self._folder, self._journal = folder, journal
        self._listed = units_of({name: facts for name, facts in manifest.files.items() if name != layout.JOURNAL})
        self._present = _present_files(folder)
        self._known = {} if is_full else _read_checked(folder)
        self._checked: dict[str, str] = {}
        self.unlisted: dict[str, ManifestEntry] = {}

    def alterations(self) -> list[FileAlteration]:
        alterations: list[FileAlteration] = []
        for unit in sorted({*self._listed, *self._present}):
            alterations += self._unit_alterations(unit)
        if self._checked != self._known:
            _write_checked(self._folder, self._checked)
        return alterations

    def _unit_alterations(self, unit: str) -> Iterator[FileAlteration]:
        listed_facts, present_times = self._listed.get(unit, {}), self._present.get(unit, {})
        digest = _times_digest(listed_facts, present_times)
        if listed_facts and listed_facts.keys() == present_times.keys() and self._known.get(unit) == digest:
            self._checked[unit] = digest
            return
        with reading(self._folder / unit):
            actual_facts = facts_of(self._folder, present_times)
        if self._is_under_way(unit, actual_facts):
            self.unlisted.update(actual_facts)
            return
        cell, own_id = _read_cell_and_id(self._folder / unit) if unit.startswith(f"{layout.RUNS}/") else ("", "")
        alterations = list(_differences(unit, listed_facts, actual_facts, cell, own_id))
        if not alterations:
            self._checked[unit] = digest
        yield from alterations

    def _is_under_way(self, unit: str, actual_facts: Mapping[str, ManifestEntry]) -> bool:
        """Return whether dbdyno was stopped between storing this and listing it."""
        if unit in self._journal.under_way:
            return not actual_facts or unit_digest(actual_facts) == self._journal.stored[unit]
        return not self._journal.seals and unit not in self._listed and unit in self._journal.begun


def _differences(
    unit: str,
    listed_facts: Mapping[str, ManifestEntry],
    actual_facts: Mapping[str, ManifestEntry],
    cell: str,
    own_id: str,
) -> Iterator[FileAlteration]:
    run_id = unit.partition("/")[2]
    if own_id and own_id != run_id:
        yield FileAlteration(unit, f"holds the record of another run, {own_id}", cell)
    if not actual_facts:
        yield FileAlteration(unit, "is missing", cell, is_missing_run=unit.startswith(f"{layout.RUNS}/"))
    elif not listed_facts:
        yield FileAlteration(unit, "was added: the manifest does not list it", cell)
    else:
        for name in sorted({*listed_facts, *actual_facts}):
            if name not in actual_facts:
                yield FileAlteration(name, "is missing", cell)
            elif name not in listed_facts:
                yield FileAlteration(name, "was added: the manifest does not list it", cell)
            elif listed_facts[name].sha256 not in ("", actual_facts[name].sha256):
                yield FileAlteration(name, "has changed", cell)


def _read_cell_and_id(folder: Path) -> tuple[str, str]:
    """Return the cell and id in the record of a run; empty where it can't be read."""
    try:
        record = record_from_json(read_json(folder / layout.RECORD))
    except Exception:  # any content: the alteration is reported anyway
        return "", ""
    return f"{cell_words(record.run.cell)}, {record.run.repeat_words}", record.run.run_id


def cell_words(cell: Cell) -> str:
    """Return which cell it is, in a line."""
    return f"{cell.target}, {format_memory(cell.tier_bytes)}, {cell.concurrency} connections, {cell.route}"


Times = Mapping[str, tuple[int, int, int]]


def _present_files(folder: Path) -> dict[str, dict[str, tuple[int, int, int]]]:
    """Return files that belong to the results, by unit: size, modification and change time.

    Not the lock, the manifest, a report made later, or a run not yet whole. Paths are texts: an import of thousands of
    runs has some hundred thousand of them.
    """
    units: dict[str, dict[str, tuple[int, int, int]]] = {}
    for name in top_files(folder):
        if name != layout.JOURNAL:
            units[name] = {name: _file_times((folder / name).stat())}
    for top in _TOPS:
        if (folder / top).is_dir():
            for name, times in _files_below(folder, top):
                units.setdefault(unit_of(name), {})[name] = times
    return units


def _files_below(folder: Path, inside: str) -> Iterator[tuple[str, tuple[int, int, int]]]:
    with os.scandir(folder / inside) as entries:
        visible_entries = [entry for entry in entries if not entry.name.startswith(".")]
    for entry in visible_entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _files_below(folder, f"{inside}/{entry.name}")
        elif entry.is_file():
            yield f"{inside}/{entry.name}", _file_times(entry.stat())


def _file_times(facts: os.stat_result) -> tuple[int, int, int]:
    return facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns


def _times_digest(listed_facts: Mapping[str, ManifestEntry], present_times: Times) -> str:
    rows = [
        f"{name} {listed_facts[name].sha256 if name in listed_facts else ''} {present_times[name]}"
        for name in sorted(present_times)
    ]
    return hashlib.sha256("\n".join(rows).encode(errors="surrogateescape")).hexdigest()


def _read_checked(folder: Path) -> dict[str, str]:
    try:
        row = json_value(read_input_text(folder / _CHECKED, MOST_BYTES, is_fixed=True))
        return decode(dict[str, dict[str, str]], row)["units"]
    except (OSError, ValueError, KeyError):
        return {}


def _write_checked(folder: Path, units: Mapping[str, str]) -> None:
    """Keep what was read, in this user's own folder only: in somebody else's nothing is written."""
    with contextlib.suppress(OSError):
        if folder.stat().st_uid == os.geteuid():
            write_whole(folder / _CHECKED, json.dumps({"units": units}, indent=0) + "\n")


def alteration_lines(alterations: Sequence[FileAlteration], most: int = 8) -> str:
    """Return what is altered, a line each, the first of many."""
    lines = [str(alteration) for alteration in alterations[:most]]
    if len(alterations) > most:
        lines.append(f"and {len(alterations) - most} more")
    return "\n".join(lines)
