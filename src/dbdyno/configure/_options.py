"""Holds a server's options, each with its reason: by neutral or own name, and in the one option file that it reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from dbdyno.configure._engine import Engine
from dbdyno.core import StudyError
from dbdyno.engines import EngineFamily, known_options, lookup_option, parameters, plugin_within
from dbdyno.nearest import nearest

SettingSource = Literal["baseline", "settings", "study", "file"]


@dataclass(frozen=True, slots=True)
class ServerBuild:
    """Names the server that options are for.

    Parameters
    ----------
    plugin_version : of the plug-in that holds the storage engine; empty: not known; None: whichever
    """

    family: str
    version: str
    storage_engine: str
    plugin_version: str | None = None

    @property
    def title(self) -> str:
        """Return family and version."""
        return f"{self.family} {self.version}"


@dataclass(frozen=True, slots=True)
class Setting:
    """Describes an option as written to the option file, and what the server made of it.

    Parameters
    ----------
    option : the server's own name, with underscores
    value : as written; empty for an option that takes none, ``ON`` for one that could take one and is bare
    reason : why it is set so, a sentence
    parameter : neutral name such as ``redo.capacity``; empty for a raw option no table knows
    source : chosen by dbdyno; a neutral setting or a raw option of the study; the option file of a tuned target
    effective : read back from the server; None before, or where the server shows nothing to read
    is_bare : written as the mere name, as in the target's option file: to a switch it means on, and empty means off
    """

    option: str
    value: str
    reason: str
    parameter: str = ""
    source: SettingSource = "baseline"
    effective: str | None = None
    is_bare: bool = False


# What dbdyno decides itself so that a server is private, reachable and read back; not for a study to change.
RESERVED_OPTIONS = frozenset(
    {
        "admin_address", "admin_port", "basedir", "bind_address", "character_sets_dir", "chroot", "datadir",
        "defaults_file", "extra_port", "init_file", "lc_messages_dir", "log_error", "mysqlx", "pid_file", "plugin_dir",
        "plugin_load", "plugin_load_add", "port", "secure_file_priv", "skip_grant_tables", "skip_networking", "socket",
        "tmpdir", "user",
        # Files outside the data directory would not be in a snapshot, and two targets could share them.
        "aria_log_dir_path", "binlog_directory", "general_log_file", "innodb_data_home_dir", "innodb_directories",
        "innodb_doublewrite_dir", "innodb_log_group_home_dir", "innodb_temp_tablespaces_dir", "innodb_tmpdir",
        "innodb_undo_directory", "log_basename", "log_bin_index", "log_slow_query_file", "master_info_file",
        "relay_log", "relay_log_index", "relay_log_info_file", "replica_load_tmpdir", "rocksdb_datadir",
        "rocksdb_log_dir", "rocksdb_persistent_cache_path", "rocksdb_wal_dir", "slave_load_tmpdir",
        "slow_query_log_file", "tidesdb_backup_dir", "tidesdb_checkpoint_dir", "tidesdb_data_home_dir",
    }
)  # fmt: skip
_SET_BY = {"study": "set by the study", "file": "set by the option file of the target"}


def fold_name(name: str) -> str:
    """Return an option's name as the tables write it.

    >>> fold_name("--Innodb-IO-Capacity")
    'innodb_io_capacity'
    """
    return name.strip().lstrip("-").replace("-", "_").lower()


def is_reserved(option: str) -> bool:
    """Return whether dbdyno alone sets an option, also under the prefix with which a server may ignore it.

    >>> is_reserved("loose_datadir"), is_reserved("mysqlx_port"), is_reserved("log_bin")
    (True, True, False)
    """
    name = option.removeprefix("loose_")
    return name in RESERVED_OPTIONS or name.startswith("mysqlx_")


def replace_raw(
    chosen: dict[str, Setting],
    raw: Mapping[str, str | None],
    build: ServerBuild,
    source: SettingSource,
) -> None:
    """Put raw options in the place of what is chosen for the same thing, or next to it; None is the mere name.

    Raises
    ------
    StudyError : an option is reserved, or this version, or that of the plug-in, refuses or ignores it
    """
    family, version = build.family, build.version
    for name, value in {fold_name(name): value for name, value in raw.items()}.items():
        _refuse_plugin_option(name, family, version, build.plugin_version)
        _refuse_silenced(chosen, name, family, version)
        replaced_setting = _pop_replaced_setting(chosen, name, family, version)
        chosen[name] = _setting(name, value, family, version, replaced_setting, source)


def _refuse_plugin_option(name: str, family: str, version: str, plugin_version: str | None) -> None:
    """Refuse an option that this version of the plug-in is known not to have; one of unknown version may have it."""
    rows = [row for p in parameters() for row in p.rows_of(family, version) if row.name == name]
    if plugin_version and rows and not any(plugin_within(plugin_version, r.plugin_since, r.plugin_until) for r in rows):
        raise StudyError(
            f"version {plugin_version} of the plug-in has no option '{name}'",
            f"it is in plug-ins from {rows[0].plugin_since or 'the first'} to {rows[0].plugin_until or 'the newest'}",
            "remove it, or use another plug-in",
            code="impossible-with-plugin",
        )


def _refuse_silenced(settings_by_option: Mapping[str, Setting], name: str, family: str, version: str) -> None:
    for row in (row for p in parameters() for row in p.rows_of(family, version) if row.name in settings_by_option):
        if name in row.silences:
            known_option = lookup_option(name, family, version)
            is_refused = known_option is not None and known_option.state == "refused"
            raise StudyError(
                f"{family} {version} refuses the option '{name}'"
                if is_refused
                else f"{family} {version} ignores the option '{name}' when {row.name} is set",
                f"{row.name} is set: {settings_by_option[row.name].reason}",
                f"use {row.name}, or {settings_by_option[row.name].parameter} in [settings]",
            )


def _pop_replaced_setting(
    settings_by_option: dict[str, Setting], name: str, family: str, version: str
) -> Setting | None:
    """Take out what stood for the same variable, also as its negation (``skip_log_bin`` and ``log_bin``)."""
    variable_of_option = {
        row.name: row.read.partition(":")[2] for p in parameters() for row in p.rows_of(family, version)
    }
    variable_names = {name, name.removeprefix("skip_")}
    for option in list(settings_by_option):
        if option == name or (option.startswith("skip_") and variable_of_option.get(option, option) in variable_names):
            return settings_by_option.pop(option)
    return None


def _setting(
    name: str, asked: str | None, family: str, version: str, replaced_setting: Setting | None, source: SettingSource
) -> Setting:
    if is_reserved(name):
        raise StudyError(
            f"the option '{name}' can't be set by a study",
            "dbdyno decides where a server keeps its files and how it is reached, so that it is private",
            "remove it",
        )
    value, is_bare = "ON" if asked is None else asked, asked is None
    if name == "log_bin":
        if value.upper() in ("OFF", "FALSE", "0"):
            raise StudyError(
                f"'log_bin = {value}' switches the binary log on",
                "servers take the value for the name of the log's files",
                "use skip_log_bin, or the setting binlog.enabled",
            )
        value = PurePosixPath(value).name
    option_entry = lookup_option(name, family, version)
    if option_entry is not None and option_entry.state in ("refused", "no-op", "absent"):
        verb = {"refused": "refuses", "absent": "has no", "no-op": "accepts but ignores"}[option_entry.state]
        alternative = f"use {' or '.join(option_entry.instead)}" if option_entry.instead else "remove it"
        raise StudyError(
            f"{family} {version} {verb} the option '{name}'", f"it sets {option_entry.parameter_id}", alternative
        )
    origin = _SET_BY[source]
    if option_entry is None and name not in known_options():
        # No table is complete: the server decides, and its log names what it refuses.
        return Setting(
            name,
            value,
            f"{origin}; " + nearest(name, known_options(), "dbdyno's option tables don't have it"),
            "",
            source,
            is_bare=is_bare,
        )
    parameter = replaced_setting.parameter if replaced_setting else option_entry.parameter_id if option_entry else ""
    previous_words = f", instead of {replaced_setting.value or 'given'}" if replaced_setting else ""
    return Setting(name, value, f"{origin}{previous_words}", parameter, source, is_bare=is_bare)


def launch_options(installation: Engine, family: EngineFamily, data_directory: Path, temporary: Path) -> dict[str, str]:
    """Return options that make an unpacked engine find its own files and not the host's; an image has its own."""
    if installation.image:
        return {"datadir": str(data_directory), "tmpdir": str(temporary), **family.launch}
    return {
        "basedir": str(installation.base_directory),
        "datadir": str(data_directory),
        "lc_messages_dir": str(installation.share_directory),
        "character_sets_dir": str(installation.charsets_directory),
        "plugin_dir": str(installation.plugin_directory),
        "tmpdir": str(temporary),
        **family.launch,
    }


