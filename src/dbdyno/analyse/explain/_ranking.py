"""Answers which causes a difference goes with, and how much of it belongs to each.

Each millisecond is claimed once, in the order of the table of causes; the rest is not explained. A cause's milliseconds
are a weighted sum of parts, so their interval and verdict come from the same comparison as those of parts, with Holm
over the causes. A cause is decided when it is so itself and one of its parts is.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from dbdyno.analyse.explain._causes import Cause, PartClaim, causes
from dbdyno.analyse.explain._circumstances import Circumstances
from dbdyno.analyse.explain._gap import Difference, Gap, compare_breakdowns
from dbdyno.analyse.explain._levels import Runs, runs_of_shared_rounds
from dbdyno.analyse.explain._part import REST, Breakdown, Part
from dbdyno.analyse.explain._portions import Portion, portions
from dbdyno.analyse.explain._proof import Claim, ProofVerdict
from dbdyno.analyse.explain._threads import ON_CPU, RUN_QUEUE

Grade = Literal["caused by", "explained by", "goes with", "refuted"]
_ALIKE = 0.9
"""Causes whose milliseconds are this near each other are equals."""
_GRADES: tuple[Grade, ...] = ("caused by", "explained by", "goes with", "refuted")
_NOTHING_LEFT = 1e-12


@dataclass(frozen=True, slots=True)
class FoundCause:
    """Describes a cause with what it claims of a difference.

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
        """Return how much may be said: goes with, explained by (decided), caused by (and proved); or it is refuted."""
        if self.proof == "refuted":
            return "refuted"
        if self.difference.verdict != "decided":
            return "goes with"
        return "caused by" if self.proof == "proved" else "explained by"


