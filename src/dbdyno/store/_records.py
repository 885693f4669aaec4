"""Converts a run's record to JSON and back."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from dbdyno.core import DecodeError, RunRecord, decode, stored_values
from dbdyno.store._files import JsonValue

_SIGNED = frozenset({"change"})
"""Of a record's numbers those that can be below zero."""


def record_to_json(record: RunRecord) -> dict[str, JsonValue]:
    """Return everything of a record; ``cell_id`` and ``run_id`` written out for readers.

    Nested as the dataclasses are, except for the parts that are stored flat: see `dbdyno.core.FLAT`.
    """
    return {"run_id": record.run.run_id, "cell_id": record.run.cell.cell_id, **_encode(record)}


def _encode(value: Any) -> Any:  # noqa: ANN401 - what a record holds
    """Encode a value: the inverse of `decode`. As `dataclasses.asdict`, which takes no mapping but a dictionary."""
    if dataclasses.is_dataclass(value):
        return {name: _encode(part) for name, part in stored_values(value)}
    if isinstance(value, Mapping):
        return {key: _encode(part) for key, part in value.items()}
    return [_encode(part) for part in value] if isinstance(value, tuple | list) else value


def record_from_json(row: Mapping[str, Any]) -> RunRecord:
    """Return the record of `record_to_json`. Fields unknown to this version are ignored: records grow.

    Raises
    ------
    DecodeError : a field is missing, of another type, or a number that no run can have; with its JSON pointer
    """
    if not _is_never_negative(row):
        _refuse_negative(row, ())
    return decode(RunRecord, row)


def _is_never_negative(row: Any) -> bool:  # noqa: ANN401 - foreign JSON
    """Check as `_refuse_negative`, level by level, without places: records are read by the thousand."""
    parts = [row]
    while parts:
        inner_parts: list[Any] = []
        for part in parts:
            kind = type(part)
            if kind is dict:
                inner_parts += part.values() if _SIGNED.isdisjoint(part) else _unsigned_parts(part)
            elif kind is list:
                inner_parts += part
            elif kind in (int, float) and part < 0:
                return False
        parts = inner_parts
    return True


def _unsigned_parts(table: Mapping[str, Any]) -> list[Any]:
    return [part for key, part in table.items() if key not in _SIGNED]


def _refuse_negative(value: Any, place: tuple[str, ...]) -> None:  # noqa: ANN401 - foreign JSON
    """Refuse times, counts, sizes and rates below zero."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            if key not in _SIGNED:
                _refuse_negative(part, (*place, str(key)))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            _refuse_negative(part, (*place, str(index)))
    elif isinstance(value, int | float) and value < 0:
        raise DecodeError(f"/{'/'.join(place)}: {value:g} is below zero")
