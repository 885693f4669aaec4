"""Writes a history as files that Apache Otava (formerly Hunter) reads: a CSV per series, one configuration.

YAML holds all of JSON, so scalars are written as JSON strings and no name of a target can be anything but text.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

from dbdyno.analyse import CellHistory, HistoryPoint, Measure
from dbdyno.core import Cell
from dbdyno.report._format import clock_time
from dbdyno.report._write_atomic import write_atomic
from dbdyno.report.history._gather import History

CONFIGURATION = "otava.yaml"
GROUP = "dbdyno"
MEASURES: tuple[Measure, ...] = ("tps", "p50", "p95", "p99")
_COLUMNS = {"tps": "throughput_tps", "p50": "latency_p50_ms", "p95": "latency_p95_ms", "p99": "latency_p99_ms"}
_DAY_NS = 86_400 * 10**9
_READ_DAYS = 300  # Otava reads the last year by default


def save_otava(history: History, folder: Path) -> list[Path]:
    """Write the configuration and a table for each series of two points or more; the files that were written.

    Parameters
    ----------
    history : with all of `MEASURES`

    Raises
    ------
    StoreError : a file can't be written
    """
    series = [cell for cell in history.cells["tps"] if len(cell.points) > 1]
    tests, paths = [], []
    for cell in series:
        columns = _complete_columns(history, cell)
        name = cell.cell.cell_id
        paths.append(write_atomic(folder / f"{name}.csv", _table_text(history, cell, columns).encode()))
        tests.append(_test_text(name, list(columns)))
    return [write_atomic(folder / CONFIGURATION, _configuration_text(history, tests).encode()), *paths]


def _complete_columns(history: History, cell: CellHistory) -> dict[Measure, dict[tuple[int, Cell], HistoryPoint]]:
    """Return measures that every study of the series has: a table of Otava's has no gaps."""
    point_keys = [(point.study, point.cell) for point in cell.points]
    points_by_measure = {}
    for measure in MEASURES:
        points = {
            (point.study, point.cell): point
            for other_cell in history.cells[measure]
            if other_cell.cell == cell.cell
            for point in other_cell.points
        }
        if all(key in points for key in point_keys):
            points_by_measure[measure] = points
    return points_by_measure


def _table_text(
    history: History, cell: CellHistory, columns: dict[Measure, dict[tuple[int, Cell], HistoryPoint]]
) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["time", "study", "measured", "version", *(_COLUMNS[measure] for measure in columns)])
    for number, point in enumerate(cell.points):
        study = history.studies[point.study]
        values = [_value_text(measure, points[point.study, point.cell]) for measure, points in columns.items()]
        time = study.at_ns if history.order == "date" else _pseudo_time_ns(history, len(cell.points) - 1 - number)
        writer.writerow([clock_time(time), study.label, clock_time(study.at_ns), point.version, *values])
    return text.getvalue()


def _pseudo_time_ns(history: History, back: int) -> int:
    """Return a made-up time for an order that is none of time: a day per step, or less to fit Otava's range."""
    max_points = max(len(cell.points) for cell in history.cells["tps"])
    return history.studies[-1].at_ns - back * min(_DAY_NS, _READ_DAYS * _DAY_NS // max_points)


def _value_text(measure: Measure, point: HistoryPoint) -> str:
    return f"{point.value:.6g}" if measure == "tps" else f"{point.value / 1e6:.6g}"


def _test_text(name: str, measures: Sequence[Measure]) -> str:
    lines = [
        f"  {json.dumps(name)}:",
        "    type: csv",
        f"    file: {json.dumps(f'{name}.csv')}",
        "    time_column: time",
        "    attributes: [study, measured, version]",
        "    metrics:",
    ]
    for measure in measures:
        direction = 1 if measure == "tps" else -1
        column = _COLUMNS[measure]
        lines.append(f"      {json.dumps(f'{name}.{column}')}: {{column: {column}, direction: {direction}}}")
    return "\n".join(lines)


def _configuration_text(history: History, tests: Sequence[str]) -> str:
    names = [test.splitlines()[0].strip().removesuffix(":") for test in tests]
    order = "Times are those of the studies; older than a year: --since DATE."
    if history.order == "version":
        order = "Otava orders by time: one day stands for a step in the order of versions; see the column measured."
    head = [
        "# Written by dbdyno history --format otava. In this folder:",
        f"#   OTAVA_CONFIG={CONFIGURATION} otava analyze {GROUP}",
        f"# {order}",
        "tests:",
    ]
    return "\n".join([*head, *tests, "test_groups:", f"  {GROUP}: [{', '.join(names)}]", ""])
