"""The bottlenecks that seeds.py plants, and what must be found of each."""

from __future__ import annotations

from dataclasses import dataclass, field

MYROCKS = "mariadb:11.8+rocksdb"
INNODB_ENGINES = ("mariadb:11.8", "mysql:9.7")
ENGINES = (*INNODB_ENGINES, MYROCKS)
TABLES = 4


@dataclass(frozen=True)
class Side:
    """How one of the two servers is set up and driven.

    Parameters
    ----------
    flush_us, read_us : by which flushes and reads take longer
    disturbance : one of `disturbances.disturbed`: busy loops, locks, a stopped server, or one processor for it
    table_change : statement for each filled table; ``{n}`` stands for its number
    """

    tier_mib: int = 256
    redo_mib: int = 512
    raw: tuple[tuple[str, str], ...] = ()
    flush_us: int = 0
    read_us: int = 0
    options: tuple[str, ...] = ()
    disturbance: str = ""
    table_change: str = ""


@dataclass(frozen=True)
class Seed:
    """A planted bottleneck.

    Parameters
    ----------
    expected : ids of parts, one of which must have grown most; none: nothing may be decided
    causes : ids of causes that must be the first ones, in whatever order
    engines : that have the setting
    known_ms : by which the part must have grown, within 10 %; 0: not known
    """

    name: str
    what: str
    workload: str
    connections: int
    expected: tuple[str, ...]
    causes: tuple[str, ...]
    engines: tuple[str, ...] = ENGINES
    a: Side = field(default_factory=Side)
    b: Side = field(default_factory=Side)
    known_ms: float = 0.0


