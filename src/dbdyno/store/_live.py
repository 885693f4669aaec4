"""Publishes the run under way second by second for those who look on; gone when it is over.

It is no record. A run is stored whole at its end, and nothing is read from here but by people who watch. So a line
costs one write to the page cache and is never waited for, and a disk that refuses it stops the telling, not the study.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

from dbdyno.core import read_input
from dbdyno.store import _layout as layout
from dbdyno.store._files import JsonValue
from dbdyno.store._journal import JournalEntry, entry_line, entry_of


class LiveLog:
    """Written by who holds the folder's lock. `close` removes the file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: TextIO | None = None

    def begin(self) -> None:
        """Empty the file: what it reported before is over."""
        with contextlib.suppress(OSError):
            if self._file is not None:
                self._file.close()
            self._file = None
            self._file = self._path.open("w", encoding="utf-8")

    def tell(self, event: str, facts: Mapping[str, JsonValue]) -> None:
        """Add a line."""
        if self._file is None:
            return
        try:
            self._file.write(entry_line(event, facts, time.time_ns()) + "\n")
            self._file.flush()
        except (OSError, ValueError):
            self._file = None

    def close(self) -> None:
        """Remove the file."""
        with contextlib.suppress(OSError):
            if self._file is not None:
                self._file.close()
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)


def read_live(path: Path) -> tuple[JournalEntry, ...]:
    """Return all whole lines; none without a file. A line that is being written, or is not dbdyno's, is left out."""
    return _LiveReader(path).read()


def bench_logs(folder: Path) -> list[Path]:
    """Return the logs of the benches of a results folder, in their order; none where a study has one bench."""
    return sorted((folder / layout.LIVE_BENCHES).glob("*.jsonl"), key=lambda path: (len(path.name), path.name))


class LiveReader:
    """Reads what a results folder reports of the runs under way, again and again; parses each line once.

    A run of a night has some ten thousand lines, and several pages and monitors may ask each second.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._readers: dict[Path, _LiveReader] = {}

    def read(self) -> list[tuple[JournalEntry, ...]]:
        """Return the entries of each bench that reports something; of a study with one bench its own, also none."""
        paths = bench_logs(self._folder)
        own_path = self._folder / layout.LIVE
        self._readers = {path: self._readers.get(path) or _LiveReader(path) for path in (*paths, own_path)}
        benches = [entries for path in paths if (entries := self._readers[path].read())]
        return benches or [self._readers[own_path].read()]


class _LiveReader:
    """Reads one log. Its first line, which has the time, shows whether it was begun anew since."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._first_line = b""
        self._parsed_bytes = 0
        self._entries: list[JournalEntry] = []

    def read(self) -> tuple[JournalEntry, ...]:
        try:
            content = read_input(self._path)
        except OSError:
            content = b""
        first_line, whole_bytes = content[: content.find(b"\n") + 1], content.rfind(b"\n") + 1
        if first_line != self._first_line or whole_bytes < self._parsed_bytes:
            self._first_line, self._parsed_bytes, self._entries = first_line, 0, []
        for line in content[self._parsed_bytes : whole_bytes].split(b"\n"):
            with contextlib.suppress(ValueError, KeyError, TypeError):
                self._entries.append(entry_of(line.decode()))
        self._parsed_bytes = whole_bytes
        return tuple(self._entries)
