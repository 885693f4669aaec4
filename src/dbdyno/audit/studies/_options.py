"""Finds which options of a server decide an input of a rule, and whether dbdyno sets them itself."""

from __future__ import annotations

from collections.abc import Iterable

from dbdyno.audit import name_in_family
from dbdyno.audit.studies._remedies import baseline_id
from dbdyno.engines import (
    Parameter,
    SettingValue,
    lookup_option,
    neutral_parameters,
    parameters_for,
    requested_option,
)


def variables_of(name: str, family: str, version: str, storage_engine: str) -> set[str]:
    """Return variables that carry an input on a server; none where it has no such thing."""
    if name.startswith("variables:"):
        return {name_in_family(name.partition(":")[2], family)}
    server_variable = (
        neutral_parameters()[name].shown(family, version, storage_engine) if name in neutral_parameters() else None
    )
    return {server_variable.variable} if server_variable is not None else set()


def options_of(name: str, own: Iterable[str], family: str, version: str, storage_engine: str) -> set[str]:
    """Return options that decide an input on a server: its variable's, the baseline's, and the study's known for it."""
    names = variables_of(name, family, version, storage_engine)
    for parameter in parameters_for(storage_engine):
        for row in parameter.rows_of(family, version):
            if parameter.parameter_id == baseline_id(name) or row.read.partition(":")[2] in names:
                names.add(requested_option(row.name)[0])
    for option in own:
        catalogue_entry = lookup_option(option, family, version)
        if catalogue_entry is not None and catalogue_entry.parameter_id == name:
            names.add(requested_option(option)[0])
    return names


def is_held(name: str, family: str, version: str, storage_engine: str) -> bool:
    """Return whether dbdyno decides an input on a server, or the server has no such thing."""
    for parameter in _parameters_dbdyno_sets(storage_engine):
        is_decided = parameter.row(family, version) is not None or parameter.without
        if parameter.parameter_id == baseline_id(name) and is_decided:
            return True
    return variables_of(name, family, version, storage_engine) <= _variables_dbdyno_sets(
        family, version, storage_engine
    )


def _variables_dbdyno_sets(family: str, version: str, storage_engine: str) -> set[str]:
    """Return variables that dbdyno's own settings decide on a server."""
    rows = [row for parameter in _parameters_dbdyno_sets(storage_engine) for row in parameter.rows_of(family, version)]
    return {requested_option(row.name)[0] for row in rows} | {row.read.partition(":")[2].lower() for row in rows}


def can_have(name: str, value: SettingValue, family: str, version: str, storage_engine: str) -> bool:
    """Return whether a neutral parameter can have a value on a server, or has it there without an option."""
    entries = [entry for entry in parameters_for(storage_engine) if entry.parameter_id == name]
    if not entries or any(entry.row(family, version, value) is not None for entry in entries):
        return True
    return any(entry.without == str(value) for entry in entries)


def _parameters_dbdyno_sets(storage_engine: str) -> tuple[Parameter, ...]:
    """Return the parameters that dbdyno sets unasked in any case."""
    return tuple(p for p in parameters_for(storage_engine) if not p.is_optional and (p.is_always or not p.needs))


def takes(option: str, name: str, family: str, version: str) -> bool:
    """Return whether a server takes an option, and it stands for the input."""
    catalogue_entry = lookup_option(option, family, version)
    return (
        catalogue_entry is not None
        and catalogue_entry.state in ("accepted", "deprecated")
        and catalogue_entry.parameter_id == name
    )
