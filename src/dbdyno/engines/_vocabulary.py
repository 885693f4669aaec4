"""Lists the neutral parameters that a study may set: how a value is written, and which servers can have it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from dbdyno.core import StudyError, format_bytes, parse_bytes, parse_duration_ns
from dbdyno.engines._options import OptionRow, Parameter, Unit, parameters
from dbdyno.engines._tables import cached

SettingValue = float | str
"""In the parameter's unit; words and switches as text."""


@cached
def vocabulary() -> Mapping[str, tuple[Parameter, ...]]:
    """Return parameters that a study may set, by id, with the entries that carry each.

    >>> vocabulary()["commit.durability"][0].values
    ('full', 'relaxed', 'periodic')
    """
    parameters_by_id: dict[str, list[Parameter]] = {}
    for parameter in parameters():
        if not parameter.is_internal:
            parameters_by_id.setdefault(parameter.parameter_id, []).append(parameter)
    return {name: tuple(parameters_by_id[name]) for name in sorted(parameters_by_id)}


def parameters_of_option(option: str) -> tuple[str, ...]:
    """Return neutral parameters that an option of a server's own carries; the memory tier is ``memory.budget``.

    >>> parameters_of_option("innodb-flush-log-at-trx-commit"), parameters_of_option("innodb_buffer_pool_size")
    (('commit.durability',), ('memory.budget',))
    """
    name = option.lower().replace("-", "_")
    carrying_parameters = [p for p in parameters() if any(row.name.replace("-", "_") == name for row in p.rows)]
    if any(p.is_internal and p.parameter_id.startswith("memory.") for p in carrying_parameters):
        return ("memory.budget",)
    return tuple(dict.fromkeys(p.parameter_id for p in carrying_parameters if not p.is_internal))


def read_setting(name: str, value: object) -> SettingValue:
    """Return the value of a parameter as a study writes it.

    Raises
    ------
    ValueError : it can't have such a value; the text completes "must be ..."

    >>> read_setting("redo.capacity", "4GB"), read_setting("commit.durability", "Full")
    (4294967296, 'full')
    >>> read_setting("index.adaptive_hash", True), read_setting("flush.neighbors", 0)
    ('ON', '0')
    """
    parameter = vocabulary()[name][0]
    if parameter.values:
        return _word(value, parameter.values)
    if parameter.unit == "word":
        if not isinstance(value, str):
            raise ValueError("a text in quotes")
        return value
    number = _READERS.get(parameter.unit, _whole_number)(value)
    least, most = parameter.least, parameter.most
    if least is not None and most is not None and not least <= number <= most:
        raise ValueError(f"from {setting_text(name, least)} to {setting_text(name, most)}")
    return number


def setting_text(name: str, value: SettingValue) -> str:
    """Return a value for people.

    >>> setting_text("redo.capacity", 4 << 30), setting_text("trx.lock_wait_timeout", 50)
    ('4 GiB', '50 s')
    """
    unit = next(p.unit for p in parameters() if p.parameter_id == name)
    if isinstance(value, str):
        return value if value else "empty"
    if unit == "bytes":
        return format_bytes(int(value))
    return f"{value:.15g}" + {"percent": " %", "seconds": " s", "microseconds": " us"}.get(unit, "")


def setting_toml(name: str, value: SettingValue) -> str:
    """Return a value as a study file writes it, without quotes; reading it back gives the same.

    >>> setting_toml("redo.capacity", 4 << 30), setting_toml("flush.dirty_max", 90)
    ('4GB', '90')
    """
    if isinstance(value, str) or vocabulary()[name][0].unit != "bytes":
        return value if isinstance(value, str) else f"{value:.15g}"
    for unit, size in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if value and int(value) % size == 0:
            return f"{int(value) // size}{unit}"
    return f"{int(value)}"


def servers_of(rows: Sequence[OptionRow], value: SettingValue | None = None) -> tuple[str, ...]:
    """Return which servers have an option, or one value of it, in words.

    >>> servers_of(vocabulary()["redo.file_buffering"][0].rows)
    ('mariadb 10.8.4 and later',)
    """
    words = []
    for row in rows:
        if value is None or row.can_be(value):
            since_words, until_words = row.since and f" {row.since}", row.until and f" before {row.until}"
            span = (
                f"{since_words} to{until_words}"
                if since_words and until_words
                else f"{since_words} and later"
                if since_words
                else until_words
            )
            plugin = " to ".join(filter(None, (row.plugin_since, row.plugin_until and f"before {row.plugin_until}")))
            plugin = f", plug-in {plugin}{'' if row.plugin_until else ' and later'}" if plugin else ""
            words.append(", ".join(row.families) + span + plugin)
    return tuple(dict.fromkeys(words))


def _word(value: object, values: Sequence[str]) -> str:
    given_word = {True: "ON", False: "OFF"}[value] if isinstance(value, bool) else str(value)
    folded = re.sub(r"[\s_]+", "-", given_word.strip()).lower()
    for word in values:
        if folded in (word.lower(), word.lower().replace("_", "-")):
            return word
    raise ValueError("one of " + ", ".join(f'"{word}"' for word in values))


def _bytes(value: object) -> float:
    if isinstance(value, str) and value.strip() != "0":
        try:
            return parse_bytes(value)
        except StudyError as error:
            raise ValueError('a size such as "256MB" or "4GB"') from error
    return _whole_number(0 if value == "0" else value)


def _whole_number(value: object) -> float:
    if isinstance(value, str) and re.fullmatch(r"\d+", value.strip()):
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError("a whole number")
    return value


def _number(value: object) -> float:
    if isinstance(value, str):
        try:
            value = float(value.strip().removesuffix("%"))
        except ValueError as error:
            raise ValueError("a number") from error
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("a number")  # noqa: TRY004 - said of the file, not of us
    return int(value) if float(value).is_integer() else value


def _duration(per_second: int) -> Callable[[object], float]:
    def read(value: object) -> float:
        if not isinstance(value, str) or value.strip().isdigit():
            return _whole_number(value)
        text = value.strip().lower()
        try:
            microseconds = int(text[:-2]) if text.endswith("us") else parse_duration_ns(text) / 1000
        except (StudyError, ValueError) as error:
            raise ValueError('a time such as "50s" or a whole number of its unit') from error
        duration = microseconds * per_second / 10**6
        if not duration.is_integer():
            raise ValueError(f"a whole number of {'seconds' if per_second == 1 else 'microseconds'}")
        return int(duration)

    return read


_READERS: Mapping[Unit, Callable[[object], float]] = {
    "bytes": _bytes,
    "count": _whole_number,
    "pages": _whole_number,
    "percent": _number,
    "seconds": _duration(1),
    "microseconds": _duration(10**6),
}
