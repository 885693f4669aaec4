"""Lists which option carries a neutral parameter in which server, and which variable shows its effective value."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from dbdyno.engines._tables import added_rows, cached, joined_rows, read_packaged
from dbdyno.engines._versions import plugin_within, within

Form = Literal["bytes", "count", "percent", "switch", "flag", "word", "bare"]
Comparison = Literal["equal", "at_least", "rounded_up"]
_ANY_PLUGIN = "plug-in"
Unit = Literal["bytes", "count", "pages", "percent", "seconds", "microseconds", "switch", "word"]
State = Literal["accepted", "deprecated", "no-op", "refused", "absent"]


@dataclass(frozen=True, slots=True)
class OptionRow:
    """Describes one option of a range of versions.

    Parameters
    ----------
    scale : what a value of the parameter is multiplied by to give the option's value
    divide_by : parameter whose value divides it first; empty for none
    least, most : bounds of the option's own value; None where that is no limit here
    words : the option's own word for each value it can have; empty: the value itself
    only : the one value that the option stands for; empty: all
    step : the option's value is a multiple of it
    is_power_of_two : so is the option's value
    needs_positive : parameter that the study must set above 0, too: alone, the option does nothing or something else
    silences : options that the server takes, and ignores together with this one
    within : parameter whose value it does not exceed; empty: none
    plugin_since, plugin_until : versions of the storage engine's plug-in that have it; `plugin_until` lies outside
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
    words: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    only: str = ""
    step: int = 1
    within: str = ""
    silences: tuple[str, ...] = ()
    least: int | None = None
    plugin_since: str = ""
    plugin_until: str = ""
    is_power_of_two: bool = False
    needs_positive: str = ""

    def can_be(self, value: float | str) -> bool:
        """Return whether the option has a word for a value."""
        return (not self.only or self.only == value) and (not self.words or value in self.words)


@dataclass(frozen=True, slots=True)
class Parameter:
    """Describes one neutral quantity that dbdyno can set, with its options in targets of a storage engine.

    Several may have one id: options that carry it jointly, or in other storage engines.

    Parameters
    ----------
    title : what it is
    storage_engine : of the targets it concerns; empty for all, ``plug-in`` for all but InnoDB
    without : what holds in effect where a version has no option for it; empty when nothing can be said
    values : words that it may have; empty: no such list
    least, most : bounds of a number; None: none
    is_internal : follows from others, and is not for a study to set
    is_optional : left to the server unless a study sets it
    needs : parameter -> values with which alone it does something
    is_always : written where it does nothing, too
    value : what it is set to, where the tables themselves say so
    like : parameter whose value it takes, where the tables say so
    """

    parameter_id: str
    title: str
    unit: Unit
    reason: str
    storage_engine: str
    without: str
    rows: tuple[OptionRow, ...]
    values: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    is_internal: bool = False
    is_optional: bool = False
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    is_always: bool = False
    value: str = ""
    like: str = ""

    def row(
        self, family: str, version: str, value: float | str | None = None, plugin_version: str | None = None
    ) -> OptionRow | None:
        """Return the option that carries it, or one value of it, in a server; None when the server has none."""
        rows = self.rows_of(family, version, plugin_version)
        return next((row for row in rows if value is None or row.can_be(value)), None)

    def rows_of(self, family: str, version: str, plugin_version: str | None = None) -> tuple[OptionRow, ...]:
        """Return the options that carry it in a server; several if its values have separate options.

        Parameters
        ----------
        plugin_version : of the plug-in that holds the storage engine; empty: not known; None: whichever
        """
        return tuple(
            row
            for row in self.rows
            if family in row.families
            and within(version, row.since, row.until)
            and plugin_within(plugin_version, row.plugin_since, row.plugin_until)
        )


