"""Results that a test has changed, made to be as if dbdyno had written them so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dbdyno.store import StoredStudy
from dbdyno.store._manifest import facts_of, read_manifest
from dbdyno.store._writer import seal_manifest


def as_written(folder: Path) -> StoredStudy:
    """List what is left of the folder's files as they are now, and open it."""
    manifest, _ = read_manifest(folder)
    there = [name for name in manifest.files if (folder / name).is_file()]
    for _ in range(2):  # the journal's last two are those that a manifest may be
        seal_manifest(folder, replace(manifest, files=facts_of(folder, there)))
    return StoredStudy.open(folder)
