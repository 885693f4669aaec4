"""Computes what a claim's calculation gives on the same data, over whole windows, as a report's author did.

This is the first of two tests. It asks whether the print follows from the logs at all; intervals play no part in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from dbdyno.analyse import CellJudgement, listed
from dbdyno.analyse.claims._catalogue import CellSelector, Claim, Kind, Published
from dbdyno.analyse.claims._cell_index import CellIndex, Undecidable, good_runs
from dbdyno.analyse.claims._figures import figure_words
from dbdyno.analyse.claims._sides import other_side
from dbdyno.core import counted, format_memory, verb_for

_WITHIN = 0.9
"""Share of the cells that a printed range of all of them must hold."""


@dataclass(frozen=True, slots=True)
class ClaimArithmetic:
    """Holds what a calculation gives.

    Parameters
    ----------
    words : what was counted, with its figures
    wrong : how it differs from the print; empty where it gives the print
    groups : cells whose runs were counted
    figures : those that are held to the print, in the claim's unit; of pairs of cells the least and the largest
    """

    words: str
    wrong: str
    groups: tuple[CellJudgement, ...]
    figures: tuple[float, ...] = ()


def recalculate(claim: Claim, index: CellIndex, report: Published) -> ClaimArithmetic | None:
    """Return the claim's calculation; None where a part of it is not in the results, or no rule decides the claim."""
    rule = _RULES.get(claim.kind)
    try:
        return rule(claim, index, report) if rule else None
    except Undecidable:
        return None


def field_totals(claim: Claim, index: CellIndex, report: Published) -> dict[str, float]:
    """Return what each of the report's engines did at its best over whole windows, settled or not."""
    return {engine: total.value for engine, total in _best_totals(claim, index, report).items()}


def ratio_totals(claim: Claim, index: CellIndex, report: Published) -> dict[str, float]:
    """Return the same of each engine's best at one spot over its best at the other."""
    return {engine: ratio for engine, (ratio, _) in _engine_ratios(claim, index, report).items()}


@dataclass(frozen=True, slots=True)
class _Total:
    value: float
    group: CellJudgement

    @property
    def at(self) -> str:
        return counted(self.group.cell.concurrency, "connection")


def _curve(index: CellIndex, selector: CellSelector, claim: Claim) -> dict[int, _Total]:
    totals = {
        group.cell.concurrency: _Total(index.total(group, claim.metric), group) for group in index.meant(selector)
    }
    curve = {n: total for n, total in totals.items() if total.value}
    if not curve or selector.concurrency not in (None, *curve):
        raise Undecidable(f"no good run of {selector.engine}")
    return curve


def _total(index: CellIndex, selector: CellSelector, claim: Claim) -> _Total:
    """Return what the spot did; at its best concurrency where it names none."""
    curve = _curve(index, selector, claim)
    if selector.concurrency is not None:
        return curve[selector.concurrency]
    return max(curve.values(), key=lambda total: total.value)


def _recalculate_level(claim: Claim, index: CellIndex, _report: Published) -> ClaimArithmetic:
    total = _total(index, claim.at, claim)
    return ClaimArithmetic(
        _runs_words(claim, total, index), _mismatch_words(claim, total.value), (total.group,), (total.value,)
    )


def _recalculate_peak(claim: Claim, index: CellIndex, _report: Published) -> ClaimArithmetic:
    claim_total = _total(index, claim.at, claim)
    curve = _curve(index, replace(claim.at, concurrency=None), claim)
    best_total = max(curve.values(), key=lambda total: total.value)
    words = (
        f"{_runs_words(claim, claim_total, index)}; the best of {counted(len(curve), 'concurrency', 'concurrencies')}: "
    )
    words += f"{_claim_figure_words(claim, best_total.value)} at {best_total.at}"
    wrong = _mismatch_words(claim, claim_total.value) or (
        "" if best_total is curve[claim_total.group.cell.concurrency] else f"it peaks at {best_total.at}"
    )
    return ClaimArithmetic(words, wrong, tuple(total.group for total in curve.values()), (claim_total.value,))


