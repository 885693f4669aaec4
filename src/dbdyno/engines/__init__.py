"""Holds data on engines: families, versions, option tables, status counters. Reads its packaged data, nothing else.

What differs between engines is a row with a first and a last version, so a new release is new data. Which value
an option gets is decided in `configure`; how an engine comes to the machine, in `provision`. What servers print of
themselves, version and variables, and what their option files ask for, is read here as well, from texts: files are
left to who has them.

The tables lie in `data`:

- `families.toml`, `storage_engines.toml`, `catalogue.toml`: servers, what they need to start, where they come from
- `written_options.toml`: options that dbdyno writes, so that engines are equal in effect
- `server_default_options.toml`: options left at the server's default unless a study sets them
- `options_by_version.json`: by version, how a server treats an option, and what shows its value
- `option_states.json`: what twelve servers did with each option given at start
- `counters.json`: which status variable a counter is read from

>>> from dbdyno.engines import family_of
>>> family_of("mysql", "9.7.4").auth_plugin
'caching_sha2_password'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dbdyno.late_names import late_names

if TYPE_CHECKING:
    from dbdyno.engines._counters import CounterSource, counter_ids, counter_sources
    from dbdyno.engines._dump import Dump, dumped_rows, read_dump
    from dbdyno.engines._families import (
        CatalogueEntry,
        EngineFamily,
        SetPassword,
        catalogue,
        catalogued,
        catalogued_by_source,
        catalogued_sha256,
        families,
        family_names,
        family_of,
        nearest_family,
    )
    from dbdyno.engines._option_file import (
        NAMES_A_FILE,
        MeasuredState,
        OptionFile,
        WrittenOption,
        measured_state,
        read_option_file,
        requested_option,
    )
    from dbdyno.engines._option_values import enum_word, fold_charsets, has_flags, is_flag_list
    from dbdyno.engines._options import (
        Kind,
        KnownOption,
        NeutralParameter,
        OptionRow,
        Parameter,
        Shown,
        Unit,
        known_options,
        lookup_option,
        neutral_parameter,
        neutral_parameters,
        parameters,
        parameters_for,
        size_variables,
    )
    from dbdyno.engines._storage_engines import (
        StorageEngine,
        conflicts_of,
        engine_folders,
        plugin_packages,
        status_refresh_of,
        storage_engines,
    )
    from dbdyno.engines._tables import use_tables, used_tables
    from dbdyno.engines._versions import ServerIdentity, identify, matches, parse_version, plugin_within, within
    from dbdyno.engines._vocabulary import (
        SettingValue,
        parameters_of_option,
        read_setting,
        servers_of,
        setting_text,
        setting_toml,
        vocabulary,
    )
else:
    __getattr__ = late_names(
        __name__,
        {
            "_counters": "CounterSource counter_ids counter_sources",
            "_dump": "Dump dumped_rows read_dump",
            "_families": (
                "CatalogueEntry EngineFamily SetPassword catalogue catalogued catalogued_by_source "
                "catalogued_sha256 families family_names family_of nearest_family"
            ),
            "_option_file": (
                "NAMES_A_FILE MeasuredState OptionFile WrittenOption measured_state read_option_file requested_option"
            ),
            "_option_values": "enum_word fold_charsets has_flags is_flag_list",
            "_options": (
                "Kind KnownOption NeutralParameter OptionRow Parameter Shown Unit known_options lookup_option "
                "neutral_parameter neutral_parameters parameters parameters_for size_variables"
            ),
            "_storage_engines": (
                "StorageEngine conflicts_of engine_folders plugin_packages status_refresh_of storage_engines"
            ),
            "_tables": "use_tables used_tables",
            "_versions": "ServerIdentity identify matches parse_version plugin_within within",
            "_vocabulary": (
                "SettingValue parameters_of_option read_setting servers_of setting_text setting_toml vocabulary"
            ),
        },
    )

__all__ = [
    "NAMES_A_FILE",
    "CatalogueEntry",
    "CounterSource",
    "Dump",
    "EngineFamily",
    "Kind",
    "KnownOption",
    "MeasuredState",
    "NeutralParameter",
    "OptionFile",
    "OptionRow",
    "Parameter",
    "ServerIdentity",
    "SetPassword",
    "SettingValue",
    "Shown",
    "StorageEngine",
    "Unit",
    "WrittenOption",
    "catalogue",
    "catalogued",
    "catalogued_by_source",
    "catalogued_sha256",
    "conflicts_of",
    "counter_ids",
    "counter_sources",
    "dumped_rows",
    "engine_folders",
    "enum_word",
    "families",
    "family_names",
    "family_of",
    "fold_charsets",
    "has_flags",
    "identify",
    "is_flag_list",
    "known_options",
    "lookup_option",
    "matches",
    "measured_state",
    "nearest_family",
    "neutral_parameter",
    "neutral_parameters",
    "parameters",
    "parameters_for",
    "parameters_of_option",
    "parse_version",
    "plugin_packages",
    "plugin_within",
    "read_dump",
    "read_option_file",
    "read_setting",
    "requested_option",
    "servers_of",
    "setting_text",
    "setting_toml",
    "size_variables",
    "status_refresh_of",
    "storage_engines",
    "use_tables",
    "used_tables",
    "vocabulary",
    "within",
]
