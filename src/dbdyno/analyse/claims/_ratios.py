"""Judges claims about one engine compared with others: ratios, leads, first places, what memory brings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from dbdyno.analyse import FAR, listed
from dbdyno.analyse.claims._arithmetic import field_totals, ratio_totals
from dbdyno.analyse.claims._catalogue import Claim, Published
from dbdyno.analyse.claims._cell_index import CellIndex, MeasuredLevel, NotSettled, Undecidable
from dbdyno.analyse.claims._levels import figure_of
from dbdyno.analyse.claims._result import ClaimResult, join_results, within
from dbdyno.analyse.claims._sides import in_unit, other_side
from dbdyno.stats import LogDifference, LogLevel, compare, holm, lead


def check_ratio(claim: Claim, index: CellIndex, _report: Published) -> ClaimResult:
    """Check that the print lies in the interval of the ratio of two cells, or of two engines' best ones."""
    difference = compare(
        index.reading(claim.at, claim.metric).level,
        index.reading(other_side(claim), claim.metric).level,
    )
    # A share is judged as the ratio that it stands for: of a small share even a good interval is a large part.
    sign = {"below": -1, "above": 1}.get(claim.unit, 0)
    print_ratio = 1 + sign * claim.values[0] if sign else claim.values[0]
    result = within(print_ratio, claim.tolerance, difference.ratio, *difference.interval())
    figure, low, high = in_unit(claim, difference)
    return replace(result, own=figure, low=low, high=high)


