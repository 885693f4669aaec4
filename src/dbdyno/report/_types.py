"""Pools figures by transaction type over a cell's judged runs. What runs lack is left out, never guessed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from dbdyno.analyse import CellJudgement
from dbdyno.core import Cell, LatencyNs, OrderRates, RunRecord, TypeFigures
from dbdyno.report._cell_response_times import TypeTimes

Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class CellTypes:
    """Describes the transaction types of a cell, and its new orders a minute where it has some.

    Parameters
    ----------
    rates : of each judged run
    """

    group: CellJudgement
    types: tuple[TypeFigures, ...]
    rates: tuple[OrderRates, ...]

    def rate_words(self, of: Callable[[OrderRates], float | None]) -> str:
        """Return the mean of a rate over the runs, and how far they lie apart."""
        values = [value for rates in self.rates if (value := of(rates)) is not None]
        if not values:
            return ""
        mean = sum(values) / len(values)
        if len(values) == 1:
            return f"{mean:,.0f}"
        return f"{mean:,.0f} ({min(values):,.0f} to {max(values):,.0f})"


def cells_with_types(judgements: Iterable[CellJudgement], times: Mapping[Cell, TypeTimes]) -> list[CellTypes]:
    """Return every judged cell whose workload has several transaction types, or new orders.

    Parameters
    ----------
    times : of these cells, by type
    """
    cells = []
    for group in judgements:
        if group.cell in times:
            rates = tuple(record.orders for record in group.judged if record.orders is not None)
            names = dict.fromkeys(figures.name for record in group.judged for figures in record.types)
            types = tuple(_merged_type_figures(name, group.judged, times[group.cell]) for name in names)
            cells.append(CellTypes(group, types, rates))
    return cells


def _merged_type_figures(name: str, runs: Sequence[RunRecord], times: TypeTimes) -> TypeFigures:
    run_figures = [figures for record in runs for figures in record.types if figures.name == name]
    mean_ns, latency = times.get(name) or _printed_mean_and_quantiles(run_figures)
    return TypeFigures(
        name=name,
        completed=sum(figures.completed for figures in run_figures),
        failed=sum(figures.failed for figures in run_figures),
        retries=sum(figures.retries for figures in run_figures),
        rolled_back=sum(figures.rolled_back for figures in run_figures),
        tps=sum(figures.tps for figures in run_figures) / len(run_figures) if run_figures else 0.0,
        mean_ns=mean_ns,
        latency_ns=latency,
    )


def _printed_mean_and_quantiles(run_figures: Sequence[TypeFigures]) -> tuple[float | None, LatencyNs | None]:
    """Return the mean and quantiles as a tool printed them: of several runs the middle one (of two the larger)."""

    def middle(values: Iterable[Number | None]) -> Number | None:
        known_values = sorted(value for value in values if value is not None)
        return known_values[len(known_values) // 2] if run_figures and len(known_values) == len(run_figures) else None

    quantiles = [
        middle(None if figures.latency_ns is None else getattr(figures.latency_ns, name) for figures in run_figures)
        for name in ("p50", "p95", "p99", "p999", "max")
    ]
    mean_ns = middle(figures.mean_ns for figures in run_figures)
    return mean_ns, LatencyNs(*quantiles) if any(value is not None for value in quantiles) else None
