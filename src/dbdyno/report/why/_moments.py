"""Explains a study beyond one pair: steps to more connections, knees, and stalls and waves of its runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dbdyno.analyse import Place
from dbdyno.analyse.explain import (
    RESOURCES,
    ROW_LOCKS,
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
    has_moments,
    knee_of,
    least_total,
    ms_words,
    rank_causes,
    stalls_explained,
    waves_explained,
)
from dbdyno.core import IDLE_TIMES, PROCESSOR_TIMES, Cell, RunRecord, counted, target_title, verb_for
from dbdyno.report._format import figure
from dbdyno.report._statement_sums import StatementSums
from dbdyno.report._study_analysis import StudyAnalysis
from dbdyno.report.why._causes import circumstances_of
from dbdyno.report.why._cell_times import pinned_server
from dbdyno.store import StoredStudy

_LEAST_BY_OTHERS = 0.05
_PREFIXES = ("sessions.", "background.", "engine.")
_ABSENT_IS_ZERO = ("sessions.wait.", "background.")
"""Begin metrics of which the sampler writes no row in a second in which no thread waited so or used a processor."""
_MACHINE = frozenset((*IDLE_TIMES, *(name for names in PROCESSOR_TIMES.values() for name in names)))


@dataclass(frozen=True, slots=True)
class PlaceCourse:
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


def course_of(analysis: StudyAnalysis, place: Place, targets: Sequence[str], steps: Sequence[Gap]) -> PlaceCourse:
    """Return the course of some targets at a place."""
    explanation, threads = analysis.explanation, analysis.thread_explanation
    if explanation is None:
        return PlaceCourse()
    rankings = tuple(_step_causes(analysis, explanation, threads, gap) for gap in steps)
    times = analysis.times or {}
    lines = [
        [cell for cell in explanation.firm if cell.target == target and _panel_key(cell) == place[:3]]
        for target in targets
    ]
    thinks = analysis.study.imported is None and analysis.study.pacing.is_closed
    knees = tuple(knee for cells in lines if (knee := knee_of(times, cells, has_think_time=thinks)) is not None)
    place_cells = [cell for target in targets if (cell := explanation.cells_at[place].get(target)) is not None]
    cell_moments = [analysis.results.once(_CellMoments).of(analysis, cell) for cell in place_cells]
    moments = tuple(moment for moments_of_cell, _ in cell_moments for moment in moments_of_cell)
    return PlaceCourse(rankings, knees, moments, max((longest for _, longest in cell_moments), default=0))


class _CellMoments:
    """Keeps what was made of cells' seconds, which the page reads once and forgets."""

    def __init__(self, results: StoredStudy) -> None:
        self._found: dict[Cell, tuple[list[Moments], int]] = {}

    def of(self, analysis: StudyAnalysis, cell: Cell) -> tuple[list[Moments], int]:
        """Return stalls and waves of a cell, and the longest judged part of its runs in seconds."""
        if cell not in self._found:
            runs = list(_cell_run_seconds(analysis, cell))
            moments = [
                explained for judge in (stalls_explained, waves_explained) if (explained := judge(runs)) is not None
            ]
            self._found[cell] = moments, max((len(run.tps) for run in runs), default=0)
        return self._found[cell]


def course_lines(course: PlaceCourse) -> tuple[list[str], list[str]]:
    """Return sentences on knees, and on stalls and waves; the latter none where no run has seconds."""
    knees = [_knee_words(knee) for knee in course.knees]
    moments = [_moment_words(moment) for moment in course.moments]
    if course.window_s and not any(moment.kind == "stalls" for moment in course.moments):
        moments.append("No second of these runs stalled.")
    if 0 < course.window_s < SHORTEST_WAVE_S:
        moments.append(
            f"Unknown whether throughput swings: {course.window_s} s were judged, and waves need {SHORTEST_WAVE_S} s."
        )
    return knees, moments


def _step_causes(
    analysis: StudyAnalysis, explanation: Explanation, threads: Explanation | None, gap: Gap
) -> CauseRanking | None:
    circumstances = circumstances_of(analysis, gap)
    used_explanation, step_gap = explanation, gap
    for thread_gap in [] if threads is None else threads.steps(gap.left.target):
        if threads is not None and (thread_gap.left, thread_gap.right) == (gap.left, gap.right) and thread_gap.parts:
            used_explanation, step_gap = threads, thread_gap
    return rank_causes(
        step_gap, {cell: used_explanation.firm[cell] for cell in (step_gap.left, step_gap.right)}, circumstances
    )


def _panel_key(cell: Cell) -> tuple[str, str, int]:
    return cell.workload, cell.route, cell.tier_bytes


def _cell_run_seconds(analysis: StudyAnalysis, cell: Cell) -> Iterator[RunSeconds]:
    """Yield judged seconds of a cell's runs; none where connections also rest, for then T is no share of a second."""
    group = analysis.by_cell[cell]
    sums = analysis.statement_sums[cell]
    for record, run_sums, times in zip(group.judged, sums, (analysis.times or {})[cell], strict=True):
        if not times.rests and record.imported is None:
            yield _run_seconds(analysis.results, record, run_sums)


