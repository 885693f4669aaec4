"""Lists the workloads with their names, options and quirks, as the load generator itself describes them."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

OptionValue = str | int | float | bool

FILE = "workloads.json"
OPTION_ALIASES: Mapping[str, str] = MappingProxyType({"rows": "table_size"})
SQL_FILES = "sql:"
"""What the names of workloads that lie in a directory begin with."""
IMPORTED = "imported:"
"""What the names of workloads begin with that others ran and dbdyno does not know."""
WorkloadFolders: TypeAlias = Mapping[str, str]
"""Names of workloads that lie in a directory, and paths of data files here -> where they are on one host.

What is not there is where the name or the path says.
"""
NO_FOLDERS: WorkloadFolders = MappingProxyType({})
_FOLDER = "folder"
DATA_FILE = "data_file"
"""The option of LinkBench that names a file which the load generator reads."""
_LAB_CHOOSES = frozenset({"mysql_storage_engine", _FOLDER})  # the target names its storage engine, the host its folders
_SWITCH: Mapping[str, bool] = MappingProxyType(
    {"on": True, "off": False, "true": True, "false": False, "1": True, "0": False, "yes": True, "no": False}
)


@dataclass(frozen=True, slots=True)
class WorkloadOption:
    """Describes one option of a workload.

    Parameters
    ----------
    default : as text; of a family whose workloads differ in it, that of the first
    shapes_data : whether tables or rows depend on it
    """

    name: str
    help: str
    default: str
    is_switch: bool
    shapes_data: bool

    def read(self, value: object) -> OptionValue:
        """Return the value as it is stored and ordered.

        Raises
        ------
        ValueError : its text completes "must be ..."

        >>> WorkloadOption("tables", "", "1", False, True).read("4")
        4
        """
        if self.is_switch:
            return _parse_switch(value)
        number = _number(self.default)
        if number is None:
            return _text(value)
        given_number = _number(value)
        if given_number is None:
            raise ValueError("a whole number" if isinstance(number, int) else "a number")
        return given_number


@dataclass(frozen=True, slots=True)
class WorkloadFamily:
    """Holds workloads that share their options.

    Parameters
    ----------
    is_workload : the family's name alone is a workload, too, whose options choose among the others
    """

    name: str
    is_workload: bool
    workloads: tuple[str, ...]
    options: Mapping[str, WorkloadOption]


def read_families(text: str) -> tuple[WorkloadFamily, ...]:
    """Return the families in what ``dbdyno-load workloads --json`` printed."""
    families = []
    for row in json.loads(text)["families"]:
        options = [WorkloadOption(**option) for option in row["options"] if option["name"] not in _LAB_CHOOSES]
        options_by_name = MappingProxyType({option.name: option for option in options})
        families.append(WorkloadFamily(row["name"], row["is_workload"], tuple(row["workloads"]), options_by_name))
    return tuple(families)


FAMILIES = read_families(Path(__file__).with_name(FILE).read_text(encoding="utf-8"))


def full_name(name: str) -> str | None:
    """Return the full name of a workload; None when there is none of this name.

    >>> full_name("oltp_read_write"), full_name("nonsense")
    ('sysbench/oltp_read_write', None)
    """
    in_directory = name.startswith(SQL_FILES) and any(f"{family.name}:" == SQL_FILES for family in FAMILIES)
    if in_directory or name.startswith(IMPORTED) or name in workload_names():
        return name
    return next((full for full in workload_names() if full.rsplit("/", 1)[-1] == name), None)


def workload_names() -> Sequence[str]:
    """Return the full names of all workloads."""
    return [name for f in FAMILIES for name in ([f.name] if f.is_workload else []) + list(f.workloads)]


def family_of(name: str) -> WorkloadFamily:
    """Return the family of a workload by its full name.

    >>> family_of("sysbench/oltp_read_only").name
    'sysbench'
    """
    return next(family for family in FAMILIES if family.name == family_name(name))


def family_name(name: str) -> str:
    """Return the name of a workload's family.

    >>> family_name("tpcc/hammerdb"), family_name("sql:queries/mix")
    ('tpcc', 'sql')
    """
    return name.split(":", 1)[0].split("/", 1)[0]


_OF_OWN_TABLES = frozenset({"sysbench/bulk_insert"})
"""Workloads whose tables have other columns than those of their family."""


def dataset_name(name: str) -> str:
    """Return what workloads that can share a dataset have in common: their family, unless each has its own tables.

    >>> dataset_name("sysbench/oltp_read_only"), dataset_name("sysbench/bulk_insert"), dataset_name("tpcc/hammerdb")
    ('sysbench', 'sysbench/bulk_insert', 'tpcc/hammerdb')
    """
    # Where a family's name is a workload, what follows it is a dialect with its own tables.
    shares_tables = any(family.name == family_name(name) and not family.is_workload for family in FAMILIES)
    has_own_tables = name.startswith((SQL_FILES, IMPORTED)) or name in _OF_OWN_TABLES
    return family_name(name) if shares_tables and not has_own_tables else name


def options_of(name: str) -> Mapping[str, WorkloadOption]:
    """Return the options of a workload by its full name."""
    return {} if name.startswith(IMPORTED) else family_of(name).options


def directory_of(name: str) -> Path:
    """Return the directory on this machine that a workload lies in.

    >>> directory_of("sql:queries/shop")
    PosixPath('queries/shop')
    """
    return Path(name.removeprefix(SQL_FILES))


def placed_workload(
    name: str, options: Mapping[str, OptionValue], folders: WorkloadFolders
) -> tuple[str, dict[str, OptionValue]]:
    """Return name and options as the load generator is given them on a host that has the files in `folders`.

    The name has no path then: results of all hosts know the workload by the same name, and no host is told a path of
    another.

    >>> placed_workload("sql:/home/ada/shop", {}, {"sql:/home/ada/shop": "/data/shop-1f2e"})
    ('sql:shop', {'folder': '/data/shop-1f2e'})
    >>> placed_workload("linkbench", {"data_file": "D.dat"}, {"D.dat": "/data/4b1c"})
    ('linkbench', {'data_file': '/data/4b1c'})
    """
    if data_file := folders.get(str(options.get(DATA_FILE))):
        options = {**options, DATA_FILE: data_file}
    folder = folders.get(name)
    if folder is None:
        return name, dict(options)
    directory = directory_of(name)
    last_name = directory.name if directory.name not in ("", "..") else directory.resolve().name
    return SQL_FILES + last_name, {**options, _FOLDER: folder}


def option_words(options: Mapping[str, OptionValue]) -> list[str]:
    """Return options as the load generator's arguments.

    >>> option_words({"range_selects": False, "table_size": 50})
    ['--range-selects=off', '--table-size=50']
    """
    texts = {n: ("on" if v else "off") if isinstance(v, bool) else str(v) for n, v in options.items()}
    return [f"--{name.replace('_', '-')}={text}" for name, text in texts.items()]


def _parse_switch(value: object) -> bool:
    flag = _SWITCH.get(str(value).lower())
    if flag is None:
        raise ValueError("on or off")
    return flag


def _number(value: object) -> int | float | None:
    """Return the number in a value; None when it is none.

    >>> _number("4"), _number("0.5"), _number("uniform"), _number(True)
    (4, 0.5, None, None)
    """
    if isinstance(value, bool):
        return None
    for kind in (int, float):
        try:
            number = kind(str(value))
        except ValueError:
            continue
        return number
    return None


def _text(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("a text")  # noqa: TRY004 - as the others: its text completes "must be ..."
    return str(value)


QUIRKS_FILE = "quirks.json"
_ID_RE = re.compile(r"\bQ-[A-Z]{2}-\d+\b")


def named_quirks(text: str) -> tuple[tuple[str, str], ...]:
    """Return each quirk whose id a text names, with what it does; an id that nobody knows is left out."""
    effects = _quirk_effects()
    ids = dict.fromkeys(_ID_RE.findall(text))
    return tuple((quirk_id, effects[quirk_id]) for quirk_id in ids if quirk_id in effects)


@functools.cache
def _quirk_effects() -> Mapping[str, str]:
    table = json.loads(Path(__file__).with_name(QUIRKS_FILE).read_text(encoding="utf-8"))
    return MappingProxyType({row["id"]: row["effect"] for row in table["quirks"]})
