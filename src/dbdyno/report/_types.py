"""Figures by transaction type of a cell: its judged runs pooled. What runs lack is left out, never guessed."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from dbdyno.analyse import CellJudgement
from dbdyno.core import LatencyNs, OrderRates, RunRecord, TypeFigures
from dbdyno.store import Results, latency_of, merged_histogram

Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class CellTypes:
    """The transaction types of a cell, and its new orders a minute where it has some.

    Parameters
    ----------
    rates : of each judged run
    """

    group: CellJudgement
    types: tuple[TypeFigures, ...]
    rates: tuple[OrderRates, ...]

    def rate_words(self, of: Callable[[OrderRates], float | None]) -> str:
        """Mean of a rate over the runs, and how far they lie apart."""
        values = [value for rates in self.rates if (value := of(rates)) is not None]
        if not values:
            return ""
        mean = sum(values) / len(values)
        if len(values) == 1:
            return f"{mean:,.0f}"
        return f"{mean:,.0f} ({min(values):,.0f} to {max(values):,.0f})"


def cells_with_types(results: Results, judgements: Iterable[CellJudgement], *, is_closed: bool) -> list[CellTypes]:
    """Every judged cell whose workload has several transaction types, or new orders."""
    clock = "service" if is_closed else "response"
    found = []
    for group in judgements:
        rates = tuple(record.orders for record in group.judged if record.orders is not None)
        names = dict.fromkeys(figures.name for record in group.judged for figures in record.types)
        if len(names) > 1 or rates:
            found.append(CellTypes(group, _pooled(results, group.judged, names, clock), rates))
    return found


def _pooled(results: Results, runs: Sequence[RunRecord], names: Iterable[str], clock: str) -> tuple[TypeFigures, ...]:
    histograms = [_histograms(results, record.run.run_id, clock) for record in runs]
    return tuple(
        _type(name, runs, list(itertools.chain.from_iterable(of_run.get(name, ()) for of_run in histograms)))
        for name in names
    )


def _type(name: str, runs: Sequence[RunRecord], encoded: Sequence[str | None]) -> TypeFigures:
    parts = [figures for record in runs for figures in record.types if figures.name == name]
    histogram = merged_histogram(encoded)
    latency = latency_of(histogram)
    mean_ns, latency = (histogram.get_mean_value(), latency) if latency is not None else _told(parts)
    return TypeFigures(
        name=name,
        completed=sum(part.completed for part in parts),
        failed=sum(part.failed for part in parts),
        retries=sum(part.retries for part in parts),
        rolled_back=sum(part.rolled_back for part in parts),
        tps=sum(part.tps for part in parts) / len(parts) if parts else 0.0,
        mean_ns=mean_ns,
        latency_ns=latency,
    )


def _told(parts: Sequence[TypeFigures]) -> tuple[float | None, LatencyNs | None]:
    """Mean and quantiles as a tool printed them: of several runs the middle one (of two the larger)."""

    def middle(values: Iterable[Number | None]) -> Number | None:
        known = sorted(value for value in values if value is not None)
        return known[len(known) // 2] if parts and len(known) == len(parts) else None

    quantiles = [
        middle(None if part.latency_ns is None else getattr(part.latency_ns, name) for part in parts)
        for name in ("p50", "p95", "p99", "p999", "max")
    ]
    mean_ns = middle(part.mean_ns for part in parts)
    return mean_ns, LatencyNs(*quantiles) if any(value is not None for value in quantiles) else None


def _histograms(results: Results, run_id: str, clock: str) -> dict[str, list[str | None]]:
    column = f"{clock}_histogram"
    table = results.intervals(run_id).select(["kind", "phase", "type", column])
    found: dict[str, list[str | None]] = {}
    rows = zip(*(table[name].to_pylist() for name in ("kind", "phase", "type", column)), strict=True)
    for kind, phase, name, text in rows:
        if kind == "transaction" and phase == "window":
            found.setdefault(name, []).append(text)
    return found
