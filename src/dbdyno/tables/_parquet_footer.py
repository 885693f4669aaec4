"""Reads a Parquet file's footer: its columns, each with its type and where its values stand."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any, Literal

from dbdyno.tables._parquet_thrift import Struct, read_struct, schema_end

MAGIC = b"PAR1"
BOOLEAN, INT32, INT64, INT96, FLOAT, DOUBLE, BYTE_ARRAY, FIXED = range(8)
UTF8, ENUM, DECIMAL, UINT_8, UINT_64, INT_8, INT_64, JSON = 0, 4, 5, 11, 14, 15, 18, 19
_NESTED, _REQUIRED = "lists or groups", 0
_STRING, _LOGICAL_DECIMAL, _INTEGER, _NULL = 1, 5, 10, 11  # field numbers in the union of logical types
_TYPES = ("flags", "integers", "integers", "times", "numbers", "numbers", "bytes", "bytes")
_MOST_SCHEMAS = 8
ColumnMeaning = Literal["number", "unsigned", "text", "nothing"]


@dataclass(frozen=True, slots=True)
class StoredColumn:
    """Describes a column of the file.

    Parameters
    ----------
    meaning : what its values are; what else it holds in words, if neither numbers nor texts
    type : physical type
    width : bytes of a value of fixed length
    divisor : what a decimal is divided by
    is_optional : whether values can be unknown
    leaf : place of its chunks among those of a group of rows
    """

    name: str
    meaning: ColumnMeaning | str
    type: int
    width: int
    divisor: int
    is_optional: bool
    leaf: int


@dataclass(frozen=True, slots=True)
class Footer:
    """Describes the columns of a file and the number of its rows.

    Parameters
    ----------
    groups : metadata of the groups of rows
    """

    columns: tuple[StoredColumn, ...]
    rows_count: int
    groups: tuple[Struct, ...]

    def chunks(self, column: StoredColumn) -> tuple[Struct, ...]:
        """Return the metadata of a column's part in each group of rows."""
        return tuple(group[1][column.leaf][3] for group in self.groups)


_columns_by_schema: dict[bytes, tuple[StoredColumn, ...]] = {}
"""Columns by the bytes with which a footer begins. Files of one kind share them, and a study has thousands of files."""


def read_footer(content: bytes) -> Footer:
    """Return the footer of a file.

    Raises
    ------
    ValueError, IndexError, KeyError, TypeError, AttributeError : it is not Parquet, or damaged
    """
    length = struct.unpack("<I", content[-8:-4])[0] if len(content) > 12 else 0
    if not content.startswith(MAGIC) or not content.endswith(MAGIC) or not 0 < length <= len(content) - 12:
        raise ValueError("it is not Parquet, or truncated")
    data = content[len(content) - 8 - length : -8]
    for start, columns in _columns_by_schema.items():
        if data.startswith(start):
            fields, _ = read_struct(data, len(start), 2)
            return Footer(columns, fields[3], tuple(fields.get(4, ())))
    fields, _ = read_struct(data, 0)
    columns = _stored_columns(fields[2])
    end = schema_end(data)
    if end is not None:
        if len(_columns_by_schema) >= _MOST_SCHEMAS:
            _columns_by_schema.clear()
        _columns_by_schema[data[:end]] = columns
    return Footer(columns, fields[3], tuple(fields.get(4, ())))


def _stored_columns(schema: list[Struct]) -> tuple[StoredColumn, ...]:
    root, *elements = schema
    columns = []
    place = leaf = 0
    for _ in range(root.get(5, 0)):
        end, leaves = _column_end_and_leaves(elements, place)
        columns.append(_stored_column(elements[place], leaf))
        place, leaf = end, leaf + leaves
    return tuple(columns)


def _column_end_and_leaves(elements: list[Any], index: int) -> tuple[int, int]:
    """Return where the elements of a column end, and how many of them hold values."""
    open_count, leaves = 1, 0
    while open_count:
        children = elements[index].get(5, 0)
        open_count += children - 1
        leaves += 0 if children else 1
        index += 1
    return index, leaves


def _stored_column(element: Struct, leaf: int) -> StoredColumn:
    is_plain = not element.get(5) and element.get(3, _REQUIRED) < 2  # 2: repeated
    decimals = (
        element.get(7, 0) if element.get(6) == DECIMAL else element.get(10, {}).get(_LOGICAL_DECIMAL, {}).get(1, 0)
    )
    return StoredColumn(
        name=element[4].decode(),
        meaning=_column_meaning(element) if is_plain else _NESTED,
        type=element.get(1, -1),
        width=element.get(2, 0),
        divisor=10 ** min(max(decimals, 0), 76),
        is_optional=element.get(3, _REQUIRED) != _REQUIRED,
        leaf=leaf,
    )


def _column_meaning(element: Struct) -> ColumnMeaning | str:
    kind, converted_type, logical = element[1], element.get(6), element.get(10, {})
    if _NULL in logical:
        return "nothing"
    if kind == BYTE_ARRAY and (converted_type in (UTF8, ENUM, JSON) or _STRING in logical):
        return "text"
    is_decimal = converted_type == DECIMAL or _LOGICAL_DECIMAL in logical
    if kind in (INT32, INT64, FLOAT, DOUBLE, BYTE_ARRAY, FIXED) and is_decimal:
        return "number"
    if kind in (INT32, INT64):
        is_unsigned = converted_type is not None and UINT_8 <= converted_type <= UINT_64
        is_integer = converted_type is None or UINT_8 <= converted_type <= INT_64
        return "unsigned" if is_unsigned else "number" if is_integer and set(logical) <= {_INTEGER} else "times"
    return "number" if kind in (FLOAT, DOUBLE) else _TYPES[kind]
