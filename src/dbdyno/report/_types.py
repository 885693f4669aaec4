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


def cells_with_types(judgements: Iterable[CellJudgement], times: Mapping[Cell, TypeTimes]) -> list[CellTypes]:
    """Every judged cell whose workload has several transaction types, or new orders.

    Parameters
    ----------
    times : of these cells, by type
    """
    found = []
    for group in judgements:
        if group.cell in times:
            rates = tuple(record.orders for record in group.judged if record.orders is not None)
            names = dict.fromkeys(figures.name for record in group.judged for figures in record.types)
            types = tuple(_type(name, group.judged, times[group.cell]) for name in names)
            found.append(CellTypes(group, types, rates))
    return found


def _type(name: str, runs: Sequence[RunRecord], times: TypeTimes) -> TypeFigures:
    parts = [figures for record in runs for figures in record.types if figures.name == name]
    mean_ns, latency = times.get(name) or _told(parts)
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
