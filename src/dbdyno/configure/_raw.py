"""Options by the server's own names, from a study or from a named option file."""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno.configure._setting import Setting, SettingSource
from dbdyno.core import StudyError
from dbdyno.engines import known_options, lookup_option, parameters, plugin_within, suggest

# What dbdyno decides itself so that a server is private, reachable and read back; not for a study to change.
RESERVED_OPTIONS = frozenset(
    {
        "basedir", "bind_address", "character_sets_dir", "datadir", "defaults_file", "init_file", "lc_messages_dir",
        "log_error", "mysqlx", "pid_file", "plugin_dir", "plugin_load", "plugin_load_add", "port",
        "secure_file_priv", "skip_grant_tables", "skip_networking", "socket", "tmpdir", "user",
    }
)  # fmt: skip
_SET_BY = {"study": "set by the study", "file": "set by the option file of the target"}


def fold(name: str) -> str:
    """An option's name as the tables write it.

    >>> fold("--Innodb-IO-Capacity")
    'innodb_io_capacity'
    """
    return name.strip().lstrip("-").replace("-", "_").lower()


def replace_raw(
    chosen: dict[str, Setting],
    raw: Mapping[str, str],
    family: str,
    version: str,
    source: SettingSource,
    plugin_version: str | None = None,
) -> None:
    """Put raw options in the place of what is chosen for the same thing, or beside it.

    Raises
    ------
    StudyError : an option is reserved, or this version, or that of the plug-in, refuses or ignores it
    """
    for name, value in {fold(name): value for name, value in raw.items()}.items():
        _refuse_of_plugin(name, family, version, plugin_version)
        _refuse_silenced(chosen, name, family, version)
        replaced = _taken_out(chosen, name, family, version)
        chosen[name] = _setting(name, value, family, version, replaced, source)


def _refuse_of_plugin(name: str, family: str, version: str, plugin_version: str | None) -> None:
    """Refuse an option that this version of the plug-in is known not to have; one of unknown version may have it."""
    rows = [row for p in parameters() for row in p.rows_of(family, version) if row.name == name]
    if plugin_version and rows and not any(plugin_within(plugin_version, r.plugin_since, r.plugin_until) for r in rows):
        raise StudyError(
            f"version {plugin_version} of the plug-in has no option '{name}'",
            f"it is in plug-ins from {rows[0].plugin_since or 'the first'} to {rows[0].plugin_until or 'the newest'}",
            "remove it, or choose another plug-in",
        )


def _refuse_silenced(chosen: Mapping[str, Setting], name: str, family: str, version: str) -> None:
    for row in (row for p in parameters() for row in p.rows_of(family, version) if row.name in chosen):
        if name in row.silences:
            raise StudyError(
                f"{family} {version} accepts but ignores the option '{name}' beside {row.name}",
                f"which is set: {chosen[row.name].reason}",
                f"use {row.name}, or {chosen[row.name].parameter} in [settings]",
            )


def _taken_out(chosen: dict[str, Setting], name: str, family: str, version: str) -> Setting | None:
    """What stood for the same variable, under this name or as its negation (``skip_log_bin`` and ``log_bin``)."""
    shown = {row.name: row.read.partition(":")[2] for p in parameters() for row in p.rows_of(family, version)}
    mine = {name, name.removeprefix("skip_")}
    for option in list(chosen):
        if option == name or (option.startswith("skip_") and shown.get(option, option) in mine):
            return chosen.pop(option)
    return None


def _setting(
    name: str, value: str, family: str, version: str, replaced: Setting | None, source: SettingSource
) -> Setting:
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
    by = _SET_BY[source]
    if known is None and name not in known_options():
        # No table is complete: the server decides. What it refuses is named from its log.
        return Setting(name, value, f"{by}; " + (suggest(name, known_options()) or "no table knows it"), "", source)
    parameter = replaced.parameter if replaced else known.parameter_id if known else ""
    was = f", instead of {replaced.value or 'given'}" if replaced else ""
    return Setting(name, value, f"{by}{was}", parameter, source)
