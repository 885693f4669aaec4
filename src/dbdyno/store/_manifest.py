"""The manifest: schema version, study, versions, commands, and every file with size and SHA-256."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dbdyno.core import StoreError
from dbdyno.store import _layout as layout
from dbdyno.store._damage import reading
from dbdyno.store._files import JsonValue, json_text, sha256_of, write_whole

_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Size and checksum of one file."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a results folder says of itself.

    Parameters
    ----------
    study_digest : SHA-256 of the study's values; a folder belongs to one study
    created_ns : Unix time
    command_lines : how dbdyno was called, first to last
    versions : name -> version of what took part (dbdyno, dbdyno-load, python, ...)
    files : path in the folder -> facts; the journal's are those of its beginning, as it only grows
    """

    study_name: str
    study_digest: str
    dbdyno_version: str
    created_ns: int
    schema_version: int = layout.SCHEMA_VERSION
    command_lines: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, FileFacts] = field(default_factory=dict)


def is_results_folder(folder: Path) -> bool:
    """Whether a folder was made by a study; dumps may have a manifest of their own."""
    return (folder / layout.MANIFEST).is_file() and (folder / layout.STUDY).is_file()


def find_results(top: Path) -> list[Path]:
    """Results folders at or below a folder, by name; hidden folders and links are not entered.

    Raises
    ------
    StoreError : there is no such folder
    """
    if not top.is_dir():
        raise StoreError(
            f"{top} is not a folder", "", "give a results folder, or a folder with results folders below it"
        )
    found = []
    for root, folders, _ in os.walk(top):
        if is_results_folder(Path(root)):
            found.append(Path(root))
            folders.clear()
        folders[:] = sorted(name for name in folders if not name.startswith("."))
    return found


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a results folder.

    Raises
    ------
    StoreError : no manifest, not readable, or of a newer schema
    """
    path = folder / layout.MANIFEST
    try:
        row = json.loads(path.read_text(encoding="utf-8"))
        version = int(row["schema_version"])
    except FileNotFoundError as error:
        why = f"{path} does not exist" if folder.is_dir() else "there is no such folder"
        raise StoreError(f"{folder} is not a results folder", why, _nearest(folder)) from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{folder} can't be read", f"{path}: {error}", "restore the file or start anew") from error
    if version > layout.SCHEMA_VERSION:
        raise StoreError(
            f"{folder} was written by a newer dbdyno",
            f"schema {version} of dbdyno {row.get('dbdyno_version', '?')}; this reads up to {layout.SCHEMA_VERSION}",
            "use that version of dbdyno, or give another folder with -o",
        )
    with reading(path):
        return _from_json(row)


def _nearest(folder: Path) -> str:
    """What was probably meant: a results folder in this one."""
    try:
        inner = sorted(path for path in folder.iterdir() if is_results_folder(path))
    except OSError:
        inner = []
    more = ", .." if len(inner) > _MOST_NAMED else ""
    named = f": {', '.join(map(str, inner[:_MOST_NAMED]))}{more}" if inner else ""
    return f"give {'one of its results folders' if inner else 'the folder that -o named'}{named}"


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest at once."""
    write_whole(folder / layout.MANIFEST, json_text(_to_json(manifest)))


def file_facts(folder: Path, known: Mapping[str, FileFacts]) -> dict[str, FileFacts]:
    """Facts of every file of the folder. Runs never change once in place, so what is known of them is kept."""
    facts: dict[str, FileFacts] = {}
    for name in _files_of(folder):
        if name.startswith(f"{layout.RUNS}/") and name in known:
            facts[name] = known[name]
        else:
            path = folder / name
            size = path.stat().st_size
            facts[name] = FileFacts(size, sha256_of(path, size))
    return facts


def damaged_files(folder: Path, manifest: Manifest) -> tuple[str, ...]:
    """One line for each file that is missing, changed, or not listed; none when all is as written."""
    complaints = []
    for name, facts in sorted(manifest.files.items()):
        path = folder / name
        if not path.is_file():
            complaints.append(f"{name} is missing")
        elif not _same(path, facts, grows=name == layout.JOURNAL):
            complaints.append(f"{name} is not what was written")
    present = set(_files_of(folder))
    complaints += [f"{name} is not in the manifest" for name in sorted(present - set(manifest.files))]
    return tuple(complaints)


def _same(path: Path, facts: FileFacts, *, grows: bool) -> bool:
    size = path.stat().st_size
    if size < facts.bytes or (size != facts.bytes and not grows):
        return False
    return sha256_of(path, facts.bytes) == facts.sha256


def _files_of(folder: Path) -> list[str]:
    """Files that belong to the results: not the lock, the manifest, a report made later, or a run not yet whole.

    Paths in the folder, as texts: an import of thousands of runs has some hundred thousand of them.
    """
    found = [name for name in (layout.STUDY, layout.PLAN, layout.HOST, layout.JOURNAL) if (folder / name).is_file()]
    for top in (layout.ENGINES, layout.DATASETS, layout.FINGERPRINTS, layout.LOOKS, layout.RUNS):
        if (folder / top).is_dir():
            found += _files_below(folder, top)
    return found


def _files_below(folder: Path, inside: str) -> Iterator[str]:
    """Files below a folder inside, by name, before those of the folders there; what begins with a dot is left out."""
    with os.scandir(folder / inside) as entries:
        ordered = sorted((entry for entry in entries if not entry.name.startswith(".")), key=lambda entry: entry.name)
    for entry in ordered:
        if entry.is_file():
            yield f"{inside}/{entry.name}"
    for entry in ordered:
        if entry.is_dir(follow_symlinks=False):
            yield from _files_below(folder, f"{inside}/{entry.name}")


def _to_json(manifest: Manifest) -> dict[str, JsonValue]:
    return {
        "schema_version": manifest.schema_version,
        "dbdyno_version": manifest.dbdyno_version,
        "study_name": manifest.study_name,
        "study_digest": manifest.study_digest,
        "created_ns": manifest.created_ns,
        "command_lines": list(manifest.command_lines),
        "versions": dict(manifest.versions),
        "files": {name: {"bytes": f.bytes, "sha256": f.sha256} for name, f in manifest.files.items()},
    }


def _from_json(row: Mapping[str, Any]) -> Manifest:
    return Manifest(
        study_name=row["study_name"],
        study_digest=row["study_digest"],
        dbdyno_version=row["dbdyno_version"],
        created_ns=row["created_ns"],
        schema_version=row["schema_version"],
        command_lines=tuple(row["command_lines"]),
        versions=dict(row["versions"]),
        files={name: FileFacts(f["bytes"], f["sha256"]) for name, f in row["files"].items()},
    )
