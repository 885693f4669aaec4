"""Answers which causes a difference goes with, and how much of it belongs to each.

Each millisecond is claimed once, in the order of the table of causes; the rest is not explained. A cause's milliseconds
are a weighted sum of parts, so their interval and verdict come from the same comparison as those of parts, with Holm
over the causes. A cause is decided when it is so itself and one of its parts is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from dbdyno.analyse.explain._causes import Cause, Claim, causes
from dbdyno.analyse.explain._circumstances import Circumstances
from dbdyno.analyse.explain._gap import Difference, Gap, compare_breakdowns
from dbdyno.analyse.explain._levels import Runs
from dbdyno.analyse.explain._part import REST, Breakdown, Part
from dbdyno.analyse.explain._portions import Portion, portions
from dbdyno.analyse.explain._proof import ProofVerdict
from dbdyno.analyse.explain._threads import ON_CPU, RUN_QUEUE

Grade = Literal["caused by", "explained by", "goes with", "refuted"]
_ALIKE = 0.9
"""Causes whose milliseconds are this near each other are equals."""
_GRADES: tuple[Grade, ...] = ("caused by", "explained by", "goes with", "refuted")
_NOTHING_LEFT = 1e-12


@dataclass(frozen=True, slots=True)
class FoundCause:
    """A cause with what it claims of a difference.

    Parameters
    ----------
    difference : of what it claims; negative where it makes the left side take longer
    claims : part -> milliseconds of it
    settings : those that bear on it and differ -> both values, the left side's first
    proof : what an experiment said; None without one
    """

    cause: Cause
    difference: Difference
    claims: Mapping[str, float]
    settings: Mapping[str, tuple[str, str]]
    proof: ProofVerdict | None = None

    @property
    def grade(self) -> Grade:
        """Return how much may be said: caused by (proved), explained by (decided), goes with; or that it is refuted."""
        if self.proof in ("proved", "refuted"):
            return "caused by" if self.proof == "proved" else "refuted"
        return "explained by" if self.difference.verdict == "decided" else "goes with"


@dataclass(frozen=True, slots=True)
class CauseRanking:
    """The causes of a gap.

    Parameters
    ----------
    causes : refuted ones last, undecided before them; each group with what explains most of the gap first
    not_explained : what no cause claims
    """

    gap: Gap
    causes: tuple[FoundCause, ...]
    not_explained: Difference

    @property
    def decided(self) -> tuple[FoundCause, ...]:
        """Those that the difference is explained or caused by."""
        return tuple(found for found in self.causes if found.grade in ("caused by", "explained by"))


def rank_causes(
    gap: Gap, runs: Runs, known: Circumstances, proofs: Mapping[str, ProofVerdict] | None = None
) -> CauseRanking | None:
    """The causes of a gap; None where it has no parts.

    Parameters
    ----------
    runs : breakdowns of the gap's cells and of others of the study, from whose repeats intervals are known the better
    proofs : cause -> what an experiment said of it
    """
    if not gap.parts:
        return None
    claimed = _claimed(portions(gap, known), known)
    names = {_part_id(cause, is_against): (cause, is_against) for cause, is_against in claimed}
    weights = {name: _weights(gap, claimed[key]) for name, key in names.items()}
    differences = _differences(gap, runs, weights)
    is_decided = {part.part_id for part in gap.with_verdict("decided")}
    found = []
    for name, (cause, is_against) in names.items():
        difference = differences[name]
        if difference.verdict == "decided" and not is_decided & weights[name].keys():
            difference = replace(difference, verdict="undecided")
        claims = _by_part(claimed[cause, is_against])
        settings = {name: values for name, values in known.differing.items() if name in cause.settings}
        found.append(FoundCause(cause, difference, claims, settings, (proofs or {}).get(cause.cause_id)))
    return CauseRanking(gap, tuple(_ranked(found, gap)), differences[REST])


Claimed = dict[tuple[Cause, bool], list[Portion]]
"""Cause, and whether it makes the left side take longer -> its portions."""


def _claimed(found: Sequence[Portion], known: Circumstances) -> Claimed:
    claimed: Claimed = {}
    for is_against, side in ((False, known), (True, known.turned)):
        left = [portion for portion in found if (portion.ms < 0) == is_against]
        for cause in causes():
            if not side.allow(cause):
                continue
            own, left = _taken(left, cause.claims)
            if own:
                brought, left = _brought(left, cause, own, side)
                claimed[cause, is_against] = own + brought
    return claimed


def _brought(
    left: Sequence[Portion], cause: Cause, own: Sequence[Portion], side: Circumstances
) -> tuple[list[Portion], list[Portion]]:
    """Portions that come with a cause's own, and what remains; undecided parts blur no decided cause."""
    needs_decided = any(map(_is_decided, own))
    able = [portion for portion in left if _is_decided(portion) or not needs_decided]
    room = abs(sum(portion.ms for portion in own))
    brought, kept = _taken(able, cause.brings, room)
    worked, kept = _processor_work(kept, cause, side)
    return brought + worked, [portion for portion in left if portion not in able] + kept