def _run_seconds(results: StoredStudy, record: RunRecord, sums: StatementSums) -> RunSeconds:
    table = results.seconds(record.run.run_id, ("second", "phase", "tps", "duration_ns"))
    second = table.numbers("second").astype(np.int64)
    is_settled = table.texts("phase").among(["window"]) & (second >= sums.first)
    length = int(second[is_settled].max(initial=sums.first - 1)) - sums.first + 1
    tps = np.zeros(length)
    tps[second[is_settled] - sums.first] = (table.numbers("tps") * table.numbers("duration_ns") / 1e9)[is_settled]
    statements = {
        name: StatementTimes(
            _fit_to_length(counts, length).astype(np.int64), _fit_to_length(sums.sums_ns[name], length) / 1e6
        )
        for name, counts in sums.counts.items()
    }
    metrics = _metric_series(results, record, sums.first, length) if has_moments(tps) else {}
    pinned = pinned_server(results.study, record.run.cell)
    return RunSeconds(record.run, tps, statements, metrics, pinned, record.is_client_here)


def _fit_to_length(values: NDArray[np.float64] | NDArray[np.int64], length: int) -> NDArray[np.float64]:
    """Return one value a second; seconds that nothing was counted in are 0."""
    fitted = np.zeros(length)
    fitted[: min(length, len(values))] = values[:length]
    return fitted


def _metric_series(
    results: StoredStudy, record: RunRecord, first_s: int, length: int
) -> dict[str, NDArray[np.float64]]:
    table = results.telemetry(record.run.run_id, ("second", "metric", "value"))
    metrics, seconds = table.texts("metric"), table.numbers("second").astype(np.int64) - first_s
    values, is_inside = table.numbers("value"), (seconds >= 0) & (seconds < length)
    values_by_metric = {}
    for name in metrics.names:
        if name in _MACHINE or name.startswith(_PREFIXES):
            rows = metrics.among([name]) & is_inside
            values_by_metric[name] = np.full(length, np.nan)
            values_by_metric[name][seconds[rows]] = values[rows]
    sessions = values_by_metric.get("sessions.count", np.full(length, np.nan))
    for name, series in values_by_metric.items():
        if name.startswith(_ABSENT_IS_ZERO):
            series[np.isnan(series) & ~np.isnan(sessions)] = 0.0
    return values_by_metric


def _knee_words(knee: Knee) -> str:
    name = target_title(knee.cells[0].target)
    last_concurrency = knee.cells[-1].concurrency
    if not knee.resource:
        resource_use = knee.used[-1]
        known_names = [name for name in resource_use if name != ROW_LOCKS]
        most_used = max(known_names, key=resource_use.__getitem__, default="")
        highest = (
            f"; the most used are {RESOURCES[most_used]}, {100 * resource_use[most_used]:.0f} % busy"
            if most_used
            else ""
        )
        return (
            f"{name} uses up none of the observed resources with up to {counted(last_concurrency, 'connection')}"
            f"{highest}."
        )
    used_at_knee = next(
        resource_use
        for cell, resource_use in zip(knee.cells, knee.used, strict=True)
        if cell.concurrency == knee.reached_at
    )
    foreign_users = ((knee.by_others, "by other programs"), (knee.by_hypervisor, "by the hypervisor"))
    others_words = "".join(
        f", {100 * share:.0f} % {words}" for share, words in foreign_users if share >= _LEAST_BY_OTHERS
    )
    bound, busy_percent = "at most " if knee.resource == ROW_LOCKS else "", 100 * used_at_knee[knee.resource]
    words = (
        f"{name} uses up {RESOURCES[knee.resource]} ({bound}{busy_percent:.0f} % busy{others_words}) with "
        f"{counted(knee.reached_at, 'connection')}: each transaction takes {bound}{figure(knee.demand_ms, 3)} ms of it"
    )
    if knee.stops_at is None:
        return f"{words}."
    connections = figure(knee.stops_at, 2)
    noun = verb_for(1 if connections == "1" else 2, "connection", "connections")
    return f"{words}, so throughput levels off at about {connections} {noun}."


def _moment_words(moment: Moments) -> str:
    name = target_title(moment.cell.target)
    if moment.kind == "stalls":
        moment_text = f"{name}, {counted(moment.seconds, 'stalled second')} in {counted(moment.runs, 'run')}"
    else:
        moment_text = (
            f"{name}, trough against crest of a wave of {moment.period_s or 0:.0f} s in {counted(moment.runs, 'run')}"
        )
    if moment.ranking is None:
        return f"{moment_text}: cause unknown, {moment.missing}."
    total = moment.ranking.gap.total
    scale = least_total(total.left_ms, total.right_ms)
    times = f"{ms_words(total.right_ms, scale)} against {ms_words(total.left_ms, scale)} ms per transaction"
    cause_words = cause_sentence(moment.ranking) or "No cause is decided."
    return f"{moment_text}: {times} in {SIDES[moment.kind][0]}. {cause_words}"
