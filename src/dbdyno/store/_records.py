"""A run's record as JSON and back."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from dbdyno.core import DecodeError, RunRecord, decode
from dbdyno.store._files import JsonValue

_SIGNED = frozenset({"change"})
"""Of a record's numbers those that can be below zero."""
_PLAIN = tuple(
    field.name
    for field in dataclasses.fields(RunRecord)
    if field.name
    not in ("run", "latency_ns", "errors", "types", "orders", "imported", "course", "step", "caveats", "settled")
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
        "step": None if record.step is None else dataclasses.asdict(record.step),
        "settled": None if record.settled is None else dataclasses.asdict(record.settled),
        "caveats": [dataclasses.asdict(caveat) for caveat in record.caveats],
    }


def record_from_json(row: Mapping[str, Any]) -> RunRecord:
    """The record of `record_to_json`. Fields unknown to this version are ignored: records grow.

    Raises
    ------
    DecodeError : a field is missing, of another type, or a number that no run can have; with its JSON pointer
    """
    _refuse_negative(row, ())
    return decode(RunRecord, row)


def _refuse_negative(value: Any, at: tuple[str, ...]) -> None:  # noqa: ANN401 - foreign JSON
    """Times, counts, sizes and rates are never below zero."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            if key not in _SIGNED:
                _refuse_negative(part, (*at, str(key)))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            _refuse_negative(part, (*at, str(index)))
    elif isinstance(value, int | float) and value < 0:
        raise DecodeError(f"/{'/'.join(at)}: {value:g} is below zero")
