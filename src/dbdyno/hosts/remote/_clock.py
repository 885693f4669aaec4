"""Maps the monotonic clock of a host to that of this process, by exchanges of the time.

An exchange gives the host's time at some instant between its sending and its reply, so the error of its middle is at
most half of the round trip. Long round trips waited somewhere: those above 1.5 times the shortest are not used. Nor are
those before a step of either clock, as a machine that was suspended makes one: its monotonic clock stood still.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dbdyno.hosts._protocol import ClockAccuracy

_LONGEST = 1.5
_DRIFT_SPAN_NS = 10_000_000_000
"""Below it a drift can't be distinguished from the round trip's noise."""
_LARGEST_DRIFT_PPM = 500
"""Most by which NTP slews a clock; two that part faster have stepped."""


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

    @property
    def ahead_ns(self) -> int:
        """By how much the host's clock is ahead of ours, to half a round trip."""
        return self.there_ns - self.middle_ns


@dataclass(frozen=True, slots=True)
class ClockMap:
    """Describes a line through the exchanges that were used.

    Parameters
    ----------
    here_ns, there_ns : one instant on both clocks
    rate : nanoseconds of the host's clock per nanosecond of ours; 1 if the exchanges are too close to measure it
    bound_ns : most by which the map errs at the exchanges: half a round trip, or how far an exchange is off the line
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
        agreeing = _since_last_step(exchanges)
        least_ns = min(exchange.round_trip_ns for exchange in agreeing)
        quick_exchanges = [exchange for exchange in agreeing if exchange.round_trip_ns <= _LONGEST * least_ns]
        best = min(quick_exchanges, key=lambda exchange: exchange.round_trip_ns)
        # Far from zero a float holds no nanoseconds: all is counted from the best exchange on.
        here_ns = np.array([exchange.middle_ns - best.middle_ns for exchange in quick_exchanges], dtype=float)
        ahead_ns = np.array([exchange.ahead_ns - best.ahead_ns for exchange in quick_exchanges], dtype=float)
        slope, offset, bound_ns = 0.0, 0.0, (best.round_trip_ns + 1) // 2
        is_drift_known = float(np.ptp(here_ns)) >= _DRIFT_SPAN_NS
        if is_drift_known:
            slope = float(np.polyfit(here_ns, ahead_ns, 1)[0])
            offset = float(np.mean(ahead_ns - slope * here_ns))
            longest_ns = max(exchange.round_trip_ns for exchange in quick_exchanges)
            farthest_ns = float(np.max(np.abs(ahead_ns - slope * here_ns - offset)))
            bound_ns = max((longest_ns + 1) // 2, math.ceil(farthest_ns))
        return cls(
            best.middle_ns,
            best.there_ns + round(offset),
            1.0 + slope,
            bound_ns,
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


def clock_accuracy(exchanges: Sequence[Exchange], latest_exchanges: Sequence[Exchange]) -> ClockAccuracy:
    """Return how well exchanges map a clock until the latest of them.

    Quick exchanges of some time ago do not show where the clock is now: the latest must map it, too.
    """
    clock, latest = ClockMap.of(exchanges), ClockMap.of(latest_exchanges)
    return ClockAccuracy(
        bound_ns=max(clock.bound_ns, latest.bound_ns),
        drift_ppm=clock.drift_ppm if clock.is_drift_known else None,
        round_trip_ns=max(clock.round_trip_ns, latest.round_trip_ns),
        ahead_ns=clock.there_ns - clock.here_ns,
        exchanges=clock.used,
    )


def _since_last_step(exchanges: Sequence[Exchange]) -> list[Exchange]:
    """Return the latest exchanges that one pair of clocks without a step can have given, newest first."""
    newest_first = sorted(exchanges, key=lambda exchange: exchange.middle_ns, reverse=True)
    agreeing: list[Exchange] = []
    low_ns = high_ns = 0
    for exchange in newest_first:
        half_ns = (exchange.round_trip_ns + 1) // 2
        earliest_ns, latest_ns = exchange.ahead_ns - half_ns, exchange.ahead_ns + half_ns
        if agreeing:
            drift_ns = (agreeing[-1].middle_ns - exchange.middle_ns) * _LARGEST_DRIFT_PPM // 1_000_000 + 1
            earliest_ns, latest_ns = max(earliest_ns, low_ns - drift_ns), min(latest_ns, high_ns + drift_ns)
        if earliest_ns > latest_ns:
            break
        agreeing.append(exchange)
        low_ns, high_ns = earliest_ns, latest_ns
    return agreeing
