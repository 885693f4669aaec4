"""Figures of each transaction type. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.core import TypeFigures
from dbdyno.measure._records import IntervalRecord
from dbdyno.store import latency_of, merged_histogram


def type_figures(whole: Sequence[IntervalRecord], seconds: float, *, open_loop: bool) -> tuple[TypeFigures, ...]:
    """Figures of each transaction type, in the order in which the workload names them.

    Parameters
    ----------
    whole : the seconds of the window that were reported whole
    seconds : that rates divide by
    """
    names = dict.fromkeys(name for interval in whole for name in interval.transactions)
    return tuple(_figures(name, whole, seconds, open_loop=open_loop) for name in names)


def _figures(name: str, whole: Sequence[IntervalRecord], seconds: float, *, open_loop: bool) -> TypeFigures:
    counts = [interval.transactions[name] for interval in whole if name in interval.transactions]
    histogram = merged_histogram(c.response if open_loop else c.service for c in counts)
    completed = sum(c.completed for c in counts)
    return TypeFigures(
        name=name,
        completed=completed,
        failed=sum(c.failed for c in counts),
        retries=sum(sum(c.retries.values()) for c in counts),
        rolled_back=sum(c.rolled_back for c in counts),
        tps=completed / seconds if seconds else 0.0,
        mean_ns=histogram.get_mean_value() if completed else None,
        latency_ns=latency_of(histogram),
    )
