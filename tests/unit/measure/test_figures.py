"""Figures of a window whose truth is planted."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from dbdyno.measure import window_figures
from dbdyno.measure._figures import settled_latency
from dbdyno.measure._records import IntervalRecord
from dbdyno.measure._rows import busiest_share, interval_rows, second_row
from dbdyno.stats import noise_interval, settled_part
from dbdyno.store import TelemetryRow

Make = Callable[..., IntervalRecord]


def test_warm_up_seconds_are_not_judged(interval: Make) -> None:
    seconds = [interval(0, 10_000, phase="warm-up"), interval(1, 100), interval(2, 120)]
    figures = window_figures(seconds, first_second=1, seconds_count=2, open_loop=False)
    assert figures.total.tps_mean == 110.0
    assert figures.total.transactions == 220
    assert figures.total.window_s == 2.0
    assert figures.missing_seconds == ()


def test_mean_and_half_width_are_those_of_the_noise_interval(interval: Make) -> None:
    series = [100, 104, 98, 101, 97, 103, 99, 102, 100, 96]
    expected = noise_interval(np.array(series, dtype=np.float64))
    figures = window_figures(
        [interval(i, c) for i, c in enumerate(series)], first_second=0, seconds_count=10, open_loop=False
    )
    assert figures.total.tps_mean == pytest.approx(expected.mean)
    assert figures.total.tps_half_width == pytest.approx(expected.half_width)


def test_statements_are_reads_writes_and_others(interval: Make) -> None:
    figures = window_figures([interval(0, 100), interval(1, 100)], first_second=0, seconds_count=2, open_loop=False)
    assert figures.total.statements == 4_000
    assert figures.total.qps_mean == 2_000.0


def test_quantiles_are_of_the_merged_histogram_not_means_of_seconds(interval: Make) -> None:
    # 990 fast and 10 slow transactions: p99 is fast, p99.9 slow. A mean of the seconds' p99 would lie between.
    seconds = [interval(0, 990, latency_ns=1_000_000), interval(1, 10, latency_ns=100_000_000)]
    latency = window_figures(seconds, first_second=0, seconds_count=2, open_loop=False).total.latency_ns
    assert latency is not None
    assert latency.p99 == pytest.approx(1_000_000, rel=0.001)
    assert latency.p999 == pytest.approx(100_000_000, rel=0.001)
    assert latency.max == pytest.approx(100_000_000, rel=0.001)


def test_open_loop_times_run_from_when_a_transaction_was_due(interval: Make) -> None:
    seconds = [interval(i, 10, latency_ns=1_000_000, queued_ns=9_000_000) for i in range(2)]
    closed = window_figures(seconds, first_second=0, seconds_count=2, open_loop=False).total.latency_ns
    opened = window_figures(seconds, first_second=0, seconds_count=2, open_loop=True).total.latency_ns
    assert closed is not None
    assert opened is not None
    assert closed.p50 == pytest.approx(1_000_000, rel=0.001)
    assert opened.p50 == pytest.approx(10_000_000, rel=0.001)


def test_a_second_without_a_report_counts_as_zero_and_is_named(interval: Make) -> None:
    figures = window_figures([interval(1), interval(2), interval(4)], first_second=1, seconds_count=4, open_loop=False)
    assert figures.missing_seconds == (3,)
    assert figures.total.tps_mean == 75.0
    assert figures.total.qps_mean == pytest.approx(1_500.0)


def test_a_last_second_cut_short_is_left_out(interval: Make) -> None:
    seconds = [interval(0, 100), interval(1, 100), interval(2, 1, duration_ns=10_000_000)]
    figures = window_figures(seconds, first_second=0, seconds_count=2, open_loop=False)
    assert figures.total.tps_mean == 100.0
    assert figures.total.transactions == 200


def test_no_window_gives_no_figures(interval: Make) -> None:
    figures = window_figures([interval(0, phase="warm-up")], first_second=1, seconds_count=2, open_loop=False)
    assert figures.total.tps_mean is None
    assert figures.total.latency_ns is None
    assert figures.missing_seconds == (1, 2)


def test_errors_are_counted_by_code_and_repeats_apart(interval: Make) -> None:
    seconds = [interval(0, errors={"1213": 2}), interval(1, errors={"1213": 1, "1205": 4})]
    figures = window_figures(seconds, first_second=0, seconds_count=2, open_loop=False)
    assert figures.total.errors == {"1205": 4, "1213": 3}
    assert figures.total.retries == 7


def cpu(second: int, process: str, user: float, system: float) -> list[TelemetryRow]:
    return [
        TelemetryRow(second, f"{process}.cpu.user", user, "cpus"),
        TelemetryRow(second, f"{process}.cpu.system", system, "cpus"),
    ]


def test_cpu_cost_is_that_of_the_window(interval: Make) -> None:
    telemetry = cpu(0, "server", 9.0, 9.0) + cpu(1, "server", 0.5, 0.3) + cpu(2, "server", 0.5, 0.3)
    telemetry += cpu(1, "client", 0.1, 0.1) + cpu(2, "client", 0.1, 0.1)
    seconds = [interval(0, phase="warm-up"), interval(1, 100), interval(2, 100)]
    figures = window_figures(seconds, telemetry, first_second=1, seconds_count=2, open_loop=False)
    assert figures.cpu.server_cpu_ns_per_transaction == pytest.approx(1.6e9 / 200)
    assert figures.cpu.client_cpu_ns_per_statement == pytest.approx(0.4e9 / 4_000)


def test_cpu_cost_is_unknown_when_a_second_was_not_seen(interval: Make) -> None:
    figures = window_figures(
        [interval(0), interval(1)], cpu(0, "server", 0.5, 0.3), first_second=0, seconds_count=2, open_loop=False
    )
    assert figures.cpu.server_cpu_ns_per_transaction is None


def test_the_busiest_worker_counts_not_the_average(interval: Make) -> None:
    assert busiest_share([interval(0, busy=(0.1, 0.9)), interval(1, busy=(0.1, 0.7))]) == pytest.approx(0.8)
    assert busiest_share([interval(0, busy=())]) is None


def test_a_second_is_stored_with_its_rates_and_quantiles(interval: Make) -> None:
    row = second_row(interval(3, 50, latency_ns=2_000_000, duration_ns=10**9, failed=1), open_loop=False)
    assert (row.second, row.tps, row.qps, row.failed) == (3, 50.0, 1_000.0, 1)
    assert row.p95_ns == pytest.approx(2_000_000, rel=0.001)
    assert row.client_busy_share == pytest.approx(0.2)


def test_a_second_in_which_nothing_ended_has_no_quantiles(interval: Make) -> None:
    row = second_row(interval(0, 0), open_loop=False)
    assert row.tps == 0.0
    assert row.p50_ns is None


def test_types_are_stored_with_their_histograms_as_they_came(interval: Make) -> None:
    second = interval(0, 10, errors={"1213": 2})
    transaction, statement = interval_rows(second)
    assert transaction.kind == "transaction"
    assert transaction.service_histogram == second.transactions["read_write"].service
    assert transaction.retries_json == '{"1213": 2}'
    assert statement.errors_json == '{"1213": 2}'


def test_response_times_are_those_of_the_settled_part(interval: Make) -> None:
    """Slow transactions of a start that is cut from the level are cut from its quantiles, too."""
    counts = [(60, 30_000_000)] * 100 + [(100, 1_000_000)] * 200
    warm = [interval(s, 500, phase="warm-up", latency_ns=9_000_000) for s in range(5)]
    seconds = [*warm, *(interval(5 + s, count, latency_ns=ns) for s, (count, ns) in enumerate(counts))]
    whole = window_figures(seconds, first_second=5, seconds_count=300, open_loop=False).total.latency_ns
    settled = settled_part([float(count) for count, _ in counts])
    assert settled is not None and settled.start_s == 100
    found = settled_latency(seconds, settled, whole, open_loop=False)
    assert whole is not None and found is not None
    assert whole.p95 == pytest.approx(30_000_000, rel=0.001)
    assert found.max == pytest.approx(1_000_000, rel=0.001)
    assert settled_latency(seconds, None, whole, open_loop=False) is whole
