"""A study's settings held against the option tables, before anything is fetched or started."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from dbdyno.configure._choose import choose_settings
from dbdyno.configure._setting import Setting
from dbdyno.core import EngineName, StudyError, Target
from dbdyno.study import Study

_NEWEST = "999"


def check_settings(
    study: Study, plugin_versions: Mapping[str, str] = MappingProxyType({})
) -> dict[str, tuple[Setting, ...]]:
    """Options of each target that dbdyno configures, at the smallest tier; a series stands for its newest version.

    Parameters
    ----------
    plugin_versions : target's name -> version of its plug-in, where that is known already

    Raises
    ------
    StudyError : a target can't have what the study asks for; it is named
    """
    ours = [t for t in study.targets if t.engine.source_kind != "server" and t.engine.version]
    if study.imported is not None:
        return {}
    return {t.name: _checked(study, t, plugin_versions.get(t.name, t.engine.plugin_version)) for t in ours}


def settings_of_series(engine: EngineName, **more: Any) -> tuple[Setting, ...]:  # noqa: ANN401 - see choose_settings
    """What `choose_settings` gives for an engine by its name alone.

    Raises
    ------
    StudyError : as there
    """
    version = series_version(engine.version)
    try:
        return choose_settings(
            family=engine.family, version=version, storage_engine=engine.storage_engine, concurrency_max=16, **more
        )
    except StudyError as error:
        what, why = (words.replace(version, engine.version) for words in (error.what, error.why))
        raise StudyError(what, why, error.remedy) from error


def series_version(version: str) -> str:
    """A version as tables compare it: a series counts as its newest release.

    >>> series_version("11.8"), series_version("8.0.31"), series_version("9")
    ('11.8.999', '8.0.31', '9.999.999')
    """
    numbers = version.split(".")
    return ".".join([*numbers, *[_NEWEST] * (3 - len(numbers))])


def _checked(study: Study, target: Target, plugin_version: str) -> tuple[Setting, ...]:
    settings: tuple[Setting, ...] = ()
    try:
        for tier_bytes in sorted(study.tiers_bytes, reverse=True):
            settings = settings_of_series(
                target.engine,
                tier_bytes=tier_bytes,
                asked=study.asked_of(target),
                raw=target.options,
                policy=study.policy,
                file_options=target.file_options,
                plugin_version=plugin_version or None,
            )
    except StudyError as error:
        raise StudyError(f"{target.name}: {error.what}", error.why, error.remedy) from error
    return settings