def _recalculate_collapse(claim: Claim, index: CellIndex, report: Published) -> ClaimArithmetic:
    arithmetic = _recalculate_peak(claim, index, report)
    claim_total = _total(index, claim.at, claim)
    faster_totals = [
        total
        for n, total in _curve(index, replace(claim.at, concurrency=None), claim).items()
        if n < claim_total.group.cell.concurrency and total.value > claim_total.value
    ]
    return replace(
        arithmetic,
        wrong=_mismatch_words(claim, claim_total.value)
        or ("" if faster_totals else "fewer connections are not faster"),
    )


def _recalculate_plateau(claim: Claim, index: CellIndex, _report: Published) -> ClaimArithmetic:
    curves = {engine: _curve(index, replace(claim.at, engine=engine), claim) for engine in claim.engines}
    words, wrong = [], []
    for engine, curve in curves.items():
        best_total = max(curve.values(), key=lambda total: total.value)
        later_totals = [total for n, total in sorted(curve.items()) if n > best_total.group.cell.concurrency]
        later_words = listed(
            [f"{_claim_figure_words(claim, total.value)} at {total.group.cell.concurrency}" for total in later_totals]
        )
        words.append(
            f"{engine} {_claim_figure_words(claim, best_total.value)} at {best_total.at}"
            f"{f', then {later_words}' if later_words else ''}"
        )
        wrong += [f"{engine}: {text}" for text in [_mismatch_words(claim, best_total.value)] if text]
    groups = tuple(total.group for curve in curves.values() for total in curve.values())
    figures = tuple(max(total.value for total in curve.values()) for curve in curves.values())
    return ClaimArithmetic("best of each: " + "; ".join(words), "; ".join(wrong), groups, figures)


def _recalculate_first(claim: Claim, index: CellIndex, report: Published) -> ClaimArithmetic:
    claim_totals = {engine: _total(index, replace(claim.at, engine=engine), claim) for engine in claim.engines}
    field = _best_totals(claim, index, report)
    rivals = [engine for engine in _engines_by_value(field) if engine not in claim.engines]
    least_value = min(field[engine].value for engine in claim.engines)
    faster_rivals = [engine for engine in rivals if field[engine].value > least_value]
    wrong = [
        f"{engine}: {text}" for engine, total in claim_totals.items() if (text := _mismatch_words(claim, total.value))
    ]
    wrong += [f"{engine} reaches {_claim_figure_words(claim, field[engine].value)}" for engine in faster_rivals]
    ranking_words = [
        f"{engine} {_claim_figure_words(claim, field[engine].value)}"
        for engine in _engines_by_value(field)[: len(claim_totals) + 2]
    ]
    words = f"best of each of {counted(len(field), 'engine')}: {listed(ranking_words)}"
    groups, figures = (total.group for total in field.values()), (total.value for total in claim_totals.values())
    return ClaimArithmetic(words, "; ".join(wrong), tuple(groups), tuple(figures))


def _recalculate_lead(claim: Claim, index: CellIndex, report: Published) -> ClaimArithmetic:
    field = _best_totals(claim, index, report)
    best_engine, *rivals = _engines_by_value(field)
    if not rivals:
        raise Undecidable("no other engine")
    ratio = field[best_engine].value / field[rivals[0]].value
    best_words, next_words = (
        f"{_throughput_words(claim, field[name].value)} of {name} at {field[name].at}"
        for name in (best_engine, rivals[0])
    )
    words = f"best of each of {counted(len(field), 'engine')}: {best_words} over {next_words} = {ratio:.3f}"
    wrong = (
        f"{best_engine} is ahead"
        if best_engine != claim.at.engine
        else _mismatch_words(claim, _ratio_in_unit(claim, ratio))
    )
    return ClaimArithmetic(
        words, wrong, tuple(total.group for total in field.values()), (_ratio_in_unit(claim, ratio),)
    )


