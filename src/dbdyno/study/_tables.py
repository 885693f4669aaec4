"""Reads tables of a study file key by key; every diagnostic names file, line and the nearest valid word."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from dbdyno.core import StudyError
from dbdyno.engines import SettingValue
from dbdyno.nearest import nearest
from dbdyno.study._key_types import WrongEntryError
from dbdyno.study._schema import Key
from dbdyno.study._settings import InvalidSetting, read_settings
from dbdyno.study._spelling import spellings
from dbdyno.study._workloads import OPTION_ALIASES, OptionValue, options_of

_HEADER_RE = re.compile(r"^\s*(\[{1,2})\s*([^\]]+?)\s*\]{1,2}\s*(?:#.*)?$")


def key_line(text: str, table: str, key: str, index: int = 0) -> int:
    r"""Return the line, from 1, of `key` in the `index`-th occurrence of `[table]`; the header's line, or 1, if unseen.

    >>> key_line('name = "a"\n[measure]\n# words\nwindow = "12s"\n', "measure", "window")
    4
    """
    names = "|".join(re.escape(name) for name in spellings(table, key))
    current_table, table_index, header_line = "", -1 if table else 0, 1
    for number, line in enumerate(text.splitlines(), start=1):
        header = _HEADER_RE.match(line)
        if header:
            current_table = header[2].replace('"', "").replace(" ", "")
            if not table and current_table.split(".")[0] == key:
                return number
            if current_table == table:
                table_index += 1
                header_line = number if table_index == index else header_line
        elif current_table == table and table_index == index and re.match(rf'\s*"?(?:{names})"?\s*[=.]', line):
            return number
    return header_line


def setting_line(text: str, table: str, name: str, index: int = 0) -> int:
    r"""Return the line of a dotted name in a table, written with dots, in quotes, or below a table of its first part.

    >>> setting_line('[settings]\nredo.capacity = "1"\n[settings.io]\ncapacity = 5\n', "settings", "io.capacity")
    4
    """
    if table.startswith("target."):
        lines_before = key_line(text, "target", "", index) - 1
        rest_text = "\n".join(text.splitlines()[lines_before:])
        return lines_before + _setting_line(rest_text, table, name)
    return _setting_line(text, table, name)


def _setting_line(text: str, table: str, name: str) -> int:
    group, _, key = name.partition(".")
    subtable_line = key_line(text, f"{table}.{group}", key) if key else 1
    if subtable_line > 1:
        return subtable_line
    pattern = re.compile(rf'\s*"?{re.escape(group)}"?\s*\.\s*{re.escape(key)}\s*=|\s*"{re.escape(name)}"\s*=')
    start = key_line(text, table, name)
    for number, line in enumerate(text.splitlines()[start - 1 :], start=start):
        if key and pattern.match(line):
            return number
    return key_line(text, table, group)


@dataclass(frozen=True, slots=True)
class Tables:
    """Describes what all readers of a study file share. Carries the text, so that a diagnostic can name its line."""

    text: str
    source: str

    def _read_settings(self, table: Mapping[str, Any], table_name: str, index: int = 0) -> dict[str, SettingValue]:
        try:
            return read_settings(table)
        except InvalidSetting as wrong:
            place = setting_line(self.text, table_name, wrong.key, index)
            raise StudyError(f"{self.source}:{place}: {wrong.what}", wrong.why, wrong.remedy) from wrong

    def _options(self, entry: Mapping[str, Any], workload: str, table: str, index: int) -> dict[str, OptionValue]:
        known_options, options = options_of(workload), dict[str, OptionValue]()
        for key, value in entry.items():
            word = OPTION_ALIASES.get(key.replace("-", "_"), key.replace("-", "_"))
            if word not in known_options:
                remedy = nearest(word, [*known_options, *OPTION_ALIASES])
                self._fail(table, key, f"unknown option '{key}' of {workload}", remedy=remedy, index=index)
            try:
                options[word] = known_options[word].read(value)
            except ValueError as error:
                self._fail(table, key, f"'{key}' is {value!r} but must be {error}", index=index)
        return options

    def _table(self, entry: Mapping[str, Any], table: str, keys: Mapping[str, Key], index: int = 0) -> dict[str, Any]:
        self._check_keys(entry, table, keys, index)
        return {name: self._value(entry, table, name, key, index) for name, key in keys.items()}

    def _value(self, entry: Mapping[str, Any], table: str, name: str, key: Key, index: int) -> object:
        if name not in entry:
            if key.default is ...:
                place_words = f" in [{table}]" if table else ""
                self._fail(
                    table, name, f"'{name}' is missing{place_words}", remedy=f"add it: {key.meaning}", index=index
                )
            return key.default
        try:
            return key.read(entry[name])
        except WrongEntryError as error:
            is_one_of_many = isinstance(entry[name], list) and len(entry[name]) > 1
            words = ("contains", "each entry must be") if is_one_of_many else ("is", "must be")
            problem = f"'{name}' {words[0]} {error.entry!r} but {words[1]} {error}"
            self._fail(table, name, problem, key.meaning, index=index)
        except ValueError as error:
            self._fail(table, name, f"'{name}' is {entry[name]!r} but must be {error}", key.meaning, index=index)

    def _check_keys(
        self, entry: Mapping[str, Any], table: str, allowed: Mapping[str, Any] | list[str], index: int = 0
    ) -> None:
        for name in entry:
            if name not in allowed:
                place_words = f" in [{table}]" if table else ""
                why = "allowed here: " + ", ".join(sorted(allowed))
                self._fail(table, name, f"unknown key '{name}'{place_words}", why, nearest(name, allowed), index)

    def _mapping(self, document: Mapping[str, Any], table: str) -> dict[str, Any]:
        entry = document.get(table, {})
        if not isinstance(entry, dict):
            self._fail("", table, f"'{table}' must be a table", remedy=f"write [{table}] and its keys below")
        return dict(entry)

    def _list(self, document: Mapping[str, Any], table: str) -> list[dict[str, Any]]:
        entry = document.get(table, [])
        entries = entry if isinstance(entry, list) else [entry]
        if not all(isinstance(item, dict) for item in entries):
            self._fail("", table, f"'{table}' must be a table", remedy=f"write [[{table}]] and its keys below")
        return [dict(item) for item in entries]

    def _check_unique(self, names: list[str], key: str, remedy: str) -> None:
        doubles = sorted({name for name in names if names.count(name) > 1})
        if doubles:
            self._fail("", key, f"'{doubles[0]}' appears twice", remedy=remedy)

    def _place(self, table: str, key: str, index: int = 0) -> str:
        return f"{self.source}:{key_line(self.text, table, key, index)}"

    def _fail(
        self, table: str, key: str, what: str, why: str = "", remedy: str = "", index: int = 0, code: str = ""
    ) -> NoReturn:
        raise StudyError(f"{self._place(table, key, index)}: {what}", why, remedy, code=code)
