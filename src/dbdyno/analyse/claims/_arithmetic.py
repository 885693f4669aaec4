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
from dbdyno.core import counted, format_memory

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
    """The claim's calculation; None where a part of it is not in the results, or no rule tells the claim."""
    rule = _RULES.get(claim.kind)
    try:
        return rule(claim, index, report) if rule else None
    except Undecidable:
        return None


def field_totals(claim: Claim, index: CellIndex, report: Published) -> dict[str, float]:
    """Return what each of the report's engines did at its best over whole windows, settled or not."""
    return {engine: total.value for engine, total in _field(claim, index, report).items()}


def ratio_totals(claim: Claim, index: CellIndex, report: Published) -> dict[str, float]:
    """The same of each engine's best at one spot over its best at the other."""
    return {engine: ratio for engine, (ratio, _) in _ratios(claim, index, report).items()}


@dataclass(frozen=True, slots=True)
class _Total:
    value: float
    group: CellJudgement

    @property
    def at(self) -> str:
        return counted(self.group.cell.concurrency, "connection")


def _curve(index: CellIndex, selector: CellSelector, claim: Claim) -> dict[int, _Total]:
    found = {group.cell.concurrency: _Total(index.total(group, claim.metric), group) for group in index.meant(selector)}
    curve = {n: total for n, total in found.items() if total.value}
    if not curve or selector.concurrency not in (None, *curve):
        raise Undecidable(f"no good run of {selector.engine}")
    return curve


def _total(index: CellIndex, selector: CellSelector, claim: Claim) -> _Total:
    """Return what the spot did; at its best concurrency where it names none."""
    curve = _curve(index, selector, claim)
    if selector.concurrency is not None:
        return curve[selector.concurrency]
    return max(curve.values(), key=lambda total: total.value)


def _level(claim: Claim, index: CellIndex, _report: Published) -> ClaimArithmetic:
    found = _total(index, claim.at, claim)
    return ClaimArithmetic(_runs_words(claim, found, index), _wrong(claim, found.value), (found.group,), (found.value,))


def _peak(claim: Claim, index: CellIndex, _report: Published) -> ClaimArithmetic:
    own = _total(index, claim.at, claim)
    curve = _curve(index, replace(claim.at, concurrency=None), claim)
    top = max(curve.values(), key=lambda total: total.value)
    words = f"{_runs_words(claim, own, index)}; the best of {counted(len(curve), 'concurrency', 'concurrencies')}: "
    words += f"{_shown(claim, top.value)} at {top.at}"
    wrong = _wrong(claim, own.value) or ("" if top is curve[own.group.cell.concurrency] else f"it peaks at {top.at}")
    return ClaimArithmetic(words, wrong, tuple(total.group for total in curve.values()), (own.value,))


def _collapse(claim: Claim, index: CellIndex, report: Published) -> ClaimArithmetic:
    found = _peak(claim, index, report)
    own = _total(index, claim.at, claim)
    before = [
        total
        for n, total in _curve(index, replace(claim.at, concurrency=None), claim).items()
        if n < own.group.cell.concurrency and total.value > own.value
    ]
    return replace(found, wrong=_wrong(claim, own.value) or ("" if before else "fewer connections are not faster"))


def _plateau(claim: Claim, index: CellIndex, _report: Published) -> ClaimArithmetic:
    curves = {engine: _curve(index, replace(claim.at, engine=engine), claim) for engine in claim.engines}
    words, wrong = [], []
    for engine, curve in curves.items():
        best = max(curve.values(), key=lambda total: total.value)
        after = [total for n, total in sorted(curve.items()) if n > best.group.cell.concurrency]
        then = listed([f"{_shown(claim, total.value)} at {total.group.cell.concurrency}" for total in after])
        words.append(f"{engine} {_shown(claim, best.value)} at {best.at}{f', then {then}' if then else ''}")
        wrong += [f"{engine}: {text}" for text in [_wrong(claim, best.value)] if text]
    groups = tuple(total.group for curve in curves.values() for total in curve.values())
    figures = tuple(max(total.value for total in curve.values()) for curve in curves.values())
    return ClaimArithmetic("best of each: " + "; ".join(words), "; ".join(wrong), groups, figures)


