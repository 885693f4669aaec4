"""Stores a nested part of a dataclass flat: the part's own fields stand in its place, under their own names.

A value with many fields reads better in parts, yet its file and its table keep one level of names. A field marked with
`FLAT` is such a part. What is stored is derived from the dataclasses alone, in the order of their fields.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

FLAT: Mapping[str, bool] = MappingProxyType({"is_flat": True})
"""Metadata of a field that is stored flat. Its type is a dataclass, and each field of that has a default."""


def is_flat(field: dataclasses.Field[Any]) -> bool:
    """Return whether the field is stored flat."""
    return bool(field.metadata.get("is_flat"))


def stored_values(value: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - any dataclass
    """Yield names and values of a dataclass as stored; the values themselves are not converted."""
    for field in dataclasses.fields(value):
        if is_flat(field):
            yield from stored_values(getattr(value, field.name))
        else:
            yield field.name, getattr(value, field.name)


def stored_fields(kind: Any) -> Iterator[tuple[dataclasses.Field[Any], Any]]:  # noqa: ANN401 - any dataclass
    """Yield fields of a dataclass as stored, each with its type."""
    hints = typing.get_type_hints(kind)
    for field in dataclasses.fields(kind):
        if is_flat(field):
            yield from stored_fields(hints[field.name])
        else:
            yield field, hints[field.name]
