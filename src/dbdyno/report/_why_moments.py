"""Explains a study beyond one pair: steps to more connections, knees, and stalls and waves of its runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dbdyno.analyse import Place
from dbdyno.analyse.explain import (
    IDLE_TIMES,
    PROCESSOR_TIMES,
    RESOURCES,
    SHORTEST_WAVE_S,
    SIDES,
    CauseRanking,
    Explanation,
    Gap,
    Knee,
    Moments,
    RunSeconds,
    StatementTimes,
    cause_sentence,
    knee_of,
    least_total,
    ms_words,
    rank_causes,
    stalls_explained,
    waves_explained,
)
from dbdyno.core import Cell, RunRecord, counted, target_title
from dbdyno.report._format import figure
from dbdyno.report._statement_sums import StatementSums
from dbdyno.report._study_analysis import StudyAnalysis
from dbdyno.report._why_causes import circumstances_of
from dbdyno.stats import period, stalls
from dbdyno.store import StoredStudy

_LEAST_BY_OTHERS = 0.05
_PREFIXES = ("sessions.", "background.", "engine.")
_MACHINE = frozenset((*IDLE_TIMES, *(name for names in PROCESSOR_TIMES.values() for name in names)))


@dataclass(frozen=True, slots=True)
class Course:
    """Holds what happens to the targets of a place as connections grow, and within their runs.

    Parameters
    ----------
    steps : causes of each step to more connections; None where a step has no parts
    knees : of each target with several connections, of which the use of resources is known
    moments : stalls and waves of the place's cells
    window_s : the longest judged part of their runs, seconds
    """

    steps: tuple[CauseRanking | None, ...] = ()
    knees: tuple[Knee, ...] = ()
    moments: tuple[Moments, ...] = ()
    window_s: int = 0


def course_of(analysis: StudyAnalysis, place: Place, targets: Sequence[str], steps: Sequence[Gap]) -> Course:
    """The course of some targets at a place."""
    explanation, threads = analysis.explanation, analysis.thread_explanation
    if explanation is None:
        return Course()
    rankings = tuple(_step_causes(analysis, explanation, threads, gap) for gap in steps)
    times = analysis.times or {}
    lines = [
        [cell for cell in explanation.firm if cell.target == target and _panel(cell) == place[:3]] for target in targets
    ]
    knees = tuple(knee for cells in lines if (knee := knee_of(times, cells)) is not None)
    here = [cell for target in targets if (cell := explanation.cells_at[place].get(target)) is not None]
    found = [analysis.results.once(_CellMoments).of(analysis, cell) for cell in here]
    moments = tuple(one for own, _ in found for one in own)
    return Course(rankings, knees, moments, max((longest for _, longest in found), default=0))


class _CellMoments:
    """Keeps what was made of cells' seconds, which the page reads once and forgets."""

    def __init__(self, results: StoredStudy) -> None:
        self._found: dict[Cell, tuple[list[Moments], int]] = {}

    def of(self, analysis: StudyAnalysis, cell: Cell) -> tuple[list[Moments], int]:
        """Stalls and waves of a cell, and the longest judged part of its runs in seconds."""
        if cell not in self._found:
            runs = list(_seconds(analysis, cell))
            moments = [judged for judge in (stalls_explained, waves_explained) if (judged := judge(runs)) is not None]
            self._found[cell] = moments, max((len(own.tps) for own in runs), default=0)
        return self._found[cell]


def course_lines(course: Course) -> tuple[list[str], list[str]]:
    """Sentences on knees, and on stalls and waves; the latter none where no run has seconds."""
    knees = [_knee_words(knee) for knee in course.knees]
    moments = [_moment_words(one) for one in course.moments]
    if course.window_s and not any(one.kind == "stalls" for one in course.moments):
        moments.append("No second of these runs stalled.")
    if 0 < course.window_s < SHORTEST_WAVE_S:
        moments.append(
            f"Unknown whether throughput swings: {course.window_s} s were judged, and waves need {SHORTEST_WAVE_S} s."
        )
    return knees, moments


def _step_causes(
    analysis: StudyAnalysis, explanation: Explanation, threads: Explanation | None, gap: Gap
) -> CauseRanking | None:
    known = circumstances_of(analysis, gap)
    chosen, own = explanation, gap
    for watched in [] if threads is None else threads.steps(gap.left.target):
        if threads is not None and (watched.left, watched.right) == (gap.left, gap.right) and watched.parts:
            chosen, own = threads, watched
    return rank_causes(own, {cell: chosen.firm[cell] for cell in (own.left, own.right)}, known)


def _panel(cell: Cell) -> tuple[str, str, int]:
    return cell.workload, cell.route, cell.tier_bytes


