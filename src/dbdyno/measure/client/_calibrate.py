"""Drives one worker of the load generator against its own null server: at full speed, and at parts of it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dbdyno.core import MeasureError
from dbdyno.hosts import Host, PipedProcess
from dbdyno.measure._drive import load_process, read_records
from dbdyno.measure._records import EndRecord, IntervalRecord, LoadRecord
from dbdyno.measure.client._calibration import CURVE_CONNECTIONS, Calibration, CalibrationKey, CalibrationPoint
from dbdyno.store import JsonValue

ROUTES = ("socket", "loopback")
POINT_SELECT, READ_WRITE = "sysbench/oltp_point_select", "sysbench/oltp_read_write"
CONNECTIONS = (1, 8, CURVE_CONNECTIONS, 512, 4096)
PARTS = (0.02, 0.1, 0.3, 0.6)
QUICK_PARTS = (0.1, 0.5)
_FILES_BESIDE = 64
_POINT_S = 2
_LONGEST_S = 60.0
_READY_S = 10.0
_BY_HAND = "run dbdyno-load null-server by hand"
_SERVED = "900s"  # so that it ends by itself if this process is killed
OnPoint = Callable[[CalibrationPoint, int, int], None]
"""Receives a point, its number from 1, and how many there will be."""


def calibrate(
    host: Host, generator: Path, *, quick: bool, on_point: OnPoint | None = None, now_ns: int | None = None
) -> Calibration:
    """Measure what the load generator can do on this machine.

    Parameters
    ----------
    quick : one workload, one number of connections, few loads
    now_ns : Unix time, for the record

    Raises
    ------
    MeasureError : the load generator or its null server failed
    HostError : it can't be started
    """
    server_cpus, client_cpus = processors_apart(host.system().usable_cpus)
    with null_server(host, generator, server_cpus) as targets:
        driver = _Driver(host, generator, targets, client_cpus, on_point, _point_count(host, quick=quick))
        points = tuple(driver.points(quick=quick))
    return Calibration(
        calibration_key(host, generator), now_ns or time.time_ns(), quick, client_cpus is not None, points
    )


def calibration_key(host: Host, generator: Path) -> CalibrationKey:
    """Return what a calibration made now would be true of."""
    facts = host.facts()
    version = host.run([str(generator), "--version"], timeout_s=10.0).stdout.strip()
    return CalibrationKey(facts.cpu_model, facts.logical_cpu_count, facts.kernel, version)


def processors_apart(cpus: Sequence[int]) -> tuple[tuple[int, ...] | None, tuple[int, ...] | None]:
    """Return processors of the null server and of the one worker; None where there is one for both.

    >>> processors_apart([0, 1]), processors_apart([0, 1, 2, 3]), processors_apart([5])
    (((0,), (1,)), ((0, 1, 2), (3,)), (None, None))
    """
    return (tuple(cpus[:-1]), (cpus[-1],)) if len(cpus) > 1 else (None, None)


def allowed_connections(host: Host) -> tuple[int, ...]:
    """Return those of `CONNECTIONS` that the limit of open files allows."""
    files = host.system().open_files
    return tuple(count for count in CONNECTIONS if files is None or count <= files - _FILES_BESIDE)


@contextmanager
def null_server(
    host: Host, generator: Path, cpus: tuple[int, ...] | None, options: Sequence[str] = ()
) -> Iterator[dict[str, dict[str, JsonValue]]]:
    """Run a null server during the block; what it gives is the order's target for each route."""
    folder = host.make_private_directory()
    path = folder / "null.sock"
    argv = [
        str(generator),
        "null-server",
        "--socket",
        str(path),
        "--listen",
        "127.0.0.1:0",
        "--serve",
        _SERVED,
        *options,
    ]
    try:
        process = host.spawn_piped(argv, stdin=b"", cpus=cpus)
        try:
            port = _ready_port(process)
            yield {"socket": _target_address(path, None), "loopback": _target_address(None, port)}
        finally:
            process.kill()
            process.wait(_READY_S)
    finally:
        host.remove_tree(folder)


def _ready_port(process: PipedProcess) -> int:
    deadline = time.monotonic() + _READY_S

    def tick() -> None:
        if time.monotonic() >= deadline:
            raise MeasureError(f"the null server printed nothing within {_READY_S:g} s", "", _BY_HAND)

    line = next(process.lines(tick), "")
    try:
        return int(json.loads(line)["port"])
    except (ValueError, KeyError, TypeError) as error:
        process.kill()
        why = process.wait(_READY_S).stderr.strip() or f"its first line was '{line[:200]}'"
        raise MeasureError("the null server did not start", why, _BY_HAND) from error


