"""Looks after a run while it is driven: a load generator or a server that hangs ends it, named, within seconds."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from dbdyno.core import MeasureError
from dbdyno.hosts import PipedProcess, ProcessWatch
from dbdyno.measure._records import IntervalRecord, LoadRecord, StartRecord

SILENT_S = 30.0
"""Without a record: the load generator writes one each second, whatever the server does."""


class WatchedServer(Protocol):
    """What the watch asks of a server."""

    def wedged(self, quiet_s: float = 0.0) -> str | None:
        """Why no answer is to be expected of it, in words; None while that can't be said.

        `quiet_s`: how long nobody has had an answer, as far as the caller knows.
        """


@dataclass(slots=True)
class RunWatch:
    """Told of every record; looks once a second, whether records come or not."""

    server: WatchedServer
    process: ProcessWatch
    longest_s: float
    clock: Callable[[], float] = time.monotonic
    _has_begun: bool = False
    _started: float = field(init=False)
    _last_record: float = field(init=False)
    _last_answer: float = field(init=False)

    def __post_init__(self) -> None:
        self._started = self._last_record = self._last_answer = self.clock()

    @classmethod
    def of(cls, process: PipedProcess, server: WatchedServer, longest_s: float) -> RunWatch:
        """The watch of a load generator and the server that it drives; it is done after `longest_s` at the latest."""
        return cls(server, ProcessWatch(process.pid, process.start_ticks), longest_s)

    def take(self, record: LoadRecord) -> None:
        """Note that the load generator lives, and whether the server has answered it."""
        self._last_record = self.clock()
        self._has_begun = self._has_begun or isinstance(record, StartRecord)
        if not isinstance(record, IntervalRecord) or record.bytes_received > 0:
            self._last_answer = self._last_record

    def look(self) -> None:
        """Raise when one of both hangs.

        Raises
        ------
        MeasureError : the process is named, with how long it has been silent and its state
        """
        halted = self.process.verdict()
        if halted is not None:
            raise MeasureError(f"the load generator {halted}")
        now = self.clock()
        silent_s = now - self._last_record
        if self._has_begun and silent_s > SILENT_S:
            raise self._hangs(f"has written nothing for {silent_s:.0f} s")
        if now - self._started > self.longest_s:
            raise self._hangs(f"still runs after {now - self._started:.0f} s")
        wedged = self.server.wedged(now - self._last_answer)
        if wedged is not None:
            raise MeasureError(wedged)

    def _hangs(self, words: str) -> MeasureError:
        state = self.process.state()
        return MeasureError(f"the load generator {words}" + (f"; {state}" if state else ""))
