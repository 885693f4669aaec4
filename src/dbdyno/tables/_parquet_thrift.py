"""Reads and writes Thrift's compact protocol, as Parquet's footer and page heads use it.

A struct is a dict of values by field number, a list a list; names are the reader's business.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

Struct = dict[int, Any]
_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)
_VERSION_HEAD, _SCHEMA_HEAD = 1 << 4 | _I32, 1 << 4 | _LIST


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a number of seven bits a byte, least first, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("a number of more than 64 bits")


def varint(value: int) -> bytes:
    """Return a number as `read_varint` reads it.

    >>> read_varint(varint(300), 0)
    (300, 2)
    """
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def read_struct(data: bytes, at: int, field: int = 0) -> tuple[Struct, int]:
    """Return a struct and where it ends.

    Parameters
    ----------
    field : number of the field that ends before `at`; 0 at the start of the struct

    Raises
    ------
    ValueError, IndexError : it is damaged, or goes on behind the data
    """
    fields: Struct = {}
    while head := data[at]:
        at += 1
        if head >> 4:
            field += head >> 4
        else:
            field, at = _read_signed(data, at)
        kind = head & 0x0F
        # The footers of a thousand files hold a million values: the frequent types are read inline, without a call.
        if _I16 <= kind <= _I64:
            value = data[at]
            if value < 0x80:
                at += 1
            else:
                value, at = read_varint(data, at)
            fields[field] = (value >> 1) ^ -(value & 1)
        elif kind == _STRUCT:
            fields[field], at = read_struct(data, at)
        elif kind == _LIST:
            fields[field], at = _read_list(data, at)
        elif kind in (_TRUE, _FALSE):
            fields[field] = kind == _TRUE
        else:
            fields[field], at = _read_value(data, at, kind)
    return fields, at + 1


def schema_end(footer: bytes) -> int | None:
    """Return where the schema of a whole footer ends; None where another field than the version is before it."""
    if footer[0] != _VERSION_HEAD:
        return None
    _, at = read_varint(footer, 1)
    return _read_list(footer, at + 1)[1] if footer[at] == _SCHEMA_HEAD else None


def _read_signed(data: bytes, at: int) -> tuple[int, int]:
    value, at = read_varint(data, at)
    return (value >> 1) ^ -(value & 1), at


def _read_value(data: bytes, at: int, kind: int) -> tuple[Any, int]:
    if kind == _BINARY:
        length, at = read_varint(data, at)
        if at + length > len(data):
            raise ValueError("a text extends beyond the end")
        return data[at : at + length], at + length
    if _I16 <= kind <= _I64:
        return _read_signed(data, at)
    if kind == _STRUCT:
        return read_struct(data, at)
    if kind in (_LIST, _SET):
        return _read_list(data, at)
    if kind in (_TRUE, _FALSE, _BYTE):
        return data[at], at + 1
    if kind == _DOUBLE:
        return struct.unpack_from("<d", data, at)[0], at + 8
    raise ValueError(f"a value of unknown kind {kind}")  # also maps, which Parquet does not use


def _read_list(data: bytes, at: int) -> tuple[list[Any], int]:
    count, kind = data[at] >> 4, data[at] & 0x0F
    at += 1
    if count == 15:
        count, at = read_varint(data, at)
    values = []
    for _ in range(count):
        value, at = read_struct(data, at) if kind == _STRUCT else _read_value(data, at, kind)
        values.append(value)
    return values, at


def struct_bytes(fields: Mapping[int, Any]) -> bytes:
    """Return a struct of whole numbers (as 64 bits), bytes, structs and lists of them; `I32` where a field is narrower.

    >>> read_struct(struct_bytes({1: I32(2), 3: [b"a"], 20: {1: 5}}), 0)[0]
    {1: 2, 3: [b'a'], 20: {1: 5}}
    """
    chunks = []
    last_field = 0
    for field, value in fields.items():
        kind = _thrift_kind(value)
        step = field - last_field
        chunks.append(bytes([step << 4 | kind]) if 0 < step < 16 else bytes([kind]) + _zigzag_bytes(field))
        chunks.append(_value_bytes(value))
        last_field = field
    return b"".join(chunks) + b"\0"


class I32(int):
    """Represents a number that the format wants as 32 bits."""


def _thrift_kind(value: object) -> int:
    if isinstance(value, int):
        return _I32 if isinstance(value, I32) else _I64
    if isinstance(value, bytes):
        return _BINARY
    return _STRUCT if isinstance(value, Mapping) else _LIST


def _zigzag_bytes(value: int) -> bytes:
    return varint(value << 1 if value >= 0 else (-value << 1) - 1)


def _value_bytes(value: int | bytes | Mapping[int, Any] | Sequence[Any]) -> bytes:
    if isinstance(value, int):
        return _zigzag_bytes(value)
    if isinstance(value, bytes):
        return varint(len(value)) + value
    if isinstance(value, Mapping):
        return struct_bytes(value)
    kind = _thrift_kind(value[0]) if value else _STRUCT
    head = bytes([len(value) << 4 | kind]) if len(value) < 15 else bytes([0xF0 | kind]) + varint(len(value))
    return head + b"".join(map(_value_bytes, value))
