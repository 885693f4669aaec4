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
    """The real one, with a switch that ends all waiting."""

    def __init__(self) -> None:
        self._stopped = threading.Event()

    def now_ns(self) -> int:
        """See `Clock`."""
        return time.monotonic_ns()

    def wait_until_ns(self, when_ns: int) -> bool:
        """See `Clock`."""
        left_s = (when_ns - self.now_ns()) / 1e9
        return not self._stopped.wait(left_s) if left_s > 0 else not self._stopped.is_set()

    def stop(self) -> None:
        """End every wait, now and later."""
        self._stopped.set()