def _recalculate_ratio(claim: Claim, index: CellIndex, _report: Published) -> ClaimArithmetic:
    left, right = _total(index, claim.at, claim), _total(index, other_side(claim), claim)
    ratio = left.value / right.value
    words = f"{_runs_words(claim, left, index)}, over {_runs_words(claim, right, index)} = {ratio:.3f}"
    figure = _ratio_in_unit(claim, ratio)
    return ClaimArithmetic(words, _mismatch_words(claim, figure), (left.group, right.group), (figure,))


def _recalculate_memory(claim: Claim, index: CellIndex, report: Published) -> ClaimArithmetic:
    ratios = _engine_ratios(claim, index, report)
    claim_ratio = ratios[claim.at.engine or ""][0]
    sign = 1 if claim.extreme == "largest" else -1
    more_extreme = {engine: ratio for engine, (ratio, _) in ratios.items() if sign * (ratio - claim_ratio) > 0}
    wrong = [
        _mismatch_words(claim, claim_ratio),
        *(f"{engine} has {ratio:.3f}" for engine, ratio in more_extreme.items()),
    ]
    return _ratio_arithmetic(ratios, wrong, (claim_ratio,))


def _recalculate_engines(claim: Claim, index: CellIndex, report: Published) -> ClaimArithmetic:
    ratios = _engine_ratios(claim, index, report)
    ends = min(ratio for ratio, _ in ratios.values()), max(ratio for ratio, _ in ratios.values())
    wrong = [
        _mismatch_words(replace(claim, values=(value,)), end) for value, end in zip(claim.values, ends, strict=True)
    ]
    return _ratio_arithmetic(ratios, wrong, ends)


def _recalculate_range(claim: Claim, index: CellIndex, report: Published) -> ClaimArithmetic:
    pairs = index.pairs(claim.at, other_side(claim), report.engines)
    values = _pair_values(claim, index, pairs)
    print_low, print_high = claim.values[0] - claim.tolerance, claim.values[1] + claim.tolerance
    below_count, above_count = sum(value < print_low for value in values), sum(value > print_high for value in values)
    inside_count = len(values) - below_count - above_count
    low, middle, high = (_claim_figure_words(claim, float(end)) for end in np.quantile(values, (0, 0.5, 1)))
    words = (
        f"{counted(len(values), 'pair')} of cells: {inside_count} in the printed range, "
        f"{below_count} below, {above_count} above; "
    )
    words += f"{low} to {high}, median {middle}"
    verb, is_wrong = verb_for(inside_count, "lies", "lie"), inside_count < _WITHIN * len(values)
    wrong = f"{inside_count} of {len(values)} {verb} in the printed range" if is_wrong else ""
    return ClaimArithmetic(words, wrong, tuple(group for pair in pairs for group in pair), (min(values), max(values)))


def _recalculate_same(claim: Claim, index: CellIndex, report: Published) -> ClaimArithmetic:
    pairs = index.pairs(claim.at, other_side(claim), report.engines)
    values = _pair_values(claim, index, pairs)
    sizes = [max(1 - ratio, 1 - 1 / ratio) for ratio in (1 - value for value in values)]
    inside_count = sum(size <= claim.values[0] for size in sizes)
    ends = [
        _place_words(values[position], pairs[position][0])
        for position in (int(np.argmax(values)), int(np.argmin(values)))
    ]
    most_words = _claim_figure_words(claim, claim.values[0])
    verb = verb_for(inside_count, "differs", "differ")
    words = f"{counted(len(pairs), 'pair')} of cells: {inside_count} {verb} by at most {most_words}; "
    words += f"{claim.at.engine} {ends[0]} to {ends[1]}"
    outside_count = len(pairs) - inside_count
    verb = verb_for(outside_count, "differs", "differ")
    wrong = f"{outside_count} of {len(pairs)} {verb} by more" if outside_count else ""
    return ClaimArithmetic(words, wrong, tuple(group for pair in pairs for group in pair), (min(values), max(values)))


def _place_words(below: float, group: CellJudgement) -> str:
    """Say by how much a cell lies below or above its fellow, and where."""
    cell = group.cell
    where = f"{format_memory(cell.tier_bytes)}, {counted(cell.concurrency, 'connection')}"
    return f"{100 * abs(below):.1f} % {'lower' if below > 0 else 'higher'} ({where})"


