"""Types what people and scripts may write into a ``facts.json``, as docs/guides/audit.md lists it."""

from __future__ import annotations

from typing import Any, TypedDict, cast

from dbdyno.core import decode

_Plain = str | int | float | bool | None
_OneOrMore = _Plain | list[_Plain]


class _Schema(TypedDict, total=False):
    ddl: dict[str, str] | None
    columns: list[list[str | None]] | None
    data_bytes: int | None
    row_count: int | None
    files: int | None
    plan_fingerprints: dict[str, str | list[str]] | None


class _Host(TypedDict, total=False):
    machine_id: _Plain
    name: _Plain
    numa_nodes: int | None
    numa_policy: str | None
    thp_mode: str | None
    allocator: str | None
    rotational: bool | None
    atomic_writes: bool | None
    aio_interface: str | None
    block_size: int | None
    device_random_write_iops: float | None
    free_memory_bytes: float | None
    free_bytes: float | None
    rss_bytes: float | None
    idle_share: float | None
    client_cpu_share: float | None
    cpu_partition: str | None
    proc_limits: dict[str, _Plain] | None
    cgroup: dict[str, _Plain] | None
    aio_max_nr: int | None
    aio_nr: int | None
    servers: int | None
    base_image: str | None
    compiler: str | None
    optimisation: str | None
    option_files_read: list[str] | None
    pool_dump_file: _OneOrMore


class _Run(TypedDict, total=False):
    errors: dict[str, int] | None
    transactions: int | None
    drops_errors: bool | None
    transactions_each_second: list[float] | None
    start_times: list[float] | None
    binlog_bytes_per_second: float | None
    seconds_until_purge: float | None


class _Study(TypedDict, total=False):
    driver: str | None
    driver_tls_option: _OneOrMore
    driver_ssl_mode: _OneOrMore
    max_threads: float | None
    prepared_statements: float | None
    step_order: list[float] | None
    first_step_difference: float | None
    minimum_effect: float | None


class _ClaimNames(TypedDict):
    parameter: str
    value: _Plain


class _Claim(_ClaimNames, total=False):
    targets: list[str]


class _Text(TypedDict, total=False):
    claims: list[_Claim] | None
    fixed_releases: list[str]


class _Facts(TypedDict, total=False):
    session: dict[str, _OneOrMore]
    schema: _Schema
    host: _Host
    run: _Run
    study: _Study
    text: _Text
    version: str | None
    storage_engine: str | None
    option_file: str | dict[str, _Plain] | None


def stated_facts(content: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of a file, each of the type that it should have; names unknown to the audit are kept.

    Raises
    ------
    DecodeError : a fact is something else, with its JSON pointer
    """
    facts: dict[str, Any] = decode(cast(Any, _Facts), content)
    return facts
