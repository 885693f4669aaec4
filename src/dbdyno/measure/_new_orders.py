"""Computes the rates of new orders that TPC-C is known by. Pure.

NOPM and TPM are counted twice: by the client, and by the server between the same two instants. Where both differ,
somebody else worked on the server, or work was lost. Repeats are no difference: the server's count of transactions
grows by the ROLLBACK of an attempt that failed, too. The server is read where phases begin and end; of a run whose
length was left open, all along, so that its two instants are the outermost readings inside the window.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from dbdyno.core import Caveat, OrderRates, TypeFigures
from dbdyno.measure._figures import statement_counts
from dbdyno.measure._records import CountersRecord, IntervalRecord, TransactionCounts

DISAGREEMENT_LIMIT = 0.02
_SIGMAS = 4
"""Standard deviations that chance is given."""
_ORDERS, _ENDS = "sum_d_next_o_id", "com_commit_and_rollback"
_TELLING_SHARE = 0.5
"""Of the window that two readings of the server must span; less says little of the window."""


@dataclass(frozen=True, slots=True)
class ServerCounts:
    """Holds what the server counted itself.

    Parameters
    ----------
    declared : `server_counts` of the start record: which transactions and statements let which count grow
    readings : of its counters, each with the count of seconds that were over
    first, last : of those counts: where the window begins and ends
    """

    declared: Mapping[str, Any] | None
    readings: Sequence[CountersRecord]
    first: int
    last: int


def order_rates(
    types: Sequence[TypeFigures], statements: Mapping[str, int], seconds: float, counts: ServerCounts
) -> OrderRates | None:
    """Return new orders and transactions a minute; None for a workload without new orders.

    Parameters
    ----------
    statements : of the window, by type
    """
    server_counts = _counts_by_name(counts.declared)
    if counts.declared is None or not server_counts or not seconds:
        return None
    figures_by_type = [(figures.name, figures) for figures in types]
    nopm, tpm = (
        _expected_growth(figures_by_type, statements, server_counts[name]) * 60 / seconds for name in (_ORDERS, _ENDS)
    )
    span = _counter_span(counts)
    return OrderRates(
        nopm,
        tpm,
        None if span is None else span.per_minute(_ORDERS),
        None if span is None else span.per_minute(_ENDS),
        ratio_by_mix=counts.declared["ratio"],
        nopm_most=server_counts[_ORDERS]["most_per_minute"],
    )


def order_caveats(rates: OrderRates | None, seconds: float) -> list[Caveat]:
    """Return what is odd about the client's rates, which were taken over so many seconds."""
    if rates is None or rates.nopm is None or rates.tpm is None:
        return []
    nopm, tpm = rates.nopm, rates.tpm
    caveats = []
    if _is_ratio_off(nopm, tpm, rates.ratio_by_mix, seconds):
        text = f"TPM / NOPM was {tpm / nopm:.3f}, but the mix gives {rates.ratio_by_mix:.3f}"
        caveats.append(Caveat("ratio-off", text))
    if rates.nopm_most is not None and _is_above_mean(nopm, rates.nopm_most, seconds):
        text = (
            f"{nopm:,.1f} NOPM exceed the {rates.nopm_most:,.1f} that keying and think times allow on average, "
            "by more than chance explains"
        )
        caveats.append(Caveat("orders-above-ceiling", text))
    return caveats


