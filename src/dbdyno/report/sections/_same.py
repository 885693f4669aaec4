"""Shows whether all targets hold the same rows and return the same results: checksums side by side."""

from __future__ import annotations

from collections.abc import Iterator

from dbdyno.core import Fingerprint, target_title
from dbdyno.report._blocks import Block, Column, Table, to_see
from dbdyno.report._html import element
from dbdyno.report._study_analysis import StudyAnalysis

_SHOWN = 16


def sameness(analysis: StudyAnalysis) -> list[Block]:
    """A table of the datasets, a table of the results, and what they say."""
    datasets, results = list(_dataset_rows(analysis)), list(_result_rows(analysis))
    parts: list[Block] = []
    if datasets:
        columns = [Column("dataset"), Column("target"), Column("rows", True), Column("checksum of all tables")]
        parts += [
            Table("dataset-checksums", "Starting data of each target", columns, datasets),
            to_see(
                "The server computes a checksum of every filled table: equal checksums mean equal rows. A study does "
                "not start if its targets hold different rows."
            ),
        ]
    if results:
        columns = [Column("workload"), Column("target"), Column("events", True), Column("failed", True)]
        columns += [Column("checksum of the statements"), Column("checksum of all tables afterwards")]
        parts += [
            Table("result-checksums", "Results of the same events on each target", columns, results),
            to_see(_verdict(analysis)),
        ]
    return parts or [to_see("No checksums were stored.")]


def _verdict(analysis: StudyAnalysis) -> str:
    how = "Before the runs, one connection sends the first events of the workload to a copy of the data."
    if any(comparison.unlike for comparison in analysis.facts.results):
        return f"{how} The targets return different results or end with different rows."
    return f"{how} Equal checksums mean equal results and equal rows at the end."


def _dataset_rows(analysis: StudyAnalysis) -> Iterator[list[str]]:
    for target in analysis.targets:
        for facts in (analysis.results.dataset(target) or {}).get("datasets", ()):
            checksum = facts.get("content_sha256", "")
            yield [facts["dataset"], target_title(target), f"{facts['rows_total']:,}", _checksum(checksum)]


def _result_rows(analysis: StudyAnalysis) -> Iterator[list[str]]:
    for choice in analysis.study.workloads:
        for target in analysis.targets:
            stored = analysis.results.fingerprints(target).get(choice.label)
            if stored is None:
                continue
            if isinstance(stored.made, Fingerprint):
                made = stored.made
                sums = [_checksum(made.statements_sha256), _checksum(made.content_sha256)]
                yield [choice.label, target_title(target), f"{made.events:,}", f"{made.failed:,}", *sums]
            else:
                yield [choice.label, target_title(target), "", "", "not known", stored.made.splitlines()[0]]


def _checksum(sha256: str) -> str:
    """The head of it, whole on hover."""
    return element("code", sha256[:_SHOWN], title=sha256) if sha256 else "-"
