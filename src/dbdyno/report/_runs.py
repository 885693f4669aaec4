"""Collects the throughput of every run, second by second, with its judgement and the page's other data of it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbdyno.analyse import place_namer, significant_words
from dbdyno.core import RunRecord, SettledPart, target_title
from dbdyno.report._downsample import downsampling_for, packed_run
from dbdyno.report._format import client_words, figure
from dbdyno.report._marks import run_marks
from dbdyno.report._series import run_series
from dbdyno.report._study_analysis import StudyAnalysis

_SAMPLED = 12


@dataclass(frozen=True, slots=True)
class RunSeconds:
    """Throughput of a run.

    Parameters
    ----------
    tps : of every second with a report, warm-up and window; not those in which an open load was ended
    window_from : index of the first of the window in it
    first_s : second of the run with which the window begins
    window : throughput of the window, no gaps
    judged : what the window says of its level, if it is long enough
    """

    tps: NDArray[np.float64]
    window_from: int
    first_s: int
    window: NDArray[np.float64]
    judged: SettledPart | None


def seconds_of_runs(analysis: StudyAnalysis) -> dict[str, RunSeconds]:
    """Map run ids to seconds, of runs that have them."""
    found = {}
    for record in analysis.stored:
        run_id = record.run.run_id
        table = analysis.results.seconds(run_id, ("second", "phase", "tps"))
        if len(table):
            window = analysis.results.window_tps(run_id)
            driven = ~table.texts("phase").among({"after"})
            tps, second = table.numbers("tps")[driven], table.numbers("second")[driven]
            is_window = table.texts("phase").among({"window"})[driven]
            begin = int(is_window.argmax()) if is_window.any() else len(tps)
            first = int(second[begin]) if begin < len(tps) else 0
            found[run_id] = RunSeconds(tps, begin, first, window, record.settled)
    return found


def runs_listed(
    analysis: StudyAnalysis, seconds: Mapping[str, RunSeconds], about: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return what the page knows of every run before one is opened, in the order of the plan.

    Parameters
    ----------
    about : of each run the tokens of what it is about
    """
    place_words = place_namer(_place(record) for record in analysis.stored)
    found = [(record, record.run.run_id) for record in analysis.stored]
    return [
        {
            "id": run_id,
            "title": f"{target_title(record.run.cell.target)} at {place_words(_place(record))}, "
            f"{record.run.repeat_words}",
            "f": about[run_id],
        }
        for record, run_id in found
        if run_id in seconds
    ]


def packed_runs(analysis: StudyAnalysis, seconds: Mapping[str, RunSeconds], budget_bytes: int) -> dict[str, str]:
    """Map run ids to all that is shown when a run is opened, downsampled so that all fit.

    Runs are read one by one: a thousand of them with telemetry would not fit into memory.
    """
    records = [record for record in analysis.stored if record.run.run_id in seconds]
    sampled = records[:: max(len(records) // _SAMPLED, 1)]
    share = len(sampled) / len(records) if records else 1.0
    read = dict(_whole_runs(analysis, seconds, sampled))
    thinning = downsampling_for(list(read.values()), budget_bytes * share)
    others = _whole_runs(analysis, seconds, [record for record in records if record.run.run_id not in read])
    packed = {run_id: packed_run(run, thinning) for run_id, run in itertools.chain(read.items(), others)}
    return {record.run.run_id: packed[record.run.run_id] for record in records}


def _whole_runs(
    analysis: StudyAnalysis, seconds: Mapping[str, RunSeconds], records: list[RunRecord]
) -> Iterator[tuple[str, dict[str, Any]]]:
    files = _files_of_runs(analysis)
    for record in records:
        run_id, own = record.run.run_id, seconds[record.run.run_id]
        marks = run_marks(own.window, own.first_s, own.judged, has_lost_path=record.has_lost_path)
        facts = [*_facts(record), *marks.pop("words")]
        series = run_series(analysis.results, run_id)
        analysis.results.forget_tables(run_id)
        yield run_id, {**series, "marks": marks, "facts": "; ".join(facts), "files": files.get(run_id, [])}


def _files_of_runs(analysis: StudyAnalysis) -> dict[str, list[list[Any]]]:
    """Name, bytes and checksum of the files of each run."""
    found: dict[str, list[list[Any]]] = {}
    for name, facts in sorted(analysis.results.manifest.files.items()):
        parts = name.split("/")
        if parts[0] == "runs" and len(parts) > 2:
            found.setdefault(parts[1], []).append([name, facts.bytes, facts.sha256])
    return found


def _place(record: RunRecord) -> tuple[str, str, int, int]:
    cell = record.run.cell
    return cell.workload, cell.route, cell.tier_bytes, cell.concurrency


def _facts(record: RunRecord) -> list[str]:
    status = [record.status, *([record.reason] if record.reason else [])]
    level, half = record.level_tps, record.level_half_width
    if level is None or record.tps_mean is None:
        return status
    noise = f" ± {figure(half, 2)} (noise alone)" if half is not None else ""
    words = client_words(record)
    client = f", client used {words} of its maximum rate" if words else ""
    begin_s = record.settled.start_s or 0 if record.settled is not None and record.is_settled else 0
    whole = f", {significant_words(record.tps_mean)} over the whole window" if record.is_window_off else ""
    return [*status, f"{figure(level)} TPS{noise} over {record.window_s - begin_s:g} s{whole}{client}"]
