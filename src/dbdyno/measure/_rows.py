"""Turns the load generator's records into the rows that are stored. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping

from dbdyno.measure._records import IntervalRecord
from dbdyno.measure.client._use import UNCALIBRATED, ClientCapacity, client_use
from dbdyno.store import IntervalRow, SecondRow, latency_of, merged_histogram


def second_row(
    interval: IntervalRecord,
    *,
    open_loop: bool,
    capacity: ClientCapacity = UNCALIBRATED,
    quota_share: float | None = None,
) -> SecondRow:
    """Return one second: counts per second, quantiles of its transactions, the client's own load.

    The quantiles are of response time in an open loop, else of service time.
    """
    lateness = latency_of(merged_histogram([interval.lateness])) if interval.lateness else None
    use = client_use([interval], capacity, quota_share)
    cpu_ns = sum(worker.cpu_ns for worker in interval.workers)
    wake_ups = sum(worker.wake_ups for worker in interval.workers)
    served_count = sum(worker.served for worker in interval.workers)
    seconds = interval.duration_ns / 1e9
    types = interval.transactions.values()
    latency = latency_of(merged_histogram(t.response if open_loop else t.service for t in types))
    statements = interval.reads + interval.writes + interval.others
    return SecondRow(
        second=interval.second,
        phase=interval.phase,
        monotonic_ns=interval.monotonic_ns,
        realtime_ns=interval.realtime_ns,
        duration_ns=interval.duration_ns,
        tps=sum(t.completed for t in types) / seconds if seconds else 0.0,
        failed=sum(t.failed for t in types),
        retries=sum(sum(t.retries.values()) for t in types),
        errors=sum(errors_of([interval]).values()),
        qps=statements / seconds if seconds else 0.0,
        reads=interval.reads,
        writes=interval.writes,
        others=interval.others,
        rows=interval.rows,
        bytes_sent=interval.bytes_sent,
        bytes_received=interval.bytes_received,
        p50_ns=latency.p50 if latency else None,
        p95_ns=latency.p95 if latency else None,
        p99_ns=latency.p99 if latency else None,
        max_ns=latency.max if latency else None,
        connections_live=interval.connections_live,
        backlog=interval.backlog,
        client_busy_share=busiest_share([interval]),
        client_cpu_ns=cpu_ns if interval.workers else None,
        client_use_share=use.share if use else None,
        client_cpu_wait_share=use.wait_share if use else None,
        client_wake_batch=served_count / wake_ups if wake_ups and served_count else None,
        client_cpu_ns_per_statement=cpu_ns / statements if interval.workers and statements else None,
        lateness_ns_p99=lateness.p99 if lateness else None,
        lateness_ns_max=lateness.max if lateness else None,
    )


def interval_rows(interval: IntervalRecord) -> list[IntervalRow]:
    """Return one row a transaction type and statement type, with its histograms as they came."""
    transactions = [
        IntervalRow(
            interval.second,
            interval.phase,
            "transaction",
            name,
            counts.completed,
            counts.failed,
            _codes_json(counts.retries),
            "{}",
            counts.response,
            counts.service,
            counts.first_attempt,
            counts.rolled_back,
        )
        for name, counts in interval.transactions.items()
    ]
    statements = [
        IntervalRow(
            interval.second,
            interval.phase,
            "statement",
            name,
            counts.completed,
            0,
            "{}",
            _codes_json(counts.errors),
            None,
            counts.service,
        )
        for name, counts in interval.statements.items()
    ]
    return transactions + statements


def errors_of(intervals: Iterable[IntervalRecord]) -> dict[str, int]:
    """Return server errors of all statements: code -> count, most frequent first. Repeated transactions are in it."""
    total: Counter[str] = Counter()
    for interval in intervals:
        for counts in interval.statements.values():
            total.update(counts.errors)
    return dict(total.most_common())


def busiest_share(intervals: Iterable[IntervalRecord]) -> float | None:
    """Return the share of the time that the busiest worker was at work, 0 to 1; None when no worker reported."""
    busy_ns_by_worker: Counter[int] = Counter()
    duration_ns = 0
    for interval in intervals:
        duration_ns += interval.duration_ns
        for index, worker in enumerate(interval.workers):
            busy_ns_by_worker[index] += worker.busy_ns
    return min(max(busy_ns_by_worker.values()) / duration_ns, 1.0) if busy_ns_by_worker and duration_ns else None


def _codes_json(counts: Mapping[str, int]) -> str:
    return json.dumps(dict(counts), sort_keys=True)
