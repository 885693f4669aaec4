"""Seconds in which a host stood still, told from those in which only its server did."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from dbdyno.measure import Standstill, standstill
from dbdyno.store import SecondRow, TelemetryRow


def _second(number: int, tps: float, phase: str = "window") -> SecondRow:
    empty = dict.fromkeys(SecondRow.__dataclass_fields__)
    return SecondRow(**{**empty, "second": number, "phase": phase, "tps": tps})  # type: ignore[arg-type]


def _readings(seconds: Sequence[int], late_s: float = 0.0) -> list[TelemetryRow]:
    return [TelemetryRow(second, "sampler.cpu.lateness", late_s * 1e9, "ns") for second in seconds]


@pytest.mark.parametrize(
    ("rates", "read_seconds", "expected"),
    [
        ((9, 0, 0, 9), (0, 3), 2),  # all of it stood still
        ((9, 0, 0, 9), (0, 1, 2, 3), 0),  # a stall of the server
        ((9, 9, 9, 9), (0, 3), 0),  # the agent alone was late
        ((9, 9, 0, 0), (0, 1), 2),
        ((9, 0, 0, 9), (), 0),  # the host is not read
    ],
)
def test_only_silent_seconds_without_a_reading_are_a_standstill(
    rates: Sequence[float], read_seconds: Sequence[int], expected: int
) -> None:
    seconds = [_second(number, tps) for number, tps in enumerate(rates)]
    assert standstill(seconds, _readings(read_seconds)) == Standstill(expected, expected)


@pytest.mark.parametrize(("rates", "expected"), [((9, 0, 0, 0), 3), ((9, 9, 9, 9), 0)])
def test_a_host_that_stood_still_before_its_first_reading_was_out_of_reach(
    rates: Sequence[float], expected: int
) -> None:
    seconds = [_second(number, tps) for number, tps in enumerate(rates)]
    assert standstill(seconds, [], was_out_of_reach=True) == Standstill(expected, expected)


def test_seconds_that_no_figure_is_of_are_counted_apart() -> None:
    phases = ["warm-up", "warm-up", "window", "window", "window", "after"]
    seconds = [_second(number, 0, phase) for number, phase in enumerate(phases)]
    assert standstill(seconds, _readings([0, 3])) == Standstill(5, 3)
    search = [_second(number, 0, phase) for number, phase in enumerate(["warm-up", "probe", "window"])]
    assert standstill(search, _readings([3])) == Standstill(3, 2)


@pytest.mark.parametrize(
    ("rates", "from_s", "to_s", "expected"),
    [
        ((9, 9, 0, 0, 9, 9), 1.3, 4.3, 2),
        ((9, 9, 0, 9, 9, 9), 1.05, 3.05, 1),
        ((9, 9, 0, 0, 0, 9), 1.3, 4.2, 2),  # the host went on in second 4, and its server did not
        ((9, 9, 0, 9, 9, 9), 2.3, 2.6, 0),  # a stall of the server, and a host that was short of a processor
        ((9, 9, 9, 9, 0, 0), 3.3, 9.0, 2),
    ],
)
def test_every_silent_second_of_a_standstill_counts_also_the_one_whose_reading_came_late(
    rates: Sequence[float], from_s: float, to_s: float, expected: int
) -> None:
    """A reading that is late by a whole second is left out, as the agent leaves it out."""
    readings = []
    for boundary in range(1, len(rates) + 1):
        late_s = max(to_s - boundary, 0.0) if from_s <= boundary else 0.0
        readings += _readings([boundary - 1], late_s) if late_s < 1 else []
    seconds = [_second(number, tps) for number, tps in enumerate(rates)]
    assert standstill(seconds, readings) == Standstill(expected, expected)
