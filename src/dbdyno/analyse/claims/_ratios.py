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
from dbdyno.analyse.claims._result import ClaimResult, joined, within
from dbdyno.analyse.claims._sides import in_unit, other_side
from dbdyno.stats import LogDifference, LogLevel, compare, holm, lead


def check_ratio(claim: Claim, index: CellIndex, _report: Published) -> ClaimResult:
    """The print lies in the interval of the ratio of two cells, or of two engines' best ones."""
    found = compare(
        index.reading(claim.at, claim.metric).level,
        index.reading(other_side(claim), claim.metric).level,
    )
    # A share is judged as the ratio that it stands for: of a small share even a good interval is a large part.
    sign = {"below": -1, "above": 1}.get(claim.unit, 0)
    print_ratio = 1 + sign * claim.values[0] if sign else claim.values[0]
    result = within(print_ratio, claim.tolerance, found.ratio, *found.interval())
    own, low, high = in_unit(claim, found)
    return replace(result, own=own, low=low, high=high)


def check_engines(claim: Claim, index: CellIndex, report: Published) -> ClaimResult:
    """The least and the largest of all engines' ratios, each of its best, are the printed ends."""
    found, missing, unsettled = _changes(claim, index, report)
    if not found:
        raise NotSettled(str(next(iter(unsettled.values()))))
    totals = ratio_totals(claim, index, report)
    least, most = min(totals.values()), max(totals.values())
    near = [engine for engine in unsettled if not FAR * least < totals[engine] < most / FAR]
    ranked = sorted(found.values(), key=lambda change: change.difference)
    ends = [
        within(value, claim.tolerance, *in_unit(claim, end))
        for value, end in zip(claim.values, (ranked[0], ranked[-1]), strict=True)
    ]
    middle = in_unit(claim, ranked[len(ranked) // 2])[0]
    result = joined(ends[0], ends[1], _all_here(missing), _rests_on(unsettled, near))
    return replace(result, own=middle, low=ends[0].own, high=ends[1].own)


def check_lead(claim: Claim, index: CellIndex, report: Published) -> ClaimResult:
    """The engine is the best, and the interval of its lead over all others holds the print and excludes none."""
    levels, missing, rests_on = _field(claim, index, report)
    found = lead(levels)
    if found is None:
        raise Undecidable("no other engine is in the results")
    if found.best != claim.at.engine:
        return joined(_standing(levels, claim.engines, missing), ClaimResult("can't be told", f"{found.best} is ahead"))
    result = within(claim.values[0], claim.tolerance, found.ratio, found.low, found.high)
    if found.low <= 1:
        return joined(
            result, ClaimResult("can't be told", f"its lead over {found.next_best} is not significant"), rests_on
        )
    return joined(result, _all_here(missing), rests_on)


def check_first(claim: Claim, index: CellIndex, report: Published) -> ClaimResult:
    """The figure holds for each engine named, and each does clearly more than every other at its best."""
    figures = [
        figure_of(claim, index.reading(replace(claim.at, engine=engine), claim.metric)) for engine in claim.engines
    ]
    levels, missing, rests_on = _field(claim, index, report)
    return joined(*figures, _standing(levels, claim.engines, missing), rests_on)


def check_memory(claim: Claim, index: CellIndex, report: Published) -> ClaimResult:
    """The ratio of two memory budgets, each at its best concurrency, holds the print and is the extreme of all."""
    changes, missing, unsettled = _changes(claim, index, report)
    engine = claim.engines[0]
    if engine in unsettled:
        raise unsettled[engine]
    totals = ratio_totals(claim, index, report)
    is_most = claim.extreme == "largest"
    near = [rival for rival in unsettled if _reaches(totals[rival], totals[engine], is_most=is_most)]
    own = changes[engine]
    result = within(claim.values[0], claim.tolerance, own.ratio, *own.interval())
    sign = 1 if claim.extreme == "largest" else -1
    logs = {
        engine: LogLevel(sign * found.difference, found.se, found.df, 1, found.sd) for engine, found in changes.items()
    }
    standing = _standing(logs, claim.engines, missing, claim.extreme)
    return joined(result, standing, _whole(claim, index), _rests_on(unsettled, near))


def _changes(
    claim: Claim, index: CellIndex, report: Published
) -> tuple[dict[str, LogDifference], list[str], dict[str, NotSettled]]:
    """Each engine's best over its best; those that are not in the results; those that have not settled, and why.

    Raises
    ------
    Undecidable : one that the claim names, or all of them, are not in the results
    """
    found: dict[str, LogDifference] = {}
    missing: list[str] = []
    unsettled: dict[str, NotSettled] = {}
    for engine in report.engines:
        try:
            found[engine] = _change(claim, index, engine)
        except NotSettled as why:
            unsettled[engine] = why
        except Undecidable as silence:
            missing.append(engine)
            if engine == claim.at.engine or len(missing) == len(report.engines):
                raise Undecidable(str(silence)) from silence
    return found, missing, unsettled


def _reaches(rival: float, own: float, *, is_most: bool) -> bool:
    """Return whether a rival that has not settled may come to stand before a figure."""
    return rival * FAR > own if is_most else rival < own * FAR


def _rests_on(unsettled: Mapping[str, NotSettled], near: Sequence[str]) -> ClaimResult:
    """Open, with what would settle it, where a claim rests on engines that have not settled."""
    reasons = list(dict.fromkeys(str(unsettled[engine]) for engine in near))
    if not reasons:
        return ClaimResult("holds")
    more = f"; and {len(reasons) - 1} more" if len(reasons) > 1 else ""
    return ClaimResult("not settled", reasons[0] + more)


def _change(claim: Claim, index: CellIndex, engine: str) -> LogDifference:
    most, least = replace(claim.at, engine=engine), replace(other_side(claim), engine=engine)
    return compare(index.reading(most).level, index.reading(least).level)


def _whole(claim: Claim, index: CellIndex) -> ClaimResult:
    if all(index.is_whole(selector) for selector in (claim.at, other_side(claim))):
        return ClaimResult("holds")
    return ClaimResult("can't be told", "a cell without a good run might have been its best")


def _field(claim: Claim, index: CellIndex, report: Published) -> tuple[dict[str, LogLevel], list[str], ClaimResult]:
    """Level of each of the report's engines at its best concurrency, and those that are not in the results.

    An engine that has not settled is left out; the last says whether the claim rests on one. It does not where that is
    too far behind to matter.

    Raises
    ------
    Undecidable, NotSettled : of an engine that the claim names
    """
    found: dict[str, MeasuredLevel] = {}
    missing: list[str] = []
    unsettled: dict[str, NotSettled] = {}
    for engine in report.engines:
        try:
            found[engine] = index.reading(replace(claim.at, engine=engine, concurrency=None), claim.metric)
        except NotSettled as why:
            unsettled[engine] = why
        except Undecidable:
            missing.append(engine)
    absent = [engine for engine in claim.engines if engine not in found]
    if absent:
        index.reading(replace(claim.at, engine=absent[0], concurrency=None), claim.metric)  # raises with the reason
    totals = field_totals(claim, index, report)
    # A lead is one over the next, so whoever may be that matters; a first place only has to be before all.
    rivals = [total for engine, total in totals.items() if engine not in claim.engines]
    mark = max(rivals, default=0.0) if claim.kind == "lead" else min(totals[engine] for engine in claim.engines)
    near = [engine for engine in unsettled if _reaches(totals[engine], mark, is_most=True)]
    levels = {engine: reading.level for engine, reading in found.items()}
    return levels, missing, _rests_on(unsettled, near)


def _standing(
    levels: Mapping[str, LogLevel], named: Sequence[str], missing: Sequence[str], extreme: str = "first"
) -> ClaimResult:
    """Return whether all named engines stand clearly before all others, p-values adjusted over the pairs."""
    others = [engine for engine in levels if engine not in named]
    pairs = [(mine, other) for mine in named for other in others]
    if not pairs:
        raise Undecidable("no other engine is in the results")
    differences = [compare(levels[mine], levels[other]) for mine, other in pairs]
    adjusted = holm([found.p for found in differences])
    seen = [(other, found.difference, p) for (_, other), found, p in zip(pairs, differences, adjusted, strict=True)]
    beaten_by = [other for other, difference, p in seen if p < 0.05 and difference < 0]
    if beaten_by:
        return ClaimResult("does not hold", f"not {extreme}: {listed(list(dict.fromkeys(beaten_by)))} ranks before it")
    tied = [other for other, difference, p in seen if not (p < 0.05 and difference > 0 and math.isfinite(difference))]
    if tied:
        return ClaimResult(
            "can't be told", f"whether it is {extreme}: no clear difference from {listed(sorted(set(tied)))}"
        )
    return _all_here(missing)


def _all_here(missing: Sequence[str]) -> ClaimResult:
    if missing:
        return ClaimResult("can't be told", f"not in the results: {listed(list(missing))}")
    return ClaimResult("holds")
