"""The journal: what happened to a study, one JSON object a line, written through to the disk at once."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from dbdyno.store._damage import reading
from dbdyno.store._files import JsonValue

MACHINE_EXAMINED = "machine-examined"
"""Event of what was seen of the machine each time the study was started, with what was found."""


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One line of the journal.

    Parameters
    ----------
    event : study-started, run-started, run-finished, study-finished, study-interrupted, ...
    at_ns : Unix time
    facts : what belongs to the event, such as ``run_id`` and ``status``
    """

    event: str
    at_ns: int
    facts: Mapping[str, JsonValue]


def append_entry(path: Path, event: str, facts: Mapping[str, JsonValue]) -> None:
    """Add a line and wait until the disk has it."""
    append_entries(path, event, [facts])


def append_entries(path: Path, event: str, rows: Iterable[Mapping[str, JsonValue]]) -> None:
    """Add a line for each row, and wait once until the disk has them."""
    at_ns = time.time_ns()
    lines = [entry_line(event, row, at_ns) for row in rows]
    with path.open("a", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)
        file.flush()
        os.fsync(file.fileno())


def read_entries(path: Path) -> tuple[JournalEntry, ...]:
    """All whole lines; a last line cut off by a kill is not an entry."""
    if not path.exists():
        return ()
    with reading(path):
        lines = path.read_text(encoding="utf-8").split("\n")[:-1]
        return tuple(entry_of(line) for line in lines if line)


def drop_torn_line(path: Path) -> None:
    """Cut a last line that a kill left without its line feed."""
    if not path.exists():
        return
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    if whole != len(content):
        os.truncate(path, whole)


def entry_line(event: str, facts: Mapping[str, JsonValue], at_ns: int) -> str:
    """An entry as it is written."""
    return json.dumps({"at_ns": at_ns, "event": event, **facts}, ensure_ascii=False, default=dict)


def entry_of(line: str) -> JournalEntry:
    """What `entry_line` gave."""
    row: dict[str, JsonValue] = json.loads(line)
    facts = {key: value for key, value in row.items() if key not in ("event", "at_ns")}
    at_ns = row["at_ns"]
    return JournalEntry(str(row["event"]), at_ns if isinstance(at_ns, int) else 0, facts)
