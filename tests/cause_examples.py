"""Pairs of cells with a planted cause: for each row of the table one that it must explain, and one that it must not."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from dbdyno.analyse.explain import (
    PARTS,
    THREAD_PARTS,
    Breakdown,
    CauseRanking,
    Circumstances,
    Part,
    compare_breakdowns,
    rank_causes,
    rest_of,
)
from dbdyno.core import Cell, Run

Times = Mapping[str, float]
Pair = tuple[float, float]
WORK: Times = {"thread.on_cpu": 20.0, "thread.redo_flush": 1.0, "thread.data_read": 0.5, "thread.row_lock": 0.1}
THREADS: Times = {
    "thread.on_cpu": 1.0,
    "thread.run_queue": 0.3,
    "thread.client": 0.5,
    "thread.redo_flush": 0.4,
    "thread.data_read": 0.1,
    "thread.row_lock": 0.1,
    "thread.latch": 0.1,
}
STATEMENTS: Times = {
    "statement.point_select": 2.0,
    "statement.commit": 0.6,
    "client.cpu": 0.1,
    "client.run-delay": 0.05,
}


@dataclass(frozen=True)
class Example:
    """What a transaction of the right side takes, in milliseconds, where it is not the left side's.

    Parameters
    ----------
    work : of the right side's parts, where it is not that of the left
    has_work : parts' work was counted
    """

    right: Times
    work: Times = field(default_factory=dict)
    facts: Mapping[str, Pair] = field(default_factory=dict)
    settings: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    left: Times = field(default_factory=lambda: THREADS)
    has_work: bool = True
    connections: float = 1.0
    has_client_host: bool = False
    has_one_build: bool = True

    @property
    def circumstances(self) -> Circumstances:
        return Circumstances(self.facts, self.settings, self.connections, self.has_client_host, self.has_one_build)

    def also(self, other: Example) -> Example:
        """Both at once."""
        return replace(
            self,
            right={**self.right, **other.right},
            work={**self.work, **other.work},
            facts={**self.facts, **other.facts},
            settings={**self.settings, **other.settings},
        )

    def runs(self, seed: int = 1, repeats: int = 3, spread: float = 0.02) -> dict[Cell, tuple[Breakdown, ...]]:
        random = np.random.default_rng(seed)
        sides = {"a": (self.left, WORK), "b": ({**self.left, **self.right}, {**WORK, **self.work})}
        found = {}
        for target, (times, work) in sides.items():
            cell = Cell(target, 512 << 20, 8, "sysbench/oltp_read_write", "socket")
            runs = [Run(cell, repeat, 0, repeat, "") for repeat in range(1, repeats + 1)]
            found[cell] = tuple(breakdown(run, times, work if self.has_work else {}, random, spread) for run in runs)
        return found

    def ranked(self, seed: int = 1, repeats: int = 3, spread: float = 0.02) -> CauseRanking:
        runs = self.runs(seed, repeats, spread)
        left, right = runs
        (gap,) = compare_breakdowns(runs, [(left, right)])
        found = rank_causes(gap, runs, self.circumstances)
        assert found is not None
        return found


def first(found: CauseRanking) -> str:
    """Id of the cause that explains most."""
    return found.causes[0].cause.cause_id


def breakdown(run: Run, times: Times, work: Times, random: np.random.Generator, spread: float) -> Breakdown:
    """A run: its parts with its luck and with each one's own, and a little that no part accounts for."""
    luck = random.normal(0, spread)
    ms = {name: each * math.exp(luck + random.normal(0, spread)) for name, each in times.items()}
    parts = tuple(Part(name, name, each, "planted", *_work(name, work)) for name, each in ms.items())
    total_ms = sum(ms.values()) * (1 + random.normal(0, 0.001))
    return Breakdown(run, "threads", total_ms, (*parts, rest_of(total_ms, parts)), 10_000, noise_share=0.005)


def _work(name: str, work: Times) -> tuple[float | None, str]:
    if name.startswith("statement."):
        return work.get(name, 1.0), PARTS["statement"].unit
    return (work[name], THREAD_PARTS[name].unit) if name in work else (None, "")


