"""Derives the memory that holds data, the paths of files, checksums, locks."""

from __future__ import annotations

from dbdyno.audit._effective import effective
from dbdyno.audit._normalise import parse_number, switch
from dbdyno.audit._reading import NOT_OFFERED, SourcedValue, known, missing, number, weakest
from dbdyno.audit._target import LSM_ENGINES, AuditTarget
from dbdyno.audit.quantities._arithmetic import as_derived, renamed
from dbdyno.audit.quantities._column_families import default_family_options
from dbdyno.audit.quantities._commit import doublewrite

_DIRECT = frozenset({"O_DIRECT", "O_DIRECT_NO_FSYNC", "ALL_O_DIRECT"})


def data_io_path(target: AuditTarget) -> SourcedValue:
    """Return whether data files are read past the page cache."""
    if target.storage_engine == "tidesdb":
        return known("buffered")
    if target.storage_engine == "rocksdb":
        names = ("rocksdb_use_direct_reads", "rocksdb_use_direct_io_for_flush_and_compaction")
        if target.facts.variables is None or any(target.variable(name) is None for name in names):
            return missing(f"variable {names[0]}")
        direct = all(switch(target.variable(name) or "") == "ON" for name in names)
        return known("direct" if direct else "buffered")
    buffering = effective(target, "io.data_file_buffering")
    method_asked = target.asked_only and target.asked("innodb_flush_method") is not None
    if target.is_family("mariadb", "11.0") and not (
        method_asked and target.asked("innodb_data_file_buffering") is None
    ):
        return renamed(buffering, {"OFF": "direct"}, "buffered")
    return renamed(effective(target, "io.flush_method"), dict.fromkeys(_DIRECT, "direct"), "buffered")


def data_io_flags(target: AuditTarget) -> SourcedValue:
    """Return what else is done to data files on the way to the device.

    In MySQL, and in MariaDB up to 10.11, O_DSYNC concerns the redo log alone: data files are synced by fsync. Later
    releases of MariaDB apply it to data files, too, and show that in the variable of data files.
    """
    if target.storage_engine in LSM_ENGINES:
        return NOT_OFFERED
    method = effective(target, "io.flush_method")
    if method.state == "missing" and not target.is_family("mariadb", "11.0"):
        return method
    flags = []
    is_asked_for = target.asked_only and target.is_family("mariadb", "11.0") and method.value == "O_DSYNC"
    if is_asked_for or effective(target, "io.data_file_write_through").value == "ON":
        flags.append("write-through")
    if method.value in ("O_DIRECT_NO_FSYNC", "NOSYNC") or doublewrite(target).value == "fast":
        flags.append("no-fsync")
    return known("+".join(flags) or "none", method.certainty)


def numa_policy(target: AuditTarget) -> SourcedValue:
    """Return how memory is spread over processor sockets."""
    launcher = target.fact("host", "numa_policy")
    if launcher is not None and "interleave" in str(launcher).lower():
        return known("interleave")
    reading = effective(target, "memory.numa_interleave")
    if target.asked_only and launcher is None and target.asked("innodb_numa_interleave") is None:
        return missing("how the server is launched (numactl)")
    if reading.state == "missing":
        return reading
    return known("interleave" if reading.value == "ON" else "default", reading.certainty)


def checksum_class(target: AuditTarget) -> SourcedValue:
    """Return what page checksums cost."""
    if switch(target.variable("innodb_checksums") or "ON") == "OFF":
        return known("none")
    algorithm = effective(target, "page.checksum")
    if algorithm.state != "known":
        return algorithm
    word = str(algorithm.value)
    name = "crc32" if "CRC32" in word else "none" if word in ("NONE", "STRICT_NONE", "OFF") else "software"
    return known(name, algorithm.certainty)


def cache_bytes(target: AuditTarget) -> SourcedValue:
    """Return memory that holds data: the cache, and for LSM engines the write buffers on top."""
    cache = effective(target, "memory.buffer_pool")
    if target.storage_engine not in LSM_ENGINES or cache.state != "known":
        return as_derived(cache)
    buffers = effective(target, "flush.write_buffer")
    if target.storage_engine == "rocksdb" and buffers.state == "known" and number(buffers) == 0:
        buffers = _column_family_buffer_bytes(target)
    if buffers.state != "known":
        return buffers if buffers.state == "missing" else missing("write buffer")
    return known(int(number(cache) + number(buffers)), weakest("derived", cache.certainty, buffers.certainty))


def _column_family_buffer_bytes(target: AuditTarget) -> SourcedValue:
    """Write buffers of the default column family: size times number; further families come on top."""
    options = default_family_options(target) or {}
    bytes_each = parse_number(options.get("write_buffer_size", "64M")) or 0
    count = parse_number(options.get("max_write_buffer_number", "2")) or 0
    return known(int(bytes_each * count), "derived")


def lock_model(target: AuditTarget) -> SourcedValue:
    """Return how two transactions that want the same row are kept apart."""
    if not target.engine_stated:
        return missing("storage engine of the test tables")
    if target.storage_engine == "tidesdb":
        locking = switch(target.variable("tidesdb_pessimistic_locking") or "ON")
        return known("tidesdb-pessimistic" if locking == "ON" else "tidesdb-optimistic")
    return known({"rocksdb": "myrocks"}.get(target.storage_engine, target.storage_engine))
