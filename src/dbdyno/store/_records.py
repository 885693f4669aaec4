"""A run's record as JSON and back."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from dbdyno.core import Caveat, Cell, LatencyNs, OrderRates, Run, RunCourse, RunRecord, ToolFigures, TypeFigures
from dbdyno.store._files import JsonValue

_PLAIN = tuple(
    field.name
    for field in dataclasses.fields(RunRecord)
    if field.name not in ("run", "latency_ns", "errors", "types", "orders", "imported", "course", "caveats")
)


def record_to_json(record: RunRecord) -> dict[str, JsonValue]:
    """Everything of a record, nested as the dataclasses are; ``cell_id`` and ``run_id`` written out for readers."""
    plain: dict[str, JsonValue] = {name: getattr(record, name) for name in _PLAIN}
    latency = None if record.latency_ns is None else dataclasses.asdict(record.latency_ns)
    return {
        "run_id": record.run.run_id,
        "cell_id": record.run.cell.cell_id,
        "run": dataclasses.asdict(record.run),
        **plain,
        "latency_ns": latency,
        "errors": dict(record.errors),
        "types": [dataclasses.asdict(figures) for figures in record.types],
        "orders": None if record.orders is None else dataclasses.asdict(record.orders),
        "imported": None if record.imported is None else dataclasses.asdict(record.imported),
        "course": None if record.course is None else dataclasses.asdict(record.course),
        "caveats": [dataclasses.asdict(caveat) for caveat in record.caveats],
    }


def record_from_json(row: Mapping[str, Any]) -> RunRecord:
    """The record of `record_to_json`. Fields unknown to this version are ignored: records grow."""
    run = dict(row["run"])
    cell = Cell(**_known(Cell, run.pop("cell")))
    orders, imported = row.get("orders"), row.get("imported")
    return RunRecord(
        run=Run(cell=cell, **_known(Run, run)),
        latency_ns=_latency(row["latency_ns"]),
        errors=dict(row["errors"]),
        types=tuple(_type_figures(figures) for figures in row.get("types", ())),
        orders=None if orders is None else OrderRates(**_known(OrderRates, orders)),
        imported=None if imported is None else ToolFigures(**_known(ToolFigures, imported)),
        course=_course(row.get("course")),
        caveats=tuple(Caveat(**_known(Caveat, caveat)) for caveat in row["caveats"]),
        **{name: row[name] for name in _PLAIN if name in row},
    )


def _type_figures(row: Mapping[str, Any]) -> TypeFigures:
    return TypeFigures(**{**_known(TypeFigures, row), "latency_ns": _latency(row["latency_ns"])})


def _course(row: Mapping[str, Any] | None) -> RunCourse | None:
    if row is None:
        return None
    lists = {name: tuple(value) for name, value in row.items() if isinstance(value, list | tuple)}
    return RunCourse(**_known(RunCourse, {**row, **lists}))


def _latency(row: Mapping[str, Any] | None) -> LatencyNs | None:
    return None if row is None else LatencyNs(**_known(LatencyNs, row))


def _known(kind: type, values: Mapping[str, Any]) -> dict[str, Any]:
    names = {field.name for field in dataclasses.fields(kind)}
    return {name: value for name, value in values.items() if name in names}
