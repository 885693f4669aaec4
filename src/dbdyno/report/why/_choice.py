"""Chooses what is shown of a study's times, and gives it in words that terminal, Markdown and page share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from dbdyno.analyse import Place, pair_at, place_namer
from dbdyno.analyse.explain import (
    CauseRanking,
    Circumstances,
    CountedWork,
    Explanation,
    Gap,
    NetworkTime,
    cause_sentence,
    choose_pair,
    choose_place,
    counted_work,
    gap_lines,
    rank_causes,
    route_words,
    step_words,
)
from dbdyno.core import RequestError
from dbdyno.report._blocks import TextSpan, Words
from dbdyno.report._study_analysis import StudyAnalysis
from dbdyno.report.why._causes import circumstances_of
from dbdyno.report.why._deep import DeepProfile, deep_profile
from dbdyno.report.why._moments import PlaceCourse, course_lines, course_of
from dbdyno.report.why._proofs import StoredProof, proved_causes, stored_proofs

_SEARCH = "The runs of a rate search have no single time per transaction, so there is nothing to split."
_NO_CELL = "No cell has a good, settled run, so there is nothing to explain."
_MOST_FURTHEST = 5
_ALONE = "Only one target was judged at this place, so there is no difference to explain."
ABOUT = (
    "Milliseconds of a connection per committed transaction, split by what the client waited for. A part is decided "
    "when its difference is significant (Holm over all parts) and at least 3 % of the shorter time. By count: more "
    "of them per transaction. By cost: each one is slower. Both add up to the difference."
)
ABOUT_THREADS = (
    "The same time, split by what the server's session threads did. The kernel counts their time on a processor and "
    "their wait for one. Other waits are sampled and named by the functions on the stacks."
)
ABOUT_NETWORK = (
    "The same time of cells over a network. Each statement takes one round trip, measured between the kernels before "
    "the load; transmission is the bytes of a transaction at the rate of a large reply, without requests where the "
    "study shapes the rate of replies; the rest is server, client and waits behind other bytes. Near: the whole time "
    "on the route inside the server's host. More work: by how much server and load generator take more processor time "
    "over the network, waits for a processor included; that is no time of the network. If the rest still exceeds near "
    "by more, round trips under load take longer than the shortest: the network takes at least the share shown."
)
_UNKNOWN_RATE = (
    "Where transmission is blank, the network's rate was not measured, and transmission is in the rest: "
    "earlier versions did not measure it from load hosts (client)."
)
ABOUT_COUNTED = (
    "The servers' counters over the whole windows. These times overlap the statements and each other, so they do not "
    "add up to the time above. A blank means that no time is stored."
)


@dataclass(frozen=True, slots=True)
class Why:
    """Holds what is shown of a study.

    Parameters
    ----------
    place : where; None where no cell can be explained
    gap : of the pair; None where there is no pair
    lines : the explanation in words; one that says why where there is none
    steps : of the pair's targets at the place's memory, to more connections
    routes : what the network adds to all targets at the place's memory; none where it was not measured
    network : how much of their time over a network is the network's, at the place's memory
    threads, thread_gap : the same by what the server's session threads did; None where they were not watched
    user_gap : the same by whose work the processors did; without parts where a side left some idle
    known : of the pair in addition to its parts; None where there is no pair
    ranking : causes of the pair, by threads where both sides' were watched, else by statement; None without parts
    proofs : of the gap, as far as they were made
    deep : profiles of the gap's servers; None where they were not made
    furthest : of other targets where each is furthest behind the best; only where no pair and no place was asked for
    course : of the targets with more connections, and within their runs
    """

    explanation: Explanation | None
    place: Place | None
    gap: Gap | None
    lines: tuple[str, ...]
    steps: tuple[Gap, ...] = ()
    counted: tuple[CountedWork, ...] = ()
    threads: Explanation | None = None
    thread_gap: Gap | None = None
    user_gap: Gap | None = None
    known: Circumstances | None = None
    ranking: CauseRanking | None = None
    proofs: tuple[StoredProof, ...] = ()
    course: PlaceCourse = field(default_factory=PlaceCourse)
    routes: tuple[Gap, ...] = ()
    network: tuple[NetworkTime, ...] = ()
    deep: DeepProfile | None = None
    furthest: tuple[Why, ...] = ()

    @property
    def targets(self) -> tuple[str, ...]:
        """Return the two of the pair, or all of the place."""
        if self.gap is not None:
            return self.gap.left.target, self.gap.right.target
        return () if self.explanation is None or self.place is None else tuple(self.explanation.cells_at[self.place])


def why_of(analysis: StudyAnalysis, pair: Sequence[str] = (), at: str = "") -> Why:
    """Return what is shown of a pair: of the best at the answer's place and the next that is slower, unless requested.

    Where none is shown to be slower there, it is the pair that is furthest apart anywhere else.

    Parameters
    ----------
    pair : two targets, or none
    at : a place, as in `choose_place`, or empty

    Raises
    ------
    RequestError : a target or the place is unknown, or the two can't be compared there
    """
    explanation = analysis.explanation
    chosen = None if explanation is None else choose_pair(analysis.targets, pair)
    if explanation is None or not explanation.cells_at:
        if pair or at:
            raise RequestError("there is nothing to explain", _SEARCH if explanation is None else _NO_CELL, "")
        return Why(explanation, None, None, (_SEARCH if explanation is None else _NO_CELL,))
    place = choose_place(explanation, at, chosen or ())
    chosen = chosen or (None if place is None else _shown_pair(analysis, explanation, place))
    gap = None if place is None or chosen is None else _gap_at(analysis, explanation, place, *chosen)
    if place is None or gap is None:
        targets = () if place is None else tuple(explanation.cells_at[place])
        steps = _concurrency_gaps(explanation, place, targets)
        course = PlaceCourse() if place is None else course_of(analysis, place, targets, steps)
        alone = Why(explanation, place, None, (_ALONE,), steps, course=course)
        return replace(alone, routes=_route_gaps(analysis, place), network=_network_times(analysis, place))
    widest_gaps = [] if pair or at else _widest_gaps(analysis, explanation)
    answer_place = place
    if widest_gaps and not _slower_targets(analysis, explanation, place):
        place, gap = widest_gaps[0]
    pair_why = _explain_pair(analysis, explanation, place, gap)
    if place != answer_place:
        *lines, last_line = pair_why.lines
        place_text = place_namer(explanation.cells_at)(answer_place)
        pair_why = replace(pair_why, lines=(*lines, f"{last_line} With {place_text} no target is shown to be slower."))
    counters = {cell.group.cell: cell for cell in analysis.counters}
    targets = (gap.left.target, gap.right.target)
    steps = _concurrency_gaps(explanation, place, targets)
    return replace(
        pair_why,
        steps=steps,
        counted=tuple(counted_work(gap, counters)),
        course=course_of(analysis, place, targets, steps),
        routes=_route_gaps(analysis, place),
        network=_network_times(analysis, place),
        deep=deep_profile(analysis, gap),
        furthest=tuple(
            _explain_pair(analysis, explanation, *widest) for widest in _further_gaps(widest_gaps, gap)[:_MOST_FURTHEST]
        ),
    )


def _gap_at(analysis: StudyAnalysis, explanation: Explanation, place: Place, left: str, right: str) -> Gap | None:
    """Return the gap of two targets, the whole of it decided as in the answer.

    Where connections also rest, throughput follows from their rests or the rate as well, so T decides by itself.
    """
    gap = explanation.gap(place, left, right)
    if gap is None or any(run.rests for cell in (gap.left, gap.right) for run in (analysis.times or {}).get(cell, ())):
        return gap
    return gap.judged_by(pair_at(place, left, right, analysis.comparisons_at.get(place, ())))


def _shown_pair(analysis: StudyAnalysis, explanation: Explanation, place: Place) -> tuple[str, str] | None:
    """Return the fastest target and the next one that is shown to be slower; the two fastest where none is."""
    best, *others = explanation.cells_at[place]
    shown = [*_slower_targets(analysis, explanation, place), *others]
    return (best, shown[0]) if shown else None


def _slower_targets(analysis: StudyAnalysis, explanation: Explanation, place: Place) -> list[str]:
    """Return the targets that are shown to be slower than the fastest one of a place, the next one first."""
    best, *others = explanation.cells_at[place]
    pairs = [pair for pair in analysis.comparisons_at.get(place, ()) if pair.verdict == "different"]
    differing = {name for pair in pairs if best in (pair.left, pair.right) for name in (pair.left, pair.right)}
    return [other for other in others if other in differing]


def _explain_pair(analysis: StudyAnalysis, explanation: Explanation, place: Place, gap: Gap) -> Why:
    """Return what the pair's own runs show: its parts, causes and proofs."""
    targets = (gap.left.target, gap.right.target)
    threads, users = analysis.thread_explanation, analysis.user_explanation
    thread_gap = None if threads is None else _gap_at(analysis, threads, place, *targets)
    user_gap = None if users is None else _gap_at(analysis, users, place, *targets)
    circumstances, proofs = circumstances_of(analysis, gap), stored_proofs(analysis, gap)
    ranking = _rank_pair_causes(explanation, gap, threads, thread_gap, circumstances, proofs)
    causes = "" if ranking is None else cause_sentence(ranking)
    place_text = place_namer(explanation.cells_at)(place)
    return Why(
        explanation,
        place,
        gap,
        tuple(filter(None, gap_lines(gap, place_text, thread_gap, causes, user_gap))),
        threads=threads,
        thread_gap=thread_gap,
        user_gap=user_gap,
        known=circumstances,
        ranking=ranking,
        proofs=proofs,
    )


