"""Deltas over a window come back from the rates that were sampled, whatever the readings' own times were."""

from __future__ import annotations

import pytest

from dbdyno.measure import counters_document, window_counters
from dbdyno.measure.telemetry import Reading
from dbdyno.measure.telemetry._sampler import stored_rows
from dbdyno.store import TelemetryRow


def sampled(readings: dict[float, float], name: str = "engine.redo.bytes", unit: str = "bytes/s") -> list[TelemetryRow]:
    """Rows as the sampler makes them of readings at these times (seconds after the start)."""
    rows, last = list[TelemetryRow](), None
    for boundary, (time_s, value) in [(int(t), (t, v)) for t, v in readings.items()]:
        now = {name: Reading(name, value, unit)}
        if last is not None:
            rows += stored_rows(boundary - 1, now, {name: Reading(name, last[1], unit)}, time_s - last[0])
        if boundary:
            rows.append(TelemetryRow(boundary - 1, "sampler.status.lateness", (time_s - boundary) * 1e9, "ns"))
        last = (time_s, value)
    return rows


def test_a_delta_is_the_difference_of_the_readings_around_the_window() -> None:
    rows = sampled({0.0: 0, 1.0: 10, 2.0: 30, 3.0: 60, 4.0: 100})
    [counter] = window_counters(rows, 1, 3)
    assert (counter.name, counter.unit) == ("engine.redo.bytes", "bytes")
    assert counter.delta == pytest.approx(90)
    assert counter.covered_s == pytest.approx(3)


def test_late_readings_neither_lose_nor_gain_anything() -> None:
    rows = sampled({0.0: 0, 1.25: 125, 2.0: 200, 3.5: 350, 4.0: 400, 5.0: 500})
    [counter] = window_counters(rows, 1, 3)
    assert counter.delta == pytest.approx(400 - 125)
    assert counter.covered_s == pytest.approx(4.0 - 1.25)


def test_readings_that_a_slow_server_skipped_leave_no_hole() -> None:
    rows = sampled({0.0: 0, 1.0: 10, 5.0: 410, 6.0: 420})
    [counter] = window_counters(rows, 1, 5)
    assert counter.delta == pytest.approx(410)
    assert counter.covered_s == pytest.approx(5)


def test_of_a_stretch_across_the_beginning_only_the_part_inside_counts() -> None:
    rows = sampled({0.0: 0, 4.0: 400, 5.0: 500})
    [counter] = window_counters(rows, 2, 3)
    assert counter.delta == pytest.approx(300)
    assert counter.covered_s == pytest.approx(3)


@pytest.mark.parametrize("first_second", [0, 3])
def test_a_source_that_answers_late_covers_the_time_from_its_first_answer(first_second: int) -> None:
    rows = sampled({float(second): 100.0 * second for second in range(4, 11)})
    [counter] = window_counters(rows, first_second, 10 - first_second)
    assert counter.delta == pytest.approx(600)
    assert counter.covered_s == pytest.approx(6)


def test_a_counter_that_went_back_is_told_for_the_seconds_that_are_known() -> None:
    rows = sampled({0.0: 0, 1.0: 10, 2.0: 20, 3.0: 5, 4.0: 15})
    [counter] = window_counters(rows, 0, 4)
    assert counter.delta == pytest.approx(30)


def test_levels_keep_begin_end_and_highest() -> None:
    rows = [TelemetryRow(s, "engine.pages.dirty", v, "pages") for s, v in enumerate((9.0, 3.0, 7.0, 5.0))]
    [level] = window_counters(rows, 1, 3)
    assert (level.delta, level.begin, level.end, level.highest) == (None, 3.0, 5.0, 7.0)


def test_seconds_after_the_window_and_metrics_of_others_are_left_out() -> None:
    rows = [TelemetryRow(s, "engine.redo.bytes", 1.0, "bytes/s") for s in range(9)]
    rows += [TelemetryRow(s, "host.cpu.user", 1.0, "cpus") for s in range(9)]
    [counter] = window_counters(rows, 2, 3)
    assert counter.delta == pytest.approx(3)


def test_processor_time_is_told_in_seconds() -> None:
    [counter] = window_counters([TelemetryRow(s, "server.cpu.user", 0.5, "cpus") for s in range(4)], 0, 4)
    assert (counter.unit, counter.delta) == ("s", pytest.approx(2.0))


def test_what_is_absent_stands_in_the_document_by_name() -> None:
    document = counters_document((), 12.0, 1200, ["redo.fsyncs"])
    assert document["absent"] == ["redo.fsyncs"]
    assert document["counters"] == []
