"""Types what the load generator reports while it fills tables, as ``contract/populate-record.schema.json`` has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from dbdyno.core import DecodeError, PopulateError, decode, json_value
from dbdyno.store import JsonValue


@dataclass(frozen=True, slots=True)
class TableSpace:
    """Describes what a table takes, all its partitions together.

    Parameters
    ----------
    data_bytes, index_bytes : by the server's own estimate
    file_bytes : length of its files; None where the storage engine reports none
    allocated_bytes : what they take of the disk: less where there are holes in them
    """

    name: str
    data_bytes: int
    index_bytes: int
    file_bytes: int | None
    allocated_bytes: int | None

    def to_json(self) -> dict[str, JsonValue]:
        """Convert it to what is stored."""
        return asdict(self)

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> TableSpace:
        """Read a record, or what `to_json` gave."""
        return decode(cls, row)


@dataclass(frozen=True, slots=True)
class TableSums:
    """Describes what proves the rows of a table: their number, and the sums that its workload knows, by name."""

    name: str
    rows: int
    sums: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> TableSums:
        """Return the sums of a record, or of what `to_json` gave."""
        sums = {name: value for name, value in row.items() if name not in ("name", "rows")}
        return cls(decode(str, row.get("name")), decode(int, row.get("rows")), decode(dict[str, int], sums))

    def to_json(self) -> dict[str, JsonValue]:
        """Read them as the load generator writes them."""
        return {"name": self.name, "rows": self.rows, **self.sums}


@dataclass(frozen=True, slots=True)
class ConditionAnswer:
    """Describes a query that should return no row, and what it returned.

    Parameters
    ----------
    status : ``holds``; ``broken``; ``told`` when it is broken and need not hold at this moment; ``undecided`` when the
        server did not answer in time
    quirks : of the imitated tool, that break it
    """

    name: str
    meaning: str
    status: str
    rows: int
    quirks: str = ""

    def to_json(self) -> dict[str, JsonValue]:
        """Convert it to what is stored."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class FillProgress:
    """Describes how far the filling is; `phase` is ``create``, ``load``, ``index``, ``finish`` or ``check``."""

    phase: str
    rows_done: int
    rows_total: int
    elapsed_ns: int


@dataclass(frozen=True, slots=True)
class FillWait:
    """Another study fills the same dataset at this moment."""


@dataclass(frozen=True, slots=True)
class FillEnd:
    """The filling has ended; `status` is ``complete``, ``failed`` or ``interrupted``.

    Parameters
    ----------
    content_sha256 : of the sums of all tables: one checksum of the whole dataset
    space : what the tables take, where that was asked
    undecided : conditions between the tables that the server did not answer in time
    failure_kind : ``network`` where the way to the server was lost
    """

    status: str
    reason: str
    elapsed_ns: int
    load_ns: int
    index_ns: int
    tables: tuple[TableSums, ...]
    content_sha256: str = ""
    space: tuple[TableSpace, ...] = ()
    undecided: tuple[ConditionAnswer, ...] = ()
    failure_kind: str = ""


def parse_fill_record(line: str) -> FillProgress | FillEnd | None:
    """Return the record in a line; None for kinds that mean nothing here.

    Raises
    ------
    PopulateError : not a record
    """
    row = record_row(line)
    try:
        match row["record"]:
            case "populate-progress":
                return decode(FillProgress, row)
            case "populate-end":
                return _fill_end(decode(_EndRow, row))
            case _:
                return None
    except DecodeError as error:
        raise bad_record_error(line, error) from error


def record_row(line: str) -> Mapping[str, Any]:
    """Return the object in a line, which has a kind.

    Raises
    ------
    PopulateError : not a record
    """
    try:
        row = decode(dict[str, Any], json_value(line))
        decode(_Kind, row)
    except ValueError as error:
        raise bad_record_error(line, error) from error
    return row


@dataclass(frozen=True, slots=True)
class _Kind:
    record: str


@dataclass(frozen=True, slots=True)
class _EndRow:
    status: str
    reason: str
    elapsed_ns: int
    load_ns: int
    index_ns: int
    tables: tuple[dict[str, Any], ...]
    content_sha256: str
    failure_kind: str | None = None


def bad_record_error(line: str, error: Exception) -> PopulateError:
    """Return the error of a line that the load generator should not have written."""
    return PopulateError(
        "the load generator wrote a line that is not a record",
        f"{error} in: {line[:200]}",
        "check that dbdyno-load is of the same version as dbdyno",
        code="not-a-record",
    )


def _fill_end(row: _EndRow) -> FillEnd:
    tables = tuple(TableSums.from_json(table) for table in row.tables)
    return FillEnd(
        row.status,
        row.reason,
        row.elapsed_ns,
        row.load_ns,
        row.index_ns,
        tables,
        row.content_sha256,
        failure_kind=row.failure_kind or "",
    )
