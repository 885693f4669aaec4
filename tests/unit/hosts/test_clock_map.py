"""The clock of a host is mapped to ours by exchanges, with a bound that holds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dbdyno.hosts.remote import ClockMap, Exchange

S = 1_000_000_000
OFFSET_NS = 200_000 * S


def exchanges(drift_ppm: float, seconds: int, seed: int = 1) -> list[Exchange]:
    """One a second with a host whose clock is far ahead and drifts; each way takes 0.1 ms and some waiting."""
    draws = np.random.default_rng(seed)
    made = []
    for second in range(seconds):
        sent = 31_000 * S + second * S
        there, back = (100_000 + round(draws.exponential(20_000)) for _ in range(2))
        if second % 7 == 3:
            back += 3_000_000  # bulk fills the link
        made.append(Exchange(sent, host_time(sent + there, drift_ppm), sent + there + back))
    return made


def host_time(here_ns: int, drift_ppm: float) -> int:
    return here_ns + OFFSET_NS + round((here_ns - 31_000 * S) * drift_ppm / 1e6)


@pytest.mark.parametrize("drift_ppm", [0.0, 50.0, -50.0])
@pytest.mark.parametrize("seconds", [20, 600])
def test_offset_and_drift_are_found_within_the_bound(drift_ppm: float, seconds: int) -> None:
    clock = ClockMap.of(exchanges(drift_ppm, seconds))
    assert clock.is_drift_known
    assert clock.drift_ppm == pytest.approx(drift_ppm, abs=5.0 if seconds == 20 else 0.2)
    for second in (0, seconds // 2, seconds - 1):
        here = 31_000 * S + second * S
        assert abs(clock.there(here) - host_time(here, drift_ppm)) <= clock.bound_ns
        assert abs(clock.here(clock.there(here)) - here) <= 2
    assert clock.bound_ns < 200_000


def test_long_round_trips_are_not_used() -> None:
    clock = ClockMap.of(exchanges(0.0, 70))
    assert clock.used <= 60
    assert clock.round_trip_ns < 220_000


@pytest.mark.parametrize("step_s", [120.0, -120.0, 0.01])
@pytest.mark.parametrize("seconds_since", [1, 30, 300])
def test_the_map_is_right_after_one_of_both_clocks_stood_still(step_s: float, seconds_since: int) -> None:
    step_ns = round(step_s * S)
    made = exchanges(20.0, 300 + seconds_since)
    made[300:] = [replace(exchange, there_ns=exchange.there_ns + step_ns) for exchange in made[300:]]
    clock = ClockMap.of(made)
    for second in (300, 300 + seconds_since):
        here = 31_000 * S + second * S
        assert abs(clock.there(here) - host_time(here, 20.0) - step_ns) <= clock.bound_ns
    assert clock.bound_ns < 200_000


def test_a_request_that_was_sent_again_moves_no_map() -> None:
    made = exchanges(0.0, 60)
    lost = made[30]
    made[30] = replace(lost, received_ns=lost.received_ns + 2 * S)  # the reply to its first time came after the second
    clock, others = ClockMap.of(made), ClockMap.of([*made[:30], *made[31:]])
    assert (clock.there_ns, clock.bound_ns, clock.used) == (others.there_ns, others.bound_ns, others.used)


def test_the_bound_covers_a_drift_that_changes() -> None:
    made = [
        replace(exchange, there_ns=exchange.there_ns + round(max(second - 300, 0) * S * 100e-6))
        for second, exchange in enumerate(exchanges(0.0, 600))
    ]
    clock = ClockMap.of(made)
    quick = [exchange for exchange in made if exchange.round_trip_ns <= 1.5 * clock.round_trip_ns]
    farthest_ns = max(abs(clock.there(exchange.middle_ns) - exchange.there_ns) for exchange in quick)
    assert 3_000_000 < farthest_ns <= clock.bound_ns + 1


def test_readings_within_a_moment_tell_no_drift() -> None:
    clock = ClockMap.of(exchanges(50.0, 5))
    assert not clock.is_drift_known
    assert clock.rate == 1.0


def test_without_an_exchange_there_is_no_map() -> None:
    with pytest.raises(ValueError, match="exchange"):
        ClockMap.of([])