def statements(**facts: Pair) -> Example:
    return Example({}, facts={name.replace("__", "."): pair for name, pair in facts.items()}, left=STATEMENTS)


def _wait(name: str, ms: float = 2.0) -> Example:
    return Example({f"thread.{name}": ms})


BINLOG = Example(
    {"thread.commit_order": 1.8, "thread.binlog_flush": 0.5, "thread.redo_flush": 0.6},
    facts={"engine.binlog.bytes": (0.0, 900.0)},
    settings={"binlog.enabled": ("OFF", "ON")},
)
SLOW_BINLOG = Example(
    {"thread.commit_order": 1.8, "thread.binlog_flush": 0.5}, facts={"engine.binlog.bytes": (900.0, 905.0)}
)
LONGER_BINLOG = replace(SLOW_BINLOG, facts={"engine.binlog.bytes": (1000.0, 2100.0)})
DELAYED_BINLOG = Example(
    {"thread.commit_order": 1.8},
    facts={"engine.binlog.commits": (1.0, 1.0)},
    settings={"derived:group_commit_delay_us": ("0", "1000")},
)
UNCOUNTED_BINLOG = Example({"thread.binlog_flush": 2.0})
BUSY = {"processors.neighbours": (0.05, 1.0), "processors.sessions": (1.3, 0.6), "processors.client": (0.3, 0.2)}
NEIGHBOURS = Example({"thread.run_queue": 2.3, "thread.client": 3.0}, facts={**BUSY, "client.stretch": (1.1, 4.0)})
STEAL = Example(
    {"thread.run_queue": 2.3, "thread.client": 3.0},
    facts={"processors.neighbours": (0.1, 0.1), "processors.steal": (0.0, 0.8), "processors.sessions": (1.3, 0.7)}
    | {"client.stretch": (1.1, 4.0)},
)
FEWER_PROCESSORS = Example(
    {"thread.run_queue": 4.0},
    facts={
        "processors.sessions": (1.5, 0.8), "processors.background": (0.2, 0.1), "processors.busy": (2.0, 1.0),
        "processors.idle": (2.0, 0.1),
    },
)  # fmt: skip
CROWD = Example({"thread.run_queue": 4.0}, facts={"processors.sessions": (1.5, 1.6)}, connections=4.0)
MORE_READS = Example({"thread.data_read": 3.0}, work={"thread.data_read": 15.0})
SLOW_READS = Example({"thread.data_read": 3.0})
LSM = {"engine.lsm.cache_misses": (1.0, 9.0)}
MORE_FLUSHES = Example({"thread.redo_flush": 1.6}, work={"thread.redo_flush": 4.0})
SLOW_FLUSHES = Example({"thread.redo_flush": 4.0}, work={"thread.redo_flush": 0.4})
FLUSHES = replace(SLOW_FLUSHES, has_work=False, work={})
DURABILITY = replace(SLOW_FLUSHES, settings={"derived:commit_class": ("sync-never", "sync-each-commit")})
MORE_ROWS = Example({"thread.on_cpu": 40.0, "thread.run_queue": 12.0}, work={"thread.on_cpu": 900.0})
DEARER = Example({"thread.on_cpu": 2.0, "thread.run_queue": 0.6})
WORK_UNCOUNTED = replace(DEARER, has_work=False)
LOCKS = _wait("row_lock", 5.0)
BACKGROUND = Example({"thread.run_queue": 2.0}, facts={"processors.background": (0.1, 0.9)})
SMALL_REDO = Example({"thread.redo_space": 1.5, "thread.latch": 1.2, "thread.run_queue": 1.0}, facts=BACKGROUND.facts)
GENERAL_LOG = Example(
    {"thread.other_file": 0.3, "thread.latch": 0.8, "thread.on_cpu": 1.6, "thread.run_queue": 0.5},
    settings={"log.general": ("OFF", "ON")},
)
SLOW_LOG = replace(GENERAL_LOG, facts={"engine.slow_queries": (0.0, 20.0)}, settings={"log.slow": ("OFF", "ON")})
MERGED_SORTS = replace(DEARER, facts={"engine.sort.merge_passes": (0.0, 2.0)})
DISK_TABLES = replace(DEARER, facts={"engine.tmp_disk_tables": (0.0, 1.0)})
TABLES_OPENED = replace(DEARER, facts={"engine.table_cache.misses": (0.01, 18.0)})
COMPRESSED = {"derived:table_compression": ("OFF", "ROW_FORMAT=COMPRESSED")}
PURGE_LAG = replace(DEARER, facts={"engine.history.length": (400.0, 150_000.0)})
FASTER_CLIENT = Example({"thread.client": 0.1})
ALIKE = Example({})

