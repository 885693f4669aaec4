"""Cuts the differences of parts into portions that causes can claim: by factor, and by who used the processors.

All portions of a part have its sign and add up to it. Where two factors work against each other, as when flushes that
take longer are shared by more commits, the one that has its way stands for what is left.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from dbdyno.analyse.explain._circumstances import ATTEMPTS, CLIENT_STRETCH, CLIENT_WORK, Circumstances
from dbdyno.analyse.explain._gap import Gap, PartGap
from dbdyno.analyse.explain._part import REST
from dbdyno.analyse.explain._threads import CLIENT, NOT_NAMED, ON_CPU, RUN_QUEUE
from dbdyno.stats import logarithmic_mean, split_by_factors

_UNEXPLAINED = (REST, NOT_NAMED)
_MORE_ATTEMPTS = 1.02
"""From how many times as many attempts on they are a factor."""
_MORE_STRETCH = 1.1
"""From how many times as much the load generator is said to wait longer for each millisecond on a processor."""


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
    attempts_ms = _attempts_ms(part, circumstances) if part.part_id == ON_CPU else 0.0
    if part.by_work_ms is None or part.by_cost_ms is None:
        factors = {"whole": part.difference.ms - attempts_ms}
    else:  # rows of attempts that were thrown away are counted, too
        factors = {"count": part.by_work_ms - attempts_ms, "cost": part.by_cost_ms}
    return _aligned_factors({"attempts": attempts_ms, **factors}, part.difference.ms)


def _attempts_ms(part: PartGap, circumstances: Circumstances) -> float:
    """Return what more attempts for each committed transaction contribute to a part that all of them have."""
    before, after = circumstances.facts.get(ATTEMPTS, (1.0, 1.0))
    less, more = sorted((part.difference.left_ms, part.difference.right_ms))
    if less <= 0 or after < _MORE_ATTEMPTS * before:
        return 0.0
    return math.copysign(logarithmic_mean(less, more) * math.log(after / before), part.difference.ms)


def _queue_factors(part: PartGap, parts: Mapping[str, PartGap], circumstances: Circumstances) -> dict[str, float]:
    """Return the wait for a processor: demand for processor time times how much of it each millisecond waits."""
    on_cpu = parts.get(ON_CPU)
    if on_cpu is None or not _is_positive(on_cpu) or not _is_positive(part):
        return _factors_by_growth(part.difference.ms, circumstances)
    demand, stretch = _demand_and_ratio_ms(part, on_cpu)
    factors = _aligned_factors({"demand": demand, "stretch": stretch}, part.difference.ms)
    by_growth = _factors_by_growth(factors.get("stretch", 0.0), circumstances)
    demand_ms = factors.get("demand", 0.0)
    if "sessions" in by_growth and on_cpu.difference.ms * part.difference.ms > 0:
        crowd_ms = by_growth.pop("sessions")
        dearer_ms = crowd_ms * _share_of_dearer(on_cpu, circumstances)
        demand_ms += dearer_ms
        by_growth |= {"sessions": crowd_ms - dearer_ms} if dearer_ms != crowd_ms else {}
    return _split_in_proportion(_part_factors(on_cpu, parts, circumstances), demand_ms) | by_growth


def _share_of_dearer(on_cpu: PartGap, circumstances: Circumstances) -> float:
    """Return which share of the growth of the sessions' use of processors comes from dearer transactions.

    The rest comes from more transactions per second, as where a wait is gone. With more connections it is theirs.
    """
    before, after = circumstances.facts["processors.sessions"]
    if circumstances.more_connections != 1:
        return 0.0
    less, more = sorted((on_cpu.difference.left_ms, on_cpu.difference.right_ms))
    return min(math.log(more / less) / math.log(after / before), 1.0) if before > 0 else 0.0


def _client_factors(part: PartGap, parts: Mapping[str, PartGap], circumstances: Circumstances) -> dict[str, float]:
    """Return the wait for the client: attempts, its work on each, and how much longer each millisecond takes."""
    left, right = sorted((part.difference.left_ms, part.difference.right_ms))
    if left <= 0:
        return {"work": part.difference.ms}
    sign = 1 if part.difference.ms > 0 else -1
    work_before, work_after = _client_work(left, right, part, parts, circumstances)
    work, stretch = split_by_factors((work_before, left / work_before), (work_after, right / work_after))
    attempts_ms = _attempts_ms(part, circumstances)
    factors = _aligned_factors(
        {"attempts": attempts_ms, "work": sign * work - attempts_ms, "stretch": sign * stretch}, part.difference.ms
    )
    stretch_ms = factors.pop("stretch", 0.0)
    if circumstances.has_client_host:
        return factors | ({"client": stretch_ms} if stretch_ms else {})
    return factors | _factors_by_growth(stretch_ms, circumstances)


def _client_work(
    left: float, right: float, part: PartGap, parts: Mapping[str, PartGap], circumstances: Circumstances
) -> tuple[float, float]:
    """Return an amount of the client's work on both sides, in any unit.

    Where the client waits longer for a processor, its processor time per transaction is the work: replies that come
    while it waits queue up, so the connections lose more than it does. Else it is the time without what it waits,
    which leaves the wire in the work. The sessions' wait stands for the client's where that is not known and they
    share processors.
    """
    stretch = circumstances.facts.get(CLIENT_STRETCH)
    if stretch is None:
        is_turned = part.difference.ms < 0
        stretch = (1.0, 1.0) if circumstances.has_client_host else _processor_stretch(parts, is_turned=is_turned)
    processor_ms = circumstances.facts.get(CLIENT_WORK)
    if processor_ms and not circumstances.has_client_host and stretch[1] >= _MORE_STRETCH * stretch[0]:
        return processor_ms
    return left / stretch[0], right / stretch[1]


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
    """Return a wait for processors, by whose use of them grew; ``stretch`` is what none of these can have caused."""
    growth = circumstances.growth()
    charged_ms = math.copysign(min(abs(ms), circumstances.most_wait_ms()), ms) if growth else 0.0
    factors = _split_in_proportion(growth, charged_ms)
    return factors | {"stretch": ms - charged_ms} if ms != charged_ms else factors


def _split_in_proportion(weights: Mapping[str, float], ms: float) -> dict[str, float]:
    total = sum(weights.values())
    return {name: ms * weight / total for name, weight in weights.items()} if ms and total else {}


def _aligned_factors(factors: Mapping[str, float], ms: float) -> dict[str, float]:
    """Return factors that have the sign of their sum, cut so that they alone make it."""
    aligned = {name: value for name, value in factors.items() if value * ms > 0}
    return _split_in_proportion(aligned, ms)


def _is_positive(part: PartGap) -> bool:
    return min(part.difference.left_ms, part.difference.right_ms) > 0
