"""From neutral values to the options of one server; the study's own options on top."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dbdyno.configure._baseline import Value, baseline
from dbdyno.configure._setting import Setting
from dbdyno.core import StudyError
from dbdyno.engines import OptionRow, Parameter, known_options, lookup_option, parameters_for, suggest

# What dbdyno decides itself so that a server is private, reachable and read back; not for a study to change.
RESERVED_OPTIONS = frozenset(
    {
        "basedir", "bind_address", "character_sets_dir", "datadir", "defaults_file", "init_file", "lc_messages_dir",
        "log_error", "mysqlx", "pid_file", "plugin_dir", "plugin_load", "plugin_load_add", "port",
        "secure_file_priv", "skip_grant_tables", "skip_networking", "socket", "tmpdir", "user",
    }
)  # fmt: skip
_NOTHING: Mapping[str, str] = MappingProxyType({})


def choose_settings(
    *,
    family: str,
    version: str,
    storage_engine: str,
    tier_bytes: int,
    concurrency_max: int,
    raw: Mapping[str, str] = _NOTHING,
    processors: int | None = None,
) -> tuple[Setting, ...]:
    """Every option to write for a target, each with its reason.

    Parameters
    ----------
    raw : the study's own options; they win over the baseline and are marked
    processors : of the host, for options whose default follows it

    Raises
    ------
    StudyError : a raw option is reserved, or this version refuses or ignores it
    """
    values = baseline(
        tier_bytes=tier_bytes, concurrency_max=concurrency_max, processors=processors, family=family, version=version
    )
    values |= _told_by_tables(storage_engine, values)
    chosen: dict[str, Setting] = {}
    for parameter in parameters_for(storage_engine):
        row = parameter.row(family, version)
        if row is not None and parameter.parameter_id in values:
            chosen[row.name] = _from_row(parameter, row, values)
    own = {fold(name): value for name, value in raw.items()}
    for name, value in own.items():
        chosen[name] = _from_study(name, value, family, version, chosen.get(name))
    return tuple(chosen.values())


def _told_by_tables(storage_engine: str, values: Mapping[str, Value]) -> dict[str, Value]:
    """Values that the tables give themselves: storage engines known by data alone have no other."""
    told: dict[str, Value] = {}
    for parameter in parameters_for(storage_engine):
        if parameter.like in values:
            told[parameter.parameter_id] = values[parameter.like]
        elif parameter.value:
            told[parameter.parameter_id] = int(parameter.value) if parameter.value.isdigit() else parameter.value
    return told


def fold(name: str) -> str:
    """An option's name as the tables write it.

    >>> fold("--Innodb-IO-Capacity")
    'innodb_io_capacity'
    """
    return name.strip().lstrip("-").replace("-", "_").lower()


def _from_row(parameter: Parameter, row: OptionRow, values: Mapping[str, Value]) -> Setting:
    value = values[parameter.parameter_id]
    if isinstance(value, int):
        divisor = values.get(row.divide_by, 1) if row.divide_by else 1
        value = int(value * row.scale) // int(divisor)
        if row.most is not None and value > row.most:
            reason = f"{parameter.reason} (at most {row.most} here, {value} elsewhere)"
            return Setting(row.name, str(row.most), reason, parameter.parameter_id)
    return Setting(row.name, _written(value, row), parameter.reason, parameter.parameter_id)


def _written(value: Value, row: OptionRow) -> str:
    if row.form == "bare":
        return ""
    return {"ON": "1", "OFF": "0"}[str(value)] if row.form == "flag" else str(value)


def _from_study(name: str, value: str, family: str, version: str, replaced: Setting | None) -> Setting:
    if name in RESERVED_OPTIONS:
        raise StudyError(
            f"the option '{name}' can't be set by a study", "dbdyno sets it so that the server is private", "remove it"
        )
    known = lookup_option(name, family, version)
    if known is not None and known.state in ("refused", "no-op", "absent"):
        what = {"refused": "refuses", "absent": "has no", "no-op": "accepts but ignores"}[known.state]
        instead = f"use {' or '.join(known.instead)}" if known.instead else "remove it"
        raise StudyError(
            f"{family} {version} {what} the option '{name}'", f"it stands for {known.parameter_id}", instead
        )
    if known is None and name not in known_options():
        # No table is complete: the server decides. What it refuses is named from its log.
        reason = "set by the study; " + (suggest(name, known_options()) or "no table knows it")
        return Setting(name, value, reason, "", "study")
    parameter = replaced.parameter if replaced else known.parameter_id if known else ""
    was = f", instead of {replaced.value or 'given'}" if replaced else ""
    return Setting(name, value, f"set by the study{was}", parameter, "study")