def option_file(launch: Mapping[str, str], settings: Sequence[Setting]) -> str:
    """Return the text of the option file, the reasons next to the options.

    >>> print(option_file({"port": "0"}, [Setting("skip_log_bin", "", "off on all")]))
    # Written by dbdyno; the server reads nothing else.
    [mysqld]
    port = 0
    <BLANKLINE>
    # off on all
    skip_log_bin
    <BLANKLINE>
    """
    lines = ["# Written by dbdyno; the server reads nothing else.", "[mysqld]"]
    lines += [f"{name} = {_quoted_value(value)}" if value else name for name, value in launch.items()]
    for setting in settings:
        lines += ["", f"# {' '.join(setting.reason.split())}"]
        is_name_alone = setting.is_bare or (not setting.value and setting.option.startswith("skip_"))
        lines.append(setting.option if is_name_alone else f"{setting.option} = {_quoted_value(setting.value)}".rstrip())
    return "\n".join(lines) + "\n"


def _quoted_value(value: str) -> str:
    """Return a value as option files want it: quoted where a comment sign or a space would end it.

    >>> _quoted_value("a;b"), _quoted_value("64M"), _quoted_value("x # y")
    ('"a;b"', '64M', '"x # y"')
    """
    value = value.replace("\n", " ")
    return f'"{value}"' if any(c in value for c in " #;\"'") else value