def _is_decided(portion: Portion) -> bool:
    return portion.part.difference.verdict == "decided"


def _processor_work(left: Sequence[Portion], cause: Cause, side: Circumstances) -> tuple[list[Portion], list[Portion]]:
    """Processor time that a cause's work brings, with the wait for a processor in proportion, and what remains."""
    if cause.processor is None or cause.processor.fact not in side.facts:
        return [], list(left)
    before, after = side.facts[cause.processor.fact]
    room = (after - before) * cause.processor.most_us / 1e3
    whole = sum(abs(portion.ms) for portion in left if _is_dearer(portion, ON_CPU))
    share = min(room / whole, 1.0) if whole else 0.0
    if share <= 0:
        return [], list(left)
    found = [portion for portion in left if _is_dearer(portion, ON_CPU) or _is_dearer(portion, RUN_QUEUE)]
    kept = [replace(portion, ms=(1 - share) * portion.ms) if portion in found else portion for portion in left]
    return [replace(portion, ms=share * portion.ms) for portion in found], [each for each in kept if each.ms]


def _is_dearer(portion: Portion, part_id: str) -> bool:
    return portion.part.part_id == part_id and portion.factor in ("cost", "whole")


def _taken(
    left: Sequence[Portion], claims: Sequence[Claim], room: float = float("inf")
) -> tuple[list[Portion], list[Portion]]:
    """Portions that are claimed, up to so many milliseconds, and what remains."""
    taken, kept = [], []
    for portion in left:
        is_wanted = room > 0 and any(claim.takes(portion.part.part_id, portion.factor) for claim in claims)
        share = min(room / abs(portion.ms), 1.0) if is_wanted else 0.0
        room -= share * abs(portion.ms)
        taken += [replace(portion, ms=share * portion.ms)] if share > 0 else []
        kept += [replace(portion, ms=(1 - share) * portion.ms)] if share < 1 - _NOTHING_LEFT else []
    return taken, kept


def _part_id(cause: Cause, is_against: bool) -> str:
    return f"cause.{cause.cause_id}{'.against' if is_against else ''}"


def _by_part(own: Sequence[Portion]) -> dict[str, float]:
    found: dict[str, float] = {}
    for portion in own:
        found[portion.part.part_id] = found.get(portion.part.part_id, 0.0) + portion.ms
    return found


def _weights(gap: Gap, own: Sequence[Portion]) -> dict[str, float]:
    """Part -> share of its difference that is claimed."""
    whole = {part.part_id: part.difference.ms for part in gap.parts}
    return {name: ms / whole[name] for name, ms in _by_part(own).items()}


def _differences(gap: Gap, runs: Runs, weights: Mapping[str, Mapping[str, float]]) -> dict[str, Difference]:
    """Return the difference of each cause, and that which none claims as `REST`."""
    summed = {cell: tuple(_summed(run, weights) for run in members if run.parts) for cell, members in runs.items()}
    (compared,) = compare_breakdowns({cell: own for cell, own in summed.items() if own}, [(gap.left, gap.right)])
    return {part.part_id: part.difference for part in compared.parts}


def _summed(run: Breakdown, weights: Mapping[str, Mapping[str, float]]) -> Breakdown:
    """A breakdown of the same time by causes: each the weighted sum of its parts."""
    ms = {part.part_id: part.ms for part in run.parts}
    parts = [
        Part(name, name, sum(share * ms.get(part, 0.0) for part, share in own.items()), "")
        for name, own in weights.items()
    ]
    rest = Part(REST, REST, sum(ms.values()) - sum(part.ms for part in parts), "")
    return replace(run, parts=(*parts, rest))


def _ranked(found: Sequence[FoundCause], gap: Gap) -> list[FoundCause]:
    """Sort by grade, then by what goes the way of the gap; of equals the one whose setting differs first."""
    sign = -1 if gap.total.ms < 0 else 1
    ranked: list[FoundCause] = []
    waiting = sorted(found, key=lambda one: (_GRADES.index(_group(one)), -sign * one.difference.ms))
    while waiting:
        first = waiting[0]
        equals = [
            one
            for one in waiting
            if _group(one) == _group(first)
            and one.difference.ms * first.difference.ms > 0
            and min(abs(one.difference.ms), abs(first.difference.ms)) >= _ALIKE * abs(first.difference.ms)
        ]
        best = next((one for one in equals if one.settings), first)
        ranked.append(best)
        waiting.remove(best)
    return ranked


def _group(found: FoundCause) -> Grade:
    """Grades that share a rank: what is proved is decided, too."""
    return "explained by" if found.grade == "caused by" else found.grade
