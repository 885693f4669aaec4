"""Holds columns of one length by name: numbers as numpy has them, texts as codes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Texts:
    """Describes a column of texts, most of which repeat.

    Parameters
    ----------
    codes : index into `names` of each row; -1 where nothing is known
    names : each text once, in the order in which they first appear

    >>> Texts.of(["a", None, "a"]).codes.tolist()
    [0, -1, 0]
    """

    codes: NDArray[np.int32]
    names: tuple[str, ...]

    @classmethod
    def of(cls, values: Iterable[str | None]) -> Texts:
        """Return a column of these texts."""
        names: dict[str, int] = {}
        codes = [-1 if value is None else names.setdefault(value, len(names)) for value in values]
        return cls(np.array(codes, dtype=np.int32), tuple(names))

    @classmethod
    def repeated(cls, text: str | None, count: int) -> Texts:
        """Return one text in every row."""
        return cls(np.full(count, -1 if text is None else 0, dtype=np.int32), () if text is None else (text,))

    def __len__(self) -> int:
        return len(self.codes)

    def among(self, names: Collection[str]) -> NDArray[np.bool_]:
        """Return which rows hold one of these texts."""
        is_name = np.array([*(name in names for name in self.names), False])
        is_among: NDArray[np.bool_] = is_name[self.codes]  # index -1 selects the last one
        return is_among

    def at(self, rows: NDArray[Any]) -> Texts:
        """Return some of the rows, by mask or index."""
        return Texts(self.codes[rows], self.names)

    def text(self, row: int) -> str:
        """Return the text of a row; empty where nothing is known."""
        code = self.codes[row]
        return self.names[code] if code >= 0 else ""

    def tolist(self) -> list[str | None]:
        """Return the text of every row."""
        names = (*self.names, None)
        return [names[code] for code in self.codes.tolist()]


Column = NDArray[Any] | Texts


class Table:
    """Columns of one length by name; numbers are NaN where nothing is known.

    >>> len(Table({"tps": np.zeros(3)}))
    3
    """

    __slots__ = ("_columns", "_rows_count")

    def __init__(self, columns: Mapping[str, Column]) -> None:
        lengths = {len(column) for column in columns.values()}
        if len(lengths) > 1:
            raise ValueError(f"columns of {sorted(lengths)} rows")
        self._columns = dict(columns)
        self._rows_count = lengths.pop() if lengths else 0

    def __len__(self) -> int:
        return self._rows_count

    @property
    def columns(self) -> Mapping[str, Column]:
        """Each column by its name, in order."""
        return self._columns

    @property
    def bytes_count(self) -> int:
        """Memory that the columns take, about."""
        return sum(c.codes.nbytes if isinstance(c, Texts) else c.nbytes for c in self._columns.values())

    def numbers(self, name: str) -> NDArray[Any]:
        """Return a column of numbers."""
        column = self._columns[name]
        if isinstance(column, Texts):
            raise TypeError(f"column {name} holds texts, not numbers")
        return column

    def texts(self, name: str) -> Texts:
        """Return a column of texts."""
        column = self._columns[name]
        if not isinstance(column, Texts):
            raise TypeError(f"column {name} holds numbers, not texts")
        return column

    def values(self, name: str) -> list[Any]:
        """Return a column as Python's own values, None where nothing is known."""
        column = self._columns[name]
        return column.tolist() if isinstance(column, Texts) else known_values(column)

    def rows(self) -> list[dict[str, Any]]:
        """Return each row by column, None where nothing is known."""
        columns = [self.values(name) for name in self._columns]
        return [dict(zip(self._columns, row, strict=True)) for row in zip(*columns, strict=True)]

    def at(self, rows: NDArray[Any]) -> Table:
        """Return some of the rows, by mask or index."""
        return Table({n: c.at(rows) if isinstance(c, Texts) else c[rows] for n, c in self._columns.items()})


def known_values(numbers: NDArray[Any]) -> list[Any]:
    """Return numbers as Python's own, None in place of NaN."""
    values: list[Any] = numbers.tolist()
    if numbers.dtype.kind == "f" and np.isnan(numbers).any():
        return [None if value != value else value for value in values]
    return values


def holds_nan(numbers: NDArray[Any]) -> bool:
    """Return whether one of the numbers is not known, in one pass: the least of numbers among which is a NaN is NaN.

    >>> holds_nan(np.array([1.0, np.nan])), holds_nan(np.array([1, 2])), holds_nan(np.zeros(0))
    (True, False, False)
    """
    return numbers.dtype.kind == "f" and len(numbers) > 0 and bool(np.isnan(numbers.min()))


def concatenate(tables: Sequence[Table]) -> Table:
    """Return rows of tables with the same columns, one table after the other."""
    return Table({name: joined_column([table.columns[name] for table in tables]) for name in tables[0].columns})


def joined_column(parts: Sequence[Column]) -> Column:
    """Return values of parts of a column, one part after the other."""
    if len(parts) == 1:
        return parts[0]
    texts = [part for part in parts if isinstance(part, Texts)]
    if not texts:
        return np.concatenate([np.asarray(part) for part in parts])
    names: dict[str, int] = {}
    codes = []
    for part in texts:
        code_map = np.array([*(names.setdefault(name, len(names)) for name in part.names), -1], dtype=np.int32)
        codes.append(code_map[part.codes])
    return Texts(np.concatenate(codes), tuple(names))
