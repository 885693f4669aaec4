"""Holds what the load generator can do on one machine, measured against its own null server: cost curve and file.

At low load each statement costs a sleep and a wake-up, at high load one wake-up serves many: a worker that is busy for
a third of the time does far less than a third of what it could. The curve, measured against the null server, says how
much less.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dbdyno.core import HostError, decode, json_value, read_input_text


@dataclass(frozen=True, slots=True)
class CostCurve:
    """Busy share of a worker -> share of its ceiling, both 0 to 1; neither falls.

    Parameters
    ----------
    busy, used : of the measured points, ascending, from (0, 0) to (1, 1)
    """

    busy: tuple[float, ...] = (0.0, 1.0)
    used: tuple[float, ...] = (0.0, 1.0)

    @classmethod
    def through(cls, points: Iterable[tuple[float, float]]) -> CostCurve:
        """Return the curve through measured points of busy share and share of the ceiling.

        A point that lies above a later one is noise: the curve is raised to it. None lies above the diagonal: a
        worker can't have done more of what it can do than it was busy.
        """
        inner_points = sorted(
            (busy_share, min(use_share, busy_share)) for busy_share, use_share in points if 0.0 < busy_share < 1.0
        )
        busy_shares = (0.0, *(point[0] for point in inner_points), 1.0)
        use_shares = np.maximum.accumulate([0.0, *(point[1] for point in inner_points), 1.0])
        return cls(busy_shares, tuple(float(share) for share in use_shares))

    def used_share(self, busy_share: float) -> float:
        """Return the share of the ceiling.

        >>> CostCurve.through([(0.3, 0.1)]).used_share(0.3), CostCurve().used_share(0.3)
        (0.1, 0.3)
        """
        return float(np.interp(busy_share, self.busy, self.used))


DIAGONAL = CostCurve()
"""Without a calibration the busy share stands for itself: too high at low load, right at full load."""


SCHEMA_VERSION = 1
FILE = "calibration.json"
CURVE_CONNECTIONS = 64
_HELD = 0.98


@dataclass(frozen=True, slots=True)
class CalibrationKey:
    """Describes what a calibration is true of: another machine, kernel or load generator needs its own."""

    cpu_model: str
    logical_cpu_count: int
    kernel: str
    generator: str


@dataclass(frozen=True, slots=True)
class CalibrationPoint:
    """Describes one worker of the load generator against the null server, for one stretch.

    Parameters
    ----------
    rate_per_s : events asked for; None: as many as it can
    wake_batch : statements answered per wake-up
    """

    route: str
    workload: str
    connections: int
    rate_per_s: float | None
    events_per_s: float
    statements_per_s: float
    busy_share: float
    wait_share: float
    cpu_ns_per_statement: float
    wake_batch: float

    @property
    def is_full_speed(self) -> bool:
        """Return whether it was driven as fast as it could be."""
        return self.rate_per_s is None

    @property
    def full_statements_per_s(self) -> float:
        """Return what the worker would do if it were never idle: the null server, too, takes its time."""
        return self.statements_per_s / self.busy_share if self.busy_share else 0.0


@dataclass(frozen=True, slots=True)
class Calibration:
    """Holds points of one machine.

    Parameters
    ----------
    created_ns : Unix time
    is_quick : made from few points, such as before a first study
    pinned_apart : null server and worker had separate processors
    """

    key: CalibrationKey
    created_ns: int
    is_quick: bool
    pinned_apart: bool
    points: tuple[CalibrationPoint, ...]

    def ceiling(self, route: str, workload: str) -> float | None:
        """Return statements per second of one worker with `CURVE_CONNECTIONS` connections, at full speed; else None."""
        full_speed_points = [point for point in self._points_of(route, workload) if point.is_full_speed]
        points = [point for point in full_speed_points if point.connections == CURVE_CONNECTIONS]
        return points[0].full_statements_per_s if points else None

    def curve(self, route: str, workload: str) -> CostCurve | None:
        """Return the cost curve for a route and the measured workload nearest to `workload`; None without one."""
        ceiling = self.ceiling(route, workload)
        if not ceiling:
            return None
        points = [
            point for point in self._points_of(route, workload) if not point.is_full_speed and _has_reached_rate(point)
        ]
        return CostCurve.through((point.busy_share, point.statements_per_s / ceiling) for point in points)

    def _points_of(self, route: str, workload: str) -> list[CalibrationPoint]:
        route_points = [point for point in self.points if point.route == route]
        workload_points = [point for point in route_points if point.workload == workload]
        if workload_points or not route_points:
            return workload_points
        # Events of one statement form a kind; all others resemble the mix more.
        fallback = route_points[-1].workload
        return [point for point in route_points if point.workload == fallback]


def _has_reached_rate(point: CalibrationPoint) -> bool:
    return point.rate_per_s is not None and point.events_per_s >= _HELD * point.rate_per_s


def read_calibration(root: Path, key: CalibrationKey) -> Calibration | None:
    """Return the calibration kept below `root`; None when there is none, or none of this machine and load generator."""
    try:
        row = decode(dict[str, Any], json_value(read_input_text(root / FILE)))
        if row.get("schema_version") != SCHEMA_VERSION:
            return None
        calibration = decode(Calibration, row)
    except (OSError, ValueError):
        return None  # it can be measured again at any time: a damaged one counts as missing
    return calibration if calibration.key == key else None


def write_calibration(root: Path, calibration: Calibration) -> Path:
    """Keep a calibration; its file.

    Raises
    ------
    HostError : the folder can't be written
    """
    path = root / FILE
    temporary = path.with_name(f".{FILE}.{os.getpid()}")
    try:
        root.mkdir(parents=True, exist_ok=True)
        temporary.write_text(json.dumps(calibration_to_json(calibration), indent=1) + "\n", encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        why = error.strerror or str(error)
        raise HostError(f"{path} can't be written", why, "choose another place with DBDYNO_HOME") from error
    return path


def calibration_to_json(calibration: Calibration) -> dict[str, object]:
    """Return the calibration as an object, with the ceilings that follow from its points."""
    pairs = dict.fromkeys((point.route, point.workload) for point in calibration.points)
    return {
        "schema_version": SCHEMA_VERSION,
        **dataclasses.asdict(calibration),
        "ceilings": [
            {"route": route, "workload": workload, "statements_per_s": calibration.ceiling(route, workload)}
            for route, workload in pairs
        ],
    }