def _first(claim: Claim, index: CellIndex, report: Published) -> ClaimArithmetic:
    own = {engine: _total(index, replace(claim.at, engine=engine), claim) for engine in claim.engines}
    field = _field(claim, index, report)
    ahead = [engine for engine in _by_value(field) if engine not in claim.engines]
    least = min(field[engine].value for engine in claim.engines)
    better = [engine for engine in ahead if field[engine].value > least]
    wrong = [f"{engine}: {text}" for engine, total in own.items() if (text := _wrong(claim, total.value))]
    wrong += [f"{engine} reaches {_shown(claim, field[engine].value)}" for engine in better]
    ranked = [f"{engine} {_shown(claim, field[engine].value)}" for engine in _by_value(field)[: len(own) + 2]]
    words = f"best of each of {counted(len(field), 'engine')}: {listed(ranked)}"
    groups, figures = (total.group for total in field.values()), (total.value for total in own.values())
    return ClaimArithmetic(words, "; ".join(wrong), tuple(groups), tuple(figures))


def _lead(claim: Claim, index: CellIndex, report: Published) -> ClaimArithmetic:
    field = _field(claim, index, report)
    best, *rest = _by_value(field)
    if not rest:
        raise Undecidable("no other engine")
    ratio = field[best].value / field[rest[0]].value
    first, second = (f"{_tps(claim, field[name].value)} of {name} at {field[name].at}" for name in (best, rest[0]))
    words = f"best of each of {counted(len(field), 'engine')}: {first} over {second} = {ratio:.3f}"
    wrong = f"{best} is ahead" if best != claim.at.engine else _wrong(claim, _in_unit(claim, ratio))
    return ClaimArithmetic(words, wrong, tuple(total.group for total in field.values()), (_in_unit(claim, ratio),))


def _ratio(claim: Claim, index: CellIndex, _report: Published) -> ClaimArithmetic:
    left, right = _total(index, claim.at, claim), _total(index, other_side(claim), claim)
    ratio = left.value / right.value
    words = f"{_runs_words(claim, left, index)}, over {_runs_words(claim, right, index)} = {ratio:.3f}"
    figure = _in_unit(claim, ratio)
    return ClaimArithmetic(words, _wrong(claim, figure), (left.group, right.group), (figure,))


def _memory(claim: Claim, index: CellIndex, report: Published) -> ClaimArithmetic:
    found = _ratios(claim, index, report)
    own = found[claim.at.engine or ""][0]
    sign = 1 if claim.extreme == "largest" else -1
    beyond = {engine: ratio for engine, (ratio, _) in found.items() if sign * (ratio - own) > 0}
    wrong = [_wrong(claim, own), *(f"{engine} has {ratio:.3f}" for engine, ratio in beyond.items())]
    return _of_ratios(found, wrong, (own,))


def _engines(claim: Claim, index: CellIndex, report: Published) -> ClaimArithmetic:
    found = _ratios(claim, index, report)
    ends = min(ratio for ratio, _ in found.values()), max(ratio for ratio, _ in found.values())
    wrong = [_wrong(replace(claim, values=(value,)), end) for value, end in zip(claim.values, ends, strict=True)]
    return _of_ratios(found, wrong, ends)


def _range(claim: Claim, index: CellIndex, report: Published) -> ClaimArithmetic:
    pairs = index.pairs(claim.at, other_side(claim), report.engines)
    values = _pair_values(claim, index, pairs)
    first, last = claim.values[0] - claim.tolerance, claim.values[1] + claim.tolerance
    below, above = sum(value < first for value in values), sum(value > last for value in values)
    inside = len(values) - below - above
    low, middle, high = (_shown(claim, float(end)) for end in np.quantile(values, (0, 0.5, 1)))
    words = f"{counted(len(values), 'pair')} of cells: {inside} in the printed range, {below} below, {above} above; "
    words += f"{low} to {high}, median {middle}"
    wrong = f"{inside} of {len(values)} lie in the printed range" if inside < _WITHIN * len(values) else ""
    return ClaimArithmetic(words, wrong, tuple(group for pair in pairs for group in pair), (min(values), max(values)))


def _same(claim: Claim, index: CellIndex, report: Published) -> ClaimArithmetic:
    pairs = index.pairs(claim.at, other_side(claim), report.engines)
    values = _pair_values(claim, index, pairs)
    sized = [max(1 - ratio, 1 - 1 / ratio) for ratio in (1 - value for value in values)]
    inside = sum(size <= claim.values[0] for size in sized)
    ends = [_place_words(values[at], pairs[at][0]) for at in (int(np.argmax(values)), int(np.argmin(values)))]
    words = f"{counted(len(pairs), 'pair')} of cells: {inside} differ by at most {_shown(claim, claim.values[0])}; "
    words += f"{claim.at.engine} {ends[0]} to {ends[1]}"
    wrong = f"{len(pairs) - inside} of {len(pairs)} differ by more" if inside < len(pairs) else ""
    return ClaimArithmetic(words, wrong, tuple(group for pair in pairs for group in pair), (min(values), max(values)))