@dataclass(frozen=True, slots=True)
class CauseRanking:
    """Describes the causes of a gap.

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
        """Return those that the difference is explained or caused by."""
        return tuple(found_cause for found_cause in self.causes if found_cause.grade in ("caused by", "explained by"))

    def claim_undone_by(self, alteration: str, *, is_left: bool) -> Claim:
        """Return what the causes that an alteration undoes claim of a side that takes longer by them.

        Parameters
        ----------
        alteration : id
        is_left : of the left side
        """
        sign = -1 if is_left else 1
        undone_causes = [
            found_cause
            for found_cause in self.causes
            if found_cause.cause.alteration == alteration and sign * found_cause.difference.ms > 0
        ]
        parts = {part.part_id: part.difference for part in self.gap.parts}
        shares: dict[str, float] = {}
        for name, ms in itertools.chain.from_iterable(one.claims.items() for one in undone_causes):
            whole_ms = parts[name].left_ms if is_left else parts[name].right_ms
            if sign * ms > 0:
                shares[name] = min(shares.get(name, 0.0) + sign * ms / whole_ms, 1.0)
        claimed_ms = sum(abs(found_cause.difference.ms) for found_cause in undone_causes)
        half_ms = math.hypot(*((one.difference.high - one.difference.low) / 2 for one in undone_causes))
        return Claim(shares, half_ms / claimed_ms if claimed_ms else 0.0)


def rank_causes(
    gap: Gap, runs: Runs, known: Circumstances, proofs: Mapping[tuple[str, bool], ProofVerdict] | None = None
) -> CauseRanking | None:
    """Return the causes of a gap; None where it has no parts.

    Parameters
    ----------
    runs : breakdowns of the gap's cells and of others of the study, from whose repeats intervals are known the better
    proofs : cause, and whether it makes the left side take longer -> what an experiment on that side said of it
    """
    if not gap.parts:
        return None
    ranking = _rank_portions(portions(gap, known), gap, runs, known, proofs)
    decided_parts = gap.with_verdict("decided")
    if not decided_parts or decided_parts[0].part_id != ON_CPU or _explains_processor(ranking):
        return ranking
    # More rows and more time per row can each be undecided although the processor time that they add up to is decided.
    whole_ranking = _rank_portions(portions(gap, known, is_processor_whole=True), gap, runs, known, proofs)
    return whole_ranking if _explains_processor(whole_ranking) else ranking


def _explains_processor(ranking: CauseRanking) -> bool:
    return any(ON_CPU in found_cause.claims for found_cause in ranking.decided)


def _rank_portions(
    gap_portions: Sequence[Portion],
    gap: Gap,
    runs: Runs,
    known: Circumstances,
    proofs: Mapping[tuple[str, bool], ProofVerdict] | None,
) -> CauseRanking:
    portions_by_cause = _claim_portions(gap_portions, known)
    names = {_cause_part_id(cause, is_against): (cause, is_against) for cause, is_against in portions_by_cause}
    weights = {name: _claimed_shares(gap, portions_by_cause[key]) for name, key in names.items()}
    differences = _cause_differences(gap, runs, weights)
    is_decided = {part.part_id for part in gap.with_verdict("decided")}
    found_causes = []
    for name, (cause, is_against) in names.items():
        difference = differences[name]
        if difference.verdict == "decided" and not is_decided & weights[name].keys():
            difference = replace(difference, verdict="undecided")
        claims = _ms_by_part(portions_by_cause[cause, is_against])
        settings = {name: values for name, values in known.differing.items() if name in cause.settings}
        proof = (proofs or {}).get((cause.cause_id, is_against))
        found_causes.append(FoundCause(cause, difference, claims, settings, proof))
    return CauseRanking(gap, tuple(_rank_found_causes(found_causes, gap)), differences[REST])


Claimed = dict[tuple[Cause, bool], list[Portion]]
"""Cause, and whether it makes the left side take longer -> its portions."""


def _claim_portions(gap_portions: Sequence[Portion], circumstances: Circumstances) -> Claimed:
    portions_by_cause: Claimed = {}
    sides = {False: circumstances, True: circumstances.turned}
    unclaimed = {side: [portion for portion in gap_portions if (portion.ms < 0) == side] for side in sides}
    for cause, is_against in itertools.product(causes(), sides):
        side_circumstances = sides[is_against]
        if not side_circumstances.allow(cause):
            continue
        claims = cause.all_claims if circumstances.has_one_build else cause.claims
        own_portions, unclaimed[is_against] = _take_portions(unclaimed[is_against], claims)
        has_claimed = bool(own_portions)
        if not has_claimed and cause.is_work_alone:
            own_portions, unclaimed[is_against] = _take_processor_work(unclaimed[is_against], cause, side_circumstances)
        if own_portions:
            brought_portions, unclaimed[is_against] = _take_brought_portions(
                unclaimed[is_against], cause, own_portions, side_circumstances if has_claimed else None
            )
            replaced_portions, unclaimed[not is_against] = _take_companions(
                unclaimed[not is_against], cause.replaces, own_portions
            )
            portions_by_cause[cause, is_against] = own_portions + brought_portions + replaced_portions
    return portions_by_cause


def _take_brought_portions(
    unclaimed: Sequence[Portion], cause: Cause, own_portions: Sequence[Portion], circumstances: Circumstances | None
) -> tuple[list[Portion], list[Portion]]:
    """Return portions that come with a cause's own, and what remains.

    Parameters
    ----------
    circumstances : None where the processor time that the cause's work brings is its own already
    """
    brought_portions, remaining = _take_companions(unclaimed, cause.brings, own_portions)
    if circumstances is None:
        return brought_portions, remaining
    eligible, others = _split_eligible(remaining, own_portions)
    work_portions, remaining = _take_processor_work(eligible, cause, circumstances)
    return brought_portions + work_portions, others + remaining


def _take_companions(
    unclaimed: Sequence[Portion], claims: Sequence[PartClaim], own_portions: Sequence[Portion]
) -> tuple[list[Portion], list[Portion]]:
    """Return portions that go with a cause's own, together no more than these, and what remains."""
    eligible, others = _split_eligible(unclaimed, own_portions)
    taken_portions, remaining = _take_portions(eligible, claims, abs(sum(portion.ms for portion in own_portions)))
    return taken_portions, others + remaining


def _split_eligible(
    unclaimed: Sequence[Portion], own_portions: Sequence[Portion]
) -> tuple[list[Portion], list[Portion]]:
    """Return portions that may go with a cause's own, and others: undecided parts blur no decided cause."""
    needs_decided = any(map(_is_decided, own_portions))
    eligible = [portion for portion in unclaimed if _is_decided(portion) or not needs_decided]
    return eligible, [portion for portion in unclaimed if portion not in eligible]


def _is_decided(portion: Portion) -> bool:
    return portion.part.difference.verdict == "decided"


def _take_processor_work(
    unclaimed: Sequence[Portion], cause: Cause, circumstances: Circumstances
) -> tuple[list[Portion], list[Portion]]:
    """Return the processor time that a cause's work brings, with its share of the processor wait, and the rest."""
    if cause.processor is None or cause.processor.fact not in circumstances.facts:
        return [], list(unclaimed)
    before, after = circumstances.facts[cause.processor.fact]
    room_ms = (after - before) * cause.processor.most_us / 1e3
    total_ms = sum(abs(portion.ms) for portion in unclaimed if _is_cost_of_part(portion, ON_CPU))
    share = min(room_ms / total_ms, 1.0) if total_ms else 0.0
    if share <= 0:
        return [], list(unclaimed)
    processor_portions = [
        portion for portion in unclaimed if _is_cost_of_part(portion, ON_CPU) or _is_cost_of_part(portion, RUN_QUEUE)
    ]
    remaining = [
        replace(portion, ms=(1 - share) * portion.ms) if portion in processor_portions else portion
        for portion in unclaimed
    ]
    return [replace(portion, ms=share * portion.ms) for portion in processor_portions], [
        portion for portion in remaining if portion.ms
    ]