def _further_gaps(widest_gaps: Sequence[tuple[Place, Gap]], shown_gap: Gap) -> list[tuple[Place, Gap]]:
    """Return gaps but for the one that is shown already."""
    return [(place, gap) for place, gap in widest_gaps if (gap.left, gap.right) != (shown_gap.left, shown_gap.right)]


def _widest_gaps(analysis: StudyAnalysis, explanation: Explanation) -> list[tuple[Place, Gap]]:
    """Find for each target that is slower than the best where it is so by most, the widest first.

    Times of which no parts are known are left out.
    """
    widest: dict[str, tuple[float, Place, str]] = {}
    for place, cells in explanation.cells_at.items():
        best = next(iter(cells))
        for pair in analysis.comparisons_at.get(place, ()):
            if best not in (pair.left, pair.right) or pair.verdict != "different":
                continue
            other, ratio = (pair.right, pair.ratio) if pair.left == best else (pair.left, 1 / pair.ratio)
            widest[other] = max(widest.get(other, (0.0, place, best)), (ratio, place, best))
    gaps = [
        (place, _gap_at(analysis, explanation, place, best, target))
        for target, (_, place, best) in sorted(widest.items(), key=lambda item: -item[1][0])
    ]
    return [(place, gap) for place, gap in gaps if gap is not None and gap.parts]