def _seconds(analysis: StudyAnalysis, cell: Cell) -> Iterator[RunSeconds]:
    """Judged seconds of a cell's runs; none where connections also rest, for then T is no share of a second."""
    group = analysis.by_cell[cell]
    sums = analysis.statement_sums[cell]
    for record, own, times in zip(group.judged, sums, (analysis.times or {})[cell], strict=True):
        if not times.rests and record.imported is None:
            yield _run_seconds(analysis.results, record, own)


def _run_seconds(results: StoredStudy, record: RunRecord, sums: StatementSums) -> RunSeconds:
    table = results.seconds(record.run.run_id, ("second", "phase", "tps", "duration_ns"))
    second = table.numbers("second").astype(np.int64)
    keep = table.texts("phase").among(["window"]) & (second >= sums.first)
    length = int(second[keep].max(initial=sums.first - 1)) - sums.first + 1
    tps = np.zeros(length)
    tps[second[keep] - sums.first] = (table.numbers("tps") * table.numbers("duration_ns") / 1e9)[keep]
    statements = {
        name: StatementTimes(_fitted(counts, length).astype(np.int64), _fitted(sums.sums_ns[name], length) / 1e6)
        for name, counts in sums.counts.items()
    }
    has_moments = length and tps.any() and (_stalls(tps) or _waves(tps))
    metrics = _metrics(results, record, sums.first, length) if has_moments else {}
    return RunSeconds(record.run, tps, statements, metrics)


def _stalls(tps: NDArray[np.float64]) -> bool:
    return bool(np.median(tps) > 0 and stalls(tps).count)


def _waves(tps: NDArray[np.float64]) -> bool:
    wave = period(tps) if len(tps) >= SHORTEST_WAVE_S else None
    return wave is not None and wave.is_wave


def _fitted(values: NDArray[np.float64] | NDArray[np.int64], length: int) -> NDArray[np.float64]:
    """One value a second; seconds that nothing was counted in are 0."""
    found = np.zeros(length)
    found[: min(length, len(values))] = values[:length]
    return found


def _metrics(results: StoredStudy, record: RunRecord, first: int, length: int) -> dict[str, NDArray[np.float64]]:
    table = results.telemetry(record.run.run_id, ("second", "metric", "value"))
    metrics, seconds = table.texts("metric"), table.numbers("second").astype(np.int64) - first
    values, is_inside = table.numbers("value"), (seconds >= 0) & (seconds < length)
    found = {}
    for name in metrics.names:
        if name in _MACHINE or name.startswith(_PREFIXES):
            rows = metrics.among([name]) & is_inside
            # A group of threads that is not there in a second used no processor.
            found[name] = np.full(length, 0.0 if name.startswith("background.") else np.nan)
            found[name][seconds[rows]] = values[rows]
    return found


def _knee_words(knee: Knee) -> str:
    name = target_title(knee.cells[0].target)
    last = knee.cells[-1].concurrency
    if not knee.resource:
        used = knee.used[-1]
        most = max(used, key=used.__getitem__, default="")
        highest = f"; the most used are {RESOURCES[most]}, {100 * used[most]:.0f} % busy" if most else ""
        return f"{name} uses up none of the observed resources with up to {counted(last, 'connection')}{highest}."
    at = next(used for cell, used in zip(knee.cells, knee.used, strict=True) if cell.concurrency == knee.reached_at)
    others = f", {100 * knee.by_others:.0f} % by other programs" if knee.by_others >= _LEAST_BY_OTHERS else ""
    words = (
        f"{name} uses up {RESOURCES[knee.resource]} ({100 * at[knee.resource]:.0f} % busy{others}) with "
        f"{counted(knee.reached_at, 'connection')}: each transaction takes {figure(knee.demand_ms, 3)} ms of it"
    )
    limit = "" if knee.stops_at is None else f", so throughput levels off at about {figure(knee.stops_at, 2)}"
    return f"{words}{limit}{' connections' if limit else ''}."


def _moment_words(one: Moments) -> str:
    name = target_title(one.cell.target)
    if one.kind == "stalls":
        where = f"{name}, {counted(one.seconds, 'stalled second')} in {counted(one.runs, 'run')}"
    else:
        where = f"{name}, trough against crest of a wave of {one.period_s or 0:.0f} s in {counted(one.runs, 'run')}"
    if one.ranking is None:
        return f"{where}: cause unknown, {one.missing}."
    total = one.ranking.gap.total
    scale = least_total(total.left_ms, total.right_ms)
    times = f"{ms_words(total.right_ms, scale)} against {ms_words(total.left_ms, scale)} ms per transaction"
    told = cause_sentence(one.ranking) or "No cause is decided."
    return f"{where}: {times} in {SIDES[one.kind][0]}. {told}"
