"""The bottlenecks that seeds.py plants, and what must be found of each."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Side:
    """How one of the two servers is set up and driven.

    Parameters
    ----------
    flush_us, read_us : by which flushes and reads take longer
    disturbance : what goes on beside the load: busy loops, or table locks
    table_change : ``ALTER TABLE`` that each table is changed by; ``{n}`` stands for its number
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
    """

    name: str
    what: str
    workload: str
    connections: int
    expected: tuple[str, ...]
    causes: tuple[str, ...]
    a: Side = field(default_factory=Side)
    b: Side = field(default_factory=Side)


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
        ("thread.data_read",),
        ("buffer-pool-small",),
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
        b=Side(options=_ONE_TABLE, table_change="DROP INDEX k_{n}"),
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