@dataclass(frozen=True, slots=True)
class KnownOption:
    """Describes what is known of an option by its name.

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
    """Return every parameter that dbdyno can set, as it writes them: those of its baseline, then the others."""
    return tuple(_parameter(entry) for entry in joined_rows("parameter", lambda row: row["id"], "options"))


def _parameter(entry: dict[str, Any]) -> Parameter:
    range_min, range_max = entry.get("range", (None, None))
    switch = ("ON", "OFF") if entry["unit"] == "switch" else ()
    return Parameter(
        parameter_id=entry["id"],
        title=entry.get("title", entry["reason"]),
        unit=entry["unit"],
        reason=entry["reason"],
        storage_engine=entry.get("storage_engine", ""),
        without=entry.get("without", ""),
        rows=tuple(_row(row) for row in entry["options"]),
        values=tuple(entry.get("values", switch)),
        least=range_min,
        most=range_max,
        is_internal=entry.get("internal", False),
        is_optional=entry.get("optional", False),
        needs={name: tuple(values) for name, values in entry.get("needs", {}).items()},
        is_always=entry.get("always", False),
        value=entry.get("value", ""),
        like=entry.get("like", ""),
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
        words=row.get("words", {}),
        only=row.get("only", ""),
        step=row.get("step", 1),
        within=row.get("within", ""),
        silences=tuple(row.get("silences", ())),
        least=row.get("least"),
        plugin_since=row.get("plugin_since", ""),
        plugin_until=row.get("plugin_until", ""),
        is_power_of_two=row.get("power_of_two", False),
        needs_positive=row.get("needs_positive", ""),
    )


def parameters_for(storage_engine: str) -> tuple[Parameter, ...]:
    """Return the parameters that concern a target of a storage engine.

    >>> [p.parameter_id for p in parameters_for("rocksdb")][:2]
    ['memory.numa_interleave', 'memory.warm_start']
    """
    engine_names = ("", storage_engine, "" if storage_engine == "innodb" else _ANY_PLUGIN)
    return tuple(p for p in parameters() if p.storage_engine in engine_names)


@functools.cache
def _known_rows() -> dict[str, list[tuple[str, dict[str, str]]]]:
    """Return option name -> (parameter id, row) of the dictionary of parameters."""
    rows_by_option: dict[str, list[tuple[str, dict[str, str]]]] = {}
    for entry in json.loads(read_packaged("options_by_version.json"))["parameters"]:
        for row in entry["rows"]:
            rows_by_option.setdefault(row["name"], []).append((entry["id"], row))
    return rows_by_option


def known_options() -> tuple[str, ...]:
    """Return names of all options known for any server, with underscores."""
    written_names = {row.name for parameter in parameters() for row in parameter.rows}
    return tuple(sorted(written_names | set(_known_rows())))


def lookup_option(name: str, family: str, version: str) -> KnownOption | None:
    """Return what a server makes of an option; None when no table knows the name for that server.

    >>> lookup_option("innodb_redo_log_capacity", "mariadb", "11.8.6").state
    'refused'
    >>> lookup_option("innodb_log_files_in_group", "mariadb", "11.8.6").state
    'no-op'
    """
    for parameter_id, row in _known_rows().get(name, ()):
        if _is_applicable(row, family, version):
            state: Any = row["state"]
            return KnownOption(name, parameter_id, state, _alternative_options(parameter_id, name, family, version))
    return None


def _alternative_options(parameter_id: str, name: str, family: str, version: str) -> tuple[str, ...]:
    """Return accepted options for the same quantity: of the same parameter, or of its group (``redo.``)."""
    group = parameter_id.split(".")[0] + "."
    parameter_options, group_options = [], []
    for option, rows in _known_rows().items():
        for other_id, row in rows:
            if (
                option != name
                and row["state"] == "accepted"
                and _is_applicable(row, family, version)
                and row["family"] != "*"
            ):
                if other_id == parameter_id:
                    parameter_options.append(option)
                elif other_id.startswith(group):
                    group_options.append(option)
    return tuple(dict.fromkeys(parameter_options or group_options))[:6]


def _is_applicable(row: dict[str, str], family: str, version: str) -> bool:
    return (row["family"] == "*" or family in row["family"].split()) and within(version, row["since"], row["until"])


Kind = Literal["size", "count", "flag", "enum", "string", "float"]


@dataclass(frozen=True, slots=True)
class Shown:
    """Describes where one parameter is read in one server.

    Parameters
    ----------
    variable : row of SHOW GLOBAL VARIABLES
    default : its value where nothing sets it; empty when that is not known or computed only
    computed : the server works the default out at start, from processors, memory or limits
    scale : what the variable is multiplied by to give the parameter's unit
    """

    variable: str
    default: str
    computed: bool
    scale: float


@dataclass(frozen=True, slots=True, eq=False)
class NeutralParameter:
    """Describes one quantity that servers name, count or show differently. There is one object of each.

    Parameters
    ----------
    kind : how its values are written: size, count, float, flag, enum, string
    build_dependent : a server may be built without it
    """

    parameter_id: str
    title: str
    unit: str
    kind: Kind
    build_dependent: bool
    rows: tuple[Mapping[str, Any], ...]

    @functools.cache  # noqa: B019 - parameters live as long as the process
    def shown(self, family: str, version: str, storage_engine: str = "innodb") -> Shown | None:
        """Return where a server shows it; None when it has no such quantity.

        A storage engine's own variable comes before the one of InnoDB or of the server.
        """
        row = next((r for r in self.rows if r.get("storage_engine") == storage_engine), None) or next(
            (r for r in self.rows if r.get("family") == family and within(version, r["since"], r["until"])), None
        )
        if row is None:
            return None
        return Shown(row["variable"], row.get("default", ""), row.get("computed", False), row.get("scale", 1.0))


def neutral_parameter(parameter_id: str) -> NeutralParameter:
    """Return one parameter by its id.

    >>> neutral_parameter("flush.dirty_max").shown("mariadb", "10.5.4").default
    '75'
    >>> neutral_parameter("trx.snapshot_isolation").shown("mariadb", "10.11.2") is None
    True
    """
    return neutral_parameters()[parameter_id]


@cached
def size_variables() -> frozenset[str]:
    """Return the options and variables whose number is one of bytes, as far as the tables know them.

    >>> sorted({"sort_buffer_size", "max_connections", "innodb_log_file_size"} & size_variables())
    ['innodb_log_file_size', 'sort_buffer_size']
    """
    shown = {
        row["variable"]
        for parameter in neutral_parameters().values()
        for row in parameter.rows
        if parameter.kind == "size" and row.get("scale", 1) == 1
    }
    written = {row.name for parameter in parameters() for row in parameter.rows if row.form == "bytes"}
    return frozenset(shown | written)


@cached
def neutral_parameters() -> Mapping[str, NeutralParameter]:
    """Return all of them by id, grouped by subject."""
    document = json.loads(read_packaged("options_by_version.json"))
    added_rows_by_id: dict[str, list[dict[str, Any]]] = {}
    for row in added_rows("shown"):
        added_rows_by_id.setdefault(row["parameter"], []).append({"since": "", "until": "", **row})
    return {
        entry["id"]: NeutralParameter(
            parameter_id=entry["id"],
            title=entry["title"],
            unit=entry["unit"],
            kind=entry["kind"],
            build_dependent=entry.get("build_dependent", False),
            rows=(*added_rows_by_id.get(entry["id"], ()), *entry["shown"]),
        )
        for entry in document["parameters"]
    }
