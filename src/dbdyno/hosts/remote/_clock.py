"""Maps the monotonic clock of a host to that of this process, by exchanges of the time.

An exchange gives the host's time at some instant between its sending and its reply, so the error of its middle is at
most half of the round trip. Long round trips waited somewhere: those above 1.5 times the shortest are not used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_LONGEST = 1.5
_DRIFT_SPAN_NS = 10_000_000_000
"""Below it a drift can't be distinguished from the round trip's noise."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """Describes one reading of a host's clock: sent and received by ours, read by its own; nanoseconds."""

    sent_ns: int
    there_ns: int
    received_ns: int

    @property
    def round_trip_ns(self) -> int:
        """Between sending and reply."""
        return self.received_ns - self.sent_ns

    @property
    def middle_ns(self) -> int:
        """Where the reading is taken to lie on our clock."""
        return (self.sent_ns + self.received_ns) // 2


@dataclass(frozen=True, slots=True)
class ClockMap:
    """Describes a line through the exchanges that were used.

    Parameters
    ----------
    here_ns, there_ns : one instant on both clocks
    rate : nanoseconds of the host's clock per nanosecond of ours; 1 if the exchanges are too close to measure it
    bound_ns : most by which the map errs at the exchanges
    round_trip_ns : shortest
    used : exchanges
    is_drift_known : whether they are far enough apart
    """

    here_ns: int
    there_ns: int
    rate: float
    bound_ns: int
    round_trip_ns: int
    used: int
    is_drift_known: bool

    @classmethod
    def of(cls, exchanges: Sequence[Exchange]) -> ClockMap:
        """Fit the map.

        Raises
        ------
        ValueError : there is no exchange

        >>> ClockMap.of([Exchange(0, 5_000, 200), Exchange(1_000, 9_000, 9_000)]).there(100)
        5000
        """
        if not exchanges:
            raise ValueError("a clock can't be mapped without an exchange")
        least_ns = min(exchange.round_trip_ns for exchange in exchanges)
        quick_exchanges = [exchange for exchange in exchanges if exchange.round_trip_ns <= _LONGEST * least_ns]
        best = min(quick_exchanges, key=lambda exchange: exchange.round_trip_ns)
        # Far from zero a float holds no nanoseconds: all is counted from the best exchange on.
        here_ns = np.array([exchange.middle_ns - best.middle_ns for exchange in quick_exchanges], dtype=float)
        ahead_ns = np.array([exchange.there_ns - best.there_ns for exchange in quick_exchanges], dtype=float) - here_ns
        is_drift_known = float(np.ptp(here_ns)) >= _DRIFT_SPAN_NS
        slope = float(np.polyfit(here_ns, ahead_ns, 1)[0]) if is_drift_known else 0.0
        offset = float(np.mean(ahead_ns - slope * here_ns)) if is_drift_known else 0.0
        longest_ns = (
            max(exchange.round_trip_ns for exchange in quick_exchanges) if is_drift_known else best.round_trip_ns
        )
        return cls(
            best.middle_ns,
            best.there_ns + round(offset),
            1.0 + slope,
            (longest_ns + 1) // 2,
            least_ns,
            len(quick_exchanges),
            is_drift_known,
        )

    @property
    def drift_ppm(self) -> float:
        """By how much the host's clock is faster than ours, in millionths."""
        return (self.rate - 1.0) * 1e6

    def there(self, here_ns: int) -> int:
        """Return the host's time at an instant of our clock."""
        elapsed_ns = here_ns - self.here_ns
        return self.there_ns + elapsed_ns + round(elapsed_ns * (self.rate - 1.0))

    def here(self, there_ns: int) -> int:
        """Return our time at an instant of the host's clock."""
        elapsed_ns = there_ns - self.there_ns
        return self.here_ns + elapsed_ns - round(elapsed_ns * (self.rate - 1.0) / self.rate)
