"""Collects the throughput of every run, second by second, with its judgement and the page's other data of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbdyno.analyse import BoxPlot, WindowStalls, place_namer, significant_words, window_boxes, window_stalls
from dbdyno.core import RunRecord, SettledPart, target_title
from dbdyno.report._downsample import packed_run, packed_sample
from dbdyno.report._format import client_words, figure
from dbdyno.report._marks import run_marks
from dbdyno.report._repeat import command_of_cell
from dbdyno.report._series import run_series, without_gaps
from dbdyno.report._study_analysis import StudyAnalysis

_SAMPLED = 12


@dataclass(frozen=True, slots=True)
class RunThroughput:
    """Holds the throughput of a run.

    Parameters
    ----------
    second, tps : of warm-up and window, not of those seconds in which an open load was ended: each second, of imported
        runs each report
    window_from : index of the first of the window in it
    first_s : second of the run with which the window begins
    window : throughput of the window, no gaps; empty of imported runs whose reports cover more than a second each
    judged : what the window says of its level, if it is long enough
    stalls : of `window_values`
    """

    second: NDArray[np.int64]
    tps: NDArray[np.float64]
    window_from: int
    first_s: int
    window: NDArray[np.float64]
    judged: SettledPart | None
    stalls: WindowStalls = field(init=False)

    def __post_init__(self) -> None:
        """Look for stalls once: strips and a run's marks ask for them."""
        object.__setattr__(self, "stalls", window_stalls(self.window_values, self.judged))

    @property
    def window_values(self) -> NDArray[np.float64]:
        """Return the throughput of the window: of each second, or of each report where those cover more."""
        return self.window if len(self.window) else self.tps[self.window_from :]

    @property
    def stalled_s(self) -> NDArray[np.int64]:
        """Return the stalled seconds of the run, or those with which stalled reports begin."""
        if len(self.window):
            return self.first_s + np.flatnonzero(self.stalls.is_stalled)
        return self.second[self.window_from :][self.stalls.is_stalled]


def seconds_of_runs(analysis: StudyAnalysis) -> dict[str, RunThroughput]:
    """Map run ids to seconds, of runs that have them."""
    seconds_by_run = {}
    for record in analysis.stored:
        run_id = record.run.run_id
        table = analysis.results.seconds(run_id, ("second", "phase", "tps"))
        if len(table):
            window = analysis.results.window_tps(run_id)
            is_driven = ~table.texts("phase").among({"after"})
            second, tps = table.numbers("second")[is_driven], table.numbers("tps")[is_driven]
            window_s = second[table.texts("phase").among({"window"})[is_driven]]
            if analysis.study.imported is None:
                second, tps = without_gaps(second, tps)
            first_s, window_from = 0, len(tps)
            if len(window_s):
                first_s = int(window_s[0])
                window_from = int(np.searchsorted(second, first_s))
            seconds_by_run[run_id] = RunThroughput(second, tps, window_from, first_s, window, record.settled)
    return seconds_by_run


def boxes_of_windows(analysis: StudyAnalysis, seconds: Mapping[str, RunThroughput]) -> list[BoxPlot]:
    """Return a box for each cell whose judged windows have enough seconds."""
    return window_boxes({run_id: run.window for run_id, run in seconds.items()}, analysis.judgements)


def runs_listed(
    analysis: StudyAnalysis, seconds: Mapping[str, RunThroughput], about: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return what the page knows of every run before one is opened, in the order of the plan.

    Parameters
    ----------
    about : of each run the tokens of what it is about
    """
    place_words = place_namer(_place_sort_key(record) for record in analysis.stored)
    records_and_ids = [(record, record.run.run_id) for record in analysis.stored]
    return [
        {
            "id": run_id,
            "title": f"{target_title(record.run.cell.target)} at {place_words(_place_sort_key(record))}, "
            f"{record.run.repeat_words}",
            "f": about[run_id],
        }
        for record, run_id in records_and_ids
        if run_id in seconds
    ]


def packed_runs(analysis: StudyAnalysis, seconds: Mapping[str, RunThroughput], budget_bytes: int) -> dict[str, str]:
    """Map run ids to all that is shown when a run is opened, downsampled so that all fit.

    Runs are read one by one: a thousand of them with telemetry would not fit into memory.
    """
    records = [record for record in analysis.stored if record.run.run_id in seconds]
    sampled_records = records[:: max(len(records) // _SAMPLED, 1)]
    share = len(sampled_records) / len(records) if records else 1.0
    sampled_runs = dict(_runs_with_series(analysis, seconds, sampled_records))
    thinning, packed = packed_sample(sampled_runs, budget_bytes * share)
    other_records = [record for record in records if record.run.run_id not in packed]
    for run_id, run in _runs_with_series(analysis, seconds, other_records):
        packed[run_id] = packed_run(run, thinning)
    return {record.run.run_id: packed[record.run.run_id] for record in records}


def _runs_with_series(
    analysis: StudyAnalysis, seconds: Mapping[str, RunThroughput], records: list[RunRecord]
) -> Iterator[tuple[str, dict[str, Any]]]:
    files = _files_of_runs(analysis)
    for record in records:
        run_id, run_seconds = record.run.run_id, seconds[record.run.run_id]
        is_stalled = run_seconds.stalls.is_stalled[: len(run_seconds.window)]
        marks = run_marks(is_stalled, run_seconds.first_s, run_seconds.judged, has_lost_path=record.has_lost_path)
        facts = [*_fact_lines(record), *marks.pop("words")]
        series = run_series(analysis.results, run_id)
        analysis.results.forget_tables(run_id)
        command = command_of_cell(analysis.results.study, record.run.cell)
        rest = {"facts": "; ".join(facts), "repeat": command, "files": files.get(run_id, [])}
        yield run_id, {**series, "marks": marks, **rest}


def _files_of_runs(analysis: StudyAnalysis) -> dict[str, list[list[Any]]]:
    """Return name, bytes and checksum of the files of each run."""
    files: dict[str, list[list[Any]]] = {}
    for name, facts in sorted(analysis.results.manifest.files.items()):
        path_parts = name.split("/")
        if path_parts[0] == "runs" and len(path_parts) > 2:
            files.setdefault(path_parts[1], []).append([name, facts.bytes, facts.sha256])
    return files


def _place_sort_key(record: RunRecord) -> tuple[str, str, int, int]:
    cell = record.run.cell
    return cell.workload, cell.route, cell.tier_bytes, cell.concurrency


def _fact_lines(record: RunRecord) -> list[str]:
    status = [record.status, *([record.reason] if record.reason else [])]
    level, half_width = record.level_tps, record.level_half_width
    if level is None or record.figures.tps_mean is None:
        return status
    noise = f" ± {figure(half_width, 2)} (noise alone)" if half_width is not None else ""
    words = client_words(record)
    client = f", client used {words} of its maximum rate" if words else ""
    begin_s = record.settled.start_s or 0 if record.settled is not None and record.is_settled else 0
    window_words = (
        f", {significant_words(record.figures.tps_mean)} over the whole window" if record.is_window_off else ""
    )
    return [*status, f"{figure(level)} TPS{noise} over {record.figures.window_s - begin_s:g} s{window_words}{client}"]
