"""The clock of a host is mapped to ours by exchanges, with a bound that holds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dbdyno.hosts.remote import ClockMap, Exchange
from dbdyno.hosts.remote._clock import clock_accuracy

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


def slowed(made: list[Exchange], first: int, last: int) -> list[Exchange]:
    """The same exchanges, of which some waited 30 ms for their replies."""
    return [
        replace(exchange, received_ns=exchange.received_ns + 30_000_000 * (first <= number < last))
        for number, exchange in enumerate(made)
    ]


@pytest.mark.parametrize(("slow", "is_known"), [((80, 120), False), ((60, 80), True), ((0, 0), True)])
def test_a_path_that_becomes_slow_and_stays_so_makes_the_clock_less_well_known(
    slow: tuple[int, int], is_known: bool
) -> None:
    """One that was slow during the load alone does not: the exchanges before and after it hold the line."""
    made = slowed(exchanges(50.0, 120), *slow)
    before = clock_accuracy(made[:60], made[40:60])
    after = before.worse(clock_accuracy(made, made[100:]))
    assert before.bound_ns < 200_000
    assert (after.bound_ns < 200_000) is is_known
    assert is_known or after.bound_ns >= 15_000_000
    assert after.drift_ppm == pytest.approx(50.0, abs=2.0)
    assert after.ahead_ns == pytest.approx(OFFSET_NS, abs=10_000_000)


def test_a_path_that_was_slow_before_the_load_counts_after_it_too() -> None:
    made = slowed(exchanges(50.0, 60), 0, 20)
    before = clock_accuracy(made[:20], made[:20])
    after = before.worse(clock_accuracy(made, made[40:]))
    assert after.bound_ns == before.bound_ns >= 15_000_000
    assert after.round_trip_ns == before.round_trip_ns


def test_a_drift_that_only_the_load_was_long_enough_for_is_known_after_it() -> None:
    made = exchanges(50.0, 40)
    before = clock_accuracy(made[:5], made[:5])
    after = before.worse(clock_accuracy(made, made[20:]))
    assert before.drift_ppm is None
    assert after.drift_ppm == pytest.approx(50.0, abs=5.0)
    assert after.exchanges > before.exchanges
