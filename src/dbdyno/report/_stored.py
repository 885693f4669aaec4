"""The study of a results folder and its runs, those not made yet as missing."""

from __future__ import annotations

from pathlib import Path

from dbdyno.core import RunRecord
from dbdyno.report._study_analysis import planned_records
from dbdyno.report._windows import settled_records
from dbdyno.store import QUICK_CHECK, Check, Results
from dbdyno.study import Study, parse_study


def stored_study(folder: Path, check: Check = QUICK_CHECK) -> tuple[Study, tuple[RunRecord, ...]]:
    """A stored study with every planned run in order, judged.

    Raises
    ------
    StoreError : no results folder
    """
    results = Results.open(folder, check=check)
    study = parse_study(results.study_text, str(folder / "study.toml"))
    return study, planned_records(study, settled_records(results, study))
