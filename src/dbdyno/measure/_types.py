"""Figures of each transaction type, and the rates of new orders that TPC-C is known by. Pure.

NOPM and TPM are counted twice: by the client, and by the server between the same two instants. Where both differ,
somebody else worked on the server, or work was lost.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from dbdyno.core import Caveat, OrderRates, TypeFigures
from dbdyno.measure._records import CountersRecord, IntervalRecord
from dbdyno.store import latency_of, merged_histogram

DISAGREEMENT_LIMIT = 0.02
_RATIO_SIGMAS = 4
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
    types: Sequence[TypeFigures],
    seconds: float,
    told: Mapping[str, Any] | None,
    counters: Sequence[CountersRecord],
    first: int,
    last: int,
) -> OrderRates | None:
    """New orders and transactions a minute; None for a workload without new orders.

    Parameters
    ----------
    told : `server_counts` of the start record: which transactions let which count grow
    counters : the server's, each with the count of seconds that were over
    first, last : of those counts: where the window begins and ends
    """
    by_name = {count["name"]: count for count in told["counts"]} if told else {}
    if told is None or not {_ORDERS, _ENDS} <= by_name.keys() or not seconds:
        return None
    nopm, tpm = (_counted(types, by_name[name]) * 60 / seconds for name in (_ORDERS, _ENDS))
    begin, end = (_reading(counters, second) for second in (first, last))
    return OrderRates(
        nopm,
        tpm,
        _per_minute(_ORDERS, begin, end),
        _per_minute(_ENDS, begin, end),
        ratio_by_mix=told["ratio"],
        nopm_most=by_name[_ORDERS]["most_per_minute"],
    )


def _counted(types: Sequence[TypeFigures], count: Mapping[str, Any]) -> int:
    grown = [figures for figures in types if figures.name in count["transactions"]]
    rolled_back = 0 if count["with_rollbacks"] else sum(figures.rolled_back for figures in grown)
    return sum(figures.completed for figures in grown) - rolled_back


def order_caveats(rates: OrderRates | None, seconds: float) -> list[Caveat]:
    """What is odd about the rates, which were taken over so many seconds."""
    if rates is None or rates.nopm is None or rates.tpm is None:
        return []
    nopm, tpm = rates.nopm, rates.tpm
    pairs = (("NOPM", nopm, rates.server_nopm), ("TPM", tpm, rates.server_tpm))
    odd = [
        Caveat("counts-disagree", f"the client counted {client:,.0f} {name} and the server {server:,.0f}")
        for name, client, server in pairs
        if server is not None and abs(server - client) > DISAGREEMENT_LIMIT * max(client, server)
    ]
    if _is_off(nopm, tpm, rates.ratio_by_mix, seconds):
        text = f"TPM / NOPM was {tpm / nopm:.3f}, where the mix makes it {rates.ratio_by_mix:.3f}"
        odd.append(Caveat("ratio-off", text))
    if rates.nopm_most is not None and nopm > rates.nopm_most:
        text = f"{nopm:,.0f} NOPM are more than the {rates.nopm_most:,.0f} that keying and thinking allow"
        odd.append(Caveat("orders-above-ceiling", text))
    return odd


def _is_off(nopm: float, tpm: float, ratio_by_mix: float | None, seconds: float) -> bool:
    """Whether TPM / NOPM is farther from what the mix makes of it than draws by chance bring it.

    New orders are a binomial share p of n transactions; the ratio is 1/p and its standard deviation, to first order,
    sqrt((1 - p) / (n p)) / p.
    """
    transactions = tpm * seconds / 60
    if ratio_by_mix is None or not nopm or not transactions:
        return False
    share = 1 / ratio_by_mix
    deviation = math.sqrt((1 - share) / (transactions * share)) / share
    return abs(tpm / nopm - ratio_by_mix) > _RATIO_SIGMAS * deviation


def _reading(counters: Sequence[CountersRecord], second: int) -> CountersRecord | None:
    return next((record for record in counters if record.second == second), None)


def _per_minute(name: str, begin: CountersRecord | None, end: CountersRecord | None) -> float | None:
    if begin is None or end is None or name not in begin.values or name not in end.values:
        return None
    lasted_ns = end.monotonic_ns - begin.monotonic_ns
    return (end.values[name] - begin.values[name]) * 60e9 / lasted_ns if lasted_ns > 0 else None
