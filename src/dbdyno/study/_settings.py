"""Neutral parameters as a study file writes them: names of two parts, as nested tables or with dots."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from dbdyno.engines import SettingValue, known_options, read_setting, vocabulary

BUDGET = "memory.budget"
"""Another word for the axis ``tier`` of a study with one memory size."""


class InvalidSetting(Exception):
    """A setting that can't be read; `key` is its name as the file writes it."""

    def __init__(self, key: str, what: str, why: str = "", remedy: str = "") -> None:
        super().__init__(what)
        self.key, self.what, self.why, self.remedy = key, what, why, remedy


def flatten(table: Mapping[str, Any]) -> dict[str, Any]:
    """Values by dotted names.

    >>> flatten({"redo": {"capacity": "4GB"}, "commit.durability": "full"})
    {'redo.capacity': '4GB', 'commit.durability': 'full'}
    """
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            flat |= {f"{key}.{inner}": below for inner, below in flatten(value).items()}
        else:
            flat[key] = value
    return flat


def read_settings(table: Mapping[str, Any]) -> dict[str, SettingValue]:
    """Values of neutral parameters, in their units.

    Raises
    ------
    InvalidSetting : an unknown name (the nearest is given), or a value that it can't have
    """
    read: dict[str, SettingValue] = {}
    for key, value in flatten(table).items():
        name = key.lower().replace("-", "_")
        if name not in vocabulary():
            raise InvalidSetting(key, f"unknown setting '{key}'", *_unknown(name))
        try:
            read[name] = read_setting(name, value)
        except ValueError as error:
            title = vocabulary()[name][0].title
            raise InvalidSetting(key, f"'{key}' is {value!r} but must be {error}", title) from error
    return read


def split_old(table: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Neutral parameters and server options of a table that holds both, as study files once did.

    >>> split_old({"redo": {"capacity": "4GB"}, "innodb-doublewrite": "OFF"})
    ({'redo': {'capacity': '4GB'}}, {'innodb-doublewrite': 'OFF'})
    """
    options = {k: v for k, v in table.items() if not isinstance(v, Mapping) and "." not in k and _is_option(k)}
    return {key: value for key, value in table.items() if key not in options}, options


def _is_option(key: str) -> bool:
    return key.lower().replace("-", "_") in known_options()


def _unknown(name: str) -> tuple[str, str]:
    """Why, and what to do."""
    if name == BUDGET:
        return "the memory tier is an axis, the same for all targets", "set it in [settings], or as axes.tier"
    names = list(vocabulary())
    if "." not in name and "_" in name:
        return "settings are neutral parameters, such as redo.capacity", (
            "write a server's own option into [target.options] of its target; `dbdyno settings` lists the parameters"
        )
    tail = name.rpartition(".")[2]
    found = difflib.get_close_matches(name, names, n=1, cutoff=0.6) if "." in name else []
    found = found or [known for known in names if known.rpartition(".")[2] == tail]
    found = found or difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = "`dbdyno settings` lists them all"
    return "", f"did you mean {' or '.join(repr(known) for known in found)}? {hint}" if found else hint
