"""Says how a study ended, from what is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from dbdyno.core import Run, RunRecord
from dbdyno.store import Results
from dbdyno.study import Study


@dataclass(frozen=True, slots=True)
class StudyOutcome:
    """Describes how a study ended.

    Parameters
    ----------
    interrupted : stopped by Ctrl-C or SIGTERM; the same command goes on where it stopped
    good, suspect, failed : stored runs of the whole plan, earlier ones included
    missing : planned and not yet made
    results_differ : targets did not make the same of the same events
    refused : stopped before the first run, because the audit found what the study does not bear
    """

    interrupted: bool
    good: int
    suspect: int
    failed: int
    missing: int
    results_differ: bool = False
    refused: bool = False

    @property
    def complete(self) -> bool:
        """Every planned run was made and none failed, and targets made the same of the same events."""
        return not (self.interrupted or self.failed or self.missing or self.results_differ)


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