def _rank_pair_causes(
    explanation: Explanation,
    gap: Gap,
    threads: Explanation | None,
    thread_gap: Gap | None,
    circumstances: Circumstances,
    proofs: Sequence[StoredProof],
) -> CauseRanking | None:
    """Return the causes by what the server's threads did, or by statement where they were not watched."""
    if threads is not None and thread_gap is not None and thread_gap.parts:
        return rank_causes(thread_gap, threads.firm, circumstances, proved_causes(proofs, thread_gap))
    return rank_causes(gap, explanation.firm, circumstances, proved_causes(proofs, gap))


def why_lines(analysis: StudyAnalysis) -> tuple[str, ...]:
    """Return the lines of the shown pair, for the end of a summary; none without a pair or with whole times alone."""
    why = why_of(analysis)
    return why.lines if why.gap is not None and why.gap.parts else ()


def step_lines(why: Why) -> list[str]:
    """Return what each step to more connections adds, in words, and which resource is used up."""
    steps = [
        f"{step_words(gap)}{f'. {sentence}' if ranking and (sentence := cause_sentence(ranking)) else ''}"
        for gap, ranking in zip(why.steps, why.course.steps, strict=True)
    ]
    return [*steps, *course_lines(why.course)[0]]


def route_lines(why: Why) -> list[str]:
    """Return what the network adds, in words, and what is not known of it."""
    has_unknown_rate = any(time.transmission_ms is None for time in why.network)
    return [*(route_words(gap) for gap in why.routes), *([_UNKNOWN_RATE] if has_unknown_rate else [])]


def _route_gaps(analysis: StudyAnalysis, place: Place | None) -> tuple[Gap, ...]:
    if analysis.explanation is None or place is None:
        return ()
    workload, _, tier_bytes, _ = place
    return tuple(
        gap
        for target in analysis.targets
        for gap in analysis.explanation.routes(target)
        if (gap.left.workload, gap.left.tier_bytes) == (workload, tier_bytes)
    )


def _network_times(analysis: StudyAnalysis, place: Place | None) -> tuple[NetworkTime, ...]:
    if place is None:
        return ()
    workload, _, tier_bytes, _ = place
    times = [
        time for time in analysis.network_times if (time.cell.workload, time.cell.tier_bytes) == (workload, tier_bytes)
    ]
    return tuple(sorted(times, key=lambda time: (analysis.targets.index(time.cell.target), time.cell.concurrency)))


def furthest_lines(why: Why) -> list[Words]:
    """Say for each target that is far behind how far, and with which parts that goes."""
    return [(TextSpan(other_why.lines[0]), f" {other_why.lines[1]}") for other_why in why.furthest]


def moment_lines(why: Why) -> list[str]:
    """Return what sets stalled seconds, and the troughs of waves, apart from others."""
    return course_lines(why.course)[1]


def _concurrency_gaps(explanation: Explanation, place: Place | None, targets: Sequence[str]) -> tuple[Gap, ...]:
    if place is None:
        return ()
    return tuple(
        gap
        for target in targets
        for gap in explanation.steps(target)
        if (gap.left.workload, gap.left.route, gap.left.tier_bytes) == place[:3]
    )
