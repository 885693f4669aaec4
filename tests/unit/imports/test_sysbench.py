"""Logs of sysbench: every form of its lines, what is read of them, and what a run's record says is not known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sysbench_log
from dbdyno.imports.sysbench import (
    SysbenchRun,
    is_sysbench,
    judge_log,
    log_parts,
    percentile_of,
    read_run,
    run_figures,
    seconds_table,
)
from dbdyno.imports.sysbench._figures import IGNORED, IGNORED_OR_ORDERED
from dbdyno.store import merged_histogram, printed_tps

SAMPLES = Path(__file__).parents[4] / "shared" / "data" / "sysbench-output"
needs_samples = pytest.mark.skipif(not SAMPLES.exists(), reason="needs ../shared/data/sysbench-output")
TPS = [100.0, 120.5, 80.25, 110.0]


def only(text: str) -> SysbenchRun:
    (part,) = log_parts(text)
    return read_run(text, part)


def sample(name: str) -> SysbenchRun:
    return only((SAMPLES / f"{name}.txt").read_text())


def caveats(run: SysbenchRun, threads: int = 4) -> set[str]:
    return {caveat.code for caveat in judge_log(run, run_figures(run), threads).caveats}


@pytest.mark.parametrize("colon", [":", ""])
@pytest.mark.parametrize("percentile", [50, 95, 99, 100])
def test_interval_lines_are_read_with_and_without_the_colon_at_any_percentile(colon: str, percentile: int) -> None:
    lines = "".join(sysbench_log.line(n + 1, tps, percentile=percentile, colon=colon) for n, tps in enumerate(TPS))
    run = only(sysbench_log.head() + lines + sysbench_log.tail(410, 4.0, percentile=percentile))
    assert run.intervals.tps.tolist() == TPS
    assert run.intervals.qps is not None
    assert run.intervals.qps.tolist() == [20 * tps for tps in TPS]
    assert percentile_of(run) == percentile
    assert run.diagnostics == ()


def test_a_whole_log_gives_mean_noise_counts_and_times() -> None:
    run = only(sysbench_log.log(TPS))
    figures = run_figures(run)
    assert figures.tps_mean == pytest.approx(np.mean(TPS))
    assert figures.tps_half_width is not None
    assert (figures.transactions, figures.statements, figures.window_s) == (411, 8220, 4.0)
    assert figures.latency_ns is not None
    assert (figures.latency_ns.p95, figures.latency_ns.p50, figures.latency_ns.max) == (5_000_000, None, 42_260_000)
    assert judge_log(run, figures, 4).status == "good"


def test_seconds_begin_at_zero_and_what_the_log_lacks_is_left_out() -> None:
    run = only(sysbench_log.log(TPS))
    table = seconds_table(run.intervals, 1, 95)
    assert table.values("second") == [0, 1, 2, 3]
    assert table.values("p95_ns") == [5_000_000] * 4
    assert {"failed", "retries", "p50_ns", "client_busy_share", "monotonic_ns"}.isdisjoint(table.columns)


def test_long_intervals_cover_their_seconds_and_say_so() -> None:
    run = only(sysbench_log.log(TPS, interval=10))
    figures = run_figures(run)
    assert (figures.interval_s, figures.window_s) == (10, 40.0)
    assert seconds_table(run.intervals, 10, 95).values("second") == [0, 10, 20, 30]
    assert "long-intervals" in caveats(run)


def test_version_1_1_tells_throughput_instead_of_general_statistics() -> None:
    text = sysbench_log.log(TPS, version="1.1.0").replace(
        "General statistics:\n    total time:                          4.0100s\n",
        "Throughput:\n    events/s (eps):                      102.4938\n"
        "    time elapsed:                        4.0100s\n",
    )
    run = only(text)
    assert run.head.version == "1.1.0"
    assert run.is_complete
    assert run_figures(run).tool.elapsed_s == 4.01


def test_a_second_without_a_transaction_has_no_response_time() -> None:
    lines = sysbench_log.line(1, 100.0) + sysbench_log.line(2, 0.0, latency=0.0) + sysbench_log.line(3, 90.0)
    run = only(sysbench_log.head() + lines + sysbench_log.tail(190, 3.0))
    assert seconds_table(run.intervals, 1, 95).values("p95_ns") == [5_000_000, None, 5_000_000]


def test_reports_left_out_by_sysbench_do_not_count_as_zero() -> None:
    lines = "".join(sysbench_log.line(second, 100.0) for second in (1, 2, 5, 6))
    run = only(sysbench_log.head() + lines + sysbench_log.tail(600, 6.0))
    figures = run_figures(run)
    assert (figures.missing, figures.tps_mean) == (2, 100.0)
    assert "missing-intervals" in caveats(run)
    assert run.diagnostics == ()


def test_a_line_after_late_reports_counts_for_all_that_it_covers() -> None:
    ends = {**dict.fromkeys(range(1, 61), 100.0), 70: 10.0, **dict.fromkeys(range(71, 121), 100.0)}
    lines = "".join(sysbench_log.line(second, tps) for second, tps in ends.items())
    run = only(sysbench_log.head() + lines)
    figures = run_figures(run)
    assert (figures.tps_mean, figures.window_s, figures.missing) == (pytest.approx(11_100 / 120), 120.0, 9)
    assert (figures.transactions, figures.statements) == (11_100, 222_000)
    assert figures.qps_mean == pytest.approx(222_000 / 120)
    every_second = sysbench_log.log([100.0] * 60 + [10.0] * 10 + [100.0] * 50)
    assert figures.tps_half_width == run_figures(only(every_second)).tps_half_width
    table = seconds_table(run.intervals, 1, 95)
    assert table.values("second")[58:62] == [58, 59, 60, 70]
    assert table.values("duration_ns")[58:62] == [10**9, 10**9, 10**10, 10**9]
    assert printed_tps(table).tolist() == [100.0] * 60 + [10.0] * 10 + [100.0] * 50


def test_the_line_after_a_catching_up_report_covers_less() -> None:
    ends = (10, 20, 37, 40, 50)
    run = only(sysbench_log.head(interval=10) + "".join(sysbench_log.line(end, 100.0) for end in ends))
    table = seconds_table(run.intervals, 10, 95)
    assert table.values("second") == [0, 10, 20, 37, 40]
    assert [ns // 10**9 for ns in table.values("duration_ns")] == [10, 10, 17, 3, 10]
    assert run_figures(run).window_s == 50.0


@pytest.mark.parametrize("damaged", ["[ 3s ] thds: 4 tp\n", "garbled\n", sysbench_log.line(1, 7.0)])
def test_a_line_after_a_damaged_one_counts_for_one_interval(damaged: str) -> None:
    lines = sysbench_log.line(1, 100.0) + sysbench_log.line(2, 100.0) + damaged + sysbench_log.line(4, 10.0)
    run = only(sysbench_log.head() + lines + sysbench_log.line(5, 10.0))
    assert len(run.diagnostics) == 1
    assert (run_figures(run).window_s, run_figures(run).tps_mean) == (4.0, 55.0)
    assert seconds_table(run.intervals, 1, 95).values("second") == [0, 1, 3, 4]


def test_a_time_that_no_run_can_have_reached_does_not_count_as_time() -> None:
    run = only(sysbench_log.head() + sysbench_log.line(1, 100.0) + sysbench_log.line(999_999_999, 100.0))
    assert run_figures(run).window_s == 2.0


def test_a_sweep_in_one_file_is_as_many_runs() -> None:
    text = "".join(sysbench_log.log(TPS, threads=threads) for threads in (1, 2, 4))
    parts = log_parts(text)
    assert [part.head.threads for part in parts] == [1, 2, 4]
    assert [read_run(text, part).intervals.tps.tolist() for part in parts] == [TPS] * 3
    assert text.split("\n")[parts[1].first_line - 1].startswith("sysbench 1.0.20")


def test_prepare_in_front_of_a_run_is_not_part_of_it() -> None:
    prepare = "sysbench 1.0.20 (using x)\n\nInitializing worker threads...\n\nCreating table 'sbtest1'...\n"
    (part,) = log_parts(prepare + sysbench_log.log(TPS))
    assert part.first_line == 6
    assert is_sysbench(prepare)
    assert log_parts(prepare) == ()


def test_the_echoed_command_is_kept_without_its_password() -> None:
    command = "+ sysbench /usr/share/sysbench/oltp_insert.lua --mysql-password=hush --time=4 --percentile=99 run\n"
    run = only(command + sysbench_log.log(TPS))
    assert run.head.test == "oltp_insert"
    assert run.head.options["time"] == "4"
    assert "hush" not in str(run.head.options)


def test_short_runs_of_a_sweep_keep_their_own_commands() -> None:
    tests = ("oltp_read_only", "oltp_write_only", "oltp_point_select")
    text = "".join(
        f"+ sysbench {test} --threads={threads} --time=10 run\n"
        + sysbench_log.head(threads, interval=None)
        + sysbench_log.tail(1000, 10.0)
        for threads, test in enumerate(tests, 1)
    )
    heads = [part.head for part in log_parts(text)]
    assert [(head.test, head.options["threads"]) for head in heads] == [
        (test, str(threads)) for threads, test in enumerate(tests, 1)
    ]


@pytest.mark.parametrize("echo", [-1, 0, 1])
def test_a_command_is_that_of_the_run_it_stands_above(echo: int) -> None:
    """A run that failed at once prints no report; a script may echo below the version; a run may have no command."""
    version, rest = sysbench_log.head(interval=None).split("\n", 1)
    commands = [f"sysbench {test} --time=1 run\n" for test in ("oltp_insert", "oltp_delete")]
    failed, whole = rest + "FATAL: unable to connect\n", rest + sysbench_log.tail(1000, 10.0)
    heads = [
        *((command + version + "\n", version + "\n" + command, version + "\n")[echo + 1] for command in commands[:1]),
        commands[1] + version + "\n",
    ]
    parts = log_parts(heads[0] + failed + heads[1] + whole)
    assert [part.head.test for part in parts] == ["" if echo == 1 else "oltp_insert", "oltp_delete"]


def test_csv_intervals_take_the_percentile_from_the_last_report_or_say_that_nobody_tells() -> None:
    rows = "".join(f"{n + 1},4,{tps:.2f},{20 * tps:.2f},1.00,1.00,1.00,7.43,0.99,0.00\n" for n, tps in enumerate(TPS))
    whole = only(sysbench_log.head() + rows + sysbench_log.tail(411, 4.0, percentile=99, latency=9.0))
    assert (percentile_of(whole), whole.intervals.tps.tolist()) == (99, TPS)
    assert seconds_table(whole.intervals, 1, 99).values("p99_ns") == [7_430_000] * 4
    cut = only(sysbench_log.head() + rows)
    assert percentile_of(cut) is None
    assert "no-percentile" in caveats(cut)
    assert judge_log(cut, run_figures(cut), 4).status == "suspect"


def test_a_run_without_interval_lines_has_a_total_and_no_noise() -> None:
    run = only(sysbench_log.head(interval=None) + sysbench_log.tail(411, 4.0))
    figures = run_figures(run)
    assert (figures.tps_mean, figures.tps_half_width, figures.window_s) == (102.75, None, 4.0)
    assert "no-intervals" in caveats(run)


def test_a_total_that_differs_from_the_intervals_is_said() -> None:
    lines = "".join(sysbench_log.line(n + 1, 100.0) for n in range(4))
    run = only(sysbench_log.head() + lines + sysbench_log.tail(500, 4.0))
    assert "totals-differ" in caveats(run)


def test_an_open_loop_says_that_its_backlog_is_dropped() -> None:
    run = only(sysbench_log.log(TPS, rate=100))
    assert run.head.rate_per_s == 100
    assert "dropped-backlog" in caveats(run)


def test_threads_that_differ_from_the_cell_are_said() -> None:
    assert "threads-vary" in caveats(only(sysbench_log.log(TPS, threads=8)), threads=4)


@needs_samples
def test_every_sample_of_a_run_is_read_without_a_complaint() -> None:
    names = sorted(path.stem for path in SAMPLES.glob("run_*.txt") if path.stem != "run_verbosity2")
    assert len(names) == 20
    for name in names:
        run = sample(name)
        assert run.is_complete, name
        assert run.diagnostics == (), name
        assert run.head.version == "1.0.20", name


@needs_samples
@pytest.mark.parametrize(
    ("name", "count", "first_tps"),
    [
        ("run_intervals", 4, 2692.18),
        ("run_nodb_intervals", 3, None),
        ("hook_report_csv", 2, 197.70),
        ("hook_report_json", 2, 197.70),
        ("hook_report_default", 2, 197.70),
        ("run_rate", 3, 60.89),
    ],
)
def test_samples_of_every_report_function_give_their_intervals(name: str, count: int, first_tps: float | None) -> None:
    run = sample(name)
    assert len(run.intervals) == count
    assert first_tps is None or run.intervals.tps[0] == first_tps


@needs_samples
def test_the_histogram_of_a_sample_counts_every_event_and_gives_its_percentile() -> None:
    run = sample("run_histogram")
    figures = run_figures(run)
    assert figures.histogram is not None
    assert merged_histogram([figures.histogram]).get_total_count() == figures.transactions == 1949
    assert figures.latency_ns is not None
    assert figures.latency_ns.p95 == pytest.approx(figures.tool.percentile_ns, rel=0.002)


@needs_samples
def test_checkpoint_reports_add_up_and_none_of_their_percentiles_is_that_of_the_run() -> None:
    run = sample("run_checkpoints")
    figures = run_figures(run)
    assert figures.transactions == 676 + 1809 + 1209
    assert figures.tool.percentile_ns is None
    assert figures.latency_ns is not None
    assert (figures.latency_ns.p95, figures.latency_ns.max) == (None, 5_540_000)


@needs_samples
@pytest.mark.parametrize(
    ("name", "status", "words"),
    [
        ("error_sql_fatal", "failed", "gave up"),
        ("run_forced_shutdown_db", "suspect", "2 transactions in progress"),
        ("run_forced_shutdown", "failed", "no transaction"),
    ],
)
def test_samples_of_runs_that_went_wrong_say_why(name: str, status: str, words: str) -> None:
    run = sample(name)
    found = judge_log(run, run_figures(run), 2)
    assert found.status == status
    assert words in found.reason


@needs_samples
def test_switched_off_percentiles_are_not_read_as_zero() -> None:
    run = sample("run_percentile0")
    assert percentile_of(run) is None
    assert "p95_ns" not in seconds_table(run.intervals, 1, percentile_of(run)).columns
    assert "no-percentile" in caveats(run)


def test_rollbacks_that_sysbench_tpcc_orders_are_not_called_errors_alone() -> None:
    text = sysbench_log.log(TPS).replace(
        "ignored errors:                      0 ", "ignored errors:                      2 "
    )
    run = only(text)
    plain, tpcc = run_figures(run, "sysbench/oltp_read_write"), run_figures(run, "tpcc/sysbench-tpcc")
    assert (plain.errors, tpcc.errors) == ({IGNORED: 2}, {IGNORED_OR_ORDERED: 2})
    codes = [{caveat.code for caveat in judge_log(run, figures, 4).caveats} for figures in (plain, tpcc)]
    assert ["rollbacks-counted" in found for found in codes] == [False, True]
