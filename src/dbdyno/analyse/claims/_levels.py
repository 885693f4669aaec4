"""Judges claims about one engine: a figure, a peak, a collapse behind it, a plateau."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from dbdyno.analyse import listed
from dbdyno.analyse.claims._catalogue import Claim, Published
from dbdyno.analyse.claims._cell_index import CellIndex, MeasuredLevel, Undecidable
from dbdyno.analyse.claims._result import ClaimResult, joined, within
from dbdyno.stats import Peak, compare, peak

_LEVEL = 0.97  # as everywhere: less than 3 % apart is the same


def check_level(claim: Claim, index: CellIndex, _report: Published) -> ClaimResult:
    """Check that the print lies in the cell's interval."""
    return figure_of(claim, index.reading(claim.at, claim.metric))


def check_peak(claim: Claim, index: CellIndex, _report: Published) -> ClaimResult:
    """Check that the figure holds, and that its concurrency can't be told apart from the best one."""
    result = figure_of(claim, index.reading(claim.at, claim.metric))
    return joined(result, _check_peak_concurrency(claim, _curve_peak(index.curve(claim.at, claim.metric))))


def check_collapse(claim: Claim, index: CellIndex, _report: Published) -> ClaimResult:
    """Check that the figure holds, and lies clearly below the peak at fewer connections."""
    result = figure_of(claim, index.reading(claim.at, claim.metric))
    top = _curve_peak(index.curve(claim.at, claim.metric))
    if claim.at.concurrency in top.collapsed:
        return result
    return joined(result, ClaimResult("does not hold", f"no collapse from the peak at {top.best} connections"))


def check_plateau(claim: Claim, index: CellIndex, _report: Published) -> ClaimResult:
    """Check that each engine's best holds the print, and that no higher concurrency lies clearly below it."""
    return joined(*(_check_engine_plateau(claim, index, engine) for engine in claim.engines))


def figure_of(claim: Claim, reading: MeasuredLevel) -> ClaimResult:
    """Hold the claim's figure against a reading."""
    return within(claim.values[0], claim.tolerance, reading.mean, reading.low, reading.high)


def _check_engine_plateau(claim: Claim, index: CellIndex, engine: str) -> ClaimResult:
    curve = index.curve(replace(claim.at, engine=engine), claim.metric)
    top = _curve_peak(curve)
    result = figure_of(claim, curve[top.best])
    if not top.collapsed:
        return joined(result, *_unproven_falls(engine, curve, top))
    where = listed([f"{n}" for n in top.collapsed])
    words = f"{engine} peaks at {top.best} connections and is clearly slower at {where}"
    return joined(result, ClaimResult("does not hold", words))


def _unproven_falls(engine: str, curve: Mapping[int, MeasuredLevel], top: Peak) -> list[ClaimResult]:
    """Return higher concurrencies that are slower by 3 % or more, within chance: a fall not shown is no plateau."""
    best = curve[top.best].level
    lower_concurrencies = [n for n in sorted(curve) if n > top.best and compare(curve[n].level, best).ratio < _LEVEL]
    if not lower_concurrencies:
        return []
    where = listed([f"{n}" for n in lower_concurrencies])
    return [
        ClaimResult("can't be told", f"{engine} peaks at {top.best} connections and may be clearly slower at {where}")
    ]


def _check_peak_concurrency(claim: Claim, top: Peak) -> ClaimResult:
    where = listed([f"{n}" for n in top.concurrencies])
    if claim.at.concurrency in top.concurrencies:
        has_ties = len(top.concurrencies) > 1
        return ClaimResult("holds", f"peak at {where} connections, which show no difference" if has_ties else "")
    return ClaimResult("does not hold", f"the peak is at {where} connections")


def _curve_peak(curve: Mapping[int, MeasuredLevel]) -> Peak:
    if len(curve) < 2:
        raise Undecidable("a single concurrency has no peak")
    return peak({n: reading.level for n, reading in curve.items()})
