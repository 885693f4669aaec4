"""Gives readers of logs what they share: places as line numbers, intervals as rows of the store."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dbdyno.imports._caveats import FloatArray
from dbdyno.tables import Column, Table, Texts

NUMBER = r"-?\d{1,15}(?:\.\d{1,9})?"


def line_of(text: str, at: int) -> int:
    """Return the line of a place in a text, from 1."""
    return text.count("\n", 0, at) + 1


def window_table(end_s: FloatArray, interval_s: int, columns: Mapping[str, Column]) -> Table:
    """Return one row of the store an interval, placed at its first second; what is not given is not known.

    Parameters
    ----------
    end_s : seconds of the run after which each interval ended
    columns : by the names of `dbdyno.store.SecondRow`
    """
    count = len(end_s)
    rows: dict[str, Column] = {
        "second": np.rint(end_s).astype(np.int64) - interval_s,
        "phase": Texts.repeated("window", count),
        "duration_ns": np.full(count, interval_s * 10**9, dtype=np.int64),
    }
    return Table({**rows, **columns})
