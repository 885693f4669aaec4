"""Reads Parquet with one row per second."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dbdyno.core import SeriesError
from dbdyno.tables import Table, Texts, read_parquet
from dbdyno.tables.series._rows import MOST_ROWS, FloatArray, Rows
from dbdyno.tables.series._text import head_columns

_KIND, _ALL = "kind", "all"
_LOAD_TABLE = {_KIND, "name", "monotonic_ns"}
"""Columns of the load generator's own table: a second has one row of kind ``all``, and one for each type."""


def parquet_rows(source: str, name: str, data: bytes) -> dict[str, Rows]:
    """Return rows by run, in the order in which runs first appear.

    Parameters
    ----------
    source : the file's name for messages
    name : of the run where the file has no column for it

    Raises
    ------
    SeriesError : damaged, a column that is missing or no number, a second or a run that is absent
    """
    table = _read_table(source, data)
    columns = {
        column: list(table.columns)[index] for column, index in _column_indices(source, list(table.columns)).items()
    }
    second, tps = (_column_numbers(source, table, name) for name in (columns["second"], columns["tps"]))
    _refuse_absent(source, "second", np.isnan(second))
    all_rows = Rows(second, tps, np.arange(1, len(second) + 1))
    kind = table.columns.get(_KIND)
    if "run" not in columns and isinstance(kind, Texts):
        all_rows = all_rows.at(np.flatnonzero(kind.among((_ALL,))))
    if "run" not in columns:
        return {name: all_rows} if len(second) else {}
    runs = _run_names(table, columns["run"])
    _refuse_absent(source, "run", runs.codes < 0)
    order = np.argsort(runs.codes, kind="stable")
    starts = np.searchsorted(runs.codes[order], np.arange(len(runs.names) + 1))
    return {run: all_rows.at(order[starts[code] : starts[code + 1]]) for code, run in enumerate(runs.names)}


def _read_table(source: str, data: bytes) -> Table:
    def choose(names: list[str]) -> list[str]:
        wanted_names = {names[index] for index in _column_indices(source, names).values()}
        if _LOAD_TABLE <= set(names):
            wanted_names.add(_KIND)
        return [name for name in names if name in wanted_names]

    try:
        return read_parquet(data, most_rows=MOST_ROWS, choose=choose, is_nan_known=False)
    except (ValueError, OSError, MemoryError) as error:
        raise SeriesError(f"{source} can't be read as Parquet", str(error)) from error


def _column_indices(source: str, names: list[str]) -> dict[str, int]:
    return head_columns(source, "its schema", names)


def _column_numbers(source: str, table: Table, name: str) -> FloatArray:
    """Return values of a column; NaN where it holds nothing."""
    if isinstance(table.columns[name], Texts):
        raise SeriesError(f"{source}: column {name} holds texts, not numbers")
    return table.numbers(name).astype(np.float64)


def _run_names(table: Table, name: str) -> Texts:
    """Runs by name, also where their names are numbers."""
    column = table.columns[name]
    return column if isinstance(column, Texts) else Texts.of(None if v is None else f"{v}" for v in table.values(name))


def _refuse_absent(source: str, column: str, is_absent: NDArray[np.bool_]) -> None:
    if is_absent.any():
        raise SeriesError(f"{source}, row {int(is_absent.argmax()) + 1}: column {column} is empty")
