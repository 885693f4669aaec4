"""Shows whether all targets hold the same rows and return the same results: checksums side by side."""

from __future__ import annotations

from collections.abc import Iterator

from dbdyno.core import Fingerprint, target_title
from dbdyno.report._blocks import Block, Column, Table, to_see
from dbdyno.report._html import element
from dbdyno.report._study_analysis import StudyAnalysis

_SHOWN = 16


def sameness(analysis: StudyAnalysis) -> list[Block]:
    """Return a table of the datasets, a table of the results, and what they say."""
    datasets, results = list(_dataset_rows(analysis)), list(_result_rows(analysis))
    blocks: list[Block] = []
    if datasets:
        columns = [Column("dataset"), Column("target"), Column("rows", True), Column("checksum of all tables")]
        blocks += [
            Table("dataset-checksums", "Starting data of each target", columns, datasets),
            to_see(
                "The server computes a checksum of every filled table: equal checksums mean equal rows. A study does "
                "not start if its targets hold different rows."
            ),
        ]
    if results:
        columns = [Column("workload"), Column("target"), Column("events", True), Column("failed", True)]
        columns += [Column("checksum of the statements"), Column("checksum of all tables afterwards")]
        blocks += [
            Table("result-checksums", "Results of the same events on each target", columns, results),
            to_see(_sameness_verdict(analysis)),
        ]
    return blocks or [to_see("No checksums were stored.")]


def _sameness_verdict(analysis: StudyAnalysis) -> str:
    method_words = "Before the runs, one connection sends the first events of the workload to a copy of the data."
    if any(comparison.unlike for comparison in analysis.facts.results):
        return f"{method_words} The targets return different results or end with different rows."
    return f"{method_words} Equal checksums mean equal results and equal rows at the end."


def _dataset_rows(analysis: StudyAnalysis) -> Iterator[list[str]]:
    for target in analysis.targets:
        for facts in (analysis.results.dataset(target) or {}).get("datasets", ()):
            checksum = facts.get("content_sha256", "")
            yield [facts["dataset"], target_title(target), f"{facts['rows_total']:,}", _checksum_html(checksum)]


def _result_rows(analysis: StudyAnalysis) -> Iterator[list[str]]:
    for choice in analysis.study.workloads:
        for target in analysis.targets:
            entry = analysis.results.fingerprints(target).get(choice.label)
            if entry is None:
                continue
            if isinstance(entry.made, Fingerprint):
                fingerprint = entry.made
                sums = [_checksum_html(fingerprint.statements_sha256), _checksum_html(fingerprint.content_sha256)]
                yield [choice.label, target_title(target), f"{fingerprint.events:,}", f"{fingerprint.failed:,}", *sums]
            else:
                yield [choice.label, target_title(target), "", "", "not known", entry.made.splitlines()[0]]


def _checksum_html(sha256: str) -> str:
    """Return the head of it, whole on hover."""
    return element("code", sha256[:_SHOWN], title=sha256) if sha256 else "-"
