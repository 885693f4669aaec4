"""What the load generator reports while it fills tables: the typed side of ``contract/populate-record.schema.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dbdyno.core import PopulateError
from dbdyno.populate._space import TableSpace
from dbdyno.store import JsonValue


@dataclass(frozen=True, slots=True)
class TableSums:
    """What proves the rows of a table: their number, and the sums that its workload knows, by name."""

    name: str
    rows: int
    sums: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> TableSums:
        """The sums of a record, or of what `to_json` gave."""
        sums = {name: value for name, value in row.items() if name not in ("name", "rows")}
        return cls(row["name"], row["rows"], sums)

    def to_json(self) -> dict[str, JsonValue]:
        """As the load generator writes them."""
        return {"name": self.name, "rows": self.rows, **self.sums}


@dataclass(frozen=True, slots=True)
class FillProgress:
    """How far the filling is; `phase` is ``create``, ``load``, ``index``, ``finish`` or ``check``."""

    phase: str
    rows_done: int
    rows_total: int
    elapsed_ns: int


@dataclass(frozen=True, slots=True)
class FillEnd:
    """The filling has ended; `status` is ``complete``, ``failed`` or ``interrupted``.

    Parameters
    ----------
    content_sha256 : of the sums of all tables: one checksum of the whole dataset
    space : what the tables take, where that was asked
    """

    status: str
    reason: str
    elapsed_ns: int
    load_ns: int
    index_ns: int
    tables: tuple[TableSums, ...]
    content_sha256: str = ""
    space: tuple[TableSpace, ...] = ()


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
    tables = tuple(TableSums.from_json(table) for table in row["tables"])
    return FillEnd(
        row["status"], row["reason"], row["elapsed_ns"], row["load_ns"], row["index_ns"], tables, row["content_sha256"]
    )
