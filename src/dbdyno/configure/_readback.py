"""Compares requested settings with what the server says it does."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal

from dbdyno.configure._options import Setting
from dbdyno.core import ConfigureError
from dbdyno.engines import OptionRow, enum_word, fold_charsets, has_flags, is_flag_list, parameters

_SIZES = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_WORDS = {"on": "1", "true": "1", "yes": "1", "off": "0", "false": "0", "no": "0"}
_ROUNDED_UP_MAX = 1.01


def read_back(
    settings: Sequence[Setting],
    variables: Mapping[str, str],
    status: Mapping[str, str],
    *,
    family: str,
    version: str,
) -> tuple[Setting, ...]:
    """Return the settings with what is effective; names of `variables` and `status` in lower case.

    Raises
    ------
    ConfigureError : one did not take effect; option, asked and effective value are named
    """
    checked_settings = []
    for setting in settings:
        row = _option_row(setting, family, version)
        effective = _effective_value(setting, row, variables, status)
        if effective is None and _is_wanted_and_loose(setting):
            raise ConfigureError(
                f"the option {setting.option} was ignored by {family} {version}",
                f"this build of the server does not have it ({setting.reason})",
                _remedy(setting),
            )
        if effective is not None and not took_effect(setting, row, effective):
            raise ConfigureError(
                f"the option {setting.option} did not take effect on {family} {version}",
                f"the study asks for {_expected_value(setting, row) or 'empty'}, the server reports "
                f"{effective or 'empty'} ({setting.reason})",
                _remedy(setting),
                code="setting-ineffective",
            )
        checked_settings.append(dataclasses.replace(setting, effective=effective))
    return tuple(checked_settings)


def _is_wanted_and_loose(setting: Setting) -> bool:
    """Return whether a study asks for what servers ignore where they are built without it; off is then in effect."""
    return (
        setting.source == "settings" and setting.option.startswith("loose_") and comparable_value(setting.value) != "0"
    )


def took_effect(setting: Setting, row: OptionRow | None, effective: str) -> bool:
    """Return whether an effective value is what was asked, by the comparison rule of the option's row."""
    expected_value = comparable_value(enum_word(setting.option, _expected_value(setting, row)))
    effective_value = comparable_value(effective)
    if setting.is_bare and not (row is not None and row.expect):
        return effective_value not in ("", "0")
    if is_flag_list(setting.option):
        return has_flags(setting.option, expected_value, effective_value)
    rule = row.compare if row is not None else "equal"
    if rule == "equal" or not (_is_number(expected_value) and _is_number(effective_value)):
        return expected_value == effective_value
    if rule == "at_least":
        return float(effective_value) >= float(expected_value)
    return float(expected_value) <= float(effective_value) <= float(expected_value) * _ROUNDED_UP_MAX


def comparable_value(value: str) -> str:
    """Return a value in one form: sizes in bytes, switches as 0 and 1, numbers without trailing zeros, words folded.

    >>> [comparable_value(value) for value in ("64M", "ON", "90.000000", "O_DIRECT", " ")]
    ['67108864', '1', '90', 'o_direct', '']
    >>> [comparable_value(value) for value in ("1000000.000000", "1234567.5", "utf8_bin")]
    ['1000000', '1234567.5', 'utf8mb3_bin']
    """
    text = value.strip().lower()
    size = re.fullmatch(r"(\d+)([kmgt])b?", text)
    if size:
        return str(int(size[1]) * _SIZES[size[2]])
    if re.fullmatch(r"-?\d+\.\d+", text):
        return f"{Decimal(text).normalize():f}"
    return _WORDS.get(text, fold_charsets(text))


def _option_row(setting: Setting, family: str, version: str) -> OptionRow | None:
    rows = (row for parameter in parameters() for row in parameter.rows_of(family, version))
    return next((row for row in rows if row.name == setting.option), None)


def _effective_value(
    setting: Setting, row: OptionRow | None, variables: Mapping[str, str], status: Mapping[str, str]
) -> str | None:
    kind, _, name = (row.read if row is not None else f"variable:{setting.option}").partition(":")
    return (status if kind == "status" else variables).get(name.lower())


def _expected_value(setting: Setting, row: OptionRow | None) -> str:
    value = row.expect if row is not None and row.expect else setting.value
    return value or ("ON" if setting.option.startswith("skip_") else "")


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d+(?:\.\d+)?", text) is not None


def _remedy(setting: Setting) -> str:
    if setting.source == "settings":
        return f"choose another value of {setting.parameter}, or remove it"
    if setting.source == "study":
        return f"correct or remove '{setting.option}' in the settings of the target"
    if setting.source == "file":
        return f"correct or remove '{setting.option}' in the option file of the target"
    if setting.parameter.startswith("memory."):
        return "choose a tier that is a multiple of 8 MiB, at least 16 MiB"
    if setting.parameter in ("server.table_open_cache", "server.open_files_limit", "server.max_connections"):
        return "raise the limit of open files (ulimit -Hn), or lower the concurrency"
    return "please report this: dbdyno's option tables are wrong for this version"
