"""The clock that sampler and load generator share, as a seam: tests move it by hand."""

from __future__ import annotations

import threading
import time
from typing import Protocol


class Clock(Protocol):
    """CLOCK_MONOTONIC of this machine, in nanoseconds."""

    def now_ns(self) -> int:
        """The time."""

    def wait_until_ns(self, when_ns: int) -> bool:
        """Wait; False when told to stop before."""


class MonotonicClock:
    """The real one, with a switch that ends all waiting beyond a given moment."""

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._last_ns = 0

    def now_ns(self) -> int:
        """See `Clock`."""
        return time.monotonic_ns()

    def wait_until_ns(self, when_ns: int) -> bool:
        """See `Clock`."""
        left_s = (when_ns - self.now_ns()) / 1e9
        stopped = self._stopped.wait(left_s) if left_s > 0 else self._stopped.is_set()
        return not stopped or when_ns <= self._last_ns

    def stop(self, last_ns: int) -> None:
        """End every wait, now and later, for a moment after `last_ns`, which must have passed."""
        self._last_ns = last_ns
        self._stopped.set()
