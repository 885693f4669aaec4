"""Reads the figures of a window off its records, whole and by transaction type. Pure.

Rates divide by the time really measured. A second without a report counts as zero throughput and is named.
The window of a search is that of the probe with the highest rate that held.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from dbdyno.core import CpuUse, LatencyNs, SettledPart, TotalFigures, TypeFigures
from dbdyno.measure._records import EndRecord, IntervalRecord, ProbeRecord
from dbdyno.measure._rows import busiest_share, errors_of
from dbdyno.measure.client._use import UNCALIBRATED, ClientCapacity, ClientUse, client_use
from dbdyno.stats import noise_interval
from dbdyno.store import FilledCounts, TelemetryRow, filled_counts, latency_of_counts, mean_of_counts


def type_figures(whole: Sequence[IntervalRecord], seconds: float, *, open_loop: bool) -> tuple[TypeFigures, ...]:
    """Return figures of each transaction type, in the order in which the workload names them.

    Parameters
    ----------
    whole : the seconds of the window that were reported whole
    seconds : that rates divide by
    """
    names = dict.fromkeys(name for interval in whole for name in interval.transactions)
    return tuple(_type_figures(name, whole, seconds, open_loop=open_loop) for name in names)


def _type_figures(
    name: str, whole_seconds: Sequence[IntervalRecord], seconds: float, *, open_loop: bool
) -> TypeFigures:
    counts = [interval.transactions[name] for interval in whole_seconds if name in interval.transactions]
    times = _merged_counts(c.response if open_loop else c.service for c in counts)
    latency = _latency(times)
    completed_count = sum(c.completed for c in counts)
    return TypeFigures(
        name=name,
        completed=completed_count,
        failed=sum(c.failed for c in counts),
        retries=sum(sum(c.retries.values()) for c in counts),
        rolled_back=sum(c.rolled_back for c in counts),
        tps=completed_count / seconds if seconds else 0.0,
        mean_ns=None if latency is None or not completed_count else mean_of_counts(times.total, times.values_ns),
        latency_ns=latency,
    )


def _merged_counts(histograms: Iterable[str | None]) -> FilledCounts:
    """Merge all of them. Adding them up as objects of hdrh, and its mean above all, costs several times as much."""
    return filled_counts((0, text) for text in histograms)


def _latency(times: FilledCounts) -> LatencyNs | None:
    return latency_of_counts(times.total, times.values_ns)


WINDOW = "window"
WHOLE_SECOND_NS = 999_000_000
_QUOTA_METRICS = (
    "client.quota.cores",
    "client.quota.periods",
    "client.quota.throttled",
    "client.cpu.user",
    "client.cpu.system",
)


@dataclass(frozen=True, slots=True)
class WindowFigures:
    """Holds figures of one window; see `dbdyno.core.RunRecord` for units. None means not known.

    Parameters
    ----------
    total, cpu : as the run's record takes them
    missing_seconds : numbers of the seconds that were never reported
    statements : how many of each type succeeded
    """

    total: TotalFigures = field(default_factory=TotalFigures)
    cpu: CpuUse = field(default_factory=CpuUse)
    failed: int = 0
    client_use: ClientUse | None = None
    lateness_ns_p99: int | None = None
    missing_seconds: tuple[int, ...] = ()
    types: tuple[TypeFigures, ...] = ()
    statements: Mapping[str, int] = field(default_factory=dict)

    @property
    def rated_s(self) -> float:
        """Return what rates divide by: a second without a report counts."""
        return self.total.window_s + len(self.missing_seconds)


def window_figures(
    intervals: Iterable[IntervalRecord],
    telemetry: Sequence[TelemetryRow] = (),
    *,
    first_second: int,
    seconds_count: int,
    open_loop: bool,
    capacity: ClientCapacity = UNCALIBRATED,
) -> WindowFigures:
    """Return figures of the window.

    Parameters
    ----------
    intervals : of the whole run; those of other phases are left out
    first_second, seconds_count : where the window was ordered to lie
    capacity : of the client
    """
    window = sorted((i for i in intervals if i.phase == WINDOW), key=lambda interval: interval.second)
    whole_seconds = [interval for interval in window if interval.duration_ns >= WHOLE_SECOND_NS]
    if not whole_seconds:
        return WindowFigures(missing_seconds=tuple(range(first_second, first_second + seconds_count)))
    seen_seconds = {interval.second for interval in whole_seconds}
    missing_seconds = tuple(s for s in range(first_second, first_second + seconds_count) if s not in seen_seconds)
    mean, half_width = _throughput(whole_seconds, len(missing_seconds))
    window_s = sum(interval.duration_ns for interval in whole_seconds) / 1e9
    types = [counts for interval in whole_seconds for counts in interval.transactions.values()]
    transactions = sum(counts.completed for counts in types)
    statements = sum(interval.reads + interval.writes + interval.others for interval in whole_seconds)
    lateness = _latency(_merged_counts(interval.lateness for interval in whole_seconds))
    use = client_use(whole_seconds, capacity, quota_share(telemetry, seen_seconds))
    return WindowFigures(
        total=TotalFigures(
            window_s=window_s,
            tps_mean=mean,
            tps_half_width=half_width,
            qps_mean=statements / (window_s + len(missing_seconds)),
            latency_ns=_latency(_merged_counts(c.response if open_loop else c.service for c in types)),
            transactions=transactions,
            statements=statements,
            errors=errors_of(whole_seconds),
            retries=sum(sum(counts.retries.values()) for counts in types),
        ),
        cpu=CpuUse(
            client_cpu_ns_per_statement=_quotient(_cpu_ns(telemetry, "client", seen_seconds), statements),
            server_cpu_ns_per_transaction=_quotient(_cpu_ns(telemetry, "server", seen_seconds), transactions),
            client_busy_share=busiest_share(whole_seconds),
            client_use_share=use.share if use else None,
            client_use_basis=use.basis if use else "",
            client_cpu_wait_share=use.wait_share if use else None,
        ),
        failed=sum(counts.failed for counts in types),
        client_use=use,
        lateness_ns_p99=None if lateness is None else lateness.p99,
        missing_seconds=missing_seconds,
        types=type_figures(whole_seconds, window_s + len(missing_seconds), open_loop=open_loop),
        statements=statement_counts(whole_seconds),
    )


def statement_counts(intervals: Iterable[IntervalRecord]) -> Mapping[str, int]:
    """Return how many statements of each type succeeded."""
    counts: Counter[str] = Counter()
    for interval in intervals:
        counts.update({name: statement.completed for name, statement in interval.statements.items()})
    return counts


def settled_latency(
    intervals: Iterable[IntervalRecord], settled: SettledPart | None, latency_ns: LatencyNs | None, *, open_loop: bool
) -> LatencyNs | None:
    """Return quantiles of the settled part of the window.

    Parameters
    ----------
    intervals : of the whole run
    latency_ns : of the whole window, which stand where no part of it is left out
    """
    if settled is None or not settled.is_accepted or not settled.start_s:
        return latency_ns
    window = [interval for interval in intervals if interval.phase == WINDOW]
    begin_second = min((interval.second for interval in window), default=0) + settled.start_s
    settled_intervals = [
        interval for interval in window if interval.second >= begin_second and interval.duration_ns >= WHOLE_SECOND_NS
    ]
    types = [counts for interval in settled_intervals for counts in interval.transactions.values()]
    return _latency(_merged_counts(counts.response if open_loop else counts.service for counts in types))


def quota_share(telemetry: Sequence[TelemetryRow], seconds: Collection[int]) -> float | None:
    """Return how far the client used up the processor quota of its control group; None where there is none.

    Two signs, the stronger one counts: what the process took of the quota, and how often the group, which may hold
    more than the client, had to stop.
    """
    total = dict.fromkeys(_QUOTA_METRICS, 0.0)
    for row in telemetry:
        if row.metric in total and row.second in seconds:
            total[row.metric] += row.value
    cores, periods, throttled, user, system = total.values()
    if not cores:
        return None
    return max((user + system) / cores, throttled / periods if periods else 0.0)


def quota_rows(telemetry: Sequence[TelemetryRow]) -> tuple[TelemetryRow, ...]:
    """Return the readings that `quota_share` needs; none where no quota is set."""
    rows = tuple(row for row in telemetry if row.metric in _QUOTA_METRICS)
    return rows if any(row.metric == _QUOTA_METRICS[0] for row in rows) else ()


def with_window(intervals: Iterable[IntervalRecord], probe: ProbeRecord) -> list[IntervalRecord]:
    """Return the seconds of a search, those of one probe called the window."""
    seconds = range(probe.first_second, probe.first_second + probe.seconds)
    return [replace(i, phase=WINDOW if i.second in seconds else _phase_outside_window(i.phase)) for i in intervals]


def telling_probe(probes: Sequence[ProbeRecord]) -> ProbeRecord | None:
    """Return the probe with the highest rate that held; where none did, the one with the lowest rate."""
    held_probes = [probe for probe in probes if probe.held]
    if held_probes:
        return max(held_probes, key=lambda probe: probe.rate_per_s)
    return min(probes, key=lambda probe: probe.rate_per_s, default=None)


def with_search(figures: WindowFigures, end: EndRecord | None) -> WindowFigures:
    """Return the figures of a search: throughput is the highest rate that held, known to the gap to the next one."""
    if end is None or end.search is None:
        return figures
    held_per_s, broken_per_s = end.search.highest_held_per_s, end.search.lowest_broken_per_s
    gap = broken_per_s - held_per_s if held_per_s is not None and broken_per_s is not None else None
    return replace(figures, total=replace(figures.total, tps_mean=held_per_s, tps_half_width=gap))


def _phase_outside_window(phase: str) -> str:
    return "probe" if phase == WINDOW else phase


def _throughput(whole_seconds: Sequence[IntervalRecord], missing_count: int) -> tuple[float, float | None]:
    rates = [_completed_count(interval) / (interval.duration_ns / 1e9) for interval in whole_seconds] + [
        0.0
    ] * missing_count
    series = np.asarray(rates, dtype=np.float64)
    if len(series) < 2:
        return float(series.mean()), None
    interval = noise_interval(series)
    return interval.mean, interval.half_width


def _completed_count(interval: IntervalRecord) -> int:
    return sum(counts.completed for counts in interval.transactions.values())


def _cpu_ns(telemetry: Sequence[TelemetryRow], process: str, seconds: set[int]) -> float | None:
    """Return CPU time of a process over the seconds; None unless every second has a reading."""
    rows = {
        (row.second, row.metric): row.value
        for row in telemetry
        if row.metric in (f"{process}.cpu.user", f"{process}.cpu.system") and row.second in seconds
    }
    return sum(rows.values()) * 1e9 if len(rows) == 2 * len(seconds) else None


def _quotient(total: float | None, count: int) -> float | None:
    return total / count if total is not None and count else None
