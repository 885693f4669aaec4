"""What a server is given whose settings are its vendor's: the memory tier, and the room that the study needs."""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno.configure._baseline import SPARE_CONNECTIONS, pool_instances
from dbdyno.core import StudyError, format_bytes
from dbdyno.engines import Parameter, SettingValue

# The memory tier belongs to the cell, not to the settings of its target; the chunk keeps it from being rounded up.
_OF_THE_TIER = frozenset({"memory.buffer_pool", "memory.buffer_pool_chunk", "memory.block_cache"})
# Without these the load could not run, where the defaults are too small for it.
_ROOM = frozenset({"server.max_connections", "server.max_prepared_stmts", "server.open_files_limit"})
_DEFAULT_CONNECTIONS = 151
_DEFAULT_STATEMENTS = 16_382
_STATEMENTS_EACH = 64
_ONE_INSTANCE_BELOW = 1 << 30


def is_of_vendor(parameter: Parameter) -> bool:
    """Whether a parameter is stated under every policy."""
    return parameter.parameter_id in _OF_THE_TIER | _ROOM


def tier_as_cache(values: Mapping[str, SettingValue], tier_bytes: int, concurrency_max: int) -> dict[str, SettingValue]:
    """Values of a policy that leaves the rest alone: the whole tier is the main cache, room only where it is needed."""
    kept = {name: values[name] for name in _OF_THE_TIER if name in values}
    kept["memory.block_cache"] = tier_bytes
    if concurrency_max + SPARE_CONNECTIONS > _DEFAULT_CONNECTIONS:
        kept["server.max_connections"] = values["server.max_connections"]
        kept["server.open_files_limit"] = values["server.open_files_limit"]
    if concurrency_max * _STATEMENTS_EACH > _DEFAULT_STATEMENTS:
        kept["server.max_prepared_stmts"] = values["server.max_prepared_stmts"]
    return kept


def tier_as_total(asked: Mapping[str, SettingValue], tier_bytes: int, server: str, storage_engine: str) -> None:
    """Refuse what can't be had of a tier of this size.

    Raises
    ------
    StudyError : write buffers leave nothing for the block cache, or parts of a pool that is too small to be divided
    """
    tier = format_bytes(tier_bytes)
    buffers = int(asked.get("memory.write_buffers", 0))
    if storage_engine != "innodb" and buffers >= tier_bytes:
        raise StudyError(
            f"memory.write_buffers = {format_bytes(buffers)} leaves nothing of the tier of {tier} for the block cache",
            "both together are the memory tier of an LSM engine",
            "choose a quarter of the smallest tier, or larger tiers",
        )
    instances = int(asked.get("memory.buffer_pool_instances", 1))
    family, _, version = server.partition(" ")
    if instances > 1 and tier_bytes < _ONE_INSTANCE_BELOW and pool_instances(_ONE_INSTANCE_BELOW, family, version) > 1:
        raise StudyError(
            f"memory.buffer_pool_instances = {instances} can't be had with a tier of {tier} on {server}",
            "the server does not divide a pool below 1 GiB",
            "leave it out, or measure tiers of 1 GiB and more only",
        )
