"""Returns studies as objects for the pages."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping

from dbdyno.serve._live import LiveRun, live_object, live_run
from dbdyno.serve._studies import StoredFolder, StudyFolder, cell_rows


def card_object(folder: StudyFolder, stored: StoredFolder | None) -> dict[str, object]:
    """Return what the list shows of a study; of one whose files were never read, only its place."""
    stored_folder = stored or StoredFolder(name=folder.path.name)
    return {
        "key": folder.key,
        "label": folder.label,
        "state": folder.state_of(stored),
        "name": stored_folder.name,
        "question": stored_folder.question,
        "targets": list(stored_folder.targets),
        "workloads": list(stored_folder.workloads),
        "runs_done": stored_folder.runs_done,
        "runs_total": stored_folder.runs_total,
        "statuses": dict(stored_folder.statuses),
        "began_ms": stored_folder.began_ns // 10**6,
        "ended_ms": stored_folder.ended_ns // 10**6,
        "headline": stored_folder.headline,
        "sentences": list(stored_folder.sentences),
        "problem": stored_folder.problem,
    }


def study_object(folder: StudyFolder) -> dict[str, object]:
    """Return everything that the page of one study shows."""
    stored_folder, runs = folder.stored(), [run for entries in folder.live() if (run := live_run(entries)) is not None]
    run = next((run for run in runs if run.cell is not None), next(iter(runs), None))
    return finite(
        {
            **card_object(folder, stored_folder),
            "cells": cell_rows(stored_folder),
            "live": live_object(run),
            "benches": [live_object(run) for run in runs] if len(runs) > 1 else [],
            "left_s": None if run is None else _remaining_s(stored_folder, run, len(runs)),
            "has_open_end": run is not None and _is_further(stored_folder, run, len(runs)),
        }
    )


def _remaining_s(stored_folder: StoredFolder, run: LiveRun, benches: int) -> float | None:
    """Return what the planned runs that are left will take if they take what the others took.

    None in further rounds: whether another one follows depends on what they show.
    """
    if stored_folder.run_ns is None or run.cell is None or _is_further(stored_folder, run, benches):
        return None
    begun = stored_folder.runs_done
    if benches == 1:  # a failed run is repeated after later ones, and a run that has just ended may already be stored
        begun = max(run.number - 1, min(begun, stored_folder.runs_planned - 1))
    total_ns = (stored_folder.runs_planned - begun) * stored_folder.run_ns // benches
    elapsed = min(time.time_ns() - run.began_ns, stored_folder.run_ns)
    return max(total_ns - elapsed, 0) / 1e9


def _is_further(stored_folder: StoredFolder, run: LiveRun, benches: int) -> bool:
    """Return whether the run under way is of a further round, not of the plan."""
    number = run.number if benches == 1 else stored_folder.runs_done + 1
    return run.cell is not None and number > stored_folder.runs_planned


def finite(value: Mapping[str, object]) -> dict[str, object]:
    """Replace a number that is not finite by null, at any depth: JSON knows no infinity."""
    return {key: _finite_or_null(item) for key, item in value.items()}


def _finite_or_null(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return finite(value)
    if isinstance(value, list):
        return [_finite_or_null(item) for item in value]
    return value