def _is_cost_of_part(portion: Portion, part_id: str) -> bool:
    return portion.part.part_id == part_id and portion.factor in ("cost", "whole")


def _take_portions(
    unclaimed: Sequence[Portion], claims: Sequence[PartClaim], room_ms: float = float("inf")
) -> tuple[list[Portion], list[Portion]]:
    """Return portions that are claimed, up to so many milliseconds, and what remains."""
    taken_portions, remaining = [], []
    for portion in unclaimed:
        is_wanted = room_ms > 0 and any(claim.takes(portion.part.part_id, portion.factor) for claim in claims)
        share = min(room_ms / abs(portion.ms), 1.0) if is_wanted else 0.0
        room_ms -= share * abs(portion.ms)
        taken_portions += [replace(portion, ms=share * portion.ms)] if share > 0 else []
        remaining += [replace(portion, ms=(1 - share) * portion.ms)] if share < 1 - _NOTHING_LEFT else []
    return taken_portions, remaining


def _cause_part_id(cause: Cause, is_against: bool) -> str:
    return f"cause.{cause.cause_id}{'.against' if is_against else ''}"


def _ms_by_part(cause_portions: Sequence[Portion]) -> dict[str, float]:
    ms_by_part: dict[str, float] = {}
    for portion in cause_portions:
        ms_by_part[portion.part.part_id] = ms_by_part.get(portion.part.part_id, 0.0) + portion.ms
    return ms_by_part


def _claimed_shares(gap: Gap, cause_portions: Sequence[Portion]) -> dict[str, float]:
    """Map each part to the share of its difference that is claimed."""
    part_ms = {part.part_id: part.difference.ms for part in gap.parts}
    return {name: ms / part_ms[name] for name, ms in _ms_by_part(cause_portions).items()}


def _cause_differences(gap: Gap, runs: Runs, weights: Mapping[str, Mapping[str, float]]) -> dict[str, Difference]:
    """Return the difference of each cause, and that which none claims as `REST`."""
    if gap.is_paired:  # causes divide the difference between these runs
        sides = runs_of_shared_rounds(runs[gap.left], runs[gap.right])
        runs = {**runs, gap.left: sides[0], gap.right: sides[1]}
    cause_breakdowns = {
        cell: tuple(_breakdown_by_cause(run, weights) for run in members if run.parts) for cell, members in runs.items()
    }
    (cause_gap,) = compare_breakdowns(
        {cell: breakdowns for cell, breakdowns in cause_breakdowns.items() if breakdowns}, [(gap.left, gap.right)]
    )
    return {part.part_id: part.difference for part in cause_gap.parts}


def _breakdown_by_cause(run: Breakdown, weights: Mapping[str, Mapping[str, float]]) -> Breakdown:
    """Return a breakdown of the same time by causes: each the weighted sum of its parts."""
    ms_by_part = {part.part_id: part.ms for part in run.parts}
    parts = [
        Part(name, name, sum(share * ms_by_part.get(part, 0.0) for part, share in shares.items()), "")
        for name, shares in weights.items()
    ]
    rest_part = Part(REST, REST, sum(ms_by_part.values()) - sum(part.ms for part in parts), "")
    return replace(run, parts=(*parts, rest_part))


def _rank_found_causes(found_causes: Sequence[FoundCause], gap: Gap) -> list[FoundCause]:
    """Sort by grade, then by what goes the way of the gap; of equals the one whose setting differs first."""
    sign = -1 if gap.total.ms < 0 else 1
    ranked: list[FoundCause] = []
    pending = sorted(
        found_causes,
        key=lambda found_cause: (_GRADES.index(_rank_grade(found_cause)), -sign * found_cause.difference.ms),
    )
    while pending:
        leader = pending[0]
        equals = [
            found_cause
            for found_cause in pending
            if _rank_grade(found_cause) == _rank_grade(leader)
            and found_cause.difference.ms * leader.difference.ms > 0
            and min(abs(found_cause.difference.ms), abs(leader.difference.ms)) >= _ALIKE * abs(leader.difference.ms)
        ]
        best = next((found_cause for found_cause in equals if found_cause.settings), leader)
        ranked.append(best)
        pending.remove(best)
    return ranked


def _rank_grade(found_cause: FoundCause) -> Grade:
    """Return grades that share a rank: what is proved is decided, too."""
    return "explained by" if found_cause.grade == "caused by" else found_cause.grade
