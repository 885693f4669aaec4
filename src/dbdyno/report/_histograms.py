"""Histograms of response times of all cells, read once: merged over repeats, and second by second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dbdyno.analyse import CellJudgement, SecondHistograms
from dbdyno.core import Cell, LatencyNs, RunRecord
from dbdyno.report._curves import Curve, response_curve
from dbdyno.store import Results, counts_by_second, latency_of_counts
from dbdyno.study import Study

Counts = tuple[NDArray[np.int64], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class CellHistograms:
    """By cell.

    Parameters
    ----------
    merged : quantiles of all judged runs added together, and how many transactions
    seconds : of each judged run, in bins of one percent
    curves : response times by percentile
    """

    merged: dict[Cell, tuple[LatencyNs, int]]
    seconds: dict[Cell, list[SecondHistograms]]
    curves: dict[Cell, Curve]


def cell_histograms(results: Results, study: Study, judgements: Sequence[CellJudgement]) -> CellHistograms:
    """Read the settled parts of every judged run's window; in an open loop from when a transaction was due.

    A histogram of a whole imported run can't be parted: it stands for all of it.
    """
    column = "service_histogram" if study.pacing.is_closed else "response_histogram"
    found = CellHistograms({}, {}, {})
    for group in judgements:
        runs = [_run_counts(results, record, column) for record in group.judged]
        counts, values = _added(runs)
        latency = latency_of_counts(counts, values)
        if latency is not None:
            found.merged[group.cell] = (latency, int(counts.sum()))
            found.seconds[group.cell] = [SecondHistograms.coarse(*run) for run in runs]
            curve = response_curve(group.cell, counts, values, found.seconds[group.cell])
            if curve is not None:
                found.curves[group.cell] = curve
    return found


def _run_counts(results: Results, record: RunRecord, column: str) -> Counts:
    table = results.intervals(record.run.run_id, ("second", "kind", "phase", column))
    rows = zip(*(table[name].to_pylist() for name in ("second", "kind", "phase", column)), strict=True)
    window = [(second, text) for second, kind, phase, text in rows if kind == "transaction" and phase == "window"]
    first = _settled_from(record, [second for second, _ in window])
    return counts_by_second((second, text) for second, text in window if second >= first)


def _settled_from(record: RunRecord, seconds: Sequence[int]) -> int:
    """The first second of the settled part, as the run counts them."""
    first = min(seconds, default=0)
    is_parted = record.imported is None and record.settled is not None and record.settled.is_accepted
    return first + (record.settled.start_s or 0) if is_parted and record.settled is not None else first


def _added(runs: Sequence[Counts]) -> Counts:
    """All seconds of all runs together."""
    values = np.unique(np.concatenate([np.zeros(0), *(own for _, own in runs)]))
    total = np.zeros(len(values), dtype=np.int64)
    for counts, own in runs:
        total[np.searchsorted(values, own)] += counts.sum(axis=0)
    return total, values
