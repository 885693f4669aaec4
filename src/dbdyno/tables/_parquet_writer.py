"""Writes tables as Parquet: one group of rows, one page per column, zstd."""

from __future__ import annotations

import struct
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbdyno.tables._parquet_codecs import ZSTD, packed_zstd
from dbdyno.tables._parquet_footer import BYTE_ARRAY, DOUBLE, INT64, MAGIC, UTF8
from dbdyno.tables._parquet_levels import levels_bytes
from dbdyno.tables._parquet_thrift import I32, Struct, struct_bytes
from dbdyno.tables._table import Column, Table, Texts

_OPTIONAL = I32(1)
_DATA, _DICTIONARY = I32(0), I32(2)
_PLAIN, _RLE, _RLE_DICTIONARY = I32(0), I32(3), I32(8)
_FLAGS = I32(0)


def parquet_bytes(table: Table, whole: Collection[str] = ()) -> bytes:
    """Return a Parquet file. Texts that repeat get a dictionary; numbers seldom repeat.

    Parameters
    ----------
    whole : columns of whole numbers, also where NaN stands for those that are not known
    """
    columns = [_Pages.of(name, column, name in whole) for name, column in table.columns.items()]
    blocks, chunks, position = [MAGIC], [], len(MAGIC)
    for column in columns:
        content = b"".join(column.pages)
        chunks.append(column.chunk(position, len(table)))
        blocks.append(content)
        position += len(content)
    group = {1: chunks, 2: sum(column.unpacked_bytes for column in columns), 3: len(table)}
    root = {4: b"table", 5: I32(len(columns))}
    fields = {1: I32(1), 2: [root, *(column.element for column in columns)], 3: len(table), 4: [group], 6: b"dbdyno"}
    footer = struct_bytes(fields)
    return b"".join([*blocks, footer, struct.pack("<I", len(footer)), MAGIC])


@dataclass(frozen=True, slots=True)
class _Pages:
    """Describes a column as it stands in the file.

    Parameters
    ----------
    type : physical type
    pages : its dictionary, where it has one, and its values; each with its head
    unpacked_bytes : of all pages, with their heads
    """

    name: str
    type: int
    pages: tuple[bytes, ...]
    unpacked_bytes: int

    @classmethod
    def of(cls, name: str, column: Column, is_whole: bool) -> _Pages:
        """Return the pages of a column."""
        if isinstance(column, Texts):
            return cls._from_texts(name, column)
        is_known = ~np.isnan(column) if column.dtype.kind == "f" else np.ones(len(column), dtype=np.bool_)
        is_whole = is_whole or column.dtype.kind == "i"
        values = column[is_known].astype("<i8" if is_whole else "<f8")
        page = _data_page(is_known, values.tobytes(), _PLAIN)
        return cls(name, INT64 if is_whole else DOUBLE, (page[0],), page[1])

    @classmethod
    def _from_texts(cls, name: str, column: Texts) -> _Pages:
        is_known = column.codes >= 0
        codes, names = column.codes[is_known], [name.encode() for name in column.names]
        if 2 * len(names) > len(codes):
            page = _data_page(is_known, _plain_bytes([names[code] for code in codes.tolist()]), _PLAIN)
            return cls(name, BYTE_ARRAY, (page[0],), page[1])
        bits = max((len(names) - 1).bit_length(), 1)
        head = {1: I32(len(names)), 2: _PLAIN}
        dictionary = _page(_DICTIONARY, 7, head, _plain_bytes(names))
        page = _data_page(is_known, bytes([bits]) + levels_bytes(codes, bits), _RLE_DICTIONARY)
        return cls(name, BYTE_ARRAY, (dictionary[0], page[0]), dictionary[1] + page[1])

    @property
    def element(self) -> Struct:
        """Of the schema."""
        element: Struct = {1: I32(self.type), 3: _OPTIONAL, 4: self.name.encode()}
        return element | ({6: I32(UTF8), 10: {1: {}}} if self.type == BYTE_ARRAY else {})

    def chunk(self, at: int, rows_count: int) -> Struct:
        """Return the chunk of the group of rows, where the pages begin at a place of the file."""
        encodings = [_PLAIN, _RLE, *([_RLE_DICTIONARY] if len(self.pages) > 1 else [])]
        meta: dict[int, Any] = {1: I32(self.type), 2: encodings, 3: [self.name.encode()], 4: I32(ZSTD), 5: rows_count}
        meta |= {6: self.unpacked_bytes, 7: sum(map(len, self.pages)), 9: at}
        if len(self.pages) > 1:
            meta |= {9: at + len(self.pages[0]), 11: at}
        return {2: at, 3: meta}


def _plain_bytes(texts: list[bytes]) -> bytes:
    return b"".join(chunk for text in texts for chunk in (struct.pack("<I", len(text)), text))


def _data_page(is_known: NDArray[np.bool_], values: bytes, encoding: int) -> tuple[bytes, int]:
    levels = levels_bytes(is_known.astype(np.int64), 1)
    head = {1: I32(len(is_known)), 2: encoding, 3: _RLE, 4: _RLE}
    return _page(_DATA, 5, head, struct.pack("<I", len(levels)) + levels + values)


def _page(kind: int, field: int, head: Struct, content: bytes) -> tuple[bytes, int]:
    """Return a page with its head, and the size of both with the content unpacked."""
    packed = packed_zstd(content)
    header_bytes = struct_bytes({1: kind, 2: I32(len(content)), 3: I32(len(packed)), field: head})
    return header_bytes + packed, len(header_bytes) + len(content)
