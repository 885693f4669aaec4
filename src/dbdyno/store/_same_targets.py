"""Refuses results folders of one study that measured other engines, or started from other rows, for the same target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dbdyno.core import StoreError
from dbdyno.store import _layout as layout
from dbdyno.store._documents import read_document
from dbdyno.store._results import Results


def check_same_targets(folders: Sequence[Results]) -> None:
    """Check that all folders hold runs of the same engines on the same rows.

    Raises
    ------
    StoreError : a study must not mix runs of two servers, or on two datasets
    """
    checks = {layout.ENGINES: _check_engine, layout.DATASETS: _check_rows}
    first: dict[tuple[str, str], tuple[Path, Mapping[str, Any]]] = {}
    for folder in folders:
        for kind, check in checks.items():
            for path in sorted((folder.path / kind).glob("[!.]*")):
                facts = read_document(path, kind)
                first_path, first_facts = first.setdefault((kind, path.name), (folder.path, facts))
                check((first_path, first_facts), (folder.path, facts))


def _check_engine(first: tuple[Path, Mapping[str, Any]], other: tuple[Path, Mapping[str, Any]]) -> None:
    (first_path, engine), (other_path, other_engine) = first, other
    target, versions = engine.get("target"), (engine.get("version"), other_engine.get("version"))
    what = ""
    if versions[0] != versions[1]:
        what = f"{target} is {versions[0]} in {first_path} and {versions[1]} in {other_path}"
    elif engine.get("source") == "basedir" and engine.get("packages") != other_engine.get("packages"):
        what = f"{target} is another build in {other_path} than in {first_path}: its programs have other checksums"
    if what:
        remedy = "name the version in full in the study, and run the parts again"
        raise StoreError(what, "a study must not mix runs of two servers", remedy)


def _check_rows(first: tuple[Path, Mapping[str, Any]], other: tuple[Path, Mapping[str, Any]]) -> None:
    (first_path, rows), (other_path, other_rows) = first, other
    known_entries = {entry["dataset"]: entry for entry in rows.get("datasets", ())}
    for entry in other_rows.get("datasets", ()):
        known_entry = known_entries.get(entry["dataset"], entry)
        facts = [name for name in ("digest", "content_sha256") if _differs(known_entry.get(name), entry.get(name))]
        if facts:
            raise StoreError(
                f"{rows.get('target')} started from another dataset in {other_path} than in {first_path}",
                f"{facts[0]} of {entry['dataset']} is {known_entry[facts[0]]} and {entry[facts[0]]}",
                "run one of the parts again; dbdyno clean --datasets 0s --remove removes what its machine keeps",
            )


def _differs(value: object, other: object) -> bool:
    return value is not None and other is not None and value != other