def check_engines(claim: Claim, index: CellIndex, report: Published) -> ClaimResult:
    """Check that the least and the largest of all engines' ratios, each of its best, are the printed ends."""
    changes, missing_engines, unsettled = _engine_changes(claim, index, report)
    if not changes:
        raise NotSettled(str(next(iter(unsettled.values()))))
    totals = ratio_totals(claim, index, report)
    least_ratio, most_ratio = min(totals.values()), max(totals.values())
    near_engines = [engine for engine in unsettled if not FAR * least_ratio < totals[engine] < most_ratio / FAR]
    ranked_changes = sorted(changes.values(), key=lambda change: change.difference)
    ends = [
        within(value, claim.tolerance, *in_unit(claim, end))
        for value, end in zip(claim.values, (ranked_changes[0], ranked_changes[-1]), strict=True)
    ]
    middle = in_unit(claim, ranked_changes[len(ranked_changes) // 2])[0]
    result = join_results(
        ends[0], ends[1], _check_none_missing(missing_engines), _check_unsettled_engines(unsettled, near_engines)
    )
    return replace(result, own=middle, low=ends[0].own, high=ends[1].own)


def check_lead(claim: Claim, index: CellIndex, report: Published) -> ClaimResult:
    """Check that the engine is the best, and that the interval of its lead over all others holds the print, not 1."""
    levels, missing_engines, rests_on = _engine_levels(claim, index, report)
    engine_lead = lead(levels)
    if engine_lead is None:
        raise Undecidable("no other engine is in the results")
    if engine_lead.best != claim.at.engine:
        return join_results(
            _check_standing(levels, claim.engines, missing_engines),
            ClaimResult("can't be told", f"{engine_lead.best} is ahead"),
        )
    result = within(claim.values[0], claim.tolerance, engine_lead.ratio, engine_lead.low, engine_lead.high)
    if engine_lead.low <= 1:
        return join_results(
            result, ClaimResult("can't be told", f"its lead over {engine_lead.next_best} is not significant"), rests_on
        )
    return join_results(result, _check_none_missing(missing_engines), rests_on)


def check_first(claim: Claim, index: CellIndex, report: Published) -> ClaimResult:
    """Check that the figure holds for each engine named, and that each is clearly faster than all others' best."""
    figures = [
        figure_of(claim, index.reading(replace(claim.at, engine=engine), claim.metric)) for engine in claim.engines
    ]
    levels, missing_engines, rests_on = _engine_levels(claim, index, report)
    return join_results(*figures, _check_standing(levels, claim.engines, missing_engines), rests_on)


def check_memory(claim: Claim, index: CellIndex, report: Published) -> ClaimResult:
    """Check that the ratio of two memory budgets, each at its best concurrency, holds the print and is the extreme."""
    changes, missing_engines, unsettled = _engine_changes(claim, index, report)
    engine = claim.engines[0]
    if engine in unsettled:
        raise unsettled[engine]
    totals = ratio_totals(claim, index, report)
    is_most = claim.extreme == "largest"
    near_rivals = [rival for rival in unsettled if _can_overtake(totals[rival], totals[engine], is_most=is_most)]
    change = changes[engine]
    result = within(claim.values[0], claim.tolerance, change.ratio, *change.interval())
    sign = 1 if claim.extreme == "largest" else -1
    logs = {
        engine: LogLevel(
            sign * difference.difference,
            difference.se,
            difference.df,
            1,
            difference.sd,
            noise_se=difference.noise_se,
        )
        for engine, difference in changes.items()
    }
    rank_result = _check_standing(logs, claim.engines, missing_engines, claim.extreme)
    return join_results(
        result, rank_result, _check_all_cells_trusted(claim, index), _check_unsettled_engines(unsettled, near_rivals)
    )


def _engine_changes(
    claim: Claim, index: CellIndex, report: Published
) -> tuple[dict[str, LogDifference], list[str], dict[str, NotSettled]]:
    """Return each engine's best over its best; those that are not in the results; those that have not settled, and why.

    Raises
    ------
    Undecidable : one that the claim names, or all of them, are not in the results
    """
    changes: dict[str, LogDifference] = {}
    missing_engines: list[str] = []
    unsettled: dict[str, NotSettled] = {}
    for engine in report.engines:
        try:
            changes[engine] = _engine_change(claim, index, engine)
        except NotSettled as why:
            unsettled[engine] = why
        except Undecidable as silence:
            missing_engines.append(engine)
            if engine == claim.at.engine or len(missing_engines) == len(report.engines):
                raise Undecidable(str(silence)) from silence
    return changes, missing_engines, unsettled


def _can_overtake(rival: float, figure: float, *, is_most: bool) -> bool:
    """Return whether a rival that has not settled may come to stand before a figure."""
    return rival * FAR > figure if is_most else rival < figure * FAR


def _check_unsettled_engines(unsettled: Mapping[str, NotSettled], near_engines: Sequence[str]) -> ClaimResult:
    """Leave a claim open that rests on engines that have not settled, with what would settle it."""
    reasons = list(dict.fromkeys(str(unsettled[engine]) for engine in near_engines))
    if not reasons:
        return ClaimResult("holds")
    more_words = f"; and {len(reasons) - 1} more" if len(reasons) > 1 else ""
    return ClaimResult("not settled", reasons[0] + more_words)


def _engine_change(claim: Claim, index: CellIndex, engine: str) -> LogDifference:
    selector, other_selector = replace(claim.at, engine=engine), replace(other_side(claim), engine=engine)
    return compare(index.reading(selector).level, index.reading(other_selector).level)


def _check_all_cells_trusted(claim: Claim, index: CellIndex) -> ClaimResult:
    if all(index.is_whole(selector) for selector in (claim.at, other_side(claim))):
        return ClaimResult("holds")
    return ClaimResult("can't be told", "a cell without a good run might have been its best")


def _engine_levels(
    claim: Claim, index: CellIndex, report: Published
) -> tuple[dict[str, LogLevel], list[str], ClaimResult]:
    """Return the level of each of the report's engines at its best concurrency, and those that are not in the results.

    An engine that has not settled is left out; the last says whether the claim rests on one. It does not where that is
    too far behind to matter.

    Raises
    ------
    Undecidable, NotSettled : of an engine that the claim names
    """
    readings: dict[str, MeasuredLevel] = {}
    missing_engines: list[str] = []
    unsettled: dict[str, NotSettled] = {}
    for engine in report.engines:
        try:
            readings[engine] = index.reading(replace(claim.at, engine=engine, concurrency=None), claim.metric)
        except NotSettled as why:
            unsettled[engine] = why
        except Undecidable:
            missing_engines.append(engine)
    absent_engines = [engine for engine in claim.engines if engine not in readings]
    if absent_engines:
        # Raises with the reason.
        index.reading(replace(claim.at, engine=absent_engines[0], concurrency=None), claim.metric)
    totals = field_totals(claim, index, report)
    # A lead is one over the next, so any engine that may be next matters; a first place only has to be before all.
    rivals = [total for engine, total in totals.items() if engine not in claim.engines]
    threshold = max(rivals, default=0.0) if claim.kind == "lead" else min(totals[engine] for engine in claim.engines)
    near_engines = [engine for engine in unsettled if _can_overtake(totals[engine], threshold, is_most=True)]
    levels = {engine: reading.level for engine, reading in readings.items()}
    return levels, missing_engines, _check_unsettled_engines(unsettled, near_engines)


def _check_standing(
    levels: Mapping[str, LogLevel], named_engines: Sequence[str], missing_engines: Sequence[str], extreme: str = "first"
) -> ClaimResult:
    """Return whether all named engines stand clearly before all others, p-values adjusted over the pairs."""
    rivals = [engine for engine in levels if engine not in named_engines]
    pairs = [(engine, rival) for engine in named_engines for rival in rivals]
    if not pairs:
        raise Undecidable("no other engine is in the results")
    differences = [compare(levels[engine], levels[rival]) for engine, rival in pairs]
    adjusted = holm([difference.p for difference in differences])
    tests = [
        (rival, comparison.difference, p)
        for (_, rival), comparison, p in zip(pairs, differences, adjusted, strict=True)
    ]
    beaten_by = [rival for rival, difference, p in tests if p < 0.05 and difference < 0]
    if beaten_by:
        return ClaimResult("does not hold", f"not {extreme}: {listed(list(dict.fromkeys(beaten_by)))} ranks before it")
    tied_rivals = [
        rival for rival, difference, p in tests if not (p < 0.05 and difference > 0 and math.isfinite(difference))
    ]
    if tied_rivals:
        return ClaimResult(
            "can't be told", f"whether it is {extreme}: no clear difference from {listed(sorted(set(tied_rivals)))}"
        )
    return _check_none_missing(missing_engines)


def _check_none_missing(missing_engines: Sequence[str]) -> ClaimResult:
    if missing_engines:
        return ClaimResult("can't be told", f"not in the results: {listed(list(missing_engines))}")
    return ClaimResult("holds")