def _place_words(below: float, group: CellJudgement) -> str:
    """Say by how much a cell lies below or above its fellow, and where."""
    cell = group.cell
    where = f"{format_memory(cell.tier_bytes)}, {counted(cell.concurrency, 'connection')}"
    return f"{100 * abs(below):.1f} % {'lower' if below > 0 else 'higher'} ({where})"


def _pair_values(claim: Claim, index: CellIndex, pairs: Iterable[tuple[CellJudgement, CellJudgement]]) -> list[float]:
    ratios = [index.total(left, claim.metric) / index.total(right, claim.metric) for left, right in pairs]
    return [_in_unit(claim, ratio) for ratio in ratios]


def _field(claim: Claim, index: CellIndex, report: Published) -> dict[str, _Total]:
    """Each of the report's engines at its best; all that the claim names must be there."""
    found = {}
    for engine in report.engines:
        try:
            found[engine] = _total(index, replace(claim.at, engine=engine, concurrency=None), claim)
        except Undecidable:
            if engine in claim.engines:
                raise
    return found


def _ratios(claim: Claim, index: CellIndex, report: Published) -> dict[str, tuple[float, tuple[CellJudgement, ...]]]:
    """Each engine's best at one spot over its best at the other."""
    found: dict[str, tuple[float, tuple[CellJudgement, ...]]] = {}
    for engine in report.engines:
        try:
            left, right = (
                _total(index, replace(selector, engine=engine), claim) for selector in (claim.at, other_side(claim))
            )
        except Undecidable:
            if engine in claim.engines:
                raise
            continue
        found[engine] = (left.value / right.value, (left.group, right.group))
    if not found:
        raise Undecidable("no engine has both")
    return found


def _of_ratios(
    found: Mapping[str, tuple[float, tuple[CellJudgement, ...]]], wrong: Iterable[str], figures: tuple[float, ...]
) -> ClaimArithmetic:
    ranked = sorted(found, key=lambda engine: found[engine][0])
    words = ", ".join(f"{engine} {found[engine][0]:.3f}" for engine in ranked)
    groups = tuple(group for _, pair in found.values() for group in pair)
    words = f"best over best of each of {counted(len(found), 'engine')}: {words}"
    return ClaimArithmetic(words, "; ".join(text for text in wrong if text), groups, figures)


def _by_value(field: Mapping[str, _Total]) -> list[str]:
    return sorted(field, key=lambda engine: -field[engine].value)


def _in_unit(claim: Claim, ratio: float) -> float:
    return {"below": 1 - ratio, "above": ratio - 1}.get(claim.unit, ratio)


def _wrong(claim: Claim, figure: float) -> str:
    """Return how a figure differs from the print; empty where it is the print, rounded as it was."""
    if abs(figure - claim.values[0]) <= claim.tolerance * (1 + 1e-9):
        return ""
    return f"{_shown(claim, figure)} where {_shown(claim, claim.values[0])} is printed"


def _shown(claim: Claim, figure: float) -> str:
    return figure_words(figure, claim.unit, claim.rounding)


def _tps(claim: Claim, value: float) -> str:
    return f"{value:,.1f} {claim.metric.upper()}"


def _runs_words(claim: Claim, found: _Total, index: CellIndex) -> str:
    runs = good_runs(found.group)
    length = index.last_s or round(runs[0].window_s)
    part = "the last " if index.last_s else ""
    times = "" if len(runs) == 1 else f", mean of {len(runs)} runs"
    return f"{found.group.cell.target}: {_tps(claim, found.value)} in {part}{length:,} s at {found.at}{times}"


_RULES: Mapping[Kind, Callable[[Claim, CellIndex, Published], ClaimArithmetic]] = {
    "level": _level,
    "peak": _peak,
    "collapse": _collapse,
    "plateau": _plateau,
    "first": _first,
    "lead": _lead,
    "ratio": _ratio,
    "memory": _memory,
    "range": _range,
    "engines": _engines,
    "same": _same,
}
