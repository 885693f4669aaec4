"""Collects what the servers did per transaction: deltas of the windows of a cell's judged runs, put together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dbdyno.analyse import CellCounters, CellJudgement
from dbdyno.report._format import figure
from dbdyno.store import StoredStudy

NOT_SHOWN = "not shown"
"""Stands for a counter that the server does not have: not known, which is not zero."""


def cells_with_counters(results: StoredStudy, judgements: Iterable[CellJudgement]) -> list[CellCounters]:
    """Return every judged cell whose runs have counters."""
    cells = []
    for group in judgements:
        documents = [results.optional_document(record.run.run_id, "counters") for record in group.judged]
        known_documents = [document for document in documents if document]
        if known_documents:
            cells.append(_cell_counters(group, known_documents))
    return cells


def each_transaction(document: Mapping[str, Any]) -> dict[str, float]:
    """Return the growth of every counter of one run for each transaction; empty without counts or commits."""
    transactions = document.get("transactions")
    if not transactions:
        return {}
    counters = [row for row in document["counters"] if row["kind"] == "counter"]
    return {row["name"]: _whole_window_delta(row, document["window_s"]) / transactions for row in counters}


def mean_levels(document: Mapping[str, Any], names: Collection[str]) -> dict[str, float]:
    """Return the mean of the first and the last value of some levels of one run, of those that are stored."""
    return {
        row["name"]: (row["begin"] + row["end"]) / 2
        for row in document.get("counters", ())
        if row["kind"] == "gauge" and row["name"] in names
    }


def _cell_counters(group: CellJudgement, documents: list[Mapping[str, Any]]) -> CellCounters:
    deltas: dict[str, tuple[float, str]] = {}
    levels: dict[str, tuple[float, float, str]] = {}
    for document in documents:
        for row in document["counters"]:
            name, unit = row["name"], row["unit"]
            if row["kind"] == "counter":
                deltas[name] = (deltas.get(name, (0.0, unit))[0] + _whole_window_delta(row, document["window_s"]), unit)
            else:
                levels[name] = (row["end"], max(row["highest"], levels.get(name, (0.0, row["highest"], unit))[1]), unit)
                if name == "engine.redo.lsn" and row["covered_s"] > 1:
                    # The first level was read one second after the start of the window.
                    growth = (row["end"] - row["begin"]) * document["window_s"] / (row["covered_s"] - 1)
                    deltas["engine.redo.lsn"] = (deltas.get(name, (0.0, unit))[0] + growth, unit)
    names_by_run = [{row["name"] for row in document["counters"]} for document in documents]
    return CellCounters(
        group,
        sum(document["transactions"] for document in documents),
        {name: value for name, value in deltas.items() if all(name in names for names in names_by_run)},
        levels,
        frozenset(name for document in documents for name in document["absent"]),
    )


def _whole_window_delta(row: Mapping[str, Any], window_s: float) -> float:
    """Return the delta of the whole window where some of its seconds could not be read."""
    delta, covered_s = float(row["delta"]), row["covered_s"]
    return delta * window_s / covered_s if covered_s else delta


@dataclass(frozen=True, slots=True)
class Measure:
    """Describes a line of the table: growth of counters for each transaction.

    Parameters
    ----------
    names : counters that are added up; where the first group is not known, the next stands in
    scale : from the counter's unit to that of `unit`
    """

    title: str
    unit: str
    names: tuple[tuple[str, ...], ...]
    scale: float = 1.0

    def words(self, cell: CellCounters) -> str:
        """Return the figure of a cell; that the server does not show it; or nothing where it was not read."""
        for names in self.names:
            value = cell.each(*names)
            if value is not None:
                return "0" if value == 0 else figure(value * self.scale)
        return NOT_SHOWN if all(cell.lacks(*names) for names in self.names) else ""


def _engine_counter_names(*names: str) -> tuple[str, ...]:
    return tuple(f"engine.{name}" for name in names)


MEASURES = (
    Measure("CPU time of the server", "µs", (("server.cpu.user", "server.cpu.system"),), 1e6),
    Measure("written to the device by the server", "bytes", (("server.device_written",),)),
    Measure("read from the device by the server", "bytes", (("server.device_read",),)),
    Measure("redo log", "bytes", (_engine_counter_names("redo.lsn"), _engine_counter_names("redo.bytes"))),
    Measure("file flushes (fsync)", "", (_engine_counter_names("io.fsyncs"),)),
    Measure("pages read", "", (_engine_counter_names("pages.read"),)),
    Measure("pages requested and not in the buffer pool", "", (_engine_counter_names("pool.misses"),)),
    Measure("pages written", "", (_engine_counter_names("pages.written"),)),
    Measure("pages written to the doublewrite buffer", "", (_engine_counter_names("doublewrite.pages"),)),
    Measure("waits for a free page", "", (_engine_counter_names("pool.wait_free"),)),
    Measure("waits for the log buffer", "", (_engine_counter_names("redo.waits"),)),
    Measure("row lock waits", "", (_engine_counter_names("rowlock.waits"),)),
    Measure("time spent waiting for row locks", "ms", (_engine_counter_names("rowlock.time"),)),
    Measure("deadlocks", "", (_engine_counter_names("deadlocks"),)),
    Measure("rows read by key, in order and by scan", "", (
        _engine_counter_names("handler.read_key", "handler.read_next", "handler.read_rnd_next"),
    )),
    Measure("rows written by handler calls", "", (
        _engine_counter_names("handler.write", "handler.update", "handler.delete"),
    )),
    Measure("binary log", "bytes", (_engine_counter_names("binlog.bytes"),)),
    Measure("bytes written to the LSM tree", "bytes", (_engine_counter_names("lsm.user_bytes"),)),
    Measure("write-ahead log (WAL) of the LSM tree", "bytes", (_engine_counter_names("lsm.wal_bytes"),)),
    Measure("flushed from memtables", "bytes", (_engine_counter_names("lsm.flush_bytes"),)),
    Measure("written by compaction", "bytes", (_engine_counter_names("lsm.compaction_write_bytes"),)),
    Measure("read by compaction", "bytes", (_engine_counter_names("lsm.compaction_read_bytes"),)),
    Measure("blocks not in the block cache", "", (_engine_counter_names("lsm.cache_misses"),)),
    Measure("time writes were stalled or delayed", "µs", (_engine_counter_names("lsm.stall_time"),)),
)  # fmt: skip
LEVELS = (
    ("engine.redo.checkpoint_age", "checkpoint age, highest"),
    ("engine.bytes.dirty", "dirty pages, highest"),
    ("engine.history.length", "history list, highest"),
    ("engine.lsm.memtable_bytes", "memtables, highest"),
    ("engine.lsm.memtables_immutable", "full memtables that wait for a flush, highest"),
    ("engine.lsm.compaction_queue", "compactions that wait, highest"),
    ("server.resident", "resident memory of the server, highest"),
)
_WRITTEN = _engine_counter_names("lsm.flush_bytes", "lsm.compaction_write_bytes", "lsm.wal_bytes")


def write_amplification(cell: CellCounters) -> float | None:
    """Return what an LSM tree wrote per byte it was given (log, flushes, compactions); None where that is unknown."""
    user_bytes, written_bytes = cell.each("engine.lsm.user_bytes"), cell.each(*_WRITTEN)
    return None if not user_bytes or written_bytes is None else written_bytes / user_bytes
