"""Types the keys of the tables' rows: what a user adds is checked against them first."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, TypedDict

_Value = str | int | float


class _FamilyRange(TypedDict, total=False):
    since: str
    until: str
    initialise: Literal["insecure", "bootstrap", "unsupported"]
    auth: str
    grant_table: Literal["global_priv", "user"]
    set_password: Literal["alter", "set"]
    fixed_redo: bool
    launch: dict[str, str]


class _Family(TypedDict, total=False):
    name: str
    title: str
    package: str
    image: str
    sql_files: list[list[str]]
    ranges: list[_FamilyRange]


class _StorageEngine(TypedDict, total=False):
    name: str
    title: str
    packages: dict[str, str]
    shared: list[str]
    beside: list[str]
    page_cache: bool
    direct_reads: str


class _Option(TypedDict, total=False):
    families: list[str]
    since: str
    until: str
    name: str
    form: Literal["bytes", "count", "percent", "switch", "flag", "word", "bare"]
    read: str
    expect: str
    compare: Literal["equal", "at_least", "rounded_up"]
    scale: float
    divide_by: str
    least: int
    most: int
    words: dict[str, str]
    only: str
    step: int
    power_of_two: bool
    needs_positive: str
    within: str
    silences: list[str]


class _Parameter(TypedDict, total=False):
    id: str
    title: str
    storage_engine: str
    unit: Literal["bytes", "count", "pages", "percent", "seconds", "microseconds", "ms", "switch", "word"]
    reason: str
    without: str
    options: list[_Option]
    values: list[str]
    range: tuple[_Value | None, _Value | None]
    internal: bool
    optional: bool
    always: bool
    needs: dict[str, list[str]]
    value: str
    like: str


class _Shown(TypedDict, total=False):
    parameter: str
    storage_engine: str
    variable: str
    default: str
    since: str
    until: str


_Source = TypedDict(
    "_Source",
    {
        "families": str,
        "since": str,
        "until": str,
        "storage_engine": str,
        "status": str,
        "from": list[str],
        "metric": str,
        "derive": Literal["value", "sum", "difference", "product", "scaled"],
        "factor": float,
    },
    total=False,
)


class _Counter(TypedDict, total=False):
    id: str
    kind: Literal["counter", "gauge"]
    unit: str
    note: str
    sources: list[_Source]


class _Engine(TypedDict, total=False):
    family: str
    version: str
    source: str
    bytes: int
    sha256: str
    series: bool


ROW_TYPES: Mapping[str, Any] = MappingProxyType(
    {
        "family": _Family,
        "storage_engine": _StorageEngine,
        "parameter": _Parameter,
        "shown": _Shown,
        "counter": _Counter,
        "engine": _Engine,
    }
)
"""By kind of row. Which keys must be there, `_tables` says: a row may also add to one that is there."""