_FEW_ROWS = Side(options=("--rows", "5", "--tables", "1"))
_ONE_TABLE = ("--rows", "50000", "--tables", "1", "--rand-type", "uniform")
_RELAXED = (("innodb_flush_log_at_trx_commit", "2"),)
_BINLOG = (("log_bin", "binlog"), ("sync_binlog", "1"), ("server_id", "1"))
SEEDS = (
    Seed("alike", "two servers alike", "oltp_read_write", 8, (), ()),
    Seed(
        "slow-flush",
        "each flush takes 2 ms longer",
        "oltp_update_non_index",
        8,
        ("thread.redo_flush",),
        ("slow-flushes",),
        b=Side(flush_us=2000),
    ),
    Seed(
        "many-commits",
        "a commit for each statement, flushes 1 ms longer on both",
        "oltp_write_only",
        4,
        ("thread.redo_flush",),
        ("more-flushes",),
        a=Side(flush_us=1000),
        b=Side(flush_us=1000, options=("--skip-trx", "on")),
    ),
    Seed(
        "slow-reads",
        "each read takes 0.5 ms longer, 16 MiB of buffer pool",
        "oltp_read_only",
        8,
        ("thread.data_read",),
        ("slow-reads",),
        a=Side(tier_mib=16),
        b=Side(tier_mib=16, read_us=500),
    ),
    Seed(
        "small-pool",
        "8 MiB of buffer pool",
        "oltp_read_only",
        8,
        # Where the file system's cache has the pages, reading them takes processor time and nothing else.
        ("thread.data_read", "thread.on_cpu", "thread.run_queue"),
        ("buffer-pool-small",),
        INNODB_ENGINES,
        b=Side(tier_mib=8),
    ),
    Seed(
        "lost-index",
        "the index on k is dropped",
        "select_random_points",
        8,
        ("thread.on_cpu", "thread.run_queue"),
        ("more-rows",),
        a=Side(options=_ONE_TABLE),
        b=Side(options=_ONE_TABLE, table_change="ALTER TABLE sbtest{n} DROP INDEX k_{n}"),
    ),
    Seed(
        "row-locks", "five rows of one table", "oltp_write_only", 16, ("thread.row_lock",), ("row-locks",), b=_FEW_ROWS
    ),
    Seed(
        "small-redo",
        "8 MiB of redo log (MariaDB 4), relaxed durability",
        "oltp_write_only",
        16,
        ("thread.redo_space",),
        ("redo-small",),
        INNODB_ENGINES,
        a=Side(raw=_RELAXED),
        b=Side(raw=_RELAXED, redo_mib=8),
    ),
    Seed(
        "neighbours",
        "four busy loops next to the server",
        "oltp_read_only",
        8,
        ("thread.run_queue", "thread.client"),
        ("neighbours",),
        b=Side(disturbance="busy"),
    ),
    Seed(
        "table-locks",
        "LOCK TABLES 0.3 s of each 0.6 s",
        "oltp_read_write",
        8,
        ("thread.metadata_lock",),
        ("metadata-locks",),
        b=Side(disturbance="locks"),
    ),
    Seed(
        "binlog",
        "binary log, synced; flushes 1 ms longer on both",
        "oltp_update_non_index",
        8,
        ("thread.commit_order", "thread.binlog_flush"),
        ("binary-log-written",),
        a=Side(flush_us=1000),
        b=Side(flush_us=1000, raw=_BINLOG),
    ),
    Seed(
        "two-at-once",
        "flushes 4 ms longer, and LOCK TABLES 0.3 s of each 0.6 s",
        "oltp_read_write",
        8,
        ("thread.metadata_lock", "thread.redo_flush"),
        ("metadata-locks", "slow-flushes"),
        b=Side(flush_us=4000, disturbance="locks"),
    ),
)
_PROCESSOR = ("thread.on_cpu", "thread.run_queue", "thread.latch", "thread.other_file")
_LONG_RANGES = ("--range-size", "5000")
_HUNDRED_ROWS = ("--rows", "100", "--tables", "1")
FURTHER_SEEDS = (
    Seed(
        "general-log",
        "the general log",
        "oltp_read_only",
        8,
        _PROCESSOR,
        ("general-log",),
        b=Side(raw=(("general_log", "1"),)),
    ),
    Seed(
        "slow-log",
        "the slow log, of every statement",
        "oltp_read_only",
        8,
        _PROCESSOR,
        ("slow-log",),
        b=Side(raw=(("slow_query_log", "1"), ("long_query_time", "0"))),
    ),
    Seed(
        "table-cache",
        "10 open tables for 8 connections and 4 tables",
        "oltp_point_select",
        8,
        _PROCESSOR,
        ("table-cache-small",),
        b=Side(raw=(("table_open_cache", "10"),)),
    ),
    Seed(
        "admission",
        "one thread at a time inside InnoDB",
        "oltp_read_only",
        16,
        ("thread.admission",),
        ("admission-limit",),
        ("mysql:9.7",),
        b=Side(raw=(("innodb_thread_concurrency", "1"),)),
    ),
    Seed(
        "sleeps",
        "a trigger that sleeps 5 ms",
        "oltp_update_non_index",
        8,
        ("thread.sleep",),
        ("sleeps",),
        b=Side(
            table_change="CREATE TRIGGER pause{n} BEFORE UPDATE ON sbtest{n} FOR EACH ROW SET @pause = SLEEP(0.005)"
        ),
        known_ms=5.0,
    ),
    Seed(
        "performance-schema",
        "performance_schema with all instruments",
        "oltp_point_select",
        8,
        _PROCESSOR,
        ("performance-schema",),
        b=Side(raw=(("performance_schema", "ON"), ("performance_schema_instrument", "%=ON"))),
    ),
    Seed(
        "isolation",
        "SERIALIZABLE on a hundred rows",
        "oltp_read_write",
        8,
        ("thread.row_lock",),
        ("isolation",),
        INNODB_ENGINES,
        a=Side(options=_HUNDRED_ROWS),
        b=Side(options=_HUNDRED_ROWS, raw=(("transaction_isolation", "SERIALIZABLE"),)),
    ),
    Seed(
        "stopped",
        "a server that is stopped 0.3 s of each 0.6 s",
        "oltp_read_only",
        8,
        ("thread.stopped",),
        ("stopped-server",),
        b=Side(disturbance="stops"),
    ),
    Seed(
        "one-processor",
        "one of two processors for the server",
        "oltp_read_only",
        8,
        ("thread.run_queue",),
        ("less-processor-time",),
        b=Side(disturbance="one-processor"),
    ),
    Seed(
        "long-ranges",
        "ranges of 1,000 rows",
        "oltp_read_only",
        8,
        ("thread.on_cpu", "thread.run_queue"),
        ("more-rows",),
        b=Side(options=("--range-size", "1000")),
    ),
    Seed(
        "sort-buffer",
        "32 KiB for sorts of 5,000 rows",
        "oltp_read_only",
        4,
        _PROCESSOR,
        ("sort-files",),
        a=Side(options=_LONG_RANGES, raw=(("sort_buffer_size", "8388608"),)),
        b=Side(options=_LONG_RANGES, raw=(("sort_buffer_size", "32768"),)),
    ),
    Seed(
        "temporary-tables",
        "16 KiB for temporary tables of 1,000 rows",
        "oltp_read_only",
        4,
        _PROCESSOR,
        ("temporary-tables",),
        a=Side(options=("--range-size", "1000")),
        b=Side(
            options=("--range-size", "1000"),
            raw=(("tmp_table_size", "16384"), ("max_heap_table_size", "16384")),
        ),
    ),
)
"""Other kinds, most of them of settings."""

