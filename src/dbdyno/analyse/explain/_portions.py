"""Cuts the differences of parts into portions that causes can claim: by factor, and by who used the processors.

All portions of a part have its sign and add up to it. Where two factors work against each other, as when flushes that
take longer are shared by more commits, the one that has its way stands for what is left.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from dbdyno.analyse.explain._circumstances import CLIENT_STRETCH, Circumstances
from dbdyno.analyse.explain._gap import Gap, PartGap
from dbdyno.analyse.explain._part import REST
from dbdyno.analyse.explain._threads import CLIENT, NOT_NAMED, ON_CPU, RUN_QUEUE
from dbdyno.stats import split_by_factors

_UNEXPLAINED = (REST, NOT_NAMED)


@dataclass(frozen=True, slots=True)
class Portion:
    """Holds milliseconds of a part's difference.

    Parameters
    ----------
    part : whose it is
    factor : one of `FACTORS`
    ms : right less left; of the part's sign
    """

    part: PartGap
    factor: str
    ms: float


def portions(gap: Gap, known: Circumstances, *, is_processor_whole: bool = False) -> list[Portion]:
    """Return all portions of a gap, but those of the rest and of what has no name.

    Parameters
    ----------
    is_processor_whole : the sessions' processor time is not cut into more rows and dearer ones
    """
    parts = {part.part_id: part for part in gap.parts if part.part_id not in _UNEXPLAINED}
    if is_processor_whole and ON_CPU in parts:
        parts[ON_CPU] = replace(parts[ON_CPU], by_work_ms=None, by_cost_ms=None)
    return [
        Portion(part, factor, ms)
        for part in parts.values()
        if part.difference.ms
        for factor, ms in _part_factors(part, parts, known if part.difference.ms > 0 else known.turned).items()
    ]


def _part_factors(part: PartGap, parts: Mapping[str, PartGap], circumstances: Circumstances) -> dict[str, float]:
    """Map each factor to its milliseconds.

    Parameters
    ----------
    circumstances : of the side that takes longer, against the other
    """
    if part.part_id == RUN_QUEUE:
        return _queue_factors(part, parts, circumstances)
    if part.part_id == CLIENT:
        return _client_factors(part, parts, circumstances)
    if part.by_work_ms is None or part.by_cost_ms is None:
        return {"whole": part.difference.ms}
    return _aligned_factors({"count": part.by_work_ms, "cost": part.by_cost_ms}, part.difference.ms)


def _queue_factors(part: PartGap, parts: Mapping[str, PartGap], circumstances: Circumstances) -> dict[str, float]:
    """Return the wait for a processor: demand for processor time times how much of it each millisecond waits."""
    on_cpu = parts.get(ON_CPU)
    if on_cpu is None or not _is_positive(on_cpu) or not _is_positive(part):
        return _factors_by_growth(part.difference.ms, circumstances)
    demand, stretch = _demand_and_ratio_ms(part, on_cpu)
    factors = _aligned_factors({"demand": demand, "stretch": stretch}, part.difference.ms)
    demand, stretch = factors.get("demand", 0.0), factors.get("stretch", 0.0)
    return _split_in_proportion(_part_factors(on_cpu, parts, circumstances), demand) | _factors_by_growth(
        stretch, circumstances
    )


def _client_factors(part: PartGap, parts: Mapping[str, PartGap], circumstances: Circumstances) -> dict[str, float]:
    """Return the wait for the client: its work, times by how much the wait for processors stretches that.

    Where the load generator's own stretch is not known, that of the sessions stands for it, if they share processors.
    """
    if circumstances.has_client_host:
        session_stretch = (1.0, 1.0)
    else:
        session_stretch = _processor_stretch(parts, is_turned=part.difference.ms < 0)
    before, after = circumstances.facts.get(CLIENT_STRETCH) or session_stretch
    left, right = sorted((part.difference.left_ms, part.difference.right_ms))
    if left <= 0:
        return {"work": part.difference.ms}
    sign = 1 if part.difference.ms > 0 else -1
    work, stretch = split_by_factors((left / before, before), (right / after, after))
    factors = _aligned_factors({"work": sign * work, "stretch": sign * stretch}, part.difference.ms)
    work_factor = {"work": factors["work"]} if factors.get("work") else {}
    stretch_ms = factors.get("stretch", 0.0)
    if circumstances.has_client_host:
        return work_factor | ({"client": stretch_ms} if stretch_ms else {})
    return work_factor | _factors_by_growth(stretch_ms, circumstances)


def _processor_stretch(parts: Mapping[str, PartGap], *, is_turned: bool) -> tuple[float, float]:
    """Return the time on and waiting for a processor over time on one, of the sessions; 1 where it is not known."""
    on_cpu, queue = parts.get(ON_CPU), parts.get(RUN_QUEUE)
    if on_cpu is None or queue is None or not _is_positive(on_cpu):
        return 1.0, 1.0
    before = 1 + max(queue.difference.left_ms, 0.0) / on_cpu.difference.left_ms
    after = 1 + max(queue.difference.right_ms, 0.0) / on_cpu.difference.right_ms
    return (after, before) if is_turned else (before, after)


def _demand_and_ratio_ms(part: PartGap, of: PartGap) -> tuple[float, float]:
    """Return what the demand, and what the ratio to it, contributes to a part's difference."""
    before, after = of.difference.left_ms, of.difference.right_ms
    ratios = part.difference.left_ms / before, part.difference.right_ms / after
    demand, stretch = split_by_factors((before, ratios[0]), (after, ratios[1]))
    return demand, stretch


def _factors_by_growth(ms: float, circumstances: Circumstances) -> dict[str, float]:
    """Return a wait for processors, by whose use of them grew; ``stretch`` where nobody's did."""
    return _split_in_proportion(circumstances.growth() or {"stretch": 1.0}, ms)


def _split_in_proportion(weights: Mapping[str, float], ms: float) -> dict[str, float]:
    total = sum(weights.values())
    return {name: ms * weight / total for name, weight in weights.items()} if ms and total else {}


def _aligned_factors(factors: Mapping[str, float], ms: float) -> dict[str, float]:
    """Return factors that have the sign of their sum, cut so that they alone make it."""
    aligned = {name: value for name, value in factors.items() if value * ms > 0}
    return _split_in_proportion(aligned, ms)


def _is_positive(part: PartGap) -> bool:
    return min(part.difference.left_ms, part.difference.right_ms) > 0
