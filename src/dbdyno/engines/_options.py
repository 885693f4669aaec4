"""Which option carries a neutral parameter in which server, why it is set, and how it is read back."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from typing import Any, Literal

from dbdyno.engines._tables import cached, joined_rows, read_packaged
from dbdyno.engines._versions import within

Form = Literal["bytes", "count", "percent", "switch", "flag", "word", "bare"]
Comparison = Literal["equal", "at_least", "rounded_up"]
_ANY_PLUGIN = "plug-in"
State = Literal["accepted", "deprecated", "no-op", "refused", "absent"]


@dataclass(frozen=True, slots=True)
class OptionRow:
    """One option of a range of versions.

    Parameters
    ----------
    scale : what a value of the parameter is multiplied by to give the option's value
    divide_by : parameter whose value divides it first; empty for none
    most : the largest value the option takes; None where that is no limit here
    read : ``variable:NAME`` or ``status:NAME``; empty when the server shows nothing
    expect : what must be read where that is not the value written; empty: the value
    """

    families: tuple[str, ...]
    since: str
    until: str
    name: str
    form: Form
    read: str
    expect: str
    compare: Comparison
    scale: float
    divide_by: str
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Parameter:
    """One neutral quantity that dbdyno sets.

    Parameters
    ----------
    storage_engine : of the targets it concerns; empty for all, ``plug-in`` for all but InnoDB
    without : what holds in effect where a version has no option for it; empty when nothing can be said
    value : what it is set to, where the tables themselves say so
    like : parameter whose value it takes, where the tables say so
    """

    parameter_id: str
    unit: str
    reason: str
    storage_engine: str
    without: str
    rows: tuple[OptionRow, ...]
    value: str = ""
    like: str = ""

    def row(self, family: str, version: str) -> OptionRow | None:
        """The option that carries it in a server; None when the server has none."""
        return next(
            (r for r in self.rows if family in r.families and within(version, r.since, r.until)),
            None,
        )


@dataclass(frozen=True, slots=True)
class KnownOption:
    """What is known of an option by its name.

    Parameters
    ----------
    instead : options that carry the same neutral parameter in the same server
    """

    name: str
    parameter_id: str
    state: State
    instead: tuple[str, ...]


@cached
def parameters() -> tuple[Parameter, ...]:
    """Every parameter that dbdyno sets itself, in the order it writes them."""
    return tuple(
        Parameter(
            parameter_id=entry["id"],
            unit=entry["unit"],
            reason=entry["reason"],
            storage_engine=entry.get("storage_engine", ""),
            without=entry.get("without", ""),
            value=entry.get("value", ""),
            like=entry.get("like", ""),
            rows=tuple(_row(row) for row in entry["options"]),
        )
        for entry in joined_rows("parameter", lambda row: row["id"], "options")
    )


def _row(row: dict[str, Any]) -> OptionRow:
    return OptionRow(
        families=tuple(row["families"]),
        since=row.get("since", ""),
        until=row.get("until", ""),
        name=row["name"],
        form=row["form"],
        read=row.get("read", f"variable:{row['name']}"),
        expect=row.get("expect", ""),
        compare=row.get("compare", "equal"),
        scale=row.get("scale", 1.0),
        divide_by=row.get("divide_by", ""),
        most=row.get("most"),
    )


def parameters_for(storage_engine: str) -> tuple[Parameter, ...]:
    """The parameters that concern a target of a storage engine.

    >>> [p.parameter_id for p in parameters_for("rocksdb")][:2]
    ['memory.numa_interleave', 'memory.warm_load']
    """
    concerned = ("", storage_engine, "" if storage_engine == "innodb" else _ANY_PLUGIN)
    return tuple(p for p in parameters() if p.storage_engine in concerned)


@functools.cache
def _known_rows() -> dict[str, list[tuple[str, dict[str, str]]]]:
    """Option name -> (parameter id, row) of the dictionary of parameters."""
    known: dict[str, list[tuple[str, dict[str, str]]]] = {}
    for entry in json.loads(read_packaged("parameters.json"))["parameters"]:
        for row in entry["rows"]:
            known.setdefault(row["name"], []).append((entry["id"], row))
    return known


def known_options() -> tuple[str, ...]:
    """Names of all options known for any server, with underscores."""
    written = {row.name for parameter in parameters() for row in parameter.rows}
    return tuple(sorted(written | set(_known_rows())))


def lookup_option(name: str, family: str, version: str) -> KnownOption | None:
    """What a server makes of an option; None when no table knows the name for that server.

    >>> lookup_option("innodb_redo_log_capacity", "mariadb", "11.8.6").state
    'refused'
    >>> lookup_option("innodb_log_files_in_group", "mariadb", "11.8.6").state
    'no-op'
    """
    for parameter_id, row in _known_rows().get(name, ()):
        if _applies(row, family, version):
            state: Any = row["state"]
            return KnownOption(name, parameter_id, state, _instead(parameter_id, name, family, version))
    return None


def _instead(parameter_id: str, name: str, family: str, version: str) -> tuple[str, ...]:
    """Accepted options for the same quantity: of the same parameter, or of its group (``redo.``)."""
    group = parameter_id.split(".")[0] + "."
    same, near = [], []
    for other, rows in _known_rows().items():
        for other_id, row in rows:
            if other != name and row["state"] == "accepted" and _applies(row, family, version) and row["family"] != "*":
                if other_id == parameter_id:
                    same.append(other)
                elif other_id.startswith(group):
                    near.append(other)
    return tuple(dict.fromkeys(same or near))[:6]


def _applies(row: dict[str, str], family: str, version: str) -> bool:
    return (row["family"] == "*" or family in row["family"].split()) and within(version, row["since"], row["until"])
