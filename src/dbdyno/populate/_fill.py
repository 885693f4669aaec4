"""A schema made, filled by the load generator, and proven against its sums."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pymysql

from dbdyno.core import HostError, PopulateError
from dbdyno.hosts import Host, PipedProcess
from dbdyno.populate._dataset import SCHEMA, Dataset
from dbdyno.populate._records import FillEnd, FillProgress, TableSums, parse_fill_record
from dbdyno.populate._server import FillServer

if TYPE_CHECKING:
    from pymysql.connections import Connection

_EXIT_S = 10.0
_CONNECTIONS = 4


def fill(
    dataset: Dataset,
    server: FillServer,
    storage_engine: str,
    host: Host,
    generator: Path,
    on_progress: Callable[[FillProgress], None],
) -> FillEnd:
    """Make the schema anew, fill it, and check every table against what the load generator says it sent.

    Raises
    ------
    PopulateError : the server or the load generator failed, or the rows are not those that were sent
    """
    try:
        with contextlib.closing(server.connect()) as connection:
            _make_schema(connection)
            end = _drive(dataset, server, storage_engine, host, generator, on_progress)
            check_sums(read_sums(connection, [table.name for table in end.tables]), end.tables)
            _analyse(connection, end)
    except (pymysql.MySQLError, OSError) as error:
        death = server.death()
        why = f"the server died: {death}\n{server.log_tail()}" if death else f"{type(error).__name__}: {error}"
        raise PopulateError(f"{dataset.title} could not be filled", why) from error
    return end


def read_sums(connection: Connection[Any], tables: list[str]) -> tuple[TableSums, ...]:
    """The server's own count and sums of each table.

    Raises
    ------
    PopulateError : ids do not run from 1 to the number of rows
    """
    sums = []
    for name in tables:
        query = (
            "SELECT COUNT(*), MIN(id), MAX(id), SUM(k), SUM(CRC32(c)), SUM(CRC32(pad))"
            f" FROM `{SCHEMA}`.`{name.replace('`', '')}`"
        )
        rows, low, high, *totals = _row(connection, query)
        if rows and (low, high) != (1, rows):
            raise PopulateError(f"table {name} was not filled as ordered", f"ids run from {low} to {high}, rows {rows}")
        sums.append(TableSums(name, rows, *(int(total or 0) for total in totals)))
    return tuple(sums)


def check_sums(found: tuple[TableSums, ...], sent: tuple[TableSums, ...]) -> None:
    """Compare what the server holds with what was sent.

    Raises
    ------
    PopulateError : they differ; both are shown
    """
    for here, there in zip(found, sent, strict=True):
        if here != there:
            raise PopulateError(
                f"table {there.name} does not hold the rows that were sent",
                f"sent {there}, found {here}",
                "run again; if it stays so, the server changes data: report it",
            )


def _make_schema(connection: Connection[Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS `{SCHEMA}`")
        # Stated, because defaults differ between engines and change row and key size; all accept this collation.
        cursor.execute(f"CREATE DATABASE `{SCHEMA}` CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci")


def _drive(
    dataset: Dataset,
    server: FillServer,
    storage_engine: str,
    host: Host,
    generator: Path,
    on_progress: Callable[[FillProgress], None],
) -> FillEnd:
    order = dataset.order(server.order_target(SCHEMA), storage_engine, min(_CONNECTIONS, dataset.tables))
    process = host.spawn_piped(
        [str(generator), "populate", "--order", "-"], stdin=json.dumps(order, default=dict).encode()
    )
    try:
        end = _follow(process, on_progress)
        completed = process.wait(_EXIT_S)
    except BaseException:
        process.kill()
        with contextlib.suppress(HostError):
            process.wait(_EXIT_S)
        raise
    if end is None or end.status != "complete":
        death = server.death()
        why = end.reason if end else f"exit code {completed.exit_code}\n{completed.stderr.strip()[-2000:]}"
        why = f"the server died: {death}\n{server.log_tail()}" if death else why
        raise PopulateError(f"{dataset.title} could not be filled", why)
    return end


def _follow(process: PipedProcess, on_progress: Callable[[FillProgress], None]) -> FillEnd | None:
    end = None
    for line in process.lines():
        record = parse_fill_record(line)
        if isinstance(record, FillProgress):
            on_progress(record)
        elif isinstance(record, FillEnd):
            end = record
    return end


def _analyse(connection: Connection[Any], end: FillEnd) -> None:
    with connection.cursor() as cursor:
        for table in end.tables:
            cursor.execute(f"ANALYZE TABLE `{SCHEMA}`.`{table.name.replace('`', '')}`")
            cursor.fetchall()


def _row(connection: Connection[Any], query: str) -> tuple[Any, ...]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        row: tuple[Any, ...] | None = cursor.fetchone()
    if row is None:
        raise PopulateError("the server answered a count with nothing", query)
    return row
