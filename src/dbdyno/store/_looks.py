"""Servers that were looked at before the first run: one folder a target, replaced by the next look."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dbdyno.store import _layout as layout
from dbdyno.store._damage import reading
from dbdyno.store._files import json_text, write_whole
from dbdyno.store._records import record_from_json, record_to_json
from dbdyno.store._runs import StoredRun

_DOCUMENTS = ("variables", "status_before", "schema", "process", "start")


def write_look(folder: Path, look: StoredRun) -> None:
    """Keep what was seen of a target's server; its record comes last, so that half a look is none."""
    place = folder / layout.target_slug(look.record.run.cell.target)
    place.mkdir(parents=True, exist_ok=True)
    for name in _DOCUMENTS:
        write_whole(place / f"{name}.json", json_text(getattr(look, name)))
    write_whole(place / layout.SERVER_CNF, look.server_cnf)
    write_whole(place / layout.RECORD, json_text(record_to_json(look.record)))


def read_looks(folder: Path) -> Iterator[StoredRun]:
    """Every look in a folder; none where there is no such folder."""
    for place in sorted(folder.glob("*")):
        if (place / layout.RECORD).is_file():
            documents = {name: _json(place / f"{name}.json") for name in _DOCUMENTS}
            record = record_from_json(_json(place / layout.RECORD))
            option_file = (place / layout.SERVER_CNF).read_text(encoding="utf-8")
            yield StoredRun(record, server_cnf=option_file, **documents)


def _json(path: Path) -> Any:  # noqa: ANN401 - foreign JSON
    with reading(path):
        return json.loads(path.read_text(encoding="utf-8"))
