"""Sets work that the servers counted, and the time that they counted with it, side by side for two targets.

These times overlap the statements and the waits of other connections, so they are no parts of a transaction's time.
Where no time was counted, only the amount is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dbdyno.analyse._counters import CellCounters
from dbdyno.analyse.explain._gap import Gap
from dbdyno.analyse.explain._threads import INNODB_COUNTERS
from dbdyno.core import Cell
from dbdyno.stats import split_by_factors

_ROWS = ("read_key", "read_next", "read_rnd_next", "write", "update", "delete")
Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CountedKind:
    """Describes one kind of work.

    Parameters
    ----------
    work : counters that are added up; where the first group is not known, the next stands in
    time : counters of the time that this work took; empty where none is stored
    to_ms : from their unit to milliseconds
    """

    words: str
    unit: str
    work: tuple[Names, ...]
    time: Names = ()
    to_ms: float = 1.0


KINDS = (
    CountedKind("row lock waits", "waits", (("engine.rowlock.waits",),), ("engine.rowlock.time",)),
    CountedKind(
        "server's CPU time",
        "rows",
        (tuple(f"engine.handler.{name}" for name in _ROWS),),
        ("server.cpu.user", "server.cpu.system"),
        1e3,
    ),
    CountedKind("device reads", "reads", (("disk.reads",),), ("disk.read_time",)),
    CountedKind("device writes", "writes", (("disk.writes",),), ("disk.write_time",)),
    CountedKind("device flushes", "flushes", (("disk.flushes",),), ("disk.flush_time",)),
    CountedKind("pages read", "pages", (("engine.pages.read",),)),
    CountedKind("redo log", "bytes", (("engine.redo.lsn",), ("engine.redo.bytes",))),
    CountedKind("file flushes (fsync)", "flushes", (("engine.io.fsyncs",),)),
)


@dataclass(frozen=True, slots=True)
class CountedWork:
    """Describes one kind of work per transaction on both sides; times in milliseconds, None where none is stored.

    Parameters
    ----------
    by_work_ms, by_cost_ms : what more work, and dearer work, contributes to the difference of its time (LMDI)
    """

    kind: CountedKind
    left_work: float
    right_work: float
    left_ms: float | None = None
    right_ms: float | None = None
    by_work_ms: float | None = None
    by_cost_ms: float | None = None


def counted_work(gap: Gap, counters: Mapping[Cell, CellCounters]) -> list[CountedWork]:
    """Return every kind of work that both servers of a gap counted; a kind that both did none of is left out."""
    cell_counters = counters.get(gap.left), counters.get(gap.right)
    if cell_counters[0] is None or cell_counters[1] is None:
        return []
    rows = [_compare_counted_work(kind, cell_counters[0], cell_counters[1]) for kind in KINDS]
    return [row for row in rows if row is not None and (row.left_work or row.right_work)]


def _compare_counted_work(kind: CountedKind, left: CellCounters, right: CellCounters) -> CountedWork | None:
    works = next((work_pair for names in kind.work if (work_pair := _both_counts(names, left, right))), None)
    if works is None:
        return None
    ms = _both_counts(kind.time, left, right, kind.to_ms) if kind.time else None
    if ms is None:
        return CountedWork(kind, *works)
    costs = [time / work if work else 0.0 for time, work in zip(ms, works, strict=True)]
    if min(*works, *ms) < 0 or any(time and not work for time, work in zip(ms, works, strict=True)):
        return CountedWork(kind, *works, *ms)
    # A side that did none of this work has no cost per unit: the whole difference is then one of work.
    left_factors, right_factors = (
        (work, cost if work else max(costs)) for work, cost in zip(works, costs, strict=True)
    )
    return CountedWork(kind, *works, *ms, *split_by_factors(left_factors, right_factors))


def _both_counts(
    names: Names, left: CellCounters, right: CellCounters, scale: float = 1.0
) -> tuple[float, float] | None:
    """Return counters per transaction of both sides; None where one is not known."""
    if any(name.startswith(INNODB_COUNTERS) and _has_lsm_tree(side) for name in names for side in (left, right)):
        return None
    counts = left.each(*names), right.each(*names)
    return None if counts[0] is None or counts[1] is None else (counts[0] * scale, counts[1] * scale)


def _has_lsm_tree(cell: CellCounters) -> bool:
    return any(name.startswith("engine.lsm.") for name in cell.deltas)
