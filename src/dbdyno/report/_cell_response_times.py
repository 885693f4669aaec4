"""Reads the response times of all cells once: histograms merged over repeats, by type, and second by second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dbdyno.analyse import CellJudgement, ResponseCurve, SecondHistograms, response_curve
from dbdyno.core import Cell, LatencyNs, RunRecord
from dbdyno.report._statement_sums import STATEMENT_COLUMNS, StatementSums
from dbdyno.store import (
    FilledCounts,
    StoredStudy,
    filled_counts,
    latency_of_counts,
    mean_of_counts,
    reading_intervals,
)
from dbdyno.tables import Table

Counts = tuple[NDArray[np.int64], NDArray[np.float64]]
TypeTimes = dict[str, tuple[float, LatencyNs]]
"""Transaction type -> mean and quantiles, nanoseconds; of types that have histograms."""
_COLUMNS, _SERVICE = ("second", "kind", "phase", "type"), "service_histogram"


@dataclass(frozen=True, slots=True)
class CellHistograms:
    """Holds histograms of response times by cell.

    Parameters
    ----------
    merged : quantiles of all judged runs added together, and how many transactions
    seconds : of each judged run, in bins of one percent
    total : of all judged runs: how many transactions in each bin, and the highest value of each
    types : of cells with several transaction types, or new orders: times of each type over the whole windows
    statements : of each judged run: times of its statement types and transactions, of its settled part; none
        where they were not asked for
    """

    merged: dict[Cell, tuple[LatencyNs, int]]
    seconds: dict[Cell, list[SecondHistograms]]
    total: dict[Cell, Counts]
    types: dict[Cell, TypeTimes]
    statements: dict[Cell, list[StatementSums]]


def cell_histograms(
    results: StoredStudy, judgements: Sequence[CellJudgement], *, has_statements: bool = False
) -> CellHistograms:
    """Read the settled parts of every judged run's window; in an open loop from when a transaction was due.

    A histogram of a whole imported run can't be parted: it stands for all of it.

    Parameters
    ----------
    has_statements : with the times of statements, of which there are many times as many as of transactions
    """
    column = _SERVICE if results.study.pacing.is_closed else "response_histogram"
    histograms = CellHistograms({}, {}, {}, {}, {})
    for group in judgements:
        run_histograms = [
            _RunHistograms.read(results, record, column, by_type=has_types(group), has_statements=has_statements)
            for record in group.judged
        ]
        histograms.statements[group.cell] = [run.statements for run in run_histograms if run.statements is not None]
        if has_types(group):
            histograms.types[group.cell] = _times_by_type(run_histograms)
        counts, values = _total_counts([run.settled for run in run_histograms])
        latency = latency_of_counts(counts, values)
        if latency is not None:
            histograms.merged[group.cell] = (latency, int(counts.sum()))
            histograms.seconds[group.cell] = [_coarse_histograms(run.settled) for run in run_histograms]
            histograms.total[group.cell] = (counts, values)
    return histograms


def response_curves(histograms: CellHistograms) -> list[ResponseCurve]:
    """Return response times by percentile, of the cells that have enough of them."""
    curves = (response_curve(cell, *total, histograms.seconds[cell]) for cell, total in histograms.total.items())
    return [curve for curve in curves if curve is not None]


def _coarse_histograms(run: FilledCounts) -> SecondHistograms:
    return SecondHistograms.coarse(run.second, run.column, run.count, run.values_ns, run.seconds)


def has_types(group: CellJudgement) -> bool:
    """Return whether a cell's transactions are distinguished: its workload has several types, or new orders."""
    names = {figures.name for record in group.judged for figures in record.types}
    return len(names) > 1 or any(record.orders is not None for record in group.judged)


@dataclass(frozen=True, slots=True)
class _RunHistograms:
    """Holds histograms of a run's transactions: of the settled part second by second, of each type over the window."""

    settled: FilledCounts
    types: dict[str, FilledCounts]
    statements: StatementSums | None

    @classmethod
    def read(
        cls, results: StoredStudy, record: RunRecord, column: str, *, by_type: bool, has_statements: bool
    ) -> _RunHistograms:
        columns = dict.fromkeys((*_COLUMNS, column, *(STATEMENT_COLUMNS if has_statements else ())))
        table = results.intervals(record.run.run_id, tuple(columns))
        window_table = table.at(table.texts("phase").among(["window"]))
        transactions = window_table.at(window_table.texts("kind").among(["transaction"]))
        first_settled_s = _first_settled_second(record, transactions.values("second"))
        settled_rows = transactions.at(transactions.numbers("second") >= first_settled_s)
        with reading_intervals(results.run_folder(record.run.run_id)):
            settled = _seconds_counts(settled_rows, column)
            types: dict[str, list[tuple[int, str | None]]] = {}
            names = transactions.values("type") if by_type else []
            for name, text in zip(names, transactions.values(column), strict=False):
                types.setdefault(name, []).append((0, text))
            statements = None
            if has_statements:
                served = settled if column == _SERVICE else _seconds_counts(settled_rows, _SERVICE)
                statements = StatementSums.read(window_table, first_settled_s, served)
            return cls(settled, {name: filled_counts(texts) for name, texts in types.items()}, statements)


def _seconds_counts(rows: Table, column: str) -> FilledCounts:
    return filled_counts(zip(rows.values("second"), rows.values(column), strict=True))


def _first_settled_second(record: RunRecord, seconds: Sequence[int]) -> int:
    """Return the first second of the settled part, as the run counts them."""
    first_s = min(seconds, default=0)
    is_parted = record.imported is None and record.settled is not None and record.settled.is_accepted
    return first_s + (record.settled.start_s or 0) if is_parted and record.settled is not None else first_s


def _times_by_type(runs: Sequence[_RunHistograms]) -> TypeTimes:
    type_times: TypeTimes = {}
    for name in dict.fromkeys(name for run in runs for name in run.types):
        counts, values = _total_counts([run.types[name] for run in runs if name in run.types])
        latency = latency_of_counts(counts, values)
        if latency is not None:
            type_times[name] = (mean_of_counts(counts, values), latency)
    return type_times


def _total_counts(runs: Sequence[FilledCounts]) -> Counts:
    """Return all seconds of all runs together."""
    values = [run.values_ns for run in runs]
    distinct, place = np.unique(np.concatenate([np.zeros(0), *values]), return_inverse=True)
    counts = np.bincount(place, np.concatenate([np.zeros(0), *(run.total for run in runs)]), len(distinct))
    return counts.astype(np.int64), distinct
