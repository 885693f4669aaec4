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

from dbdyno.core import read_input_text
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
    try:
        lines = read_input_text(path).split("\n")[:-1]
    except (OSError, ValueError):
        return ()
    entries = []
    for line in lines:
        with contextlib.suppress(ValueError, KeyError, TypeError):
            entries.append(entry_of(line))
    return tuple(entries)
