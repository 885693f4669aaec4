"""Keeps the journal of a study: one JSON object per event and line, written through to the disk at once.

Each line names the digest of the one before, so that none can be changed, added between or taken out alone. Two events
are the store's own and reported to nobody: before something is stored, the digest of its files (`STORED`); before the
manifest is replaced, the digest of the new one (`MANIFEST_WRITTEN`). So a kill at any moment leaves nothing that looks
altered.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypedDict

from dbdyno.core import decode, input_limit, json_value
from dbdyno.store._damage import read_text, reading
from dbdyno.store._files import JsonValue

MACHINE_EXAMINED = "machine-examined"
"""Event of what was seen of the machine at each start, with what was found; of gathered parts also its ``host``."""
PARTS_GATHERED = "parts_gathered"
"""Event of parts that were put together: ``parts``, each with ``folder``, ``runs`` and facts of its ``host``."""
REPEATS_RAISED = "repeats-raised"
"""Event before a folder's study is replaced by one with more repeats: ``earlier`` and ``repeats``, and how many runs
were ``stored`` by then."""
STORED = "stored"
"""Event before files are stored: ``unit`` (a run's folder, a file) and ``sha256`` of them all; empty: taken away."""
MANIFEST_WRITTEN = "manifest-written"
"""Event before the manifest is replaced: ``sha256`` of the new one."""
_OWN = frozenset({STORED, MANIFEST_WRITTEN})
_PREVIOUS = "previous"
_DIGITS = 32
_BLOCK_BYTES = 1 << 16


class _Outcome(TypedDict):
    id: str
    title: str
    state: Literal["found", "clear", "unknown", "idle"]
    severity: Literal["blocker", "weakens", "note"]
    seen: str


class _MoreOfOutcome(_Outcome, total=False):
    effect: str
    remedy: str


class _Examined(TypedDict, total=False):
    outcomes: list[_MoreOfOutcome]


class _GatheredPart(TypedDict):
    folder: str
    host: dict[str, str | int | None]


class _Gathered(TypedDict):
    parts: list[_GatheredPart]


class _RepeatsRaised(TypedDict):
    earlier: int
    repeats: int
    stored: int


class _OfRun(TypedDict):
    run_id: str


class _NotRead(TypedDict):
    path: str
    line: int
    text: str


class _Imported(TypedDict, total=False):
    layouts: list[str]


_SHAPES: Mapping[str, Any] = MappingProxyType(
    {
        MACHINE_EXAMINED: _Examined,
        PARTS_GATHERED: _Gathered,
        REPEATS_RAISED: _RepeatsRaised,
        "run-started": _OfRun,
        "run-finished": _OfRun,
        "not-read": _NotRead,
        "imported": _Imported,
    }
)
"""What of the facts of an event is read again; others are only kept."""


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """Describes one line of the journal.

    Parameters
    ----------
    event : study-started, run-started, run-finished, study-finished, study-interrupted, ...
    at_ns : Unix time
    facts : what belongs to the event, such as ``run_id`` and ``status``
    """

    event: str
    at_ns: int
    facts: Mapping[str, JsonValue]


_MOST_BYTES = 64 << 20
"""Of a journal: a run takes some 2 KiB; what is made of a line takes six times as much."""


def most_bytes() -> int:
    """Return up to how many bytes a journal is read."""
    return input_limit(_MOST_BYTES)


def append_entry(path: Path, event: str, facts: Mapping[str, JsonValue]) -> None:
    """Add a line and wait until the disk has it."""
    append_entries(path, event, [facts])


def append_entries(path: Path, event: str, rows: Iterable[Mapping[str, JsonValue]]) -> None:
    """Add a line for each row, and wait once until the disk has them."""
    at_ns = time.time_ns()
    with path.open("ab") as file:
        previous = _last_line(path)
        for row in rows:
            line = entry_line(event, {**row, _PREVIOUS: _digest(previous)}, at_ns).encode()
            file.write(line + b"\n")
            previous = line
        file.flush()
        os.fsync(file.fileno())


def read_entries(path: Path) -> tuple[JournalEntry, ...]:
    """Return all whole lines; a last line cut off by a kill is not an entry."""
    if not path.exists():
        return ()
    entries = []
    for number, line in enumerate(read_text(path, most_bytes()).split("\n")[:-1], 1):
        if line:
            with reading(path, f"line {number}"):
                entries.append(entry_of(line))
    return tuple(entry for entry in entries if entry.event not in _OWN)


def chained_entries(content: bytes) -> tuple[list[JournalEntry], int | None]:
    """Return every entry of a journal, also the store's own, and the number of the first line that breaks the chain.

    Lines of versions that chained none come first and are taken unchecked.

    Raises
    ------
    ValueError, KeyError : a line is none of a journal; the message begins with its number
    """
    entries, broken_line, previous, is_chained = [], None, b"", False
    for number, line in enumerate(content.split(b"\n")[:-1], 1):
        if not line:
            continue
        row = _parse_line(line.decode(errors="replace"), number)
        is_chained = is_chained or _PREVIOUS in row
        if broken_line is None and is_chained and row.get(_PREVIOUS) != _digest(previous):
            broken_line = number
        entries.append(_entry(row))
        previous = line
    return entries, broken_line


def _parse_line(line: str, number: int) -> dict[str, Any]:
    try:
        return decode(dict[str, Any], json_value(line))
    except ValueError as error:
        raise ValueError(f"line {number}: {error}") from error


def drop_torn_line(path: Path) -> None:
    """Cut a last line that a kill left without its line feed."""
    if not path.exists():
        return
    content = path.read_bytes()
    whole_bytes = content.rfind(b"\n") + 1
    if whole_bytes != len(content):
        os.truncate(path, whole_bytes)


def entry_line(event: str, facts: Mapping[str, JsonValue], at_ns: int) -> str:
    """Return an entry as it is written."""
    return json.dumps({"at_ns": at_ns, "event": event, **facts}, ensure_ascii=False, default=dict)


def entry_of(line: str) -> JournalEntry:
    """Parse what `entry_line` gave."""
    return _entry(decode(dict[str, Any], json_value(line)))


def _entry(row: dict[str, Any]) -> JournalEntry:
    facts = {key: value for key, value in row.items() if key not in ("event", "at_ns", _PREVIOUS)}
    event = decode(str, row["event"])
    return JournalEntry(event, decode(int, row["at_ns"]), decode(_SHAPES.get(event, Any), facts))


def _digest(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()[:_DIGITS]


def _last_line(path: Path) -> bytes:
    """Return the last whole line, without its line feed; empty where there is none."""
    with path.open("rb") as file:
        file_end = file.seek(0, os.SEEK_END)
        tail, start = b"", file_end
        while start > 0 and tail.rstrip(b"\n").count(b"\n") == 0:
            start = max(0, start - _BLOCK_BYTES)
            file.seek(start)
            tail = file.read(file_end - start)
    return tail.rstrip(b"\n").rpartition(b"\n")[2]