SMALL_POOL = Example(
    {"thread.data_read": 2.2, "thread.on_cpu": 3.0, "thread.run_queue": 9.0},
    work={"thread.data_read": 30.0},
    facts={"engine.pages.read": (0.5, 30.0)},
)

EXAMPLES: Mapping[str, Example] = {
    "binary-log-written": BINLOG,
    "group-commit-delay": DELAYED_BINLOG,
    "binary-log-bytes": LONGER_BINLOG,
    "binary-log-slow": SLOW_BINLOG,
    "binary-log-flushes": UNCOUNTED_BINLOG,
    "neighbours": NEIGHBOURS,
    "processor-steal": STEAL,
    "redo-small": SMALL_REDO,
    "isolation": replace(LOCKS, settings={"trx.isolation": ("READ-COMMITTED", "REPEATABLE-READ")}),
    "row-locks": LOCKS,
    "thrown-away-attempts": Example({"thrown-away": 1.0}, left=STATEMENTS),
    "metadata-locks": _wait("metadata_lock"),
    "user-locks": _wait("user_lock"),
    "sleeps": _wait("sleep"),
    "purge-delay": replace(_wait("delay"), settings={"purge.max_lag": ("0", "1000")}),
    "delays": _wait("delay"),
    "admission-limit": _wait("admission"),
    "write-stalls": _wait("write_stall"),
    "free-pages": Example({"thread.free_page": 2.0, "thread.data_flush": 1.0}),
    "block-cache-small": replace(SLOW_READS, has_work=False, facts=LSM),
    "buffer-pool-small": MORE_READS,
    "slow-reads": SLOW_READS,
    "reads": replace(SLOW_READS, has_work=False),
    "durability": DURABILITY,
    "more-flushes": MORE_FLUSHES,
    "slow-flushes": SLOW_FLUSHES,
    "redo-flushes": FLUSHES,
    "commit-order": _wait("commit_order"),
    "session-flushes": _wait("data_flush"),
    "general-log": GENERAL_LOG,
    "sort-files": MERGED_SORTS,
    "temporary-tables": DISK_TABLES,
    "slow-log": SLOW_LOG,
    "other-files": _wait("other_file"),
    "page-faults": _wait("page_fault"),
    "stopped-server": _wait("stopped"),
    "network-send": _wait("network_send"),
    "more-rows": MORE_ROWS,
    "table-cache-small": TABLES_OPENED,
    "compressed-tables": replace(DEARER, settings=COMPRESSED),
    "performance-schema": replace(DEARER, settings={"server.performance_schema": ("OFF", "ON")}),
    "tls": replace(DEARER, settings={"derived:encryption": ("plain", "encrypted")}),
    "purge-lag": PURGE_LAG,
    "dearer-rows": DEARER,
    "processor-work": WORK_UNCOUNTED,
    "latches": _wait("latch"),
    "background-work": BACKGROUND,
    "client-work": Example({"thread.client": 2.0}, facts={"client.stretch": (1.1, 1.1)}),
    "less-processor-time": FEWER_PROCESSORS,
    "too-many-connections": CROWD,
    "client-and-wire": Example({"client.run-delay": 1.0}, left=STATEMENTS),
    "more-statements": Example({"statement.point_select": 6.0}, work={"statement.point_select": 3.0}, left=STATEMENTS),
    "more-rows-per-statement": Example(
        {"statement.point_select": 9.0}, facts={"rows": (20.0, 4000.0)}, left=STATEMENTS
    ),
    "commits": Example({"statement.commit": 3.0}, left=STATEMENTS),
}
"""Cause -> a pair that it must be the first to explain."""

