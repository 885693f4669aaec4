"""Stores servers that were inspected before the first run: a folder per target, replaced by the next inspection."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dbdyno.store import _layout as layout
from dbdyno.store._damage import read_text
from dbdyno.store._documents import read_document
from dbdyno.store._files import json_text
from dbdyno.store._records import record_to_json
from dbdyno.store._runs import StoredRun, read_record

_DOCUMENTS = ("variables", "status_before", "schema", "process", "start")


def inspection_contents(inspection: StoredRun) -> dict[str, bytes]:
    """Return the files of what was seen of a target's server; its record is of a run not made."""
    documents = {f"{name}.json": json_text(getattr(inspection, name)).encode() for name in _DOCUMENTS}
    record = json_text(record_to_json(inspection.record)).encode()
    return {**documents, layout.SERVER_CNF: inspection.server_cnf.encode(), layout.RECORD: record}


def read_inspections(folder: Path) -> Iterator[StoredRun]:
    """Yield every inspection in a folder; none where there is no such folder."""
    for place in sorted(folder.glob("[!.]*")):
        if (place / layout.RECORD).is_file():
            documents = {name: read_document(place / f"{name}.json", name) for name in _DOCUMENTS}
            record = read_record(place)
            yield StoredRun(record, server_cnf=read_text(place / layout.SERVER_CNF), **documents)
