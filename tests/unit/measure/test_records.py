"""The load generator's records: the contract's samples are read, nonsense is refused in words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dbdyno.core import MeasureError
from dbdyno.measure._records import (
    CountersRecord,
    EndRecord,
    IntervalRecord,
    MessageRecord,
    ProbeRecord,
    SearchAnswer,
    StartRecord,
    WorkerUse,
    parse_record,
)
from error_codes import raises_code

SAMPLES = Path(__file__).parents[3] / "contract" / "samples"


def test_every_record_of_the_contract_is_read() -> None:
    records = [parse_record(line) for line in (SAMPLES / "load-records.jsonl").read_text().splitlines()]
    start, interval, counters, message, probe, end = records
    assert isinstance(counters, CountersRecord)
    assert counters.values["sum_d_next_o_id"] == 600_200
    assert isinstance(start, StartRecord)
    assert start.monotonic_ns == 81234567890123
    assert not start.open_loop
    assert isinstance(interval, IntervalRecord)
    assert interval.transactions["read_write"].completed == 1190
    assert interval.transactions["read_write"].retries == {"1213": 2}
    assert interval.statements["commit"].errors == {"1213": 2}
    assert interval.workers == (WorkerUse(310000000, 300000000, wake_ups=15000, served=4123, cpu_wait_ns=1200000),)
    assert isinstance(message, MessageRecord)
    assert isinstance(probe, ProbeRecord)
    assert (probe.first_second, probe.seconds, probe.rate_per_s, probe.held) == (5, 10, 1000.0, True)
    assert isinstance(end, EndRecord)
    assert (end.unsent, end.outages) == (0, 1)
    assert end.search == SearchAnswer(1000.0, 1040.0, 9, reason="p99 21.4 ms")
    assert end.process_cpu_ns == 4830000000


def test_a_kind_of_record_of_the_future_is_passed_over() -> None:
    assert parse_record('{"record": "aurora"}') is None


def test_a_field_of_the_future_is_passed_over() -> None:
    record = parse_record('{"record": "message", "level": "note", "text": "t", "colour": "red"}')
    assert record == MessageRecord("note", "t")


@pytest.mark.parametrize("line", ["Segmentation fault", "[1]", "{}", '{"record": "interval", "second": 1}'])
def test_a_line_that_is_no_record_is_shown(line: str) -> None:
    with pytest.raises(MeasureError) as error:
        parse_record(line)
    assert line in error.value.why


def test_a_newer_contract_is_refused() -> None:
    row = json.loads((SAMPLES / "load-records.jsonl").read_text().splitlines()[0])
    with raises_code(MeasureError, "newer-schema", " 2;", " 1"):
        parse_record(json.dumps({**row, "schema_version": 2}))
