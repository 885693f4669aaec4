"""Chooses one server's options by the study's policy, and checks a study's settings before anything is fetched."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from dbdyno.configure._baseline import baseline, is_of_vendor, tier_as_cache
from dbdyno.configure._capabilities import refuse_twice, row_for, wanted_number
from dbdyno.configure._memory_budget import check_memory_settings
from dbdyno.configure._options import ServerBuild, Setting, fold_name, is_reserved, replace_raw
from dbdyno.configure._readback import comparable_value
from dbdyno.core import EngineName, Policy, StudyError, Target
from dbdyno.engines import OptionRow, Parameter, SettingValue, parameters_for, setting_text
from dbdyno.study import Study

_ASK_NOTHING: Mapping[str, SettingValue] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ServerSize:
    """States what a server's options are sized for.

    Parameters
    ----------
    processors : of the host, for options whose default follows it
    """

    tier_bytes: int
    concurrency_max: int
    processors: int | None = None


@dataclass(frozen=True, slots=True)
class RequestedOptions:
    """States what a study asks of a target's options.

    Parameters
    ----------
    settings : neutral parameters that the study sets for the target, in their units
    raw : server options that the study adds for it; they win and are marked
    policy : aligned: the baseline on all; vendor: the tier, and what the study needs to run at all; tuned: that and the
        target's own file
    file_options : of that file; None for an option of which it has the mere name
    """

    settings: Mapping[str, SettingValue] = field(default_factory=dict)
    raw: Mapping[str, str] = field(default_factory=dict)
    policy: Policy = "aligned"
    file_options: Mapping[str, str | None] = field(default_factory=dict)

    @classmethod
    def of(cls, study: Study, target: Target, overrides: Mapping[str, SettingValue] = _ASK_NOTHING) -> RequestedOptions:
        """Return what a study asks for one of its targets, some settings overridden."""
        settings = {**study.settings_of(target), **overrides}
        return cls(settings, target.options, study.policy, target.file_options)


_NO_REQUEST = RequestedOptions()


def choose_settings(
    build: ServerBuild, size: ServerSize, requested: RequestedOptions = _NO_REQUEST
) -> tuple[Setting, ...]:
    """Return every option to write for a target, each with its reason.

    Raises
    ------
    StudyError : this version can't have what the study asks for, or refuses, ignores or is denied a raw option
    """
    tier_bytes, storage_engine, study_settings = size.tier_bytes, build.storage_engine, requested.settings
    baseline_values = functools.partial(
        baseline,
        tier_bytes=tier_bytes,
        concurrency_max=size.concurrency_max,
        processors=size.processors,
        family=build.family,
        version=build.version,
    )
    default_values, values = (
        _with_table_values(storage_engine, baseline_values(study_settings=settings), settings)
        for settings in (_ASK_NOTHING, study_settings)
    )
    check_memory_settings(study_settings, tier_bytes, build.title, storage_engine)
    if requested.policy != "aligned":
        values = tier_as_cache(values, tier_bytes, size.concurrency_max)
    settings_by_option: dict[str, Setting] = {}
    for parameter in parameters_for(storage_engine):
        name = parameter.parameter_id
        if name in values and (requested.policy == "aligned" or is_of_vendor(parameter)):
            row = row_for(parameter, build, values, study_settings)
            if row is not None:
                setting = _option_setting(
                    parameter, row, values, bool({name, row.divide_by} & set(study_settings)), build.title
                )
                settings_by_option[row.name] = (
                    replace(setting, **_setting_origin(parameter, study_settings, default_values))
                    if name in study_settings
                    else setting
                )
    refuse_twice(study_settings, requested.raw, settings_by_option)
    if requested.policy == "tuned":
        _check_file_tier(settings_by_option, requested.file_options)
        replace_raw(settings_by_option, _without_reserved_options(requested.file_options), build, "file")
    replace_raw(settings_by_option, requested.raw, build, "study")
    return tuple(settings_by_option.values())


def _with_table_values(
    storage_engine: str, values: Mapping[str, SettingValue], study_settings: Mapping[str, SettingValue]
) -> dict[str, SettingValue]:
    """Return values, and those that the tables give themselves: storage engines known by data alone have no other."""
    parameters: dict[str, SettingValue] = {}
    for parameter in parameters_for(storage_engine):
        if parameter.like in values:
            parameters[parameter.parameter_id] = values[parameter.like]
        elif parameter.value:
            parameters[parameter.parameter_id] = int(parameter.value) if parameter.value.isdigit() else parameter.value
    return {**values, **parameters, **study_settings}


def _setting_origin(
    parameter: Parameter, study_settings: Mapping[str, SettingValue], default_values: Mapping[str, SettingValue]
) -> dict[str, Any]:
    """Return who set a parameter, and what holds otherwise."""
    name = parameter.parameter_id
    default_words = (
        f"instead of {setting_text(name, default_values[name])}"
        if name in default_values and not parameter.is_optional
        else ""
    )
    reason = (
        f"set by the study: {name} = {setting_text(name, study_settings[name])}, {default_words or parameter.reason}"
    )
    return {"source": "settings", "reason": reason}


def _option_setting(
    parameter: Parameter, row: OptionRow, values: Mapping[str, SettingValue], is_asked: bool, server: str
) -> Setting:
    name, value = parameter.parameter_id, values[parameter.parameter_id]
    if isinstance(value, str) or row.words:
        return Setting(row.name, _option_word(str(value), row), parameter.reason, name)
    divisor = float(values.get(row.divide_by, 1)) if row.divide_by else 1
    number, reason = value * row.scale / divisor, parameter.reason
    if is_asked:
        wanted_number(name, number, row, values, server)
    elif row.most is not None and number > row.most:
        number, reason = row.most, f"{reason} (at most {row.most} here, {value:g} elsewhere)"
    return Setting(row.name, f"{number:.15g}" if row.form == "percent" else f"{int(number)}", reason, name)


def _option_word(value: str, row: OptionRow) -> str:
    if row.form == "bare":
        return ""
    value = row.words.get(value, value)
    return {"ON": "1", "OFF": "0"}[value] if row.form == "flag" else value


def _without_reserved_options(options: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return what a server in private can take of an option file written for another place."""
    return {name: value for name, value in options.items() if not is_reserved(fold_name(name))}


