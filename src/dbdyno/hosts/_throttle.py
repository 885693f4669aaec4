"""A process held for a share of its time: a slowness of known size, to see whether it is found."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from dataclasses import dataclass, field

_PERIOD_S = 0.05


@dataclass(slots=True)
class Throttle:
    """Stops and continues a process in turns until it is told to end.

    What was really held is added up, and the next stop is made shorter or longer by it: a busy machine wakes late.

    Parameters
    ----------
    share : of the time, above 0 and below 1
    """

    pid: int
    share: float
    held_s: float = 0.0
    elapsed_s: float = 0.0
    _ended: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, in a thread of its own."""
        self._thread = threading.Thread(target=self._run, daemon=True, name="dbdyno-hold")
        self._thread.start()

    def end(self) -> None:
        """Let the process go on; nothing happens when it is gone."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        began = time.monotonic()
        with contextlib.suppress(ProcessLookupError):
            while not self._ended.is_set():
                self._one_turn(began)

    def _one_turn(self, began: float) -> None:
        turn = time.monotonic()
        due_s = self.share * (turn - began + _PERIOD_S) - self.held_s
        if due_s > 0:
            try:
                os.kill(self.pid, signal.SIGSTOP)
                stopped = time.monotonic()
                time.sleep(min(due_s, _PERIOD_S))
            finally:
                os.kill(self.pid, signal.SIGCONT)
            self.held_s += time.monotonic() - stopped
        self._ended.wait(max(turn + _PERIOD_S - time.monotonic(), 0.0))
        self.elapsed_s = time.monotonic() - began
