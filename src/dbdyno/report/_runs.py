"""Throughput of every run, second by second, with what was judged of it; and what the page holds of a run besides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbdyno.analyse import WindowJudgement, place_words
from dbdyno.core import RunRecord
from dbdyno.report._client import client_words
from dbdyno.report._evidence import Evidence
from dbdyno.report._format import figure
from dbdyno.report._marks import run_marks
from dbdyno.report._series import run_series
from dbdyno.report._windows import told_tps, window_tps
from dbdyno.report._wire import packed_run, thinning_for

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
    judged : the window judged, if it is long enough
    """

    tps: NDArray[np.float64]
    window_from: int
    first_s: int
    window: NDArray[np.float64]
    judged: WindowJudgement | None


def seconds_of_runs(evidence: Evidence) -> dict[str, RunSeconds]:
    """By run id, those that have seconds."""
    found = {}
    for record in evidence.stored:
        run_id = record.run.run_id
        table = evidence.results.seconds(run_id)
        if len(table):
            is_told = evidence.study.imported is not None
            window = told_tps(table) if is_told else window_tps(table)
            phases = np.array(table["phase"].to_pylist())
            driven = phases != "after"
            tps, second = table["tps"].to_numpy()[driven], table["second"].to_numpy()[driven]
            is_window = phases[driven] == "window"
            begin = int(is_window.argmax()) if is_window.any() else len(tps)
            first = int(second[begin]) if begin < len(tps) else 0
            found[run_id] = RunSeconds(tps, begin, first, window, evidence.windows.get(run_id))
    return found


def runs_listed(
    evidence: Evidence, seconds: Mapping[str, RunSeconds], about: Mapping[str, str]
) -> list[dict[str, Any]]:
    """What the page knows of every run before one is opened, in the order of the plan.

    Parameters
    ----------
    about : of each run the tokens of what it is about
    """
    return [
        {"id": record.run.run_id, "title": _title(evidence, record), "f": about[record.run.run_id]}
        for record in evidence.stored
        if record.run.run_id in seconds
    ]


def packed_runs(evidence: Evidence, seconds: Mapping[str, RunSeconds], budget_bytes: int) -> dict[str, str]:
    """By run id all that is shown when a run is opened, thinned so that all of them fit.

    Runs are read one by one: a thousand of them with telemetry would not fit into memory.
    """
    records = [record for record in evidence.stored if record.run.run_id in seconds]
    sampled = records[:: max(len(records) // _SAMPLED, 1)]
    share = len(sampled) / len(records) if records else 1.0
    thinning = thinning_for(list(_whole_runs(evidence, seconds, sampled)), budget_bytes * share)
    runs = _whole_runs(evidence, seconds, records)
    return {record.run.run_id: packed_run(run, thinning) for record, run in zip(records, runs, strict=True)}


def _whole_runs(
    evidence: Evidence, seconds: Mapping[str, RunSeconds], records: list[RunRecord]
) -> Iterator[dict[str, Any]]:
    files = _files_of_runs(evidence)
    for record in records:
        run_id, own = record.run.run_id, seconds[record.run.run_id]
        marks = run_marks(own.window, own.first_s, own.judged)
        facts = [*_facts(record), *marks.pop("words")]
        series = run_series(evidence.results, run_id)
        yield {**series, "marks": marks, "facts": "; ".join(facts), "files": files.get(run_id, [])}


def _files_of_runs(evidence: Evidence) -> dict[str, list[list[Any]]]:
    """Name, bytes and checksum of the files of each run."""
    found: dict[str, list[list[Any]]] = {}
    for name, facts in sorted(evidence.results.manifest.files.items()):
        parts = name.split("/")
        if parts[0] == "runs" and len(parts) > 2:
            found.setdefault(parts[1], []).append([name, facts.bytes, facts.sha256])
    return found


def _title(evidence: Evidence, record: RunRecord) -> str:
    cells = [stored.run.cell for stored in evidence.stored]
    places = [(cell.workload, cell.route, cell.tier_bytes, cell.concurrency) for cell in cells]
    cell = record.run.cell
    place = (cell.workload, cell.route, cell.tier_bytes, cell.concurrency)
    return f"{cell.target} {place_words(place, places)}, {record.run.repeat_words}"


def _facts(record: RunRecord) -> list[str]:
    status = [record.status, *([record.reason] if record.reason else [])]
    if record.tps_mean is None:
        return status
    noise = f" ± {figure(record.tps_half_width, 2)} (noise alone)" if record.tps_half_width is not None else ""
    words = client_words(record)
    client = f", client used {words} of what it can do here" if words else ""
    return [*status, f"{figure(record.tps_mean)} TPS{noise} over {record.window_s:g} s{client}"]
