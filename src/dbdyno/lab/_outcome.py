"""Says how a study ended, from what is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from dbdyno.core import Run, RunRecord
from dbdyno.lab._events import StudyOutcome
from dbdyno.store import Results
from dbdyno.study import Study


def study_outcome(
    study: Study,
    results: Results,
    required_runs: Iterable[Run],
    records: Iterable[RunRecord],
    *,
    interrupted: bool,
    refused: bool,
) -> StudyOutcome:
    """Return how a study ended that requires these runs and has stored these records.

    Parameters
    ----------
    required_runs : of the plan and of its further rounds
    interrupted, refused : as in `StudyOutcome`
    """
    statuses = {record.run.run_id: record.status for record in records}
    counts = Counter(statuses.get(run.run_id, "missing") for run in required_runs)
    labels = [choice.label for choice in study.workloads]
    comparisons = results.compared([target.name for target in study.targets], labels)
    return StudyOutcome(
        interrupted,
        counts["good"],
        counts["suspect"],
        counts["failed"],
        counts["missing"],
        results_differ=any(comparison.unlike for comparison in comparisons),
        refused=refused,
    )
