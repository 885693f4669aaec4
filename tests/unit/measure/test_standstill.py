"""Seconds in which a host stood still, told from those in which only its server did."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from dbdyno.measure import standstill_seconds
from dbdyno.store import SecondRow, TelemetryRow


def _second(number: int, tps: float) -> SecondRow:
    empty = dict.fromkeys(SecondRow.__dataclass_fields__)
    return SecondRow(**{**empty, "second": number, "tps": tps})  # type: ignore[arg-type]


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
    rows = [TelemetryRow(second, "sampler.cpu.lateness", 0.0, "ns") for second in read_seconds]
    assert standstill_seconds(seconds, rows) == expected
