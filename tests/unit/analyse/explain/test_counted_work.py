"""Work that two servers counted, per transaction, and the time that they counted with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dbdyno.analyse import CellCounters, judge_cells
from dbdyno.analyse.explain import CountedWork, Difference, Gap, counted_work
from dbdyno.core import RunRecord

MakeRecord = Callable[..., RunRecord]


def work_of(record: MakeRecord, left: Mapping[str, float], right: Mapping[str, float]) -> dict[str, CountedWork]:
    """The rows by their words, of servers that counted so much in ten transactions."""
    groups = judge_cells([record("a"), record("b")])
    counters = {
        group.cell: CellCounters(group, 10, {name: (delta, "") for name, delta in deltas.items()}, {}, frozenset())
        for group, deltas in zip(groups, (left, right), strict=True)
    }
    total = Difference(1.0, 2.0, 0.5, 1.5, 0.001, "decided")
    gap = Gap(groups[0].cell, groups[1].cell, total, (), None, None, 1)
    return {row.kind.words: row for row in counted_work(gap, counters)}


def test_more_work_and_dearer_work_add_up_to_the_difference_of_its_time(record: MakeRecord) -> None:
    left = {"disk.reads": 10, "disk.read_time": 20}
    row = work_of(record, left, {"disk.reads": 20, "disk.read_time": 60})["device reads"]
    assert (row.left_work, row.right_work, row.left_ms, row.right_ms) == (1, 2, 2, 6)
    assert row.by_work_ms is not None and row.by_cost_ms is not None
    assert row.by_work_ms + row.by_cost_ms == pytest.approx(4.0)
    assert row.by_work_ms > row.by_cost_ms > 0
    none = work_of(record, {"disk.reads": 0, "disk.read_time": 0}, left)["device reads"]
    assert (none.by_work_ms, none.by_cost_ms) == (pytest.approx(2.0), 0.0), "what was not done has no cost"


def test_only_what_both_counted_is_compared(record: MakeRecord) -> None:
    assert work_of(record, {"disk.reads": 10}, {"disk.writes": 10}) == {}
    assert work_of(record, {"disk.reads": 0}, {"disk.reads": 0}) == {}
    redo = work_of(record, {"engine.redo.bytes": 10}, {"engine.redo.bytes": 40})["redo log"]
    assert (redo.left_work, redo.right_work, redo.left_ms) == (1, 4, None)
    lsm = {"engine.redo.bytes": 40, "engine.lsm.flushes": 1}
    assert work_of(record, {"engine.redo.bytes": 10}, lsm) == {}, "InnoDB's counters say nothing of an LSM tree"
