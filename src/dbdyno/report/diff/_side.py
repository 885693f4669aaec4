"""Reads one side of a comparison of two results folders, and no more of it than is needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dbdyno.analyse import CellJudgement
from dbdyno.core import Cell, RunRecord
from dbdyno.report._study_analysis import analyse_study
from dbdyno.store import StoredStudy, gathered_parts
from dbdyno.study import Study, dataset_name


@dataclass(frozen=True, slots=True)
class DiffSide:
    """Describes a results folder with its cells judged.

    Parameters
    ----------
    records : every planned run in order, those not there yet as ``missing``
    judgements : by cell
    """

    results: StoredStudy
    study: Study
    records: tuple[RunRecord, ...]
    judgements: Mapping[Cell, CellJudgement]

    @classmethod
    def of(cls, results: StoredStudy) -> DiffSide:
        """Read and judge a folder; seconds are touched only where they were not judged when they were stored."""
        analysis = analyse_study(results)
        return cls(results, analysis.study, analysis.records, analysis.by_cell)

    @property
    def stored(self) -> tuple[RunRecord, ...]:
        """Runs that have a folder."""
        return tuple(record for record in self.records if record.status != "missing")

    @property
    def name(self) -> str:
        """Return the folder as named."""
        return str(self.results.path)

    def shares_runs_with(self, other: DiffSide) -> bool:
        """Tell whether two folders hold one and the same run: one is a copy of the other, or was gathered from it."""
        if self.results.path.samefile(other.results.path):
            return False
        if self.results.manifest.created_ns == other.results.manifest.created_ns:
            return True
        own_spans = {record.run.run_id: record.span for record in self.stored if record.span.started_ns}
        has_same_run = any(own_spans.get(record.run.run_id) == record.span for record in other.stored)
        return has_same_run and any(gathered_parts(side.results) for side in (self, other))

    def dataset(self, cell: Cell) -> Mapping[str, Any] | None:
        """Return what the runs of a cell started from; None where that was not stored."""
        choice = self.study.workload_of(cell.target, cell.workload)
        datasets = (self.results.dataset(cell.target) or {}).get("datasets", ())
        similar_datasets = [
            facts for facts in datasets if dataset_name(str(facts.get("workload", ""))) == dataset_name(choice.name)
        ]
        matching_datasets = [facts for facts in similar_datasets if facts.get("options") == choice.dataset_options]
        return (
            next(iter(matching_datasets or similar_datasets), None)
            if len(matching_datasets or similar_datasets) == 1
            else None
        )


def no_good_run_words(group: CellJudgement, name: str) -> str:
    """Return why a cell of the study with that name has no level; empty where it has a good run."""
    if group.trusted:
        return ""
    run = next((run for run in group.runs if run.reason), group.runs[0])
    cause = f"{run.status}: {run.reason.splitlines()[0]}" if run.reason else run.status
    return f"no good run in {name} ({cause})"
