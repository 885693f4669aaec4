"""Figures by transaction type, and new orders a minute as both sides count them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from dbdyno.core import OrderRates
from dbdyno.measure._figures import statement_counts, type_figures
from dbdyno.measure._new_orders import ServerCounts, disagreement_caveats, order_caveats, order_rates
from dbdyno.measure._records import CountersRecord, IntervalRecord, StatementCounts, TransactionCounts, parse_record
from encoded_histograms import encoded_counts
from numbers_in import numbers_in

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
    encoded = encoded_counts({service_ns: completed})
    return TransactionCounts(completed, 1, {"1213": 2}, encoded, encoded, rolled_back=rolled_back)


def _reading(second: int, orders: int) -> CountersRecord:
    """So many new orders, and as many transactions as the client ends in so many of its seconds."""
    return CountersRecord(second, second * 10**9, {"sum_d_next_o_id": orders, "com_commit_and_rollback": 196 * second})


def _second(second: int) -> IntervalRecord:
    lines = (SAMPLES / "load-records.jsonl").read_text().splitlines()
    sample = next(record for line in lines if isinstance(record := parse_record(line), IntervalRecord))
    types = {"new_order": _counts(100, 4_000_000, rolled_back=1), "payment": _counts(96, 1_000_000)}
    return replace(sample, second=second, transactions=types, connections_live=1)


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
    rates = order_rates(types, {}, 2.0, ServerCounts(TOLD, readings, 5, 7))
    assert rates is not None
    assert (rates.nopm, rates.tpm) == (198 * 30, 392 * 30)
    assert (rates.server_nopm, rates.server_tpm) == (198 * 30, 392 * 30)
    assert order_caveats(rates, 2.0) == []
    assert disagreement_caveats([_second(5), _second(6)], ServerCounts(TOLD, readings, 5, 7)) == []


def test_work_that_only_the_server_saw_is_a_caveat() -> None:
    readings = [_reading(0, 0), _reading(1, 150)]
    (orders,) = disagreement_caveats([_second(0)], ServerCounts(TOLD, readings, 0, 1))
    assert orders.code == "counts-disagree"
    assert numbers_in(orders.text) == [5940, 9000]


def test_rollbacks_of_repeated_attempts_are_no_work_of_others() -> None:
    """Each type of the second has two repeats and a failed event: six ROLLBACKs, 3 % of the transactions."""
    names = ("sum_d_next_o_id", "com_commit_and_rollback")

    def caveats(ends: int) -> list[str]:
        readings = [CountersRecord(n, n * 10**9, dict(zip(names, (99 * n, ends * n), strict=True))) for n in (0, 1)]
        return [caveat.text for caveat in disagreement_caveats([_second(0)], ServerCounts(TOLD, readings, 0, 1))]

    assert caveats(196) == caveats(196 + 9) == []
    (text,) = caveats(196 + 30)
    assert numbers_in(text) == [11_760, 13_560]


@pytest.mark.parametrize(("connections", "codes"), [(1, ["counts-disagree"]), (4, [])])
def test_events_that_cross_an_end_of_a_short_window_are_no_work_of_others(connections: int, codes: list[str]) -> None:
    second = replace(_second(0), connections_live=connections)
    caveats = disagreement_caveats([second], ServerCounts(TOLD, [_reading(0, 0), _reading(1, 105)], 0, 1))
    assert [caveat.code for caveat in caveats] == codes


def test_transactions_that_commit_several_times_are_counted_by_their_statements() -> None:
    orders, ends = TOLD["counts"]
    counts = {**TOLD, "counts": [orders, {**ends, "transactions": [], "statements": ["commit", "rollback"]}]}
    statements = {
        "commit": StatementCounts(230, {}),
        "rollback": StatementCounts(1, {}),
        "point": StatementCounts(9, {}),
    }
    second = replace(_second(0), statements=statements)
    names = ("sum_d_next_o_id", "com_commit_and_rollback")
    readings = [CountersRecord(n, n * 10**9, dict(zip(names, (99 * n, 231 * n), strict=True))) for n in (0, 1)]
    types = type_figures([second], 1.0, open_loop=False)
    rates = order_rates(types, statement_counts([second]), 1.0, ServerCounts(counts, readings, 0, 1))
    assert rates is not None
    assert (rates.tpm, rates.server_tpm) == (231 * 60, 231 * 60)
    assert disagreement_caveats([second], ServerCounts(counts, readings, 0, 1)) == []


def test_a_server_that_was_not_read_has_no_rates_and_disagrees_with_nobody() -> None:
    types = type_figures([_second(0)], 1.0, open_loop=False)
    rates = order_rates(types, {}, 1.0, ServerCounts(TOLD, [], 0, 1))
    assert rates is not None
    assert (rates.server_nopm, rates.server_tpm) == (None, None)
    assert disagreement_caveats([_second(0)], ServerCounts(TOLD, [], 0, 1)) == []


def test_a_window_whose_ends_lie_between_readings_has_the_rates_of_those_inside() -> None:
    """Readings come every ten seconds; the window is of the seconds 8 to 27, so its last seven are the client's."""
    seconds = [_second(second) for second in range(10, 20)]
    hurried = [replace(s, second=s.second + 10, transactions={"new_order": _counts(500, 10**6)}) for s in seconds]
    readings = [_reading(second, 99 * second) for second in (0, 10, 20, 30)]
    types = type_figures([*seconds, *hurried[:7]], 17.0, open_loop=False)
    rates = order_rates(types, {}, 17.0, ServerCounts(TOLD, readings, 8, 27))
    assert rates is not None
    assert rates.server_nopm == 99 * 60
    assert rates.nopm is not None
    assert rates.nopm > 2 * rates.server_nopm
    assert disagreement_caveats([*seconds, *hurried], ServerCounts(TOLD, readings, 8, 27)) == []


