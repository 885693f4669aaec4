"""Seconds in which a host stood still, told from those in which only its server did."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from dbdyno.measure import Standstill, standstill
from dbdyno.store import SecondRow, TelemetryRow


def _second(number: int, tps: float, phase: str = "window") -> SecondRow:
    empty = dict.fromkeys(SecondRow.__dataclass_fields__)
    return SecondRow(**{**empty, "second": number, "phase": phase, "tps": tps})  # type: ignore[arg-type]


def _readings(seconds: Sequence[int]) -> list[TelemetryRow]:
    return [TelemetryRow(second, "sampler.cpu.lateness", 0.0, "ns") for second in seconds]


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


def test_seconds_that_no_figure_is_of_are_counted_apart() -> None:
    phases = ["warm-up", "warm-up", "window", "window", "window", "after"]
    seconds = [_second(number, 0, phase) for number, phase in enumerate(phases)]
    assert standstill(seconds, _readings([0, 3])) == Standstill(4, 2)
    search = [_second(number, 0, phase) for number, phase in enumerate(["warm-up", "probe", "window"])]
    assert standstill(search, _readings([3])) == Standstill(3, 2)
