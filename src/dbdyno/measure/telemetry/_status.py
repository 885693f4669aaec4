"""Reads the server's own counters under one name for all servers: ``engine.NAME``.

What a server does not show is absent from the rows and listed by `absent_counters`: never zero.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from dbdyno.connections import ServerConnection, number_of, rows_of
from dbdyno.core import MeasureError
from dbdyno.engines import CounterSource, counter_ids
from dbdyno.measure.telemetry._sampler import Reading

_READING_S = 30.0
_LEARNING_READINGS = 3
"""Other work that falls into one of them is in no other, so the least growth between two is the reading's own."""
_COUNTED_WORK = "ops/s"
"""Unit of counters that a reading adds the same amount to each time; that of bytes depends on the digits of values."""
_TEXT = "SHOW ENGINE INNODB STATUS"
_LOG_LINE_RE = re.compile(r"^([A-Z][a-z' ]+?)\s+(\d+)$", re.MULTILINE)


class StatusSource:
    """Reads the wanted rows only: a server answers some 350 to 680, and unpacking them costs the client CPU.

    Variables are read once; InnoDB's text only if nothing else shows how far the log has grown. A server that does
    not answer in time is asked over another connection at the next reading.

    Parameters
    ----------
    refresh : statement before each reading that brings the rows up to date; empty where none is needed
    """

    name = "status"

    def __init__(
        self, connect: Callable[[], ServerConnection], sources: Sequence[CounterSource], refresh: str = ""
    ) -> None:
        self._connect, self._refresh = connect, refresh
        self._connection: ServerConnection | None = None
        self._is_closed = False
        self._last_answer = time.monotonic()
        self._sources = sources
        status = sorted({name for source in sources if not source.metric for name in source.status})
        metrics = sorted({source.metric for source in sources if source.metric})
        status_names = [name for name in status if ":" not in name]
        self._status_query = _query("SHOW GLOBAL STATUS WHERE Variable_name IN", status_names)
        self._metrics_query = _query("SELECT NAME, COUNT FROM information_schema.INNODB_METRICS WHERE NAME IN", metrics)
        self._reads_text = bool(_unprefixed_names("text:", status))
        self._families_query = _query(
            "SELECT STAT_TYPE, SUM(VALUE) FROM information_schema.ROCKSDB_CFSTATS WHERE STAT_TYPE IN",
            [name.upper() for name in _unprefixed_names("cfstats:", status)],
            " GROUP BY STAT_TYPE",
        )
        self._variables_query = _query(
            "SHOW GLOBAL VARIABLES WHERE Variable_name IN", _unprefixed_names("variables:", status)
        )
        self._variables: dict[str, str] | None = None
        self._own_work: dict[str, float] = {}
        self._readings = 0

    def quiet_s(self) -> float:
        """Return seconds since the server's last answer."""
        return time.monotonic() - self._last_answer

    def close(self) -> None:
        """End the connection, also while another thread waits for an answer."""
        self._is_closed = True
        if self._connection is not None:
            self._connection.abandon()

    def learn_own_work(self) -> None:
        """Leave what a reading itself adds to the counters out of all further ones; the server must be idle meanwhile.

        A server counts the rows of its own status as rows that it read and wrote: 510 for each reading of MariaDB 11.8,
        1,198 of MySQL 9.7. At 100 transactions per second these would be 5 and 12 rows of each transaction.
        """
        readings = [{reading.metric: reading for reading in self._read()} for _ in range(_LEARNING_READINGS)]
        self._own_work = {
            metric: growth
            for metric, reading in readings[-1].items()
            if reading.kind == "counter" and reading.unit == _COUNTED_WORK
            if (growth := _least_growth([by_metric.get(metric) for by_metric in readings])) > 0
        }
        self._readings = 0

    def read(self) -> Sequence[Reading]:
        """Return what the server counted, without the work of these readings if that is known."""
        readings = self._read()
        self._readings += 1  # fetched now: a failed query may have counted nothing
        return [
            replace(reading, value=reading.value - self._readings * self._own_work.get(reading.metric, 0.0))
            for reading in readings
        ]

    def _read(self) -> Sequence[Reading]:
        """Ask the server: one statement for status, one for each other place of which something is wanted."""
        self._rows(self._refresh, 3)
        status = {str(name).lower(): str(value) for name, value, *_ in self._rows(self._status_query)}
        if self._variables is None:
            self._variables = _prefixed_values("variables:", self._rows(self._variables_query))
        status |= self._variables
        status |= _prefixed_values("cfstats:", self._rows(self._families_query))
        if self._reads_text:
            text = "".join(str(row[2]) for row in self._rows(_TEXT, 3))
            status |= log_lines(text)
        metrics = {str(name): number_of(value) for name, value, *_ in self._rows(self._metrics_query)}
        return status_readings(self._sources, status, metrics)

    def _rows(self, query: str, width: int = 2) -> Sequence[tuple[Any, ...]]:
        if not query:
            return ()
        with self._open_connection().cursor() as cursor:
            cursor.execute(query)
            rows = rows_of(cursor, width)
        self._last_answer = time.monotonic()
        return rows

    def _open_connection(self) -> ServerConnection:
        if self._is_closed:
            raise MeasureError("telemetry has ended")
        if self._connection is None or not self._connection.open:
            self._connection = self._connect()
            self._connection.answer_s = _READING_S
        return self._connection


def _least_growth(readings: Sequence[Reading | None]) -> float:
    """Return by how much a counter grew at least from one reading to the next; 0 if one of them lacks it."""
    values = [reading.value for reading in readings if reading is not None]
    return min(after - before for before, after in pairwise(values)) if len(values) == len(readings) else 0.0


def log_lines(text: str) -> dict[str, str]:
    r"""Return positions in the log part of SHOW ENGINE INNODB STATUS, by their words; empty where it has no such part.

    >>> log_lines("---\nLOG\n---\nLog sequence number 12345\nLog flushed up to   12300\n-----\nOTHER\n")
    {'text:log sequence number': '12345', 'text:log flushed up to': '12300'}
    """
    log_part = text.partition("\nLOG\n---\n")[2].partition("\n---")[0]
    return {f"text:{match[1].lower()}": match[2] for match in _LOG_LINE_RE.finditer(log_part)}


def status_readings(
    sources: Sequence[CounterSource], status: Mapping[str, str], metrics: Mapping[str, float]
) -> list[Reading]:
    """Return readings of what the server showed; `status` has names in lower case."""
    values = ((source, source.value(status, metrics)) for source in sources)
    return [
        Reading(f"engine.{source.counter_id}", value, _unit(source), source.kind)
        for source, value in values
        if value is not None
    ]


def absent_counters(readings: Sequence[Reading]) -> tuple[str, ...]:
    """Return counters known to dbdyno that this server does not show."""
    shown_counters = {reading.metric.removeprefix("engine.") for reading in readings}
    return tuple(name for name in counter_ids() if name not in shown_counters)


def _unit(source: CounterSource) -> str:
    return f"{source.unit}/s" if source.kind == "counter" else source.unit


def _unprefixed_names(prefix: str, names: Sequence[str]) -> list[str]:
    return [name.removeprefix(prefix) for name in names if name.startswith(prefix)]


def _prefixed_values(prefix: str, rows: Sequence[tuple[Any, ...]]) -> dict[str, str]:
    return {f"{prefix}{str(name).lower()}": str(value) for name, value, *_ in rows}


def _query(head: str, names: Sequence[str], tail: str = "") -> str:
    # The names come from dbdyno's own table, never from a user.
    return f"{head} ({', '.join(repr(name) for name in names)}){tail}" if names else ""
