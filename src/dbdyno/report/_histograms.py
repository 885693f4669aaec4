"""Histograms of response times of all cells, read once: merged over repeats, by type, and second by second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dbdyno.analyse import CellJudgement, SecondHistograms
from dbdyno.core import Cell, LatencyNs, RunRecord
from dbdyno.report._curves import Curve, response_curve
from dbdyno.store import StoredStudy, counts_by_second, latency_of_counts, mean_of_counts

Counts = tuple[NDArray[np.int64], NDArray[np.float64]]
TypeTimes = dict[str, tuple[float, LatencyNs]]
"""Transaction type -> mean and quantiles, nanoseconds; of types that have histograms."""


@dataclass(frozen=True, slots=True)
class CellHistograms:
    """By cell.

    Parameters
    ----------
    merged : quantiles of all judged runs added together, and how many transactions
    seconds : of each judged run, in bins of one percent
    curves : response times by percentile
    types : of cells with several transaction types, or new orders: times of each type over the whole windows
    """

    merged: dict[Cell, tuple[LatencyNs, int]]
    seconds: dict[Cell, list[SecondHistograms]]
    curves: dict[Cell, Curve]
    types: dict[Cell, TypeTimes]


def cell_histograms(results: StoredStudy, judgements: Sequence[CellJudgement]) -> CellHistograms:
    """Read the settled parts of every judged run's window; in an open loop from when a transaction was due.

    A histogram of a whole imported run can't be parted: it stands for all of it.
    """
    column = "service_histogram" if results.study.pacing.is_closed else "response_histogram"
    found = CellHistograms({}, {}, {}, {})
    for group in judgements:
        read = [_RunHistograms.read(results, record, column, by_type=has_types(group)) for record in group.judged]
        if has_types(group):
            found.types[group.cell] = _times_by_type(read)
        counts, values = _added([run.settled for run in read])
        latency = latency_of_counts(counts, values)
        if latency is not None:
            found.merged[group.cell] = (latency, int(counts.sum()))
            found.seconds[group.cell] = [SecondHistograms.coarse(*run.settled) for run in read]
            curve = response_curve(group.cell, counts, values, found.seconds[group.cell])
            if curve is not None:
                found.curves[group.cell] = curve
    return found


def has_types(group: CellJudgement) -> bool:
    """Whether a cell's transactions are told apart: its workload has several types, or new orders."""
    names = {figures.name for record in group.judged for figures in record.types}
    return len(names) > 1 or any(record.orders is not None for record in group.judged)


@dataclass(frozen=True, slots=True)
class _RunHistograms:
    """Histograms of a run's transactions: of the settled part second by second, of each type over the window."""

    settled: Counts
    types: dict[str, Counts]

    @classmethod
    def read(cls, results: StoredStudy, record: RunRecord, column: str, *, by_type: bool) -> _RunHistograms:
        names = ("second", "kind", "phase", "type", column)
        table = results.intervals(record.run.run_id, names)
        rows = zip(*(table[name].to_pylist() for name in names), strict=True)
        window = [(s, name, text) for s, kind, phase, name, text in rows if kind == "transaction" and phase == "window"]
        first = _settled_from(record, [second for second, _, _ in window])
        settled = counts_by_second((second, text) for second, _, text in window if second >= first)
        types: dict[str, list[tuple[int, str | None]]] = {}
        for _, name, text in window if by_type else ():
            types.setdefault(name, []).append((0, text))
        return cls(settled, {name: counts_by_second(texts) for name, texts in types.items()})


def _settled_from(record: RunRecord, seconds: Sequence[int]) -> int:
    """The first second of the settled part, as the run counts them."""
    first = min(seconds, default=0)
    is_parted = record.imported is None and record.settled is not None and record.settled.is_accepted
    return first + (record.settled.start_s or 0) if is_parted and record.settled is not None else first


def _times_by_type(runs: Sequence[_RunHistograms]) -> TypeTimes:
    found: TypeTimes = {}
    for name in dict.fromkeys(name for run in runs for name in run.types):
        counts, values = _added([run.types[name] for run in runs if name in run.types])
        latency = latency_of_counts(counts, values)
        if latency is not None:
            found[name] = (mean_of_counts(counts, values), latency)
    return found


def _added(runs: Sequence[Counts]) -> Counts:
    """All seconds of all runs together."""
    values = np.unique(np.concatenate([np.zeros(0), *(own for _, own in runs)]))
    total = np.zeros(len(values), dtype=np.int64)
    for counts, own in runs:
        total[np.searchsorted(values, own)] += counts.sum(axis=0)
    return total, values
