"""Decides whether a server can have what a study asks of it; never picks an option that it would not heed."""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno.configure._options import ServerBuild, Setting, fold_name
from dbdyno.core import StudyError, format_bytes
from dbdyno.engines import (
    OptionRow,
    Parameter,
    SettingValue,
    parameters_for,
    servers_of,
    setting_text,
    storage_engines,
    vocabulary,
)


def row_for(
    parameter: Parameter,
    build: ServerBuild,
    values: Mapping[str, SettingValue],
    study_settings: Mapping[str, SettingValue],
) -> OptionRow | None:
    """Return the option that gives a parameter its value; None where it needs none.

    Raises
    ------
    StudyError : the study asks for what this version has no option for, or what would do nothing together with the rest
    """
    name = parameter.parameter_id
    unmet_needs = {
        needed_name: needed_values
        for needed_name, needed_values in parameter.needs.items()
        if values.get(needed_name) not in needed_values
    }
    if name in study_settings:
        _refuse_ineffective(name, study_settings[name], unmet_needs, values)
        _refuse_impossible(name, study_settings[name], build)
        _refuse_plugin_parameter(parameter, study_settings[name], build)
    if (unmet_needs and not parameter.is_always) or (parameter.is_optional and name not in study_settings):
        return None
    row = parameter.row(build.family, build.version, values[name], build.plugin_version)
    if row is not None and row.needs_positive and name in study_settings:
        _refuse_alone(name, row, study_settings)
    return row


def wanted_number(name: str, number: float, row: OptionRow, values: Mapping[str, SettingValue], server: str) -> None:
    """Refuse a number that the option can't hold as it is asked for.

    Raises
    ------
    StudyError : beyond what it takes here or together with the rest, or between two values that it can have
    """
    value = float(values[name])
    assignment = f"{name} = {setting_text(name, value)}"
    if row.most is not None and number > row.most:
        raise StudyError(
            f"{assignment} is not possible on {server}",
            f"its {row.name} takes at most {row.most}, and would be {number:.15g}",
            "choose a smaller value",
        )
    if row.least is not None and number < row.least:
        raise StudyError(
            f"{assignment} is not possible on {server}",
            f"its {row.name} takes at least {row.least}, and would be {number:.15g}",
            "choose a larger value",
        )
    if row.within and value > float(values[row.within]):
        raise StudyError(
            f"{assignment} is not possible on {server}",
            f"it takes at most {row.within}, which is {setting_text(row.within, values[row.within])}",
            f"set {row.within}, too, or choose a smaller value",
        )
    if row.is_power_of_two and int(number).bit_count() != 1:
        raise StudyError(
            f"{assignment} is not possible on {server}",
            f"its {row.name} is a power of two",
            f"choose {format_bytes(1 << (int(number).bit_length() - 1))}",
        )
    if number % row.step:
        step = format_bytes(row.step) if row.form == "bytes" else str(row.step)
        instances_words = f" (there are {round(value / number)})" if number != value else ""
        raise StudyError(
            f"{assignment} is not possible on {server}",
            f"its {row.name}{instances_words} is a multiple of {step}",
            "choose a rounder one",
        )


def refuse_twice(
    study_settings: Mapping[str, SettingValue], raw: Mapping[str, str], chosen: Mapping[str, Setting]
) -> None:
    """Refuse a raw option for what a neutral parameter of the study sets already.

    Raises
    ------
    StudyError : there is one
    """
    for option in map(fold_name, raw):
        parameter = chosen[option].parameter if option in chosen else ""
        if parameter in study_settings:
            raise StudyError(
                f"{parameter} is set twice",
                f"by its name and by the server option {option}",
                "remove one of the two",
                code="set-twice",
            )


def _refuse_ineffective(
    name: str, value: SettingValue, unmet_needs: Mapping[str, tuple[str, ...]], values: Mapping[str, SettingValue]
) -> None:
    for needed_name, needed_values in unmet_needs.items():
        current_value = values.get(needed_name)
        raise StudyError(
            f"{name} = {setting_text(name, value)} would have no effect",
            f"it needs {needed_name} = {' or '.join(needed_values)}"
            + (f", but that is {current_value}" if current_value is not None else ", but the study does not set that"),
            f"set {needed_name}, too, or remove {name}",
        )


