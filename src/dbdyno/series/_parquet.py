"""Parquet with one row a second."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from dbdyno.core import SeriesError
from dbdyno.series._rows import MOST_ROWS, FloatArray, Rows
from dbdyno.series._text import head_columns


def parquet_rows(source: str, name: str, data: bytes) -> dict[str, Rows]:
    """Rows by run, in the order in which runs first appear.

    Parameters
    ----------
    source : the file's name for messages
    name : of the run where the file has no column for it

    Raises
    ------
    SeriesError : damaged, a column that is missing or no number, a second or a run that is absent
    """
    table, columns = _table(source, data)
    _refuse_absent(source, "second", table.column(columns["second"]))
    second = _numbers(source, "second", table.column(columns["second"]))
    tps = _numbers(source, "tps", table.column(columns["tps"]))
    places = np.arange(1, len(second) + 1)
    if "run" not in columns:
        return {name: Rows(second, tps, places)} if len(second) else {}
    encoded = _names(source, table.column(columns["run"])).combine_chunks()
    codes = encoded.indices.to_numpy(zero_copy_only=False)
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(len(encoded.dictionary) + 1))
    whole = Rows(second, tps, places)
    return {
        run: whole.at(order[starts[code] : starts[code + 1]]) for code, run in enumerate(encoded.dictionary.to_pylist())
    }


def _table(source: str, data: bytes) -> tuple[pa.Table, dict[str, int]]:
    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        names = file.schema_arrow.names
        columns = head_columns(source, "its schema", names)
        if file.metadata.num_rows > MOST_ROWS:  # a column of one value takes no room in the file
            raise SeriesError(
                f"{source} holds more than {MOST_ROWS:,} rows", f"{file.metadata.num_rows:,}", "judge it in parts"
            )
        kept = [names[columns["run"]]] if _is_text(file, columns) else []  # long names stand once, as in the file
        file = pq.ParquetFile(pa.BufferReader(data), read_dictionary=kept)
        table = file.read(columns=[names[index] for index in columns.values()])
    except (pa.ArrowException, OSError, MemoryError) as error:
        raise SeriesError(f"{source} can't be read as Parquet", str(error)) from error
    return table, head_columns(source, "its schema", table.column_names)


def _is_text(file: pq.ParquetFile, columns: dict[str, int]) -> bool:
    return "run" in columns and pa.types.is_string(file.schema_arrow.field(columns["run"]).type)


def _numbers(source: str, column: str, found: pa.ChunkedArray) -> FloatArray:
    """Values of a column; NaN where it holds nothing."""
    kind = found.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        raise SeriesError(f"{source}: column {column} holds {kind}, not numbers")
    return np.asarray(pc.cast(found, pa.float64(), safe=False).to_numpy(), dtype=np.float64)


def _names(source: str, found: pa.ChunkedArray) -> pa.ChunkedArray:
    _refuse_absent(source, "run", found)
    try:
        if not pa.types.is_dictionary(found.type):
            return pc.cast(found, pa.string()).dictionary_encode()
        chunks = [pa.DictionaryArray.from_arrays(c.indices, pc.cast(c.dictionary, pa.string())) for c in found.chunks]
        return pa.chunked_array(chunks, pa.dictionary(found.type.index_type, pa.string())).unify_dictionaries()
    except pa.ArrowException as error:
        raise SeriesError(f"{source}: column run holds {found.type}, not names") from error


def _refuse_absent(source: str, column: str, found: pa.ChunkedArray) -> None:
    if found.null_count:
        row = int(np.flatnonzero(found.is_null().to_numpy())[0]) + 1
        raise SeriesError(f"{source}, row {row}: column {column} holds nothing")
