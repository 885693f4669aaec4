"""A record's file keeps one level of names, though the record itself is nested."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from dbdyno.core import (
    Caveat,
    Cell,
    CpuUse,
    DecodeError,
    LatencyNs,
    PacingFigures,
    Run,
    RunRecord,
    RunSpan,
    TotalFigures,
    TypeFigures,
)
from dbdyno.store import record_from_json, record_to_json
from dbdyno.store._files import json_text
from dbdyno.store._views import open_views

# Written by the version before the record was nested. Results folders hold such files, with their digests.
STORED = """\
{
 "run_id": "mysql-9.7_2048MiB_c16_oltp_read_write_network-8048_r2",
 "cell_id": "mysql-9.7_2048MiB_c16_oltp_read_write_network-8048",
 "run": {
  "cell": {
   "target": "mysql:9.7",
   "tier_bytes": 2147483648,
   "concurrency": 16,
   "workload": "sysbench/oltp_read_write",
   "route": "network"
  },
  "repeat": 2,
  "order_index": 5,
  "seed": 7,
  "reason": "block 2",
  "is_sentinel": false,
  "is_further": false
 },
 "family": "mysql",
 "version": "9.7.4",
 "storage_engine": "innodb",
 "status": "suspect",
 "reason": "its last seconds are missing",
 "fault": "network",
 "window_s": 900.0,
 "tps_mean": 1635.5,
 "tps_half_width": 69.25,
 "qps_mean": 32710.0,
 "latency_ns": {
  "p50": 4000000,
  "p95": 9000000,
  "p99": 14000000,
  "p999": 20000000,
  "max": 31000000
 },
 "transactions": 1471950,
 "statements": 29439000,
 "errors": {
  "1213": 2,
  "2013": 16
 },
 "retries": 2,
 "client_cpu_ns_per_statement": 9000.5,
 "server_cpu_ns_per_transaction": 2400000.0,
 "client_busy_share": 0.18,
 "client_use_share": 0.07,
 "client_use_basis": "calibration",
 "client_cpu_wait_share": 0.01,
 "lateness_ns_p99": 52000,
 "unsent": 3,
 "outages": 1,
 "rate_held_per_s": 1600.0,
 "rate_broken_per_s": 1700.0,
 "types": [
  {
   "name": "payment",
   "completed": 50,
   "failed": 0,
   "retries": 0,
   "rolled_back": 0,
   "tps": 0.75,
   "mean_ns": null,
   "latency_ns": null
  }
 ],
 "orders": null,
 "imported": null,
 "course": null,
 "step": null,
 "caveats": [
  {
   "code": "outage",
   "text": "a connection was lost for 2 s"
  }
 ],
 "settled": null,
 "method": "2026.1",
 "started_ns": 1790000000000000000,
 "ended_ns": 1790000970000000000,
 "bench": "b1"
}
"""
RECORD = RunRecord(
    run=Run(Cell("mysql:9.7", 2 << 30, 16, "sysbench/oltp_read_write", "network"), 2, 5, 7, "block 2"),
    family="mysql",
    version="9.7.4",
    storage_engine="innodb",
    status="suspect",
    reason="its last seconds are missing",
    fault="network",
    figures=TotalFigures(
        window_s=900.0,
        tps_mean=1635.5,
        tps_half_width=69.25,
        qps_mean=32710.0,
        latency_ns=LatencyNs(4_000_000, 9_000_000, 14_000_000, 20_000_000, 31_000_000),
        transactions=1_471_950,
        statements=29_439_000,
        errors={"1213": 2, "2013": 16},
        retries=2,
    ),
    cpu=CpuUse(
        client_cpu_ns_per_statement=9000.5,
        server_cpu_ns_per_transaction=2_400_000.0,
        client_busy_share=0.18,
        client_use_share=0.07,
        client_use_basis="calibration",
        client_cpu_wait_share=0.01,
    ),
    pacing=PacingFigures(lateness_ns_p99=52_000, unsent=3, outages=1, rate_held_per_s=1600.0, rate_broken_per_s=1700.0),
    types=(TypeFigures("payment", 50, 0, 0, 0, 0.75, None, None),),
    caveats=(Caveat("outage", "a connection was lost for 2 s"),),
    method="2026.1",
    span=RunSpan(started_ns=1_790_000_000_000_000_000, ended_ns=1_790_000_970_000_000_000),
    bench="b1",
)


def test_a_flat_record_is_read_to_its_parts_and_written_back_to_the_same_bytes() -> None:
    record = record_from_json(json.loads(STORED))
    assert record == RECORD
    assert json_text(record_to_json(record)).encode() == STORED.encode()


def test_a_record_of_an_older_version_lacks_fields_of_a_part() -> None:
    row = json.loads(STORED)
    for name in ("client_use_basis", "rate_held_per_s", "started_ns", "ended_ns"):
        del row[name]
    record = record_from_json(row)
    assert (record.cpu.client_use_basis, record.cpu.client_use_share) == ("", 0.07)
    assert (record.pacing.rate_held_per_s, record.span) == (None, RunSpan())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"tps_mean": "many"}, "/tps_mean: 'many' .*"),
        ({"latency_ns": {"p50": 1}}, "/latency_ns: 'p95' is missing"),
        ({"outages": -1}, "/outages: -1 is below zero"),
    ],
)
def test_a_damaged_field_of_a_part_is_named_as_it_stands_in_the_file(change: Mapping[str, object], words: str) -> None:
    with pytest.raises(DecodeError, match=f"^{words}$"):
        record_from_json({**json.loads(STORED), **change})


def test_fields_of_the_parts_are_columns_of_their_own() -> None:
    pytest.importorskip("duckdb")
    with open_views([RECORD], []) as database:
        names = "tps_mean, client_use_basis, unsent, ended_ns, latency_ns_p99, errors"
        rows = database.execute(f"SELECT {names} FROM runs").fetchall()
    assert rows == [(1635.5, "calibration", 3, 1_790_000_970_000_000_000, 14_000_000, 18)]
