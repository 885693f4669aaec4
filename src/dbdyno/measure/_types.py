"""Figures of each transaction type, and the rates of new orders that TPC-C is known by. Pure.

NOPM and TPM are counted twice: by the client, and by the server between the same two instants. Where both differ,
somebody else worked on the server, or work was lost.
"""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.core import Caveat, OrderRates, TypeFigures
from dbdyno.measure._records import CountersRecord, IntervalRecord
from dbdyno.store import latency_of, merged_histogram

NEW_ORDER = "new_order"
DISAGREEMENT_LIMIT = 0.02
_ORDERS, _ENDS = "sum_d_next_o_id", "com_commit_and_rollback"


def type_figures(whole: Sequence[IntervalRecord], seconds: float, *, open_loop: bool) -> tuple[TypeFigures, ...]:
    """Figures of each transaction type, in the order in which the workload names them.

    Parameters
    ----------
    whole : the seconds of the window that were reported whole
    seconds : that rates divide by
    """
    names = dict.fromkeys(name for interval in whole for name in interval.transactions)
    return tuple(_figures(name, whole, seconds, open_loop=open_loop) for name in names)


def _figures(name: str, whole: Sequence[IntervalRecord], seconds: float, *, open_loop: bool) -> TypeFigures:
    counts = [interval.transactions[name] for interval in whole if name in interval.transactions]
    histogram = merged_histogram(c.response if open_loop else c.service for c in counts)
    completed = sum(c.completed for c in counts)
    return TypeFigures(
        name=name,
        completed=completed,
        failed=sum(c.failed for c in counts),
        retries=sum(sum(c.retries.values()) for c in counts),
        rolled_back=sum(c.rolled_back for c in counts),
        tps=completed / seconds if seconds else 0.0,
        mean_ns=histogram.get_mean_value() if completed else None,
        latency_ns=latency_of(histogram),
    )


def order_rates(
    types: Sequence[TypeFigures], seconds: float, counters: Sequence[CountersRecord], first: int, last: int
) -> OrderRates | None:
    """New orders and transactions a minute; None for a workload without new orders.

    Parameters
    ----------
    counters : the server's, each with the count of seconds that were over
    first, last : of those counts: where the window begins and ends
    """
    orders = next((figures for figures in types if figures.name == NEW_ORDER), None)
    if orders is None or not seconds:
        return None
    nopm = (orders.completed - orders.rolled_back) * 60 / seconds
    tpm = sum(figures.completed for figures in types) * 60 / seconds
    begin, end = (_reading(counters, second) for second in (first, last))
    return OrderRates(nopm, tpm, _per_minute(_ORDERS, begin, end), _per_minute(_ENDS, begin, end))


def order_caveats(rates: OrderRates | None) -> list[Caveat]:
    """What is odd about the rates."""
    if rates is None:
        return []
    pairs = (("NOPM", rates.nopm, rates.server_nopm), ("TPM", rates.tpm, rates.server_tpm))
    return [
        Caveat("counts-disagree", f"the client counted {client:,.0f} {name} and the server {server:,.0f}")
        for name, client, server in pairs
        if server is not None and abs(server - client) > DISAGREEMENT_LIMIT * max(client, server)
    ]


def _reading(counters: Sequence[CountersRecord], second: int) -> CountersRecord | None:
    return next((record for record in counters if record.second == second), None)


def _per_minute(name: str, begin: CountersRecord | None, end: CountersRecord | None) -> float | None:
    if begin is None or end is None or name not in begin.values or name not in end.values:
        return None
    lasted_ns = end.monotonic_ns - begin.monotonic_ns
    return (end.values[name] - begin.values[name]) * 60e9 / lasted_ns if lasted_ns > 0 else None