def _target_address(path: Path | None, port: int | None) -> dict[str, JsonValue]:
    address: dict[str, JsonValue] = {
        "socket": str(path) if path else None,
        "host": "127.0.0.1" if port else None,
        "port": port,
    }
    return {**address, "user": "dbdyno", "password_file": None, "database": "dbdyno", "tls": "off"}


def _point_count(host: Host, *, quick: bool) -> int:
    if quick:
        return len(ROUTES) * (1 + len(QUICK_PARTS))
    return len(ROUTES) * 2 * (len(allowed_connections(host)) + len(PARTS))


@dataclass(slots=True)
class _Driver:
    host: Host
    generator: Path
    targets: dict[str, dict[str, JsonValue]]
    cpus: tuple[int, ...] | None
    on_point: OnPoint | None
    total: int
    done: int = 0

    def points(self, *, quick: bool) -> Iterator[CalibrationPoint]:
        workloads = (POINT_SELECT,) if quick else (POINT_SELECT, READ_WRITE)
        counts = (CURVE_CONNECTIONS,) if quick else allowed_connections(self.host)
        for route in ROUTES:
            for workload in workloads:
                yield from self._curve(route, workload, counts, QUICK_PARTS if quick else PARTS)

    def _curve(
        self, route: str, workload: str, counts: Sequence[int], load_shares: Sequence[float]
    ) -> Iterator[CalibrationPoint]:
        ceiling = 0.0
        for connections in counts:
            point = self._point(route, workload, connections, None)
            if connections == CURVE_CONNECTIONS:
                ceiling = point.events_per_s
            yield point
        for load_share in load_shares:
            yield self._point(route, workload, CURVE_CONNECTIONS, max(round(load_share * ceiling), 1))

    def _point(self, route: str, workload: str, connections: int, rate_per_s: float | None) -> CalibrationPoint:
        order = _order(self.targets[route], workload, connections, rate_per_s, self.cpus)
        seconds: list[IntervalRecord] = []
        ends: list[EndRecord] = []

        def take(record: LoadRecord) -> None:
            if isinstance(record, IntervalRecord) and record.phase == "window":
                seconds.append(record)
            elif isinstance(record, EndRecord):
                ends.append(record)

        with load_process(self.host, self.generator, order, self.cpus, _LONGEST_S) as process:
            read_records(process, take)
        if not seconds or ends[-1].status != "complete":
            why = ends[-1].reason if ends else "the load generator reported no second"
            raise MeasureError(f"calibrating with {connections} connections over the {route} failed", why)
        point = point_of(route, workload, connections, rate_per_s, seconds)
        self.done += 1
        if self.on_point:
            self.on_point(point, self.done, self.total)
        return point


def point_of(
    route: str, workload: str, connections: int, rate_per_s: float | None, seconds: Sequence[IntervalRecord]
) -> CalibrationPoint:
    """Return what the seconds of a stretch say."""
    time_s = sum(interval.duration_ns for interval in seconds) / 1e9
    events = sum(counts.completed for interval in seconds for counts in interval.transactions.values())
    statements = sum(interval.reads + interval.writes + interval.others for interval in seconds)
    workers = [worker for interval in seconds for worker in interval.workers]
    return CalibrationPoint(
        route=route,
        workload=workload,
        connections=connections,
        rate_per_s=rate_per_s,
        events_per_s=events / time_s,
        statements_per_s=statements / time_s,
        busy_share=min(sum(worker.busy_ns for worker in workers) / time_s / 1e9, 1.0),
        wait_share=sum(worker.cpu_wait_ns for worker in workers) / time_s / 1e9,
        cpu_ns_per_statement=sum(worker.cpu_ns for worker in workers) / max(statements, 1),
        wake_batch=statements / max(sum(worker.wake_ups for worker in workers), 1),
    )


def _order(
    target: dict[str, JsonValue],
    workload: str,
    connections: int,
    rate_per_s: float | None,
    cpus: tuple[int, ...] | None,
) -> dict[str, JsonValue]:
    pacing: dict[str, JsonValue] = {"kind": "closed"}
    if rate_per_s is not None:
        pacing = {"kind": "fixed-rate", "rate_per_s": rate_per_s, "arrivals": "poisson"}
    phases = [("warm-up", 1), ("window", _POINT_S - 1)]
    return {
        "schema_version": 1,
        "target": target,
        "workload": {"name": workload, "options": {"tables": 1, "table_size": 10_000}},
        "protocol": "prepared",
        "rng": "dbdyno",
        "seed": 1,
        "concurrency": connections,
        "workers": 1,
        "cpus": list(cpus) if cpus else None,
        "pacing": pacing,
        "phases": [{"name": name, "duration_ns": seconds * 10**9} for name, seconds in phases],
        "errors": {"ignore": [], "rollback_first": False, "retry_limit": 0},
        "drain_ns": 10**9,
    }
