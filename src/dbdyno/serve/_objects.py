"""Returns studies as objects for the pages."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping

from dbdyno.serve._live import LiveRun, live_object, live_run
from dbdyno.serve._studies import StoredFolder, StudyFolder, cell_rows


def card_object(folder: StudyFolder) -> dict[str, object]:
    """What the list shows of a study."""
    stored = folder.stored()
    return {
        "key": folder.key,
        "label": folder.label,
        "state": folder.state(),
        "name": stored.name,
        "question": stored.question,
        "targets": list(stored.targets),
        "workloads": list(stored.workloads),
        "runs_done": stored.runs_done,
        "runs_total": stored.runs_total,
        "statuses": dict(stored.statuses),
        "began_ms": stored.began_ns // 10**6,
        "ended_ms": stored.ended_ns // 10**6,
        "headline": stored.headline,
        "sentences": list(stored.sentences),
        "problem": stored.problem,
    }


def study_object(folder: StudyFolder) -> dict[str, object]:
    """Everything that the page of one study shows."""
    stored, runs = folder.stored(), [run for entries in folder.live() if (run := live_run(entries)) is not None]
    run = next((run for run in runs if run.cell is not None), next(iter(runs), None))
    return finite(
        {
            **card_object(folder),
            "cells": cell_rows(stored),
            "live": live_object(run),
            "benches": [live_object(run) for run in runs] if len(runs) > 1 else [],
            "left_s": None if run is None else _left_s(stored, run, len(runs)),
        }
    )


def _left_s(stored: StoredFolder, run: LiveRun, benches: int) -> float | None:
    """What the runs that are left will take if they take what the others took."""
    if stored.run_ns is None or run.cell is None:
        return None
    left = stored.runs_total - run.number + 1 if benches == 1 else stored.runs_total - stored.runs_done
    whole = left * stored.run_ns // benches
    elapsed = min(time.time_ns() - run.began_ns, stored.run_ns)
    return max(whole - elapsed, 0) / 1e9


def finite(value: Mapping[str, object]) -> dict[str, object]:
    """JSON knows no infinity: a number that is none becomes null, wherever it stands."""
    return {key: _finite(item) for key, item in value.items()}


def _finite(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return finite(value)
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return value
