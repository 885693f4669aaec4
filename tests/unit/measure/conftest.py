"""Seconds of load made to order."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dbdyno.measure._records import IntervalRecord, StatementCounts, TransactionCounts, WorkerUse
from encoded_histograms import encoded_counts


def make_interval(
    second: int,
    completed: int = 100,
    *,
    phase: str = "window",
    latency_ns: int = 1_000_000,
    queued_ns: int = 0,
    failed: int = 0,
    errors: dict[str, int] | None = None,
    busy: tuple[float, ...] = (0.2,),
    live: int = 4,
    reconnects: int = 0,
    wall_offset_ns: int = 10**18,
    duration_ns: int = 10**9,
) -> IntervalRecord:
    monotonic_ns = 5_000 + second * 10**9
    codes = errors or {}
    return IntervalRecord(
        second=second,
        phase=phase,
        monotonic_ns=monotonic_ns,
        realtime_ns=monotonic_ns + wall_offset_ns,
        duration_ns=duration_ns,
        transactions={
            "read_write": TransactionCounts(
                completed,
                failed,
                codes,
                encoded_counts({latency_ns + queued_ns: completed}),
                encoded_counts({latency_ns: completed}),
            )
        },
        statements={"commit": StatementCounts(completed, codes, None)},
        reads=14 * completed,
        writes=4 * completed,
        others=2 * completed,
        rows=300 * completed,
        bytes_sent=10,
        bytes_received=20,
        connections_live=live,
        reconnects=reconnects,
        backlog=0,
        workers=tuple(WorkerUse(int(share * 1e9), int(share * 0.9e9)) for share in busy),
    )


@pytest.fixture
def interval() -> Callable[..., IntervalRecord]:
    return make_interval
