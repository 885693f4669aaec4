"""Reads number and text columns of any Parquet file: plain or by dictionary; zstd, gzip or Snappy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbdyno.tables._parquet_codecs import UNCOMPRESSED, unpacked
from dbdyno.tables._parquet_footer import BYTE_ARRAY, DOUBLE, FIXED, FLOAT, INT32, INT64, StoredColumn, read_footer
from dbdyno.tables._parquet_levels import are_all_one, read_levels
from dbdyno.tables._parquet_thrift import Struct, read_struct
from dbdyno.tables._table import Column, Table, Texts, holds_nan, joined_column

_DATA, _DICTIONARY, _DATA_2 = 0, 2, 3
_PLAIN, _PLAIN_DICTIONARY, _RLE_DICTIONARY = 0, 2, 8
_MOST_PAGE_BYTES = 1 << 28
_WIDE = {INT32: "<i4", INT64: "<i8", FLOAT: "<f4", DOUBLE: "<f8"}
_UNSIGNED = {INT32: "<u4", INT64: "<u8"}
_MOST_SHARED_BYTES, _MOST_SHARED_ROWS, _MOST_SHARED = 2048, 20_000, 256
"""Of a column in its file, of its values, and of columns that are kept: 40 MB of numbers."""
Values = Texts | NDArray[Any]
_shared_columns: dict[tuple[object, ...], Column] = {}


def read_parquet(
    content: bytes, *, most_rows: int, choose: Callable[[list[str]], list[str]] | None = None, is_nan_known: bool = True
) -> Table:
    """Return the table of a file.

    Parameters
    ----------
    most_rows : a file with more is refused: one value over a billion rows takes a few bytes
    choose : which of the file's columns are wanted; all when not given
    is_nan_known : whether NaN is a value, which no column may hold, or another way to say that nothing is known

    Raises
    ------
    ValueError : not Parquet, damaged, too many rows, a column of neither numbers nor texts, NaN
    """
    try:
        footer = read_footer(content)
        if footer.rows_count > most_rows:
            raise ValueError(f"it holds more than {most_rows:,} rows: {footer.rows_count:,}")
        column_by_name = {column.name: column for column in footer.columns}
        names = [column.name for column in footer.columns]
        chosen_columns = [column_by_name[name] for name in (names if choose is None else choose(names))]
        return Table(
            {
                column.name: _read_column(content, column, footer.chunks(column), footer.rows_count, is_nan_known)
                for column in chosen_columns
            }
        )
    except (IndexError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise ValueError(f"it is not Parquet, or damaged: {error}") from error


def _read_column(
    content: bytes, column: StoredColumn, chunks: Sequence[Struct], rows_count: int, is_nan_known: bool
) -> Column:
    """Return a column, decoded once for all files in which the same few bytes hold it; nobody can change that one.

    Runs of a study share half of their columns: numbers of seconds, phases, counts that stay zero.
    """
    if len(chunks) != 1 or rows_count > _MOST_SHARED_ROWS:
        return _decode_column(content, column, chunks, rows_count, is_nan_known)
    (chunk,) = chunks
    start, size = _first_page(chunk), chunk.get(7, 0)
    if not 0 < size <= _MOST_SHARED_BYTES:
        return _decode_column(content, column, chunks, rows_count, is_nan_known)
    kind = (column.meaning, column.type, column.width, column.divisor, column.is_optional, chunk[4], chunk[5])
    key = (content[start : start + size], rows_count, is_nan_known, *kind)
    shared = _shared_columns.get(key)
    if shared is None:
        shared = _decode_column(content, column, chunks, rows_count, is_nan_known)
        (shared.codes if isinstance(shared, Texts) else shared).flags.writeable = False
        if len(_shared_columns) >= _MOST_SHARED:
            _shared_columns.clear()
        _shared_columns[key] = shared
    return shared


def _decode_column(
    content: bytes, column: StoredColumn, chunks: Sequence[Struct], rows_count: int, is_nan_known: bool
) -> Column:
    if column.meaning == "nothing":
        return np.full(rows_count, np.nan)
    if column.meaning not in ("number", "unsigned", "text"):
        raise ValueError(f"column {column.name} holds {column.meaning}, neither numbers nor texts")
    nothing = Texts.of([]) if column.meaning == "text" else _fixed_width_numbers(column, b"", 0)
    pages = [page for chunk in chunks for page in _page_values(content, column, chunk, rows_count, is_nan_known)]
    values = joined_column(pages) if pages else nothing
    if len(values) != rows_count:
        raise ValueError(f"column {column.name} holds {len(values)} values in {rows_count} rows")
    return values


def _page_values(
    content: bytes, column: StoredColumn, chunk: Struct, max_values: int, is_nan_known: bool
) -> Iterator[Values]:
    """Yield what each page of a chunk holds, one value or nothing a row."""
    dictionary: Values = np.zeros(0)
    for head, count, is_known, data in _read_pages(content, chunk, column.is_optional, max_values):
        if head[1] == _DICTIONARY:
            dictionary = _plain_values(column, data, head[7][1])
            continue
        known_count = count if is_known is None else int(is_known.sum())
        encoding = head[5][2] if head[1] == _DATA else head[8][4]
        if encoding == _PLAIN:
            values = _plain_values(column, data, known_count)
        elif encoding in (_PLAIN_DICTIONARY, _RLE_DICTIONARY):
            values = _look_up_in_dictionary(
                dictionary, read_levels(data[1:], data[0], known_count) if known_count else np.zeros(0, np.int64)
            )
        else:
            raise ValueError(f"column {column.name} is neither plain nor dictionary-encoded: encoding {encoding}")
        if is_nan_known and not isinstance(values, Texts) and holds_nan(values):
            raise ValueError(f"column {column.name} holds NaN")
        yield values if is_known is None else _spread_over_rows(values, is_known)


def _read_pages(
    content: bytes, chunk: Struct, is_optional: bool, max_values: int
) -> Iterator[tuple[Struct, int, NDArray[np.bool_] | None, bytes]]:
    """Yield head, rows, which of them are known (None: all) and unpacked values of every page, until there is no more.

    Most pages know all: they say so in three bytes, which are not made into a mask as long as the page.
    """
    position, remaining_count = _first_page(chunk), chunk[5]
    if remaining_count > max_values:
        raise ValueError(f"a column of {remaining_count} values in {max_values} rows")
    has_dictionary = False
    while remaining_count > 0:
        head, position = read_struct(content, position)
        if not 0 <= head[3] <= len(content) - position:
            raise ValueError(f"a page of {head[3]} bytes where {len(content) - position} are left")
        data, position = content[position : position + head[3]], position + head[3]
        if head[1] not in (_DATA, _DATA_2, _DICTIONARY):
            continue
        if head[1] == _DICTIONARY and has_dictionary:
            raise ValueError("a second dictionary")
        has_dictionary |= head[1] == _DICTIONARY
        if not 0 <= head[2] <= _MOST_PAGE_BYTES:
            raise ValueError(f"a page of {head[2]} bytes")
        if head[1] == _DATA_2:
            count, data_start = head[8][1], head[8][5] + head[8][6]
            packed = data[head[8][6] : data_start]
            codec = chunk[4] if head[8].get(7, True) else UNCOMPRESSED
            data = unpacked(codec, data[data_start:], head[2] - data_start)
        else:
            data = unpacked(chunk[4], data, head[2])
            count = head[5][1] if head[1] == _DATA else 0
            end = 4 + int.from_bytes(data[:4], "little") if is_optional and head[1] == _DATA else 0
            packed, data = data[4:end], data[end:]
        least_count = 0 if head[1] == _DICTIONARY else 1
        if not least_count <= count <= remaining_count:
            raise ValueError(f"a page of {count} values where {remaining_count} are left")
        is_known = read_levels(packed, 1, count) == 1 if is_optional and not are_all_one(packed, count) else None
        remaining_count -= count
        yield head, count, is_known, data


def _first_page(chunk: Struct) -> int:
    """Return where the pages of a chunk begin, its dictionary first."""
    start: int = min(chunk.get(11) or chunk[9], chunk[9])
    return start


def _plain_values(column: StoredColumn, data: bytes, count: int) -> Values:
    if column.meaning == "text":
        texts = [text.decode() for text in _byte_arrays(data, count)]
        return Texts(np.arange(count, dtype=np.int32), tuple(texts))
    return _fixed_width_numbers(column, data, count)


def _fixed_width_numbers(column: StoredColumn, data: bytes, count: int) -> NDArray[Any]:
    if column.type in (BYTE_ARRAY, FIXED):  # decimals of many digits
        byte_strings = (
            _byte_arrays(data, count) if column.type == BYTE_ARRAY else _split_pieces(data, column.width, count)
        )
        return np.array(
            [int.from_bytes(byte_string, "big", signed=True) / column.divisor for byte_string in byte_strings],
            dtype=np.float64,
        )
    kind = _UNSIGNED[column.type] if column.meaning == "unsigned" else _WIDE[column.type]
    values = np.frombuffer(data, dtype=kind, count=count)
    if column.divisor > 1:
        return values / column.divisor
    is_whole = values.dtype.kind in "iu" and kind != "<u8"
    return values.astype(np.int64 if is_whole else np.float64)


def _byte_arrays(data: bytes, count: int) -> list[bytes]:
    byte_strings, position = [], 0
    for _ in range(count):
        end = position + 4 + int.from_bytes(data[position : position + 4], "little")
        if end > len(data):
            raise ValueError("a text extends beyond its page")
        byte_strings.append(data[position + 4 : end])
        position = end
    return byte_strings


def _split_pieces(data: bytes, width: int, count: int) -> list[bytes]:
    if width * count > len(data):
        raise ValueError("a page is truncated")
    return [data[position : position + width] for position in range(0, width * count, width or 1)]


def _look_up_in_dictionary(dictionary: Values, indices: NDArray[np.int64]) -> Values:
    if len(indices) and indices.max() >= len(dictionary):
        raise ValueError("a value that is missing from its dictionary")
    if isinstance(dictionary, Texts):
        return Texts(indices.astype(np.int32), dictionary.names)
    return dictionary[indices]


def _spread_over_rows(values: Values, is_known: NDArray[np.bool_]) -> Values:
    """Return values at their rows; nothing in the others."""
    if is_known.all():
        return values
    if isinstance(values, Texts):
        codes = np.full(len(is_known), -1, dtype=np.int32)
        codes[is_known] = values.codes
        return Texts(codes, values.names)
    numbers = np.full(len(is_known), np.nan)
    numbers[is_known] = values
    return numbers
