"""Histograms of response times of all cells, read once: merged over repeats, and second by second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dbdyno.analyse import CellJudgement, SecondHistograms
from dbdyno.core import Cell, LatencyNs
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
    """Read the windows of every judged run; in an open loop from when a transaction was due, else from when sent."""
    column = "service_histogram" if study.pacing.is_closed else "response_histogram"
    found = CellHistograms({}, {}, {})
    for group in judgements:
        runs = [_run_counts(results, record.run.run_id, column) for record in group.judged]
        counts, values = _added(runs)
        latency = latency_of_counts(counts, values)
        if latency is not None:
            found.merged[group.cell] = (latency, int(counts.sum()))
            found.seconds[group.cell] = [SecondHistograms.coarse(*run) for run in runs]
            curve = response_curve(group.cell, counts, values, found.seconds[group.cell])
            if curve is not None:
                found.curves[group.cell] = curve
    return found


def _run_counts(results: Results, run_id: str, column: str) -> Counts:
    table = results.intervals(run_id).select(["second", "kind", "phase", column])
    rows = zip(*(table[name].to_pylist() for name in ("second", "kind", "phase", column)), strict=True)
    return counts_by_second(
        (second, text) for second, kind, phase, text in rows if kind == "transaction" and phase == "window"
    )


def _added(runs: Sequence[Counts]) -> Counts:
    """All seconds of all runs together."""
    values = np.unique(np.concatenate([np.zeros(0), *(own for _, own in runs)]))
    total = np.zeros(len(values), dtype=np.int64)
    for counts, own in runs:
        total[np.searchsorted(values, own)] += counts.sum(axis=0)
    return total, values