OTHERS: Mapping[str, Example] = {
    "binary-log-written": LONGER_BINLOG,
    "group-commit-delay": replace(DELAYED_BINLOG, settings={"derived:group_commit_delay_us": ("1000", "200")}),
    "binary-log-bytes": SLOW_BINLOG,
    "binary-log-slow": replace(
        SLOW_BINLOG, facts={"engine.binlog.bytes": (0.0, 0.0), "engine.binlog.commits": (0.0, 0.0)}
    ),
    "binary-log-flushes": SLOW_BINLOG,
    "neighbours": STEAL,
    "processor-steal": NEIGHBOURS,
    "redo-small": BACKGROUND,
    "isolation": LOCKS,
    "row-locks": _wait("metadata_lock"),
    "thrown-away-attempts": Example({"statement.commit": 3.0}, left=STATEMENTS),
    "metadata-locks": LOCKS,
    "user-locks": _wait("metadata_lock"),
    "sleeps": FASTER_CLIENT.also(LOCKS),
    "purge-delay": _wait("delay"),
    "delays": _wait("sleep"),
    "admission-limit": CROWD,
    "write-stalls": SMALL_REDO,
    "free-pages": _wait("data_flush"),
    "block-cache-small": replace(SLOW_READS, has_work=False, facts={"engine.lsm.cache_misses": (0.001, 0.002)}),
    "buffer-pool-small": SLOW_READS,
    "slow-reads": MORE_READS,
    "reads": MORE_READS,
    "durability": SLOW_FLUSHES,
    "more-flushes": SLOW_FLUSHES,
    "slow-flushes": MORE_FLUSHES,
    "redo-flushes": SLOW_FLUSHES,
    "commit-order": BINLOG,
    "session-flushes": SMALL_REDO,
    "general-log": replace(GENERAL_LOG, settings={"log.general": ("ON", "OFF")}),
    "sort-files": replace(_wait("other_file"), facts={"engine.sort.merge_passes": (0.0001, 0.0003)}),
    "temporary-tables": replace(DEARER, facts={"engine.tmp_disk_tables": (1.0, 1.05)}),
    "slow-log": replace(SLOW_LOG, facts={"engine.slow_queries": (0.0, 0.01)}),
    "other-files": replace(_wait("other_file"), facts={"engine.tmp_disk_tables": (0.0, 0.3)}),
    "page-faults": _wait("data_read"),
    "stopped-server": _wait("page_fault"),
    "network-send": Example({"thread.client": 2.0}),
    "more-rows": DEARER,
    "table-cache-small": replace(DEARER, facts={"engine.table_cache.misses": (0.001, 0.05)}),
    "compressed-tables": replace(DEARER, settings={"derived:table_compression": ("ROW_FORMAT=COMPRESSED", "OFF")}),
    "performance-schema": DEARER,
    "tls": replace(DEARER, settings={"derived:encryption": ("encrypted", "plain")}),
    "purge-lag": replace(DEARER, facts={"engine.history.length": (20_000.0, 150_000.0)}),
    "dearer-rows": replace(DEARER, settings={"server.performance_schema": ("OFF", "ON")}),
    "processor-work": MORE_ROWS,
    "latches": LOCKS,
    "background-work": CROWD,
    "client-work": CROWD,
    "less-processor-time": CROWD,
    "too-many-connections": FEWER_PROCESSORS,
    "client-and-wire": NEIGHBOURS,
    "more-statements": Example({"statement.point_select": 6.0}, left=STATEMENTS),
    "more-rows-per-statement": Example({"statement.point_select": 9.0}, left=STATEMENTS),
    "commits": Example({"statement.point_select": 9.0}, left=STATEMENTS),
}
"""Cause -> a pair of which it must not explain a part that counts."""