def _pair_values(claim: Claim, index: CellIndex, pairs: Iterable[tuple[CellJudgement, CellJudgement]]) -> list[float]:
    ratios = [index.total(left, claim.metric) / index.total(right, claim.metric) for left, right in pairs]
    return [_ratio_in_unit(claim, ratio) for ratio in ratios]


def _best_totals(claim: Claim, index: CellIndex, report: Published) -> dict[str, _Total]:
    """Return each of the report's engines at its best; all that the claim names must be there."""
    totals = {}
    for engine in report.engines:
        try:
            totals[engine] = _total(index, replace(claim.at, engine=engine, concurrency=None), claim)
        except Undecidable:
            if engine in claim.engines:
                raise
    return totals


def _engine_ratios(
    claim: Claim, index: CellIndex, report: Published
) -> dict[str, tuple[float, tuple[CellJudgement, ...]]]:
    """Return each engine's best at one spot over its best at the other."""
    ratios: dict[str, tuple[float, tuple[CellJudgement, ...]]] = {}
    for engine in report.engines:
        try:
            left, right = (
                _total(index, replace(selector, engine=engine), claim) for selector in (claim.at, other_side(claim))
            )
        except Undecidable:
            if engine in claim.engines:
                raise
            continue
        ratios[engine] = (left.value / right.value, (left.group, right.group))
    if not ratios:
        raise Undecidable("no engine has both")
    return ratios


def _ratio_arithmetic(
    ratios: Mapping[str, tuple[float, tuple[CellJudgement, ...]]], wrong: Iterable[str], figures: tuple[float, ...]
) -> ClaimArithmetic:
    ranked_engines = sorted(ratios, key=lambda engine: ratios[engine][0])
    words = ", ".join(f"{engine} {ratios[engine][0]:.3f}" for engine in ranked_engines)
    groups = tuple(group for _, pair in ratios.values() for group in pair)
    words = f"best over best of each of {counted(len(ratios), 'engine')}: {words}"
    return ClaimArithmetic(words, "; ".join(text for text in wrong if text), groups, figures)


def _engines_by_value(field: Mapping[str, _Total]) -> list[str]:
    return sorted(field, key=lambda engine: -field[engine].value)


def _ratio_in_unit(claim: Claim, ratio: float) -> float:
    return {"below": 1 - ratio, "above": ratio - 1}.get(claim.unit, ratio)


def _mismatch_words(claim: Claim, figure: float) -> str:
    """Return how a figure differs from the print; empty where it is the print, with the same rounding."""
    if abs(figure - claim.values[0]) <= claim.tolerance * (1 + 1e-9):
        return ""
    return f"{_claim_figure_words(claim, figure)} where {_claim_figure_words(claim, claim.values[0])} is printed"


def _claim_figure_words(claim: Claim, figure: float) -> str:
    return figure_words(figure, claim.unit, claim.rounding)


def _throughput_words(claim: Claim, value: float) -> str:
    return f"{value:,.1f} {claim.metric.upper()}"


def _runs_words(claim: Claim, total: _Total, index: CellIndex) -> str:
    runs = good_runs(total.group)
    length = index.last_s or round(runs[0].figures.window_s)
    window_words = "the last " if index.last_s else ""
    mean_words = "" if len(runs) == 1 else f", mean of {len(runs)} runs"
    throughput = _throughput_words(claim, total.value)
    return f"{total.group.cell.target}: {throughput} in {window_words}{length:,} s at {total.at}{mean_words}"


_RULES: Mapping[Kind, Callable[[Claim, CellIndex, Published], ClaimArithmetic]] = {
    "level": _recalculate_level,
    "peak": _recalculate_peak,
    "collapse": _recalculate_collapse,
    "plateau": _recalculate_plateau,
    "first": _recalculate_first,
    "lead": _recalculate_lead,
    "ratio": _recalculate_ratio,
    "memory": _recalculate_memory,
    "range": _recalculate_range,
    "engines": _recalculate_engines,
    "same": _recalculate_same,
}