def test_two_readings_that_span_little_of_the_window_tell_nothing_of_it() -> None:
    types = type_figures([_second(0)], 1.0, open_loop=False)
    readings = [_reading(second, 99 * second) for second in (10, 20)]
    rates = order_rates(types, {}, 1.0, ServerCounts(TOLD, readings, 5, 45))
    assert rates is not None
    assert rates.server_nopm is None


def test_a_ratio_that_the_mix_does_not_make_is_a_caveat() -> None:
    # HammerDB's published one-minute run: 45,315 TPM, 19,605 NOPM, one standard deviation off.
    rates = OrderRates(19_605, 45_315, ratio_by_mix=2.323469)
    assert order_caveats(rates, 60) == []
    (caveat,) = order_caveats(replace(rates, nopm=18_500), 60)
    assert caveat.code == "ratio-off"
    assert "2.449" in caveat.text


def test_more_orders_than_the_waits_allow_are_a_caveat() -> None:
    rates = OrderRates(175.0, 392.0, ratio_by_mix=2.24, nopm_most=128.6)
    (caveat,) = order_caveats(rates, 60)
    assert caveat.code == "orders-above-ceiling"
    assert "175.0 NOPM exceed the 128.6" in caveat.text


def test_orders_that_chance_adds_are_no_caveat() -> None:
    rates = OrderRates(128.9, 288.7, ratio_by_mix=2.24, nopm_most=128.6)
    for nopm, seconds, count in ((128.9, 60, 0), (173.9, 60, 0), (142.9, 600, 0), (143.1, 600, 1)):
        assert len(order_caveats(replace(rates, nopm=nopm, tpm=2.24 * nopm), seconds)) == count


def test_a_workload_without_new_orders_has_no_such_rates() -> None:
    payment = type_figures([_second(0)], 1.0, open_loop=False)[1:]
    assert order_rates(payment, {}, 1.0, ServerCounts(None, [], 0, 1)) is None


def test_a_reading_of_the_servers_counters_is_read() -> None:
    line = json.dumps({"record": "counters", "second": 3, "monotonic_ns": 9, "values": {"sum_d_next_o_id": 30_000}})
    assert parse_record(line) == CountersRecord(3, 9, {"sum_d_next_o_id": 30_000})