def disagreement_caveats(intervals: Iterable[IntervalRecord], counts: ServerCounts) -> list[Caveat]:
    """Add a caveat where the server's rates are not the client's over the seconds between its two readings.

    Parameters
    ----------
    intervals : of the whole run
    """
    server_counts, span = _counts_by_name(counts.declared), _counter_span(counts)
    if span is None or not server_counts:
        return []
    inside = [interval for interval in intervals if interval.second in span.seconds]
    figures_by_type = list(chain.from_iterable(interval.transactions.items() for interval in inside))
    statements = statement_counts(inside)
    attempts = sum(figures.failed + sum(figures.retries.values()) for _, figures in figures_by_type)
    # At either end, one side has counted the event of a connection and the other has not yet.
    slack = 2 * max((interval.connections_live for interval in inside), default=0) * 60 / max(len(span.seconds), 1)
    caveats = []
    for name, title in ((_ORDERS, "NOPM"), (_ENDS, "TPM")):
        count, server = server_counts[name], span.per_minute(name)
        growth = _expected_growth(figures_by_type, statements, count)
        growths = (growth, growth + attempts) if count["with_rollbacks"] else (growth,)
        client, *others = (growth * 60 / len(span.seconds) for growth in growths)
        if server is not None and not any(_agree(rate, server, slack) for rate in (client, *others)):
            text = f"the client counted {client:,.0f} {title} and the server {server:,.0f}"
            caveats.append(Caveat("counts-disagree", text))
    return caveats


def _agree(client: float, server: float, slack: float) -> bool:
    return abs(server - client) <= DISAGREEMENT_LIMIT * max(client, server) + slack


def _is_ratio_off(nopm: float, tpm: float, ratio_by_mix: float | None, seconds: float) -> bool:
    """Return whether TPM / NOPM is farther from what the mix makes of it than draws by chance bring it.

    New orders are a binomial share p of n transactions; the ratio is 1/p and its standard deviation, to first order,
    sqrt((1 - p) / (n p)) / p.
    """
    transactions = tpm * seconds / 60
    if ratio_by_mix is None or not nopm or not transactions:
        return False
    share = 1 / ratio_by_mix
    deviation = math.sqrt((1 - share) / (transactions * share)) / share
    return abs(tpm / nopm - ratio_by_mix) > _SIGMAS * deviation


def _is_above_mean(nopm: float, most: float, seconds: float) -> bool:
    """Return whether more new orders came than chance adds to the highest mean, by the deviation of a Poisson count."""
    return nopm > most + _SIGMAS * math.sqrt(most * 60 / seconds)


def _counts_by_name(server_counts: Mapping[str, Any] | None) -> dict[str, Mapping[str, Any]]:
    """Return the counts by name; none unless new orders and transactions are among them."""
    counts_by_name = {count["name"]: count for count in server_counts["counts"]} if server_counts else {}
    return counts_by_name if {_ORDERS, _ENDS} <= counts_by_name.keys() else {}


def _expected_growth(
    counts: Iterable[tuple[str, TypeFigures | TransactionCounts]],
    statements: Mapping[str, int],
    count: Mapping[str, Any],
) -> int:
    """Return how far the client's transactions and statements, given with their types, let a server's count grow."""
    counted_types = [figures for name, figures in counts if name in count["transactions"]]
    rolled_back = 0 if count["with_rollbacks"] else sum(figures.rolled_back for figures in counted_types)
    counted_statements = sum(statements.get(name, 0) for name in count.get("statements", ()))
    return sum(figures.completed for figures in counted_types) - rolled_back + counted_statements


@dataclass(frozen=True, slots=True)
class _Span:
    """Two readings of the server, of which the second came later."""

    begin: CountersRecord
    end: CountersRecord

    @property
    def seconds(self) -> range:
        """Return the seconds of the run between both readings."""
        return range(self.begin.second, self.end.second)

    def per_minute(self, name: str) -> float | None:
        """Return how fast a count grew; None where it was not read."""
        if name not in self.begin.values or name not in self.end.values:
            return None
        lasted_ns = self.end.monotonic_ns - self.begin.monotonic_ns
        return (self.end.values[name] - self.begin.values[name]) * 60e9 / lasted_ns


def _counter_span(counts: ServerCounts) -> _Span | None:
    """Return the outermost readings inside the window; None if they cover too little of it."""
    window_records = sorted(
        (record for record in counts.readings if counts.first <= record.second <= counts.last), key=lambda r: r.second
    )
    if not window_records or window_records[-1].second - window_records[0].second < _TELLING_SHARE * (
        counts.last - counts.first
    ):
        return None
    return (
        _Span(window_records[0], window_records[-1])
        if window_records[-1].monotonic_ns > window_records[0].monotonic_ns
        else None
    )
