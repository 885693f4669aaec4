"""Gives each neutral parameter its value: a small baseline, equal in effect everywhere, or the vendor's defaults.

Engines differ in what they make of a value, never in the value itself; `engines` holds the options and reasons. What a
study asks for takes the baseline's place before anything is derived from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dbdyno.configure._memory_budget import MIB, SYSTEM_POOL_BYTES, TIER_PARAMETERS, memory_values
from dbdyno.engines import Parameter, SettingValue
from dbdyno.study import connection_limit, needs_room, open_files_limit, table_handles

REDO_CAPACITY_BYTES = 256 * MIB
"""Large enough that checkpoints do not rule a short window, small enough to copy with each snapshot."""
LRU_PAGES_TOTAL = 1024
_THREAD_CACHE_MAX = 16_384
_BACK_LOG_MAX = 65_535
_LRU_PAGES_EACH_MIN = 100
_QUERY_CACHE_BYTES = 64 * MIB
_IO_CAPACITY = 2000
_DIRTY_MAX = 90
_DIRTY_LWM = 10
# Processors, without and with a binary log.
_LOG_WRITERS_FROM = (5, 32)

_NOTHING: Mapping[str, SettingValue] = MappingProxyType({})


def baseline(
    *,
    tier_bytes: int,
    concurrency_max: int,
    processors: int | None,
    family: str,
    version: str,
    study_settings: Mapping[str, SettingValue] = _NOTHING,
) -> dict[str, SettingValue]:
    """Return the value of every parameter, in the parameter's unit.

    Parameters
    ----------
    tier_bytes : memory given to the target's main cache
    concurrency_max : most connections the study opens at once
    processors : of the host; None leaves what the server derives from it alone
    family, version : only for quantities that a server counts in another way, such as parts of the pool
    study_settings : values that the study wants; others follow from them (`io.capacity_max` from `io.capacity`)
    """
    return {
        **memory_values(tier_bytes, family, version, study_settings),
        **_durability_settings(study_settings),
        **_background_settings(processors, study_settings),
        **_lru_settings(study_settings),
        **_transaction_settings(),
        **_server_settings(concurrency_max, study_settings),
        **study_settings,
    }


def own_values(tier_bytes: int) -> dict[str, SettingValue]:
    """Return what the baseline sets on a current server with a few connections, for people to look up."""
    return baseline(tier_bytes=tier_bytes, concurrency_max=16, processors=None, family="mysql", version="9.7")


def _durability_settings(study_settings: Mapping[str, SettingValue]) -> Mapping[str, SettingValue]:
    return {
        "redo.capacity": REDO_CAPACITY_BYTES,
        "redo.files": 2,
        "redo.system_capacity": SYSTEM_POOL_BYTES,
        "redo.log_buffer": 16 * MIB,
        "redo.write_ahead": 4096,
        "redo.file_buffering": "ON",
        "commit.durability": "full",
        "commit.doublewrite": "ON",
        "io.atomic_writes": "OFF",
        "commit.doublewrite_pages": 128,
        "commit.doublewrite_files": 2,
        "binlog.enabled": "OFF",
        "binlog.gtid": "OFF",
        "binlog.sync": 1 if study_settings.get("commit.durability", "full") == "full" else 0,
        "binlog.format": "ROW",
        "binlog.row_image": "FULL",
        "binlog.row_metadata": "MINIMAL",
        "binlog.statement_text": "OFF",
        "binlog.checksum": "CRC32",
    }


def _background_settings(
    processors: int | None, study_settings: Mapping[str, SettingValue]
) -> Mapping[str, SettingValue]:
    dirty_max = float(study_settings.get("flush.dirty_max", _DIRTY_MAX))
    values: dict[str, SettingValue] = {
        "io.data_path": "direct",
        "io.data_file_write_through": "OFF",
        "io.compaction_readahead": 2 * MIB,
        "io.fdatasync": "ON",
        "io.capacity": min(_IO_CAPACITY, int(study_settings.get("io.capacity_max", _IO_CAPACITY))),
        "io.capacity_max": 2 * int(study_settings.get("io.capacity", _IO_CAPACITY)),
        "io.read_threads": 4,
        "io.write_threads": 4,
        "io.parallel_read_threads": 4,
        "flush.page_cleaners": 1,
        "flush.neighbors": "0",
        "flush.dirty_max": _DIRTY_MAX,
        "flush.dirty_lwm": min(_DIRTY_LWM, dirty_max),
        "flush.lsm_block_compression": "none",
        "purge.threads": 4,
        "purge.batch": 300,
        "undo.truncate": "OFF",
    }
    if processors is not None:
        needed = _LOG_WRITERS_FROM[study_settings.get("binlog.enabled") == "ON"]
        values["redo.writer_threads"] = "ON" if processors >= needed else "OFF"
    return values


def _lru_settings(study_settings: Mapping[str, SettingValue]) -> Mapping[str, SettingValue]:
    """Return the least total that divides among the parts of the pool that a study asks for, with enough for each."""
    instances = int(study_settings.get("memory.buffer_pool_instances", 1))
    pages_each = max(_LRU_PAGES_EACH_MIN, -(-LRU_PAGES_TOTAL // instances))
    return {"flush.lru_scan_depth": instances * pages_each}


def _transaction_settings() -> Mapping[str, SettingValue]:
    return {
        "index.adaptive_hash": "OFF",
        "index.change_buffering": "none",
        "sync.spin_delay": 6,
        "trx.isolation": "REPEATABLE-READ",
        "trx.snapshot_isolation": "OFF",
        "trx.lock_wait_timeout": 50,
        "trx.deadlock_detect": "ON",
        "trx.autoinc_mode": "2",
    }


def _server_settings(concurrency_max: int, study_settings: Mapping[str, SettingValue]) -> Mapping[str, SettingValue]:
    connections = connection_limit(concurrency_max, study_settings)
    return {
        "server.performance_schema": "OFF",
        "server.query_cache_type": "OFF",
        "server.query_cache_size": _QUERY_CACHE_BYTES if study_settings.get("server.query_cache_type") == "ON" else 0,
        "server.max_connections": connections,
        "server.back_log": min(connections, _BACK_LOG_MAX),
        "server.thread_cache": min(connections, _THREAD_CACHE_MAX),
        "server.max_prepared_stmts": 1 << 20,
        "server.open_files_limit": open_files_limit(concurrency_max, study_settings),
        "server.table_open_cache_instances": 8,
        "server.table_open_cache": table_handles(concurrency_max, study_settings),
        "server.table_definition_cache": 2000,
        "server.innodb_open_files": 2000,
        "server.skip_name_resolve": "ON",
        "charset.server": "utf8mb4",
        **({} if "charset.server" in study_settings else {"charset.collation": "utf8mb4_general_ci"}),
        "charset.default_collations": "",
        "tls.available": "OFF",
        "session.sql_mode": "STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION",
        "session.sort_buffer": 256 * 1024,
        "misc.event_scheduler": "OFF",
    }


# Without these the load could not run, where the defaults are too small for it.
_ROOM = frozenset({"server.max_connections", "server.max_prepared_stmts", "server.open_files_limit"})
_DEFAULT_STATEMENTS = 16_382
_STATEMENTS_EACH = 64


def is_of_vendor(parameter: Parameter) -> bool:
    """Return whether a parameter is stated under every policy."""
    return parameter.parameter_id in TIER_PARAMETERS | _ROOM


def tier_as_cache(values: Mapping[str, SettingValue], tier_bytes: int, concurrency_max: int) -> dict[str, SettingValue]:
    """Return the values of a policy that leaves the rest alone: the tier as cache, and room only where it is needed."""
    tier_values = {name: values[name] for name in TIER_PARAMETERS if name in values}
    tier_values["memory.block_cache"] = tier_bytes
    if needs_room("vendor", concurrency_max):
        tier_values["server.max_connections"] = values["server.max_connections"]
        tier_values["server.open_files_limit"] = values["server.open_files_limit"]
    if concurrency_max * _STATEMENTS_EACH > _DEFAULT_STATEMENTS:
        tier_values["server.max_prepared_stmts"] = values["server.max_prepared_stmts"]
    return tier_values
