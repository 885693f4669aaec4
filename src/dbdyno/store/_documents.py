"""Types what is read of a results folder's JSON files; ignores further keys.

A document that holds something else is refused where it is read, with file and place, not where a chart is drawn of it.
Every key may be missing: folders of older versions lack the newer ones, and imported runs know little.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypedDict

from dbdyno.core import Route, decode
from dbdyno.store import _layout as layout
from dbdyno.store._damage import read_json, reading

Plain = str | int | float | bool | None


class _Host(TypedDict, total=False):
    hostname: str | None
    cpu_model: str | None
    logical_cpu_count: int | None
    memory_bytes: int | None
    swap_bytes: int | None
    kernel: str | None
    boot_id: str | None
    numa_node_count: int | None
    transparent_huge_pages: str | None
    rotational: bool | None


class PlannedRun(TypedDict):
    """Represents a run of the stored plan."""

    order: int
    run_id: str
    target: str
    tier_bytes: int
    concurrency: int
    workload: str
    route: Route
    repeat: int
    seed: int
    reason: str


class _Package(TypedDict, total=False):
    name: str
    version: str
    sha256: str


class _Engine(TypedDict, total=False):
    target: str
    family: str
    version: str
    raw_version: str
    storage_engines: list[str]
    source: str
    location: str | None
    packages: list[_Package]


class _TableSpace(TypedDict):
    name: str
    data_bytes: int
    index_bytes: int
    file_bytes: int | None
    allocated_bytes: int | None


class _DatasetName(TypedDict):
    dataset: str
    options: dict[str, Plain]
    rows_total: int


class _Dataset(_DatasetName, total=False):
    digest: str
    workload: str
    in_place: bool
    snapshot: str | None
    bytes: int | None
    disk_bytes: int | None
    fill_ns: int | None
    load_ns: int | None
    index_ns: int | None
    content_sha256: str | None
    tables: list[dict[str, Plain]]
    space: list[_TableSpace]


class _Datasets(TypedDict, total=False):
    target: str
    datasets: list[_Dataset]


class _Fingerprints(TypedDict, total=False):
    fingerprints: list[dict[str, Any]]


class _Setting(TypedDict):
    option: str
    asked: str
    effective: str | None
    reason: str


class _MoreOfSetting(_Setting, total=False):
    parameter: str
    source: str


class _Growth(TypedDict):
    name: str
    unit: str
    covered_s: float
    kind: Literal["counter"]
    delta: float


class _Level(TypedDict):
    name: str
    unit: str
    covered_s: float
    kind: Literal["gauge"]
    begin: float
    end: float
    highest: float


class _Counters(TypedDict):
    window_s: float
    transactions: int
    counters: list[_Growth | _Level]
    absent: list[str]


class _Session(TypedDict, total=False):
    server_version: str | None
    auth_plugin: str | None
    tls_version: str | None
    tls_cipher: str | None
    compression: str | None
    isolation: str | None
    autocommit: bool | None
    collation: str | None


class _Start(TypedDict, total=False):
    session: _Session | None


class _Schema(TypedDict, total=False):
    ddl: dict[str, str]
    columns: list[list[str | None]]
    data_bytes: int | None


class _Process(TypedDict, total=False):
    proc_limits: dict[str, Plain] | None
    cgroup: dict[str, Plain] | None
    allocator: str | None
    numa_policy: str | None


class _LifeMemory(TypedDict):
    limit_bytes: int


class _MoreOfLifeMemory(_LifeMemory, total=False):
    peak_bytes: int | None
    page_cache_bytes: int | None
    anonymous_bytes: int | None
    refaulted_pages: int | None


class _CrashReport(TypedDict, total=False):
    kernel_line: str | None
    excerpt: str | None


class _Life(TypedDict, total=False):
    start_ns: int | None
    shutdown_ns: int | None
    recovery_ns: int | None
    memory: _MoreOfLifeMemory | None
    death: _CrashReport | None


class _Origin(TypedDict):
    role: str
    path: str
    bytes: int
    sha256: str


_SHAPES: Mapping[str, Any] = MappingProxyType(
    {
        "host": _Host,
        "engines": _Engine,
        "datasets": _Datasets,
        "fingerprints": _Fingerprints,
        "variables": dict[str, Plain],
        "variables_after": dict[str, Plain],
        "status_before": dict[str, Plain],
        "status_after": dict[str, Plain],
        "settings": list[_MoreOfSetting],
        "order": dict[str, Any],
        "start": _Start,
        "end": dict[str, Any],
        "conditions": list[Any],
        "counters": _Counters,
        "space": list[_TableSpace],
        "schema": _Schema,
        "process": _Process,
        "life": _Life,
        "telemetry": dict[str, Any],
        "origin": list[_Origin],
    }
)


def read_document(path: Path, name: str) -> Any:  # noqa: ANN401 - one of many shapes, by its name
    """Return a stored document.

    Parameters
    ----------
    name : which it is: of a run's file the name without its ending, of a target's file its folder

    Raises
    ------
    DamageError : it is missing, not JSON, or holds something else than such a document
    """
    value = read_json(path)
    with reading(path):
        return decode(_SHAPES.get(name, Any), value) if value not in ({}, []) else value


def document_kind(name: str) -> str:
    """Return which document a file is: the name of a run's file, the folder of a target's."""
    top, _, file_name = name.partition("/")
    return Path(file_name).stem if top == layout.RUNS else Path(top).stem
