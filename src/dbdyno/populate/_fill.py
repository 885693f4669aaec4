"""A schema made, filled by the load generator, and proven against its sums."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pymysql

from dbdyno.core import HostError, PopulateError
from dbdyno.hosts import Host, PipedProcess
from dbdyno.populate._dataset import Dataset
from dbdyno.populate._records import FillEnd, FillProgress, parse_fill_record
from dbdyno.populate._server import FillServer
from dbdyno.populate._space import TableSpace
from dbdyno.populate._verify import broken_words, verify

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
    *,
    has_conditions: bool = False,
) -> FillEnd:
    """Make the schema anew and fill it. The load generator has the server count and sum up every table, and compares.

    Parameters
    ----------
    has_conditions : whether its tables can be asked if they are consistent with each other

    Raises
    ------
    PopulateError : the server or the load generator failed, or the rows are not those that were sent
    """
    try:
        with contextlib.closing(server.connect()) as connection:
            _make_schema(connection, dataset.schema)
            end = _drive(dataset, server, storage_engine, host, generator, on_progress)
            _analyse(connection, dataset.schema, end)
        if has_conditions:
            end = replace(end, space=_space_if_consistent(dataset, server, storage_engine, host, generator))
    except (pymysql.MySQLError, OSError) as error:
        death = server.death()
        why = f"the server died: {death}\n{server.log_tail()}" if death else f"{type(error).__name__}: {error}"
        raise PopulateError(f"{dataset.title} could not be filled", why) from error
    return end


def _space_if_consistent(
    dataset: Dataset, server: FillServer, storage_engine: str, host: Host, generator: Path
) -> tuple[TableSpace, ...]:
    verified = verify(dataset, server.order_target(dataset.schema), storage_engine, "load", host, generator)
    broken = broken_words(verified.answers)
    if broken:
        raise PopulateError(f"{dataset.title} is not consistent after it was filled", broken, "report it: a defect")
    return verified.space


def _make_schema(connection: Connection[Any], schema: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS `{schema}`")
        # Stated, because defaults differ between engines and change row and key size; all accept this collation.
        cursor.execute(f"CREATE DATABASE `{schema}` CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci")


def _drive(
    dataset: Dataset,
    server: FillServer,
    storage_engine: str,
    host: Host,
    generator: Path,
    on_progress: Callable[[FillProgress], None],
) -> FillEnd:
    order = dataset.order(server.order_target(dataset.schema), storage_engine, _CONNECTIONS)
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


def _analyse(connection: Connection[Any], schema: str, end: FillEnd) -> None:
    with connection.cursor() as cursor:
        for table in end.tables:
            cursor.execute(f"ANALYZE TABLE `{schema}`.`{table.name.replace('`', '')}`")
            cursor.fetchall()
