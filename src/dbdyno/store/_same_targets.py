"""Refuses to mix runs of a target that measured another engine, or started from other rows.

Places are where the facts come from, as words of a sentence: ``now``, ``on bench a``, ``in results/a``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dbdyno.core import StoreError
from dbdyno.store import _layout as layout
from dbdyno.store._documents import read_document
from dbdyno.store._results import Results

_CHOICES = ("workload", "options", "rng", "seed")
"""What names a dataset of a target; its digest counts its files, too."""


def check_same_targets(folders: Sequence[Results]) -> None:
    """Check that all results folders hold runs of the same engines on the same rows.

    Raises
    ------
    StoreError : a study must not mix runs of two servers, or on two datasets
    """
    first: dict[tuple[str, str], tuple[str, Mapping[str, Any]]] = {}
    for folder in folders:
        for kind in (layout.ENGINES, layout.DATASETS):
            for path in sorted((folder.path / kind).glob("[!.]*")):
                facts, place = read_document(path, kind), f"in {folder.path}"
                first_place, first_facts = first.setdefault((kind, path.name), (place, facts))
                if kind == layout.ENGINES:
                    remedy = "name the version in full in the study, and run the parts again"
                    check_same_engine(facts, place, first_facts, first_place, remedy)
                else:
                    remedy = (
                        "run one of the parts again; dbdyno clean --datasets 0s --remove removes what its machine keeps"
                    )
                    check_same_rows(facts, place, first_facts, first_place, remedy)


def check_same_engine(
    engine: Mapping[str, Any], place: str, other: Mapping[str, Any], other_place: str, remedy: str
) -> None:
    """Check that two engines of one target have the same version and, of a base directory, the same programs.

    Raises
    ------
    StoreError : a study must not mix runs of two servers
    """
    what = ""
    if engine["version"] != other["version"]:
        what = f"{engine['target']} is {engine['version']} {place} and {other['version']} {other_place}"
    elif engine.get("source") == "basedir" and engine.get("packages") != other.get("packages"):
        what = f"{engine['target']} is another build {place} than {other_place}: its programs have other checksums"
    if what:
        raise StoreError(what, "a study must not mix runs of two servers", remedy, code="other-engine")


def check_same_rows(
    rows: Mapping[str, Any], place: str, other: Mapping[str, Any], other_place: str, remedy: str
) -> None:
    """Check that the datasets of a target that both have are of the same files and the same rows.

    Parameters
    ----------
    remedy : for rows that differ though the files do not

    Raises
    ------
    StoreError : a study must not mix runs on two datasets
    """
    for entry in rows["datasets"]:
        what = f"{rows['target']} has other rows {place} than {other_place}"
        if has_other_files(entry, other):
            raise StoreError(
                what, f"the files of {entry['dataset']} differ", "use the same files for all runs", code="other-files"
            )
        same_entries = [known for known in other["datasets"] if known["digest"] == entry["digest"]]
        if any(_differs(known.get("content_sha256"), entry.get("content_sha256")) for known in same_entries):
            raise StoreError(what, f"the checksums of {entry['dataset']} differ", remedy, code="other-rows")


def has_other_files(entry: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether a target's datasets have the same workload, options and seed, but only with other digests."""
    same_choices = [
        known for known in other["datasets"] if all(known.get(name) == entry.get(name) for name in _CHOICES)
    ]
    return bool(same_choices) and all(known["digest"] != entry["digest"] for known in same_choices)


def _differs(value: object, other: object) -> bool:
    return value is not None and other is not None and value != other
