"""The server's own counters under one name for all servers: ``engine.NAME``.

What a server does not show is absent from the rows and listed by `absent_counters`: never zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dbdyno.engines import CounterSource, counter_ids
from dbdyno.measure.telemetry._reading import Reading

if TYPE_CHECKING:
    from pymysql.connections import Connection


class StatusSource:
    """Reads the wanted rows only: a server answers some 350 to 680, and unpacking them costs the client CPU."""

    name = "status"

    def __init__(self, connection: Connection[Any], sources: Sequence[CounterSource]) -> None:
        self._connection = connection
        self._sources = sources
        status = sorted({name for source in sources if not source.metric for name in source.status})
        metrics = sorted({source.metric for source in sources if source.metric})
        self._status_query = _query("SHOW GLOBAL STATUS WHERE Variable_name IN", status)
        self._metrics_query = _query("SELECT NAME, COUNT FROM information_schema.INNODB_METRICS WHERE NAME IN", metrics)

    def read(self) -> Sequence[Reading]:
        """Ask the server, one statement for status and one for metrics where any is wanted."""
        status = {name.lower(): str(value) for name, value in self._rows(self._status_query)}
        metrics = {str(name): float(value) for name, value in self._rows(self._metrics_query)}
        return status_readings(self._sources, status, metrics)

    def _rows(self, query: str) -> Sequence[tuple[Any, ...]]:
        if not query:
            return ()
        with self._connection.cursor() as cursor:
            cursor.execute(query)
            rows: Sequence[tuple[Any, ...]] = cursor.fetchall()
            return rows


def status_readings(
    sources: Sequence[CounterSource], status: Mapping[str, str], metrics: Mapping[str, float]
) -> list[Reading]:
    """Readings of what the server showed; `status` has names in lower case."""
    values = ((source, source.value(status, metrics)) for source in sources)
    return [
        Reading(f"engine.{source.counter_id}", value, _unit(source), source.kind)
        for source, value in values
        if value is not None
    ]


def absent_counters(readings: Sequence[Reading]) -> tuple[str, ...]:
    """Counters known to dbdyno that this server does not show."""
    seen = {reading.metric.removeprefix("engine.") for reading in readings}
    return tuple(name for name in counter_ids() if name not in seen)


def _unit(source: CounterSource) -> str:
    return f"{source.unit}/s" if source.kind == "counter" else source.unit


def _query(head: str, names: Sequence[str]) -> str:
    # The names come from dbdyno's own table, never from a user.
    return f"{head} ({', '.join(repr(name) for name in names)})" if names else ""