_SMALL_BUFFERS = (
    "compression=kNoCompression;bottommost_compression=kNoCompression;write_buffer_size=256k;max_write_buffer_number=2"
)
_LIMITED_WRITES = (("rocksdb_flush_log_at_trx_commit", "2"), ("rocksdb_rate_limiter_bytes_per_sec", "1073741824"))
_LIMIT = "SET GLOBAL rocksdb_rate_limiter_bytes_per_sec = 65536"
LSM_SEEDS = (
    Seed(
        "small-block-cache",
        "8 MiB of block cache",
        "oltp_read_only",
        8,
        ("thread.data_read", "thread.on_cpu", "thread.run_queue"),
        ("block-cache-small",),
        (MYROCKS,),
        b=Side(tier_mib=16),
    ),
    Seed(
        "small-write-buffers",
        "two write buffers of 256 KiB; files are written at 64 KiB/s on both, relaxed durability",
        "oltp_write_only",
        16,
        ("thread.write_stall",),
        ("write-stalls",),
        (MYROCKS,),
        a=Side(raw=_LIMITED_WRITES, table_change=_LIMIT),
        b=Side(raw=(*_LIMITED_WRITES, ("rocksdb_default_cf_options", _SMALL_BUFFERS)), table_change=_LIMIT),
    ),
)
"""Kinds that only an LSM tree has; where a tier of 16 MiB leaves 8 MiB to the block cache."""

OTHER_SIZES = (
    Seed(
        "known-flush",
        "one connection, each flush takes 2 ms longer",
        "oltp_update_non_index",
        1,
        ("thread.redo_flush",),
        ("slow-flushes",),
        b=Side(flush_us=2000),
        known_ms=2.0,
    ),
    Seed(
        "shorter-flush",
        "each flush takes 0.7 ms longer",
        "oltp_update_non_index",
        8,
        ("thread.redo_flush",),
        ("slow-flushes",),
        b=Side(flush_us=700),
    ),
    Seed(
        "shorter-reads",
        "each read takes 0.2 ms longer, 16 MiB of buffer pool",
        "oltp_read_only",
        8,
        ("thread.data_read",),
        ("slow-reads",),
        a=Side(tier_mib=16),
        b=Side(tier_mib=16, read_us=200),
    ),
    Seed(
        "larger-pool",
        "24 MiB of buffer pool",
        "oltp_read_only",
        8,
        ("thread.data_read", "thread.on_cpu", "thread.run_queue"),
        ("buffer-pool-small",),
        INNODB_ENGINES,
        b=Side(tier_mib=24),
    ),
    Seed(
        "twenty-rows",
        "twenty rows of one table",
        "oltp_write_only",
        16,
        ("thread.row_lock",),
        ("row-locks",),
        b=Side(options=("--rows", "20", "--tables", "1")),
    ),
    Seed(
        "larger-redo",
        "16 MiB of redo log, relaxed durability",
        "oltp_write_only",
        16,
        ("thread.redo_space",),
        ("redo-small",),
        INNODB_ENGINES,
        a=Side(raw=_RELAXED),
        b=Side(raw=_RELAXED, redo_mib=16),
    ),
    Seed(
        "two-loops",
        "two busy loops next to the server",
        "oltp_read_only",
        8,
        ("thread.run_queue", "thread.client"),
        ("neighbours",),
        b=Side(disturbance="less busy"),
    ),
    Seed(
        "read-lock",
        "FLUSH TABLES WITH READ LOCK 0.3 s of each 0.6 s",
        "oltp_read_write",
        8,
        ("thread.metadata_lock",),
        ("metadata-locks",),
        b=Side(disturbance="read lock"),
    ),
)
"""The kinds of the first ones, with other sizes and by other means."""
