"""Keeps the manifest: schema version, study, versions, commands, and every file with size and SHA-256."""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from dbdyno.core import DamageError, StoreError, decode, json_value, read_input, utf8_text
from dbdyno.store import _layout as layout
from dbdyno.store._damage import MOST_BYTES, reading
from dbdyno.store._files import JsonValue, json_text, sha256_of
from dbdyno.study import digest_spelling

_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """Size and checksum of one file; -1 and empty where an older manifest has none."""

    bytes: int = -1
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Manifest:
    """Holds what a results folder says of itself.

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
    files: Mapping[str, ManifestEntry] = field(default_factory=dict)


def study_digest(study_text: str) -> str:
    r"""Return the SHA-256 of what a study file says; comments, order, blanks and earlier spellings of keys don't count.

    >>> study_digest("a = 1\nb = 2") == study_digest("# why\nb=2\na=1")
    True
    """
    values = digest_spelling(tomllib.loads(study_text))
    return hashlib.sha256(json.dumps(values, sort_keys=True, default=str).encode()).hexdigest()


def is_results_folder(folder: Path) -> bool:
    """Return whether a folder was made by a study; dumps may have their own manifest."""
    return (folder / layout.MANIFEST).is_file() and (folder / layout.STUDY).is_file()


def find_results(top: Path) -> list[Path]:
    """Return results folders at or below a folder, by name; hidden folders and links are not entered.

    Raises
    ------
    StoreError : there is no such folder
    """
    if not top.is_dir():
        remedy = "name a results folder, or a folder with results folders below it"
        raise StoreError(f"{top} is not a folder", "", remedy, code="not-a-folder")
    results_folders = []
    for root, folders, _ in os.walk(top):
        if is_results_folder(Path(root)):
            results_folders.append(Path(root))
            folders.clear()
        folders[:] = sorted(name for name in folders if not name.startswith("."))
    return results_folders


def read_manifest(folder: Path) -> tuple[Manifest, str]:
    """Return the manifest of a results folder, and the SHA-256 of its file.

    Raises
    ------
    StoreError : no manifest, or of a newer schema
    DamageError : it is not what was written
    """
    path = folder / layout.MANIFEST
    try:
        content = read_input(path, MOST_BYTES, is_fixed=True)
        row = json_value(utf8_text(content))
        version = decode(int, decode(dict[str, Any], row).get("schema_version"))
    except FileNotFoundError as error:
        why = f"{path} does not exist" if folder.is_dir() else "the folder is missing"
        raise StoreError(
            f"{folder} is not a results folder", why, _nearest_folder_words(folder), code="not-results"
        ) from error
    except NotADirectoryError as error:
        parent_results = folder.parent if is_results_folder(folder.parent) else None
        remedy = f"did you mean {parent_results}?" if parent_results else _nearest_folder_words(folder)
        raise StoreError(f"{folder} is a file, not a results folder", "", remedy, code="not-results") from error
    except (OSError, ValueError) as error:
        why = (isinstance(error, OSError) and error.strerror) or str(error)
        remedy = "restore the file or start over"
        raise DamageError(f"{folder} can't be read", f"{path}: {why}", remedy, code="unreadable") from error
    if version > layout.SCHEMA_VERSION:
        raise StoreError(
            f"{folder} was written by a newer dbdyno",
            f"schema {version} of dbdyno {row.get('dbdyno_version', '?')}; this version reads up to "
            f"{layout.SCHEMA_VERSION}",
            "use that version of dbdyno, or name another folder with -o",
            code="newer-schema",
        )
    with reading(path):
        return decode(Manifest, row), hashlib.sha256(content).hexdigest()


def _nearest_folder_words(folder: Path) -> str:
    """Return what was probably meant: a results folder in this one, or one next to it with nearly its name."""
    inner = _results_in(folder)
    if not inner and folder.is_dir():
        inner = [path for child in _folders_in(folder) for path in _results_in(child)]
    if not inner:
        siblings = {path.name: path for path in _results_in(folder.parent)}
        near = get_close_matches(folder.name, siblings, n=1)
        return f"did you mean {siblings[near[0]]}?" if near else "name the folder that -o named"
    rest_words = f" and {len(inner) - _MOST_NAMED} more" if len(inner) > _MOST_NAMED else ""
    return f"name one of its results folders: {', '.join(map(str, inner[:_MOST_NAMED]))}{rest_words}"


def _results_in(folder: Path) -> list[Path]:
    return [path for path in _folders_in(folder) if is_results_folder(path)]


def _folders_in(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.is_dir())
    except OSError:
        return []


def manifest_text(manifest: Manifest) -> str:
    """Return the manifest as it is written."""
    return json_text(_to_json(manifest))


def units_of(files: Mapping[str, ManifestEntry]) -> dict[str, dict[str, ManifestEntry]]:
    """Return files by what is stored at once: the folder of a run or of a look, else the file itself.

    >>> list(units_of({"plan.json": ManifestEntry(1, "a"), "runs/r1/record.json": ManifestEntry(2, "b")}))
    ['plan.json', 'runs/r1']
    """
    units: dict[str, dict[str, ManifestEntry]] = {}
    for name, facts in files.items():
        units.setdefault(unit_of(name), {})[name] = facts
    return units


def unit_of(name: str) -> str:
    """Return what a file is stored with, see `units_of`."""
    parts = name.split("/", 2)
    return f"{parts[0]}/{parts[1]}" if len(parts) > 2 else name


def unit_digest(facts: Mapping[str, ManifestEntry]) -> str:
    """Return one digest of the files of a unit: their names and checksums."""
    rows = "".join(f"{name} {facts[name].sha256}\n" for name in sorted(facts))
    return hashlib.sha256(rows.encode()).hexdigest()


def facts_of(folder: Path, names: Iterable[str]) -> dict[str, ManifestEntry]:
    """Return the size and checksum of files of a results folder."""
    facts = {}
    for name in names:
        size = (folder / name).stat().st_size
        facts[name] = ManifestEntry(size, sha256_of(folder / name, size))
    return facts


def top_files(folder: Path) -> list[str]:
    """Return files of the study itself that are there."""
    return [name for name in (layout.STUDY, layout.PLAN, layout.HOST, layout.JOURNAL) if (folder / name).is_file()]


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
