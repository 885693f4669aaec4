"""Figures by transaction type, and new orders a minute as both sides count them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from hdrh.histogram import HdrHistogram

from dbdyno.core import OrderRates
from dbdyno.measure._records import CountersRecord, IntervalRecord, TransactionCounts, parse_record
from dbdyno.measure._types import order_caveats, order_rates, type_figures

TOLD = {
    "counts": [
        {
            "name": "sum_d_next_o_id",
            "title": "NOPM",
            "transactions": ["new_order"],
            "with_rollbacks": False,
            "most_per_minute": None,
        },
        {
            "name": "com_commit_and_rollback",
            "title": "TPM",
            "transactions": ["new_order", "payment"],
            "with_rollbacks": True,
            "most_per_minute": None,
        },
    ],
    "ratio": 2.0,
}
SAMPLES = Path(__file__).parents[3] / "contract" / "samples"


def _counts(completed: int, service_ns: int, rolled_back: int = 0) -> TransactionCounts:
    histogram = HdrHistogram(1, 3_600_000_000_000, 3)
    histogram.record_value(service_ns, completed)
    encoded = histogram.encode().decode()
    return TransactionCounts(completed, 1, {"1213": 2}, encoded, encoded, rolled_back=rolled_back)


def _second(second: int) -> IntervalRecord:
    lines = (SAMPLES / "load-records.jsonl").read_text().splitlines()
    sample = next(record for line in lines if isinstance(record := parse_record(line), IntervalRecord))
    types = {"new_order": _counts(100, 4_000_000, rolled_back=1), "payment": _counts(96, 1_000_000)}
    return replace(sample, second=second, transactions=types)


def test_each_type_has_its_own_figures() -> None:
    new_order, payment = type_figures([_second(0), _second(1)], 2.0, open_loop=False)
    assert (new_order.name, new_order.completed, new_order.rolled_back, new_order.tps) == ("new_order", 200, 2, 100.0)
    assert (payment.failed, payment.retries) == (2, 4)
    assert payment.mean_ns is not None
    assert abs(payment.mean_ns - 1_000_000) < 1_000
    assert new_order.latency_ns is not None
    assert abs(new_order.latency_ns.p99 - 4_000_000) < 4_000


def test_new_orders_a_minute_are_counted_by_both_sides() -> None:
    types = type_figures([_second(0), _second(1)], 2.0, open_loop=False)
    names = ("sum_d_next_o_id", "com_commit_and_rollback")
    readings = [
        CountersRecord(5, 10**9, dict(zip(names, (30_000, 7), strict=True))),
        CountersRecord(7, 3 * 10**9, dict(zip(names, (30_198, 399), strict=True))),
    ]
    rates = order_rates(types, 2.0, TOLD, readings, 5, 7)
    assert rates is not None
    assert (rates.nopm, rates.tpm) == (198 * 30, 392 * 30)
    assert (rates.server_nopm, rates.server_tpm) == (198 * 30, 392 * 30)
    assert order_caveats(rates, 2.0) == []


def test_work_that_only_the_server_saw_is_a_caveat() -> None:
    types = type_figures([_second(0)], 1.0, open_loop=False)
    rates = order_rates(types, 1.0, TOLD, [], 0, 1)
    assert rates is not None
    assert (rates.server_nopm, rates.server_tpm) == (None, None)
    assert order_caveats(rates, 2.0) == []
    (caveat,) = order_caveats(replace(rates, server_nopm=rates.nopm * 1.5), 1.0)
    assert caveat.code == "counts-disagree"


def test_a_ratio_that_the_mix_does_not_make_is_a_caveat() -> None:
    # HammerDB's published one-minute run: 45,315 TPM, 19,605 NOPM, one standard deviation off.
    rates = OrderRates(19_605, 45_315, ratio_by_mix=2.323469)
    assert order_caveats(rates, 60) == []
    (caveat,) = order_caveats(replace(rates, nopm=18_500), 60)
    assert caveat.code == "ratio-off"
    assert "2.449" in caveat.text


def test_more_orders_than_the_waits_allow_are_a_caveat() -> None:
    rates = OrderRates(129, 280, ratio_by_mix=2.24, nopm_most=128.6)
    (caveat,) = order_caveats(rates, 60)
    assert caveat.code == "orders-above-ceiling"


def test_a_workload_without_new_orders_has_no_such_rates() -> None:
    payment = type_figures([_second(0)], 1.0, open_loop=False)[1:]
    assert order_rates(payment, 1.0, None, [], 0, 1) is None


def test_a_reading_of_the_servers_counters_is_read() -> None:
    line = json.dumps({"record": "counters", "second": 3, "monotonic_ns": 9, "values": {"sum_d_next_o_id": 30_000}})
    assert parse_record(line) == CountersRecord(3, 9, {"sum_d_next_o_id": 30_000})
