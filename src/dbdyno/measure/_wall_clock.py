"""Gives the time of day of a run's beginning and end, by a clock that nobody can set.

The wall clock is read once, at the beginning; what comes later is that plus the time since, by the clock that counts
from boot. So a run never ends before it began, and a clock that was set in between is reported.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from dbdyno.core import Caveat
from dbdyno.hosts import ClockReading

CLOCK_JUMP = "clock-jump"
CLOCK_JUMP_LIMIT_NS = 100_000_000


@dataclass(frozen=True, slots=True)
class WallClock:
    """Describes a beginning, by both clocks.

    Parameters
    ----------
    unix_ns : Unix time
    boot_ns : nanoseconds since boot, time of suspension included
    """

    unix_ns: int
    boot_ns: int

    @classmethod
    def start(cls) -> WallClock:
        """Read both clocks."""
        return cls(time.time_ns(), time.clock_gettime_ns(time.CLOCK_BOOTTIME))

    def now_ns(self) -> int:
        """Return Unix time, had nobody set the clock since the beginning."""
        return self.unix_ns + time.clock_gettime_ns(time.CLOCK_BOOTTIME) - self.boot_ns

    def caveats(self) -> tuple[Caveat, ...]:
        """Return a caveat if the wall clock was set since the beginning."""
        jump_ns = time.time_ns() - self.now_ns()
        if abs(jump_ns) <= CLOCK_JUMP_LIMIT_NS:
            return ()
        text = f"the wall clock was set {_set_words(jump_ns)} during the run; the run's times continue by the old clock"
        return (Caveat(CLOCK_JUMP, text),)


def host_clock_caveats(before: ClockReading, after: ClockReading) -> tuple[Caveat, ...]:
    """Return a caveat if the wall clock of the server's host was set between two readings of both its clocks.

    No time of the run is of that clock. But the server reads it, and timeouts and times in rows jump with it. A host
    that was suspended looks the same: its monotonic clock stood still.

    >>> noon = ClockReading(0, 43_200_000_000_000)
    >>> (caveat,) = host_clock_caveats(noon, ClockReading(1_000_000_000, 46_801_000_000_000))
    >>> caveat.text
    "the wall clock of the server's host was set forward by 3600.0 s during the run, or the host was suspended"
    """
    jump_ns = (after.unix_ns - before.unix_ns) - (after.monotonic_ns - before.monotonic_ns)
    if abs(jump_ns) <= CLOCK_JUMP_LIMIT_NS:
        return ()
    text = f"the wall clock of the server's host was set {_set_words(jump_ns)} during the run"
    return (Caveat(CLOCK_JUMP, text + (", or the host was suspended" if jump_ns > 0 else "")),)


def _set_words(jump_ns: int) -> str:
    return f"{'forward' if jump_ns > 0 else 'back'} by {abs(jump_ns) / 1e9:.1f} s"
