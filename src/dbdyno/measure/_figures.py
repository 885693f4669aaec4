"""The numbers read straight off a window. Pure: records in, figures out.

Rates divide by the time really measured. A second without a report counts as zero throughput and is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from dbdyno.core import LatencyNs
from dbdyno.measure._records import IntervalRecord
from dbdyno.measure._rows import busiest_share, errors_of
from dbdyno.stats import noise_interval
from dbdyno.store import TelemetryRow, latency_of, merged_histogram

WINDOW = "window"
_WHOLE_SECOND_NS = 999_000_000


@dataclass(frozen=True, slots=True)
class WindowFigures:
    """Figures of one window; see `dbdyno.core.RunRecord` for units. None means not known.

    Parameters
    ----------
    missing_seconds : numbers of the seconds that were never reported
    """

    window_s: float = 0.0
    tps_mean: float | None = None
    tps_half_width: float | None = None
    qps_mean: float | None = None
    latency_ns: LatencyNs | None = None
    transactions: int = 0
    failed: int = 0
    statements: int = 0
    errors: dict[str, int] = field(default_factory=dict)
    retries: int = 0
    client_cpu_ns_per_statement: float | None = None
    server_cpu_ns_per_transaction: float | None = None
    client_busy_share: float | None = None
    missing_seconds: tuple[int, ...] = ()


def window_figures(
    intervals: Iterable[IntervalRecord],
    telemetry: Sequence[TelemetryRow] = (),
    *,
    first_second: int,
    seconds_count: int,
    open_loop: bool,
) -> WindowFigures:
    """Figures of the window.

    Parameters
    ----------
    intervals : of the whole run; those of other phases are left out
    first_second, seconds_count : where the window was ordered to lie
    """
    window = sorted((i for i in intervals if i.phase == WINDOW), key=lambda interval: interval.second)
    whole = [interval for interval in window if interval.duration_ns >= _WHOLE_SECOND_NS]
    if not whole:
        return WindowFigures(missing_seconds=tuple(range(first_second, first_second + seconds_count)))
    seen = {interval.second for interval in whole}
    missing = tuple(s for s in range(first_second, first_second + seconds_count) if s not in seen)
    mean, half_width = _throughput(whole, len(missing))
    window_s = sum(interval.duration_ns for interval in whole) / 1e9
    types = [counts for interval in whole for counts in interval.transactions.values()]
    transactions = sum(counts.completed for counts in types)
    statements = sum(interval.reads + interval.writes + interval.others for interval in whole)
    return WindowFigures(
        window_s=window_s,
        tps_mean=mean,
        tps_half_width=half_width,
        qps_mean=statements / (window_s + len(missing)),
        latency_ns=latency_of(merged_histogram(c.response if open_loop else c.service for c in types)),
        transactions=transactions,
        failed=sum(counts.failed for counts in types),
        statements=statements,
        errors=errors_of(whole),
        retries=sum(sum(counts.retries.values()) for counts in types),
        client_cpu_ns_per_statement=_per(_cpu_ns(telemetry, "client", seen), statements),
        server_cpu_ns_per_transaction=_per(_cpu_ns(telemetry, "server", seen), transactions),
        client_busy_share=busiest_share(whole),
        missing_seconds=missing,
    )


def _throughput(whole: Sequence[IntervalRecord], missing: int) -> tuple[float, float | None]:
    rates = [_completed(interval) / (interval.duration_ns / 1e9) for interval in whole] + [0.0] * missing
    series = np.asarray(rates, dtype=np.float64)
    if len(series) < 2:
        return float(series.mean()), None
    interval = noise_interval(series)
    return interval.mean, interval.half_width


def _completed(interval: IntervalRecord) -> int:
    return sum(counts.completed for counts in interval.transactions.values())


def _cpu_ns(telemetry: Sequence[TelemetryRow], process: str, seconds: set[int]) -> float | None:
    """CPU time of a process over the seconds; None unless every second has a reading."""
    rows = {
        (row.second, row.metric): row.value
        for row in telemetry
        if row.metric in (f"{process}.cpu.user", f"{process}.cpu.system") and row.second in seconds
    }
    return sum(rows.values()) * 1e9 if len(rows) == 2 * len(seconds) else None


def _per(total: float | None, count: int) -> float | None:
    return total / count if total is not None and count else None
