"""Creates a schema, has the load generator fill it, and proves the rows by their sums."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from dataclasses import replace

import pymysql

from dbdyno.connections import PathLostError, ServerConnection
from dbdyno.core import HostError, PopulateError
from dbdyno.hosts import Host, PipedProcess, ProcessWatch
from dbdyno.populate._dataset import Dataset, DatasetOrder
from dbdyno.populate._records import FillEnd, FillProgress, parse_fill_record
from dbdyno.populate._server import FillServer, ServerCheck, exit_words
from dbdyno.populate._verify import ConditionWait, Verified, broken_words, verify

_EXIT_S = 10.0
_KILL_WAIT_S = 2.0
_STATEMENT_S = 3600.0
"""For a schema to be dropped or a table to be analysed: a large one takes minutes."""
_CONNECTIONS = 4


def fill(
    order: DatasetOrder, server: FillServer, on_progress: Callable[[FillProgress | ConditionWait], None]
) -> FillEnd:
    """Make the schema anew and fill it. The load generator has the server count and sum up every table, and compares.

    Raises
    ------
    PopulateError : the server or the load generator failed, or the rows are not those that were sent
    """
    dataset = order.dataset
    try:
        with contextlib.closing(server.connect()) as connection:
            with connection.within(_STATEMENT_S):
                _make_schema(connection, dataset.schema, server.schema_charset)
        fill_end = _drive_fill(order, server, on_progress)
        # A new connection: the first was idle during the whole filling, and the server may have closed it.
        with contextlib.closing(server.connect()) as connection, connection.within(_STATEMENT_S):
            _analyse_tables(connection, dataset.schema, fill_end)
        if order.has_conditions:
            verification = verify(order, server, "load", on_progress)
            _refuse_broken(dataset, verification)
            fill_end = replace(fill_end, space=verification.space, undecided=verification.undecided)
    except (pymysql.MySQLError, OSError) as error:
        server_words = exit_words(server)
        why = server_words or f"{type(error).__name__}: {error}"
        fault = "network" if isinstance(error, PathLostError) and not server_words else ""
        raise PopulateError(f"{dataset.title} could not be filled", why, fault=fault) from error
    return fill_end


def _refuse_broken(dataset: Dataset, verification: Verified) -> None:
    violations = broken_words(verification.answers)
    if violations:
        raise PopulateError(
            f"{dataset.title} is inconsistent after filling",
            f"{violations}; the server acknowledged every row, and its checksums matched the rows sent",
            "fill it again; if only one server breaks it, that server returns or stores rows wrongly; if every "
            "server does, please report it: it is a bug in dbdyno",
            code="inconsistent",
        )


def _make_schema(connection: ServerConnection, schema: str, charset: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS `{schema}`")
        cursor.execute(f"CREATE DATABASE `{schema}` {charset}")


def _drive_fill(
    order: DatasetOrder, server: FillServer, on_progress: Callable[[FillProgress | ConditionWait], None]
) -> FillEnd:
    dataset, host = order.dataset, order.host
    target = server.order_target(dataset.schema)
    load_order = dataset.order(target, order.storage_engine, _CONNECTIONS, order.timeouts)
    process = host.spawn_piped(
        [str(order.generator), "populate", "--order", "-"], stdin=json.dumps(load_order, default=dict).encode()
    )
    try:
        fill_end = _follow_fill(process, host, on_progress, ServerCheck(server))
        exit_result = process.wait(_EXIT_S)
    except BaseException:
        process.kill()
        with contextlib.suppress(HostError):
            process.wait(_KILL_WAIT_S)
        raise
    if fill_end is None or fill_end.status != "complete":
        server_words = exit_words(server)
        why = (
            fill_end.reason if fill_end else f"exit code {exit_result.exit_code}\n{exit_result.stderr.strip()[-2000:]}"
        )
        fault = fill_end.failure_kind if fill_end is not None and not server_words else ""
        why = server_words or why
        raise PopulateError(f"{dataset.title} could not be filled", why, fault=fault)
    return fill_end


def _follow_fill(
    process: PipedProcess,
    host: Host,
    on_progress: Callable[[FillProgress | ConditionWait], None],
    check_server: ServerCheck,
) -> FillEnd | None:
    fill_end, last_advance = None, None
    watch = ProcessWatch(host.files.read_bytes, process.pid, process.start_ticks)

    def tick() -> None:
        halt_words = watch.verdict()
        if halt_words is not None:
            raise PopulateError(f"the load generator {halt_words}")
        check_server()

    for line in process.lines(tick):
        record = parse_fill_record(line)
        advance = (record.phase, record.rows_done) if isinstance(record, FillProgress) else None
        if advance is None or advance != last_advance:  # progress comes every second, whether or not there is any
            check_server.answered()
        last_advance = advance
        if isinstance(record, FillProgress):
            on_progress(record)
        elif isinstance(record, FillEnd):
            fill_end = record
    return fill_end


def _analyse_tables(connection: ServerConnection, schema: str, fill_end: FillEnd) -> None:
    with connection.cursor() as cursor:
        for table in fill_end.tables:
            cursor.execute(f"ANALYZE TABLE `{schema}`.`{table.name.replace('`', '')}`")
            cursor.fetchall()
