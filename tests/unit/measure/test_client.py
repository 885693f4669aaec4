"""How much of what it can do a client used, and what is known of what it can do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from dbdyno.measure import window_figures
from dbdyno.measure._records import IntervalRecord, WorkerUse
from dbdyno.measure.client import (
    Calibration,
    CalibrationKey,
    CalibrationPoint,
    ClientCapacity,
    CostCurve,
    client_use,
    read_calibration,
    write_calibration,
)
from dbdyno.measure.client._calibrate import point_of
from dbdyno.store import TelemetryRow

Make = Callable[..., IntervalRecord]
KEY = CalibrationKey("A CPU", 2, "6.1", "dbdyno-load 0.1.0")


def point(busy: float, statements: float, *, rate: float | None, connections: int = 64) -> CalibrationPoint:
    return CalibrationPoint(
        "socket", "sysbench/oltp_point_select", connections, rate, rate or statements, statements, busy, 0.0, 5e3, 2.0
    )


def calibration(*points: CalibrationPoint) -> Calibration:
    return Calibration(KEY, 1, is_quick=True, pinned_apart=True, points=points)


def waiting(interval: IntervalRecord, share: float) -> IntervalRecord:
    workers = (WorkerUse(w.busy_ns, w.cpu_ns, cpu_wait_ns=int(share * interval.duration_ns)) for w in interval.workers)
    return replace(interval, workers=tuple(workers))


def test_a_worker_that_is_always_busy_uses_all_whatever_the_curve(interval: Make) -> None:
    for curve in (None, CostCurve.through([(0.3, 0.1), (0.7, 0.4)])):
        use = client_use([interval(0, busy=(1.0,))], ClientCapacity(curve))
        assert use is not None
        assert use.share == 1.0
        assert use.is_bound


def test_the_curve_says_what_a_busy_share_is_worth(interval: Make) -> None:
    use = client_use([interval(0, busy=(0.3,))], ClientCapacity(CostCurve.through([(0.3, 0.1)])))
    assert use is not None
    assert (use.share, use.basis, use.is_bound) == (pytest.approx(0.1), "calibration", False)


def test_without_a_calibration_the_busy_share_is_the_figure_and_is_called_so(interval: Make) -> None:
    use = client_use([interval(0, busy=(0.3,))])
    assert use is not None
    assert (use.share, use.basis) == (pytest.approx(0.3), "busy share")


def test_only_a_calibrated_maximum_is_called_so(interval: Make) -> None:
    uses = [
        client_use([interval(0, busy=(0.9,))], ClientCapacity(curve), quota)
        for curve, quota in ((CostCurve.through([(0.3, 0.1)]), None), (None, None), (None, 0.99))
    ]
    assert ["calibrated" in use.reason for use in uses if use is not None] == [True, False, False]


def test_the_busiest_worker_counts_over_the_whole_window(interval: Make) -> None:
    # Each is busiest in one second; over both the second one is.
    use = client_use([interval(0, busy=(0.9, 0.4)), interval(1, busy=(0.1, 0.8))])
    assert use is not None
    assert use.busy_share == pytest.approx(0.6)


def test_a_worker_that_gets_no_processor_is_bound_though_hardly_busy(interval: Make) -> None:
    use = client_use([waiting(interval(0, busy=(0.25,)), 0.6)])
    assert use is not None
    assert use.is_bound
    assert "waited 60 %" in use.reason


def test_where_the_server_shares_the_processors_its_work_does_not_bind_the_client(interval: Make) -> None:
    # Busy by the clock because others had the processor in between: 10 % of it was work.
    record = waiting(replace(interval(0), workers=(WorkerUse(900_000_000, 100_000_000),)), 0.7)
    use = client_use([record], ClientCapacity(has_own_cpus=False))
    assert use is not None
    assert (use.share, use.wait_share, use.is_bound) == (pytest.approx(0.1), pytest.approx(0.7), False)


def test_where_it_shares_them_a_client_that_works_all_the_time_is_bound(interval: Make) -> None:
    record = replace(interval(0), workers=(WorkerUse(990_000_000, 950_000_000),))
    use = client_use([record], ClientCapacity(has_own_cpus=False))
    assert use is not None
    assert use.is_bound


def test_half_of_the_time_in_want_of_a_processor_binds_a_client_with_its_own(interval: Make) -> None:
    for wait, bound in ((0.3, False), (0.5, True)):
        use = client_use([waiting(interval(0, busy=(0.1,)), wait)])
        assert use is not None
        assert use.is_bound is bound


def test_a_quota_used_up_binds_a_client_that_is_neither_busy_nor_waiting(interval: Make) -> None:
    use = client_use([interval(0, busy=(0.2,))], quota_share=0.99)
    assert use is not None
    assert (use.is_bound, use.basis) == (True, "processor quota")
    assert "quota" in use.reason


def test_a_quota_with_room_changes_nothing(interval: Make) -> None:
    assert client_use([interval(0)], quota_share=0.1) == replace(_known(interval(0)), quota_share=0.1)


def _known(record: IntervalRecord) -> object:
    use = client_use([record])
    assert use is not None
    return use


@pytest.mark.parametrize(
    ("user", "throttled", "bound"),
    [
        (0.28, 0.0, True),  # 0.28 of 0.3 processors
        (0.05, 9.5, True),  # others of its group used it up
        (0.05, 0.0, False),
    ],
)
def test_the_quota_of_a_window_is_read_from_the_telemetry(
    interval: Make, user: float, throttled: float, bound: bool
) -> None:
    values = {"client.quota.cores": 0.3, "client.quota.periods": 10.0, "client.quota.throttled": throttled}
    values |= {"client.cpu.user": user, "client.cpu.system": 0.0}
    rows = [TelemetryRow(second, metric, value, "") for second in (0, 1) for metric, value in values.items()]
    figures = window_figures([interval(0), interval(1)], rows, first_second=0, seconds_count=2, open_loop=False)
    assert figures.client_use is not None
    assert figures.client_use.is_bound is bound


def test_a_curve_never_falls_and_never_lies_above_the_diagonal() -> None:
    curve = CostCurve.through([(0.2, 0.3), (0.5, 0.1), (0.9, 0.8)])
    shares = [curve.used_share(busy / 20) for busy in range(21)]
    assert shares == sorted(shares)
    assert all(share <= busy / 20 + 1e-12 for busy, share in enumerate(shares))
    assert (shares[0], shares[-1]) == (0.0, 1.0)


def test_the_ceiling_is_what_a_never_idle_worker_would_do() -> None:
    found = calibration(point(0.8, 160e3, rate=None), point(1.0, 150e3, rate=None, connections=512))
    assert found.ceiling("socket", "sysbench/oltp_point_select") == pytest.approx(200e3)
    assert found.ceiling("loopback", "sysbench/oltp_point_select") is None


def test_a_workload_that_was_not_measured_takes_the_curve_of_the_same_route() -> None:
    found = calibration(point(0.8, 160e3, rate=None), point(0.3, 20e3, rate=20e3))
    curve = found.curve("socket", "sysbench/oltp_read_write")
    assert curve is not None
    assert curve.used_share(0.3) == pytest.approx(0.1)
    assert found.curve("loopback", "sysbench/oltp_read_write") is None


def test_a_rate_that_was_not_reached_is_no_point_of_the_curve() -> None:
    late = replace(point(0.9, 100e3, rate=150e3), events_per_s=100e3)
    curve = calibration(point(1.0, 200e3, rate=None), late).curve("socket", "sysbench/oltp_point_select")
    assert curve == CostCurve()


def test_a_calibration_is_kept_and_read_back(tmp_path: Path) -> None:
    kept = calibration(point(0.8, 160e3, rate=None), point(0.3, 20e3, rate=20e3))
    write_calibration(tmp_path, kept)
    assert read_calibration(tmp_path, KEY) == kept


@pytest.mark.parametrize("change", [{"generator": "dbdyno-load 0.2.0"}, {"cpu_model": "B CPU"}, {"kernel": "6.2"}])
def test_a_calibration_of_another_machine_or_load_generator_is_none(tmp_path: Path, change: dict[str, str]) -> None:
    write_calibration(tmp_path, calibration())
    assert read_calibration(tmp_path, replace(KEY, **change)) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema_version": 1}', '{"schema_version": 99}'])
def test_a_damaged_calibration_is_as_good_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "calibration.json").write_text(text)
    assert read_calibration(tmp_path, KEY) is None


def test_a_point_divides_by_time_statements_and_wake_ups(interval: Make) -> None:
    record = replace(interval(0, 100), workers=(WorkerUse(500_000_000, 400_000_000, wake_ups=500),))
    found = point_of("socket", "w", 64, None, [record, replace(record, second=1)])
    assert (found.events_per_s, found.statements_per_s, found.busy_share) == (100.0, 2000.0, 0.5)
    assert (found.cpu_ns_per_statement, found.wake_batch) == (200_000.0, 4.0)
