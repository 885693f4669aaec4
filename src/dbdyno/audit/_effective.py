"""Resolves a neutral parameter to the value in effect on one target."""

from __future__ import annotations

import fnmatch
import functools
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

from dbdyno.audit._normalise import normalise, parse_number, switch
from dbdyno.audit._reading import NOT_OFFERED, SourcedValue, Value, known, missing
from dbdyno.audit._target import AuditTarget
from dbdyno.engines import NeutralParameter, Shown, neutral_parameter

# Options that carry a variable under another name.
_OPTION_NAMES = {
    "tx_isolation": ("transaction_isolation",),
    "have_ssl": ("ssl",),
    "log_slave_updates": ("log_replica_updates",),
    "log_replica_updates": ("log_slave_updates",),
}

# MariaDB's names of what MySQL calls otherwise, where a rule compares the variable itself.
_MARIADB_VARIABLES = {"binlog_transaction_compression": "log_bin_compress"}

# With the unified memtable off, TidesDB heeds other variables, here with their defaults.
_WITHOUT_UNIFIED_MEMTABLE = {
    "tidesdb_unified_memtable_sync_mode": ("tidesdb_default_sync_mode", "FULL"),
    "tidesdb_unified_memtable_sync_interval": ("tidesdb_default_sync_interval_us", "128000"),
    "tidesdb_unified_memtable_write_buffer_size": ("tidesdb_default_write_buffer_size", "67108864"),
}
# Defaults that another option moves.
_FOLLOWS = {"charset.collation": "character_set_server", "io.capacity_max": "innodb_io_capacity"}
# A server built without it shows no variable, which means OFF.
_COMPILED_OUT = frozenset({"server.performance_schema"})


def effective(target: AuditTarget, parameter_id: str) -> SourcedValue:
    """Return the value of a parameter in effect.

    Read from the variable that shows it. Where the server has no such variable, what that implies. Where nothing was
    read from the server, what its option file asks for, or the default of its version.
    """
    if not target.family:
        return missing("which server and version it is")
    parameter = neutral_parameter(parameter_id)
    server_variable = _server_variable(target, parameter_id)
    if server_variable is None:
        return implied(target, parameter_id)
    if target.facts.variables is not None:
        return _read_from_variable(target, parameter, server_variable)
    if target.facts.option_file is not None:
        return _read_from_option_file(target, parameter, server_variable)
    return missing("variables")


def shown_value(target: AuditTarget, parameter_id: str) -> SourcedValue:
    """Return what `effective` returns, but only from what a variable shows: nothing is implied."""
    reading = effective(target, parameter_id)
    return NOT_OFFERED if reading.implied else reading


def variable(target: AuditTarget, name: str) -> SourcedValue:
    """Return a raw variable, under the name that the family has for it, or what its absence implies if known."""
    own_name = name_in_family(name, target.family)
    if (text := target.variable(own_name)) is not None:
        return known(normalise(text, "flag"))
    if target.facts.variables is None and (requested_text := target.asked(own_name)) is not None:
        return known(normalise(requested_text, "flag"), "asked")
    if target.facts.variables is None and target.facts.option_file is None:
        return missing("variables")
    return implied(target, f"variables:{name}")


def name_in_family(name: str, family: str) -> str:
    """Return the family's name of a raw variable that a rule compares.

    >>> name_in_family("binlog_transaction_compression", "mariadb"), name_in_family("binlog_row_metadata", "mariadb")
    ('log_bin_compress', 'binlog_row_metadata')
    """
    return _MARIADB_VARIABLES.get(name, name) if family == "mariadb" else name


def implied(target: AuditTarget, parameter_id: str) -> SourcedValue:
    """Return what holds on a server that has no variable for a parameter; not offered where nothing follows."""
    for row in _implied_rows():
        if row["parameter"] == parameter_id and _is_one_of(target, row.get("families", ["*"])):
            value: Value = row["value"]
            return known(value, implied=True)
    return NOT_OFFERED


def is_asked(target: AuditTarget, parameter_id: str) -> bool:
    """Return whether the option file sets a parameter."""
    if not target.family:
        return False
    server_variable = _server_variable(target, parameter_id)
    return server_variable is not None and target.asked(*_option_names(server_variable)) is not None


def _server_variable(target: AuditTarget, parameter_id: str) -> Shown | None:
    shown = neutral_parameter(parameter_id).shown(target.family, target.version, target.storage_engine)
    if shown is None or shown.variable not in _WITHOUT_UNIFIED_MEMTABLE:
        return shown
    is_unified = target.variable("tidesdb_unified_memtable") or target.asked("tidesdb_unified_memtable") or "ON"
    if switch(is_unified) == "ON":
        return shown
    name, default = _WITHOUT_UNIFIED_MEMTABLE[shown.variable]
    return replace(shown, variable=name, default=default)


def _read_from_variable(target: AuditTarget, parameter: NeutralParameter, server_variable: Shown) -> SourcedValue:
    text = target.variable(server_variable.variable)
    if text is not None:
        return known(_normalised_value(text, parameter, server_variable))
    if parameter.build_dependent:
        return NOT_OFFERED
    if parameter.parameter_id in _COMPILED_OUT:
        return implied(target, parameter.parameter_id)
    return missing(f"variable {server_variable.variable}")


def _read_from_option_file(target: AuditTarget, parameter: NeutralParameter, server_variable: Shown) -> SourcedValue:
    text = target.asked(*_option_names(server_variable))
    if text is not None:
        if parameter.parameter_id == "binlog.enabled":  # asked as a path, shown as a switch
            return known("OFF" if text.upper() in ("OFF", "0", "FALSE") else "ON", "asked")
        return known(_normalised_value(text, parameter, server_variable), "asked")
    followed_option = _FOLLOWS.get(parameter.parameter_id)
    if followed_option is not None and target.asked(followed_option) is not None:
        return missing(f"variable {server_variable.variable}: it follows {followed_option}")
    if server_variable.computed or (
        not server_variable.default and parameter.kind != "string" and server_variable.variable != "innodb_flush_method"
    ):
        return missing(f"variable {server_variable.variable}: its default is worked out at start")
    return known(_normalised_value(server_variable.default, parameter, server_variable), "asked")


def _option_names(server_variable: Shown) -> tuple[str, ...]:
    return server_variable.variable, *_OPTION_NAMES.get(server_variable.variable, ())


def _normalised_value(text: str, parameter: NeutralParameter, server_variable: Shown) -> Value:
    value = normalise(text, parameter.kind, parameter.parameter_id)
    if server_variable.scale != 1 and not isinstance(value, str):
        return parse_number(f"{value * server_variable.scale:.6f}") or 0
    return value


def _is_one_of(target: AuditTarget, patterns: list[str]) -> bool:
    return any(fnmatch.fnmatchcase(f"{target.family}-{target.version}", pattern) for pattern in patterns)


@functools.cache
def _implied_rows() -> tuple[dict[str, Any], ...]:
    text = (Path(__file__).parent / "data" / "implied.toml").read_text(encoding="utf-8")
    return tuple(tomllib.loads(text)["implied"])