def _check_file_tier(settings_by_option: Mapping[str, Setting], options: Mapping[str, str | None]) -> None:
    """Refuse an option file with another main cache: it is an axis of the study, and the label would be wrong."""
    for name, value in options.items():
        tier_setting = settings_by_option.get(fold_name(name))
        if tier_setting is not None and tier_setting.parameter in ("memory.buffer_pool", "memory.block_cache"):
            if comparable_value(value or "") != comparable_value(tier_setting.value):
                raise StudyError(
                    f"the option file sets {fold_name(name)} = {value or 'empty'}, and the memory tier is "
                    f"{tier_setting.value} bytes",
                    "the tier is an axis of the study, the same for all targets",
                    f"remove {fold_name(name)} from the file, or measure at the tier that it is made for",
                    code="tier-in-option-file",
                )


_NEWEST = "999"
_SERIES_CONCURRENCY = 16


def check_settings(
    study: Study, plugin_versions: Mapping[str, str] = MappingProxyType({})
) -> dict[str, tuple[Setting, ...]]:
    """Return options of each target that dbdyno configures, at the smallest tier; a series means its newest version.

    Parameters
    ----------
    plugin_versions : target's name -> version of its plug-in, where that is known already

    Raises
    ------
    StudyError : a target can't have what the study asks for; it is named
    """
    configured_targets = [t for t in study.targets if t.engine.source_kind != "server" and t.engine.version]
    if study.imported is not None:
        return {}
    for target in configured_targets:
        _refuse_unused_tls(study, target)
    return {
        t.name: _checked_settings(study, t, plugin_versions.get(t.name, t.engine.plugin_version))
        for t in configured_targets
    }


def _refuse_unused_tls(study: Study, target: Target) -> None:
    """Refuse encryption where no connection would have it: who compares with and without would find no difference."""
    if study.settings_of(target).get("tls.available") == "ON" and set(study.routes) == {"socket"}:
        raise StudyError(
            f"{target.name}: tls.available = ON would have no effect",
            "the study's route is the socket, and only connections over TCP are encrypted",
            'choose another route: --route loopback, or route = "loopback" in [axes]',
            code="ineffective-setting",
        )


def settings_of_series(
    engine: EngineName,
    tier_bytes: int,
    requested: RequestedOptions = _NO_REQUEST,
    plugin_version: str | None = None,
) -> tuple[Setting, ...]:
    """Return what `choose_settings` gives for an engine by its name alone.

    Raises
    ------
    StudyError : as there
    """
    version = series_version(engine.version)
    build = ServerBuild(engine.family, version, engine.storage_engine, plugin_version)
    try:
        return choose_settings(build, ServerSize(tier_bytes, _SERIES_CONCURRENCY), requested)
    except StudyError as error:
        what, why = (words.replace(version, engine.version) for words in (error.what, error.why))
        raise StudyError(what, why, error.remedy, code=error.code) from error


def series_version(version: str) -> str:
    """Return a version as tables compare it: a series counts as its newest release.

    >>> series_version("11.8"), series_version("8.0.31"), series_version("9")
    ('11.8.999', '8.0.31', '9.999.999')
    """
    numbers = version.split(".")
    return ".".join([*numbers, *[_NEWEST] * (3 - len(numbers))])


def _checked_settings(study: Study, target: Target, plugin_version: str) -> tuple[Setting, ...]:
    settings: tuple[Setting, ...] = ()
    try:
        for tier_bytes in sorted(study.tiers_bytes, reverse=True):
            requested = RequestedOptions.of(study, target)
            settings = settings_of_series(target.engine, tier_bytes, requested, plugin_version or None)
    except StudyError as error:
        raise StudyError(f"{target.name}: {error.what}", error.why, error.remedy, code=error.code) from error
    return settings
