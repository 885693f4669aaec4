"""What the load generator reports while it fills tables: the typed side of ``contract/populate-record.schema.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dbdyno.core import PopulateError


@dataclass(frozen=True, slots=True)
class TableSums:
    """What proves the rows of a table: their number and the sums of k and of the CRC-32 of both texts."""

    name: str
    rows: int
    sum_k: int
    sum_crc32_c: int
    sum_crc32_pad: int


@dataclass(frozen=True, slots=True)
class FillProgress:
    """How far the filling is; `phase` is ``load``, then ``index``."""

    phase: str
    rows_done: int
    rows_total: int
    elapsed_ns: int


@dataclass(frozen=True, slots=True)
class FillEnd:
    """The filling has ended; `status` is ``complete``, ``failed`` or ``interrupted``."""

    status: str
    reason: str
    elapsed_ns: int
    load_ns: int
    index_ns: int
    tables: tuple[TableSums, ...]


def parse_fill_record(line: str) -> FillProgress | FillEnd | None:
    """The record in a line; None for kinds that tell nothing here.

    Raises
    ------
    PopulateError : not a record
    """
    try:
        row = json.loads(line)
        kind = row["record"]
        if kind == "populate-progress":
            return FillProgress(row["phase"], row["rows_done"], row["rows_total"], row["elapsed_ns"])
        return _end(row) if kind == "populate-end" else None
    except (ValueError, KeyError, TypeError) as error:
        raise PopulateError(
            "the load generator wrote a line that is not a record",
            f"{type(error).__name__}: {error} in: {line[:200]}",
            "check that dbdyno-load is of the same version as dbdyno",
        ) from error


def _end(row: Mapping[str, Any]) -> FillEnd:
    tables = tuple(
        TableSums(t["name"], t["rows"], t["sum_k"], t["sum_crc32_c"], t["sum_crc32_pad"]) for t in row["tables"]
    )
    return FillEnd(row["status"], row["reason"], row["elapsed_ns"], row["load_ns"], row["index_ns"], tables)
