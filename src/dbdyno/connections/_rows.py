"""Reads the rows of an answer, as wide as they were asked for: a server may send anything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from pymysql.constants import CR
from pymysql.err import OperationalError


class _Answered(Protocol):
    """Represents a cursor whose statement was sent."""

    @property
    def description(self) -> Any:  # noqa: ANN401 - the driver's
        """Columns of the result set; None where the answer was none."""

    def fetchall(self) -> Any:  # noqa: ANN401 - the driver's
        """Return all rows."""


def rows_of(cursor: _Answered, width: int) -> Sequence[tuple[Any, ...]]:
    """Return all rows of the answer.

    Parameters
    ----------
    width : columns that are read; further ones may follow

    Raises
    ------
    OperationalError : the server gave no result set, or rows with fewer columns
    """
    if cursor.description is None:
        raise OperationalError(CR.CR_MALFORMED_PACKET, "the server answered a query without a result set")
    rows: Sequence[tuple[Any, ...]] = cursor.fetchall()
    narrowest = min([len(cursor.description), *(len(row) for row in rows)])
    if narrowest < width:
        what = f"the server answered with rows of {narrowest} columns instead of {width}"
        raise OperationalError(CR.CR_MALFORMED_PACKET, what)
    return rows


def number_of(value: object) -> float:
    """Return a number as a server sends it.

    Raises
    ------
    OperationalError : it is none
    """
    try:
        return float(str(value))
    except ValueError:
        what = f"the server answered {str(value)[:40]!r} instead of a number"
        raise OperationalError(CR.CR_MALFORMED_PACKET, what) from None
