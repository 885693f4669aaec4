"""Judges claims about one engine: a figure, a peak, a collapse behind it, a plateau."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from dbdyno.analyse import FAR, CellJudgement, listed
from dbdyno.analyse.claims._catalogue import Claim, Metric, Published
from dbdyno.analyse.claims._cell_index import CellIndex, MeasuredLevel, Undecidable, unsettled_words
from dbdyno.analyse.claims._result import ClaimResult, join_results, within
from dbdyno.stats import Peak, compare, peak

_LEVEL = 0.97  # as everywhere: less than 3 % apart is the same


def check_level(claim: Claim, index: CellIndex, _report: Published) -> ClaimResult:
    """Check that the print lies in the cell's interval."""
    return figure_of(claim, index.reading(claim.at, claim.metric))


def check_peak(claim: Claim, index: CellIndex, report: Published) -> ClaimResult:
    """Check that the figure holds, and that its concurrency can't be told apart from the best one."""
    result = figure_of(claim, index.reading(claim.at, claim.metric))
    curve = index.curve(claim.at, claim.metric)
    top = _curve_peak(curve)
    if claim.at.concurrency not in top.concurrencies:
        where = listed([f"{n}" for n in top.concurrencies])
        return join_results(result, ClaimResult("does not hold", f"the peak is at {where} connections"))
    groups = index.meant(claim.at)
    return join_results(
        result,
        _peak_result(top),
        _check_settled(_possible_peaks(groups, index, claim.metric, curve[top.best])),
        _check_measured([n for n in report.concurrencies if top.best == max(_measured(groups)) and n > top.best]),
    )


def check_collapse(claim: Claim, index: CellIndex, report: Published) -> ClaimResult:
    """Check that the figure holds, and lies clearly below the peak at fewer connections."""
    result = figure_of(claim, index.reading(claim.at, claim.metric))
    curve, groups = index.curve(claim.at, claim.metric), index.meant(claim.at)
    top, concurrency = _curve_peak(curve), claim.at.concurrency or 0
    possible_peaks = _possible_peaks(groups, index, claim.metric, curve[top.best])
    if concurrency in top.falls:
        return join_results(
            result, _check_settled([group for group in possible_peaks if group.cell.concurrency > concurrency])
        )
    open_result = join_results(
        _check_settled([group for group in possible_peaks if group.cell.concurrency < concurrency]),
        _check_measured([n for n in report.concurrencies if n < concurrency and n not in _measured(groups)]),
    )
    if open_result.outcome != "holds":
        return join_results(result, open_result)
    return join_results(result, ClaimResult("does not hold", f"no collapse from the peak at {top.best} connections"))


def check_plateau(claim: Claim, index: CellIndex, report: Published) -> ClaimResult:
    """Check that each engine's best holds the print, and that no higher concurrency lies clearly below it."""
    return join_results(*(_check_engine_plateau(claim, index, report, engine) for engine in claim.engines))


def figure_of(claim: Claim, reading: MeasuredLevel) -> ClaimResult:
    """Hold the claim's figure against a reading."""
    return within(claim.values[0], claim.tolerance, reading.mean, reading.low, reading.high)


def _check_engine_plateau(claim: Claim, index: CellIndex, report: Published, engine: str) -> ClaimResult:
    selector = replace(claim.at, engine=engine)
    curve, groups = index.curve(selector, claim.metric), index.meant(selector)
    top = _curve_peak(curve)
    possible_peaks = _possible_peaks(groups, index, claim.metric, curve[top.best])
    if top.falls:
        possible_peaks = [group for group in possible_peaks if group.cell.concurrency > top.best]
    if possible_peaks:
        return _check_settled(possible_peaks)
    result = figure_of(claim, curve[top.best])
    if not top.falls:
        return join_results(
            result,
            *_unproven_falls(engine, curve, top),
            _check_settled([group for group in groups if group.cell.concurrency > top.best]),
            _check_measured([n for n in report.concurrencies if n > top.best and n not in _measured(groups)]),
        )
    where = listed([f"{n}" for n in top.falls])
    words = f"{engine} peaks at {top.best} connections and is clearly slower at {where}"
    return join_results(result, ClaimResult("does not hold", words))


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


def _peak_result(top: Peak) -> ClaimResult:
    where = listed([f"{n}" for n in top.concurrencies])
    has_ties = len(top.concurrencies) > 1
    return ClaimResult("holds", f"peak at {where} connections, which show no difference" if has_ties else "")


def _possible_peaks(
    groups: Sequence[CellJudgement], index: CellIndex, metric: Metric, best: MeasuredLevel
) -> list[CellJudgement]:
    """Return cells that have not settled and may come to be the best."""
    return [
        group
        for group in groups
        if group.trusted and not group.is_settled and index.total(group, metric) * FAR > best.mean
    ]


def _measured(groups: Sequence[CellJudgement]) -> set[int]:
    """Return the concurrencies with a good run, settled or not."""
    return {group.cell.concurrency for group in groups if group.trusted}


def _check_settled(groups: Sequence[CellJudgement]) -> ClaimResult:
    """Leave a claim open that rests on a cell without a level that lasts."""
    words = unsettled_words(groups)
    return ClaimResult("not settled", words) if words else ClaimResult("holds")


def _check_measured(missing_concurrencies: Sequence[int]) -> ClaimResult:
    """Leave a claim open that rests on concurrencies of the report that the results lack."""
    if not missing_concurrencies:
        return ClaimResult("holds")
    where = listed([f"{n}" for n in missing_concurrencies])
    return ClaimResult("can't be told", f"no good run at {where} connections")


def _curve_peak(curve: Mapping[int, MeasuredLevel]) -> Peak:
    if len(curve) < 2:
        raise Undecidable("a single concurrency has no peak")
    return peak({n: reading.level for n, reading in curve.items()})
