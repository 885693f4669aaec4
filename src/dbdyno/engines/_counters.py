"""Names status counters alike for all servers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from dbdyno.engines._tables import cached, joined_rows
from dbdyno.engines._versions import plugin_within, within

CounterKind = Literal["counter", "gauge"]
Derivation = Literal["value", "sum", "difference", "product", "scaled"]


@dataclass(frozen=True, slots=True)
class CounterSource:
    """Describes where one counter is read in one server.

    Parameters
    ----------
    counter_id : neutral name such as ``redo.checkpoint_age``
    kind : counter (only grows; take differences) or gauge (a level)
    unit : bytes, pages, ops, rows, count, ms, us, ratio
    status : rows of SHOW GLOBAL STATUS it is made of; empty where `metric` gives it. A prefix names another place:
        ``text:`` a line of the log part of SHOW ENGINE INNODB STATUS, ``variables:`` a global variable, ``cfstats:``
        a row of information_schema.ROCKSDB_CFSTATS, summed over column families
    metric : row of information_schema.INNODB_METRICS, one that is on by default; empty for none
    derivation : the row itself, the sum of all, the first less the second, all multiplied and by `factor`, or the first
        by `factor`
    """

    counter_id: str
    kind: CounterKind
    unit: str
    status: tuple[str, ...]
    metric: str
    derivation: Derivation
    factor: float
    note: str

    def value(self, status: Mapping[str, str], metrics: Mapping[str, float] | None = None) -> float | None:
        """Return its reading; None when the server does not show it, which is not the same as zero.

        Parameters
        ----------
        status : rows of SHOW GLOBAL STATUS, names in lower case, and what was read elsewhere, with its prefix
        metrics : rows of INNODB_METRICS
        """
        if self.metric:
            return (metrics or {}).get(self.metric)
        try:
            numbers = [float(status[name.lower()]) for name in self.status]
        except (KeyError, ValueError):
            return None
        if self.derivation == "sum":
            return sum(numbers)
        if self.derivation == "difference":
            return numbers[0] - numbers[1]
        if self.derivation == "product":
            return math.prod(numbers) * self.factor
        return numbers[0] * self.factor

    @property
    def is_plain(self) -> bool:
        """Return whether SHOW GLOBAL STATUS alone gives it, which needs no extra privilege."""
        return not self.metric and not any(":" in name for name in self.status)


def counter_sources(
    family: str, version: str, storage_engines: tuple[str, ...] = ("innodb",), plugin_version: str | None = None
) -> list[CounterSource]:
    """Return what can be read of a server each second: for each counter the first source that fits.

    Parameters
    ----------
    storage_engines : those whose own counters are wanted; InnoDB's are always there
    plugin_version : of the plug-in that holds the one that is not InnoDB; empty: not known; None: whichever

    >>> [s.status for s in counter_sources("mysql", "9.7.4") if s.counter_id == "redo.lsn"]
    [('Innodb_redo_log_current_lsn',)]
    """
    sources = []
    for entry in _counter_entries():
        for source in entry["sources"]:
            if _is_applicable(source, family, version, storage_engines, plugin_version):
                sources.append(_source(entry, source))
                break
    return sources


def counter_ids() -> tuple[str, ...]:
    """Return every counter known, so that one a server lacks can be named as absent."""
    return tuple(entry["id"] for entry in _counter_entries())


@cached
def _counter_entries() -> tuple[dict[str, Any], ...]:
    return tuple(joined_rows("counter", lambda row: row["id"], "sources"))


def _is_applicable(
    source: Mapping[str, Any],
    family: str,
    version: str,
    storage_engines: tuple[str, ...],
    plugin_version: str | None,
) -> bool:
    return (
        (source["families"] == "*" or family in source["families"].split())
        and within(version, source.get("since", ""), source.get("until", ""))
        and source.get("storage_engine", "innodb") in (*storage_engines, "innodb")
        and plugin_within(plugin_version, source.get("plugin_since", ""), source.get("plugin_until", ""))
    )


def _source(entry: Mapping[str, Any], source: Mapping[str, Any]) -> CounterSource:
    return CounterSource(
        counter_id=entry["id"],
        kind=entry["kind"],
        unit=entry["unit"],
        status=tuple(source.get("from", [source["status"]] if "status" in source else [])),
        metric=source.get("metric", ""),
        derivation=source.get("derive", "value"),
        factor=source.get("factor", 1.0),
        note=entry.get("note", ""),
    )