def _refuse_alone(name: str, row: OptionRow, study_settings: Mapping[str, SettingValue]) -> None:
    """Refuse what means another thing on each vendor's servers unless the study sets its counterpart, too."""
    needed_value = study_settings.get(row.needs_positive, "not set")
    if float(study_settings[name]) > 0 and needed_value in ("not set", 0):
        raise StudyError(
            f"{name} = {setting_text(name, study_settings[name])} needs {row.needs_positive} above 0",
            f"that is {needed_value}; alone, {row.name} does nothing or waits by the server's default",
            f"set {row.needs_positive}, too, or remove {name}",
        )


def _refuse_impossible(name: str, value: SettingValue, build: ServerBuild) -> None:
    family, version, storage_engine = build.family, build.version, build.storage_engine
    entries = [p for p in parameters_for(storage_engine) if p.parameter_id == name]
    if any(entry.row(family, version, value) is not None for entry in entries):
        return
    value_without_option = next((entry.without for entry in entries if entry.without), "")
    if value_without_option and setting_text(name, value) == setting_text(
        name, _cast_like(value, value_without_option)
    ):
        return
    has_option = any(entry.row(family, version) is not None for entry in entries)
    why = f"it has no {'such value' if has_option else 'option for it'}"
    why += f"; the effective value there is {value_without_option}" if value_without_option and not has_option else ""
    able_servers = servers_of([row for entry in entries for row in entry.rows], value)
    able_engines = () if able_servers else _other_storage_engines(name, value, storage_engine)
    if able_servers:
        why += f"; these servers have it: {'; '.join(able_servers)}"
    elif able_engines:
        why += f"; no known version of {_engine_title(storage_engine)} has it, {' and '.join(able_engines)} can have it"
    else:
        why += "; no known server has it"
    of_plugin = f" with {_engine_title(storage_engine)}" if able_engines else ""
    raise StudyError(
        f"{name} = {setting_text(name, value)} is not possible on {build.title}{of_plugin}",
        why,
        "remove it, or set it in [target.settings] of the targets that have it"
        if able_servers or able_engines
        else "remove it",
        code="impossible-setting",
    )


def _other_storage_engines(name: str, value: SettingValue, storage_engine: str) -> tuple[str, ...]:
    """Return storage engines other than this one that can have a value, by title."""
    able_engines = [entry.storage_engine for entry in vocabulary().get(name, ()) if servers_of(entry.rows, value)]
    return tuple(
        dict.fromkeys(_engine_title(engine or "innodb") for engine in able_engines if engine != storage_engine)
    )


def _engine_title(storage_engine: str) -> str:
    """Return a storage engine as its vendor writes it.

    >>> _engine_title("rocksdb"), _engine_title("innodb"), _engine_title("aria")
    ('MyRocks', 'InnoDB', 'aria')
    """
    engine = storage_engines().get(storage_engine)
    return "InnoDB" if storage_engine == "innodb" else engine.title if engine is not None else storage_engine


def _refuse_plugin_parameter(parameter: Parameter, value: SettingValue, build: ServerBuild) -> None:
    """Refuse what this version of the plug-in has no option for, and another one has."""
    plugin_version = build.plugin_version
    row = parameter.row(build.family, build.version, value)
    if row is None or parameter.row(build.family, build.version, value, plugin_version) is not None:
        return
    name, engine = parameter.parameter_id, _engine_title(parameter.storage_engine)
    since_words, until_words = (
        row.plugin_since and f" from {row.plugin_since} on",
        row.plugin_until and f" before {row.plugin_until}",
    )
    raise StudyError(
        f"{name} = {setting_text(name, value)} is not possible with {engine} "
        f"{plugin_version or 'of an unknown version'}",
        f"its option {row.name} is in plug-ins{since_words}{until_words}",
        "remove it, or use another plug-in" if plugin_version else "add the plug-in's plugin_version",
        code="impossible-with-plugin",
    )


def _cast_like(value: SettingValue, text: str) -> SettingValue:
    return text if isinstance(value, str) else float(text)
