"""Divides a memory tier among a server's caches and buffers, and refuses settings that do not fit into it.

InnoDB's buffer pool is the whole tier. An LSM engine holds data in two places, its block cache and the writes that it
has not flushed yet: both together are the tier, so that no engine holds more data in memory than another.
"""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno.core import StudyError, format_bytes
from dbdyno.engines import SettingValue, parse_version

MIB = 1 << 20
SYSTEM_POOL_BYTES = 16 * MIB
"""InnoDB's pool next to another storage engine; it holds only the server's own tables."""
# The memory tier belongs to the cell, not to the settings of its target; the chunk keeps it from being rounded up.
TIER_PARAMETERS = frozenset({"memory.buffer_pool", "memory.buffer_pool_chunk", "memory.block_cache"})
_CHUNKS_MAX = 1000
_ONE_INSTANCE_BELOW = 1 << 30
_WRITE_BUFFER_MAX_BYTES = 256 * MIB
_WRITE_BUFFER_MIN_BYTES = 8 * MIB


def memory_values(
    tier_bytes: int, family: str, version: str, study_settings: Mapping[str, SettingValue]
) -> Mapping[str, SettingValue]:
    """Return every parameter of memory: InnoDB's pool is the whole tier, an LSM engine's cache and buffers share it."""
    instances = int(study_settings.get("memory.buffer_pool_instances", pool_instances(tier_bytes, family, version)))
    write_buffers = int(study_settings.get("memory.write_buffers", write_buffer_bytes(tier_bytes)))
    return {
        "memory.buffer_pool": tier_bytes,
        "memory.buffer_pool_instances": instances,
        "memory.buffer_pool_chunk": chunk_bytes(tier_bytes, instances),
        "memory.buffer_pool_max": tier_bytes,
        "memory.numa_interleave": "OFF",
        "memory.warm_start": "OFF",
        "memory.block_cache": tier_bytes - write_buffers,
        "memory.write_buffers": write_buffers,
        "memory.system_pool": SYSTEM_POOL_BYTES,
    }


def pool_instances(tier_bytes: int, family: str, version: str) -> int:
    """Return the parts of the buffer pool: one below 1 GiB and wherever the server knows no other; else eight.

    >>> pool_instances(64 << 20, "mysql", "9.7.4"), pool_instances(4 << 30, "mysql", "8.0.46")
    (1, 8)
    """
    divisible = family != "mariadb" or parse_version(version) < (10, 5)
    return 8 if divisible and tier_bytes >= 1 << 30 else 1


def chunk_bytes(tier_bytes: int, instances: int) -> int:
    """Return the largest power of two from 1 to 128 MiB of which a pool instance is a whole number.

    With more than 1000 chunks, of which the manual warns, the next larger: the tier is then rounded up a little.

    >>> chunk_bytes(512 << 20, 1) >> 20, chunk_bytes(200 << 20, 1) >> 20, chunk_bytes(64 << 20, 1) >> 20
    (128, 8, 64)
    """
    chunk = 128 * MIB
    while chunk > MIB and (tier_bytes // instances) % chunk and tier_bytes // (chunk // 2) <= _CHUNKS_MAX:
        chunk //= 2
    return chunk


def write_buffer_bytes(tier_bytes: int) -> int:
    """Return the share of a tier that an LSM engine may hold unflushed.

    >>> write_buffer_bytes(64 << 20) >> 20, write_buffer_bytes(4 << 30) >> 20
    (16, 256)
    """
    return max(_WRITE_BUFFER_MIN_BYTES, min(tier_bytes // 4, _WRITE_BUFFER_MAX_BYTES))


def check_memory_settings(
    study_settings: Mapping[str, SettingValue], tier_bytes: int, server: str, storage_engine: str
) -> None:
    """Refuse memory settings that a tier of this size has no room for.

    Raises
    ------
    StudyError : write buffers leave nothing for the block cache, or parts of a pool that is too small to be divided
    """
    tier = format_bytes(tier_bytes)
    buffers = int(study_settings.get("memory.write_buffers", 0))
    if storage_engine != "innodb" and buffers >= tier_bytes:
        raise StudyError(
            f"memory.write_buffers = {format_bytes(buffers)} leaves no memory of the {tier} tier for the block cache",
            "both together are the memory tier of an LSM engine",
            "choose a quarter of the smallest tier, or larger tiers",
        )
    instances = int(study_settings.get("memory.buffer_pool_instances", 1))
    family, _, version = server.partition(" ")
    if instances > 1 and tier_bytes < _ONE_INSTANCE_BELOW and pool_instances(_ONE_INSTANCE_BELOW, family, version) > 1:
        raise StudyError(
            f"memory.buffer_pool_instances = {instances} is not possible with a tier of {tier} on {server}",
            "the server does not split a buffer pool below 1 GiB",
            "remove it, or measure only tiers of 1 GiB and more",
        )
